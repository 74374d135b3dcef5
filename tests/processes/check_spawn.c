/*
 * Processes that join later: MPI_Comm_spawn'ed ones with a world of their own, the
 * inter-communicator to their parents, the merged communicator, and MPI_Comm_disconnect; and the
 * same between two halves of a job, or two jobs, that meet by MPI_Comm_accept and MPI_Comm_connect.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The program spawns itself. SYMM_TEST_CHILD_ENV (lines of NAME=VALUE) goes into the children's
 * environment, so that they can have other parameters than their parents.
 * SYMM_TEST_ROUNDS is how often children are spawned. With SYMM_TEST_PORT=FILE two jobs with the
 * same SYMM_TEST_SEED meet instead: one finds no such file, and puts the name of a port there.
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHILDREN = 2, MIDDLE = 65536, GROUP_MOST = 64 };

static uint64_t number = 5000;

static void exercise(MPI_Comm comm, size_t bytes)
{
    test_exercise(comm, ++number, bytes);
}

/* The other group's data arrive: `theirs` is what its rank r sends minus r. */
static void check_inter(MPI_Comm inter, int64_t mine, int64_t theirs)
{
    int rank;
    int others;
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &others);
    int64_t value = mine + rank;
    int64_t sum = -1;
    int64_t gathered[GROUP_MOST];
    int64_t expected = others * theirs + (int64_t)others * (others - 1) / 2;
    MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, inter);
    MPI_Allgather(&value, 1, MPI_INT64_T, gathered, 1, MPI_INT64_T, inter);
    if (sum != expected) {
        test_fail("all-reduce between the groups: expected %lld, found %lld", (long long)expected,
                  (long long)sum);
    }
    for (int r = 0; r < others; r++) {
        if (gathered[r] != theirs + r) {
            test_fail("all-gather between the groups, element %d: expected %lld, found %lld", r,
                      (long long)(theirs + r), (long long)gathered[r]);
        }
    }
}

/* Both sides call this; `first`: the side whose ranks come first in the merged communicator. */
static void meet(MPI_Comm inter, int first)
{
    MPI_Comm merged;
    MPI_Comm copy;
    for (int i = 0; i < 3; i++) {
        check_inter(inter, first ? 100 : 200, first ? 200 : 100);
    }
    MPI_Intercomm_merge(inter, !first, &merged);
    number = 6000; /* the two sides have counted differently; go on together */
    exercise(merged, MIDDLE);
    MPI_Comm_dup(merged, &copy);
    exercise(copy, MIDDLE);
    exercise(merged, 4096);
    MPI_Comm_free(&copy);
    check_inter(inter, first ? 100 : 200, first ? 200 : 100);
    MPI_Comm_free(&merged);
}

/* Children draw the same random numbers as their parents. */
static MPI_Info child_info(void)
{
    MPI_Info info;
    char text[512];
    const char *more = getenv("SYMM_TEST_CHILD_ENV");
    snprintf(text, sizeof text, "SYMM_TEST_SEED=%" PRIu64 "%s%s", test_seed(),
             more != NULL ? "\n" : "", more != NULL ? more : "");
    MPI_Info_create(&info);
    MPI_Info_set(info, "env", text);
    return info;
}

/* KiB of this process's mappings of memory without a name. */
static int64_t shared_memory(void)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_memfd = false;
    int64_t sum = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        uintptr_t start;
        uintptr_t end;
        int64_t resident;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) {
            is_memfd = strstr(line, "/memfd:") != NULL;
        } else if (is_memfd && sscanf(line, "Rss: %" SCNd64, &resident) == 1) {
            sum += resident;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return sum;
}

static void spawn(char *program, int round)
{
    MPI_Comm inter;
    MPI_Info info = child_info();
    char *arguments[] = {NULL};
    test_case("parents, round %d", round);
    MPI_Comm_spawn(program, arguments, CHILDREN, info, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    meet(inter, 1);
    MPI_Comm_disconnect(&inter);
    number = 8000 + 1000 * (uint64_t)round;
    exercise(MPI_COMM_WORLD, MIDDLE); /* while the children end, or after */
}

/*
 * Blocks of control memory are used again, and touched more and more until all have been. A merged
 * communicator that is not freed takes 400 KiB of each parent.
 */
static void spawn_often(char *program, int rounds)
{
    enum { WARM_UP = 3, MOST = 1024 };
    int64_t before = 0;
    for (int round = 0; round < rounds; round++) {
        before = round == WARM_UP ? shared_memory() : before;
        spawn(program, round);
    }
    int64_t after = shared_memory();
    test_case("shared memory after %d rounds", rounds);
    if (rounds > WARM_UP && after > before + MOST) {
        test_fail("%" PRId64 " KiB after %d rounds, %" PRId64 " KiB after %d", after, rounds,
                  before, WARM_UP);
    }
}

/* The children have a world of their own, served like any other. */
static void child(MPI_Comm parents)
{
    test_case("children");
    exercise(MPI_COMM_WORLD, MIDDLE);
    meet(parents, 0);
    MPI_Comm_disconnect(&parents);
    exercise(MPI_COMM_WORLD, MIDDLE);
}

/* The first ranks of `half` are given the port's name by the caller. */
static void connect_and_meet(MPI_Comm half, const char *port, int accepting)
{
    MPI_Comm inter;
    if (accepting) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    } else {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    }
    meet(inter, accepting);
    MPI_Comm_disconnect(&inter);
    exercise(half, MIDDLE);
}

/* Rank 0 opens a port and tells its name to the first rank of the odd half. */
static void connect_halves(void)
{
    enum { TAG_PORT = 77 };
    MPI_Comm half;
    char port[MPI_MAX_PORT_NAME] = "";
    int even = test_rank % 2 == 0;
    test_case("connected halves");
    MPI_Comm_split(MPI_COMM_WORLD, even, 0, &half);
    if (test_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, sizeof port, MPI_CHAR, 1, TAG_PORT, MPI_COMM_WORLD);
    } else if (test_rank == 1) {
        MPI_Recv(port, sizeof port, MPI_CHAR, 0, TAG_PORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    connect_and_meet(half, port, even);
    if (test_rank == 0) {
        MPI_Close_port(port);
    }
    MPI_Comm_free(&half);
}

/* The file gets its name when it is complete. */
static void write_port(const char *path, const char *port)
{
    char draft[4096];
    snprintf(draft, sizeof draft, "%s.new", path);
    FILE *file = fopen(draft, "w");
    if (file == NULL || fputs(port, file) < 0 || fclose(file) != 0 || rename(draft, path) != 0) {
        fprintf(stderr, "check_spawn: cannot write %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static void connect_jobs(const char *path)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int accepting = 0;
    test_case("connected jobs");
    if (test_rank == 0) {
        FILE *file = fopen(path, "r");
        accepting = file == NULL;
        if (accepting) {
            MPI_Open_port(MPI_INFO_NULL, port);
            write_port(path, port);
        } else {
            test_check(fgets(port, sizeof port, file) != NULL, "the name of a port");
            fclose(file);
        }
    }
    MPI_Bcast(&accepting, 1, MPI_INT, 0, MPI_COMM_WORLD);
    connect_and_meet(MPI_COMM_WORLD, port, accepting);
    if (accepting && test_rank == 0) {
        MPI_Close_port(port);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parents;
    test_begin(argc, argv, "check_spawn", MPI_THREAD_SINGLE);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) {
        child(parents);
        return test_end();
    }
    const char *path = getenv("SYMM_TEST_PORT");
    exercise(MPI_COMM_WORLD, MIDDLE);
    if (path != NULL) {
        connect_jobs(path);
        return test_end();
    }
    const char *rounds = getenv("SYMM_TEST_ROUNDS");
    spawn_often(argv[0], rounds != NULL ? atoi(rounds) : test_quick ? 1 : 2);
    if (test_size > 1) {
        connect_halves();
    }
    test_case("the end");
    number = 20000;
    exercise(MPI_COMM_WORLD, MIDDLE);
    return test_end();
}
