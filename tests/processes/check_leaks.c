/*
 * Nothing leaks: communicators are made, used and freed, and memory is allocated, used and freed,
 * in long loops, after which the process has the descriptors, mappings and memory it had before.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_CYCLES is the number of cycles of each kind. Every kind is preceded by some cycles that
 * fill caches and free lists; what has grown after the others is a failure. Open MPI without our
 * components passes as well.
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_WORDS = 64, LARGE = 40000, WARM_UP = 300, RING_CALLS = 1300 };

enum resource { DESCRIPTORS, MAPPINGS, RESIDENT, PRIVATE, MEMFD, RESOURCES };

/* What a process has; memory in KiB. */
struct usage {
    int64_t amount[RESOURCES];
};

/* Some room for malloc, which may return or keep a page, and for parts of libraries that are
 * touched for the first time. A hundred bytes a cycle are found in 1400 cycles. */
static const struct {
    const char *name;
    int64_t growth;
} limits[RESOURCES] = {
    [DESCRIPTORS] = {"descriptors", 0},
    [MAPPINGS] = {"mappings", 4},
    [RESIDENT] = {"KiB of memory in all", 512},
    [PRIVATE] = {"KiB of private memory", 128},
    [MEMFD] = {"KiB of shared memory without a name", 128},
};

static uint64_t number;
static struct test_memory heap; /* of all kinds that are about communicators */

/* ---- measuring ------------------------------------------------------------------------------- */

static int64_t descriptors(void)
{
    int64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

/* Adds the number of a line "NAME:  NUMBER kB". */
static void add_line(const char *line, const char *name, int64_t *sum)
{
    size_t length = strlen(name);
    if (strncmp(line, name, length) == 0 && line[length] == ':') {
        *sum += strtoll(line + length + 1, NULL, 10);
    }
}

/* /proc/self/smaps is exact; the numbers of /proc/self/status may lag by 64 pages a thread. */
static void read_mappings(struct usage *usage)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_memfd = false;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        uintptr_t start;
        uintptr_t end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) {
            usage->amount[MAPPINGS]++;
            is_memfd = strstr(line, "/memfd:") != NULL;
        }
        add_line(line, "Rss", &usage->amount[RESIDENT]);
        add_line(line, "Anonymous", &usage->amount[PRIVATE]);
        if (is_memfd) {
            add_line(line, "Pss", &usage->amount[MEMFD]); /* this process's share of it */
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* When this is called, all ranks have ended their cycles, and nothing of them is under way. */
static struct usage measure(void)
{
    struct usage usage = {{0}};
    MPI_Barrier(MPI_COMM_WORLD);
    usage.amount[DESCRIPTORS] = descriptors();
    read_mappings(&usage);
    MPI_Barrier(MPI_COMM_WORLD);
    return usage;
}

static void compare(const struct usage *before, const struct usage *after, int cycles)
{
    for (int i = 0; i < RESOURCES; i++) {
        int64_t was = before->amount[i];
        int64_t is = after->amount[i];
        test_check(was > 0 || i == MEMFD, "numbers from /proc");
        if (is > was + limits[i].growth) {
            test_fail("%s: expected at most %" PRId64 " after %d cycles, found %" PRId64,
                      limits[i].name, was + limits[i].growth, cycles, is);
        }
    }
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Small calls always; some communicators also map each other's segments, and some do nothing. */
static void use(MPI_Comm comm, int cycle)
{
    int64_t send[SMALL_WORDS];
    int64_t receive[SMALL_WORDS];
    struct test_memory small = {send, receive, sizeof send};
    if (cycle % 7 == 6) {
        return;
    }
    number++;
    test_exercise_allreduce(comm, number, small, sizeof send);
    if (cycle % 3 == 0) {
        test_exercise_rooted(comm, number);
        test_exercise_exchange(comm, number);
    }
    if (cycle % 5 == 0) {
        test_exercise_allgather(comm, number, heap, LARGE);
        test_exercise_allreduce(comm, number, heap, LARGE);
    }
}

static void cycle_dup(int cycle)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, cycle);
    MPI_Comm_free(&comm);
}

static void cycle_split(int cycle)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (test_rank + cycle) % test_size, &comm);
    use(comm, cycle);
    MPI_Comm_free(&comm);
}

/* The world's ranks backwards. */
static MPI_Group reversed_group(void)
{
    MPI_Group world;
    MPI_Group group;
    int range[1][3] = {{test_size - 1, 0, -1}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Group_free(&world);
    return group;
}

static void cycle_create(int cycle)
{
    MPI_Comm comm;
    MPI_Group group = reversed_group();
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    use(comm, cycle);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
}

static void cycle_create_group(int cycle)
{
    MPI_Comm comm;
    MPI_Group group = reversed_group();
    MPI_Comm_create_group(MPI_COMM_WORLD, group, cycle % 100, &comm);
    use(comm, cycle);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
}

/* Blocks of more than half a segment: each needs a segment of its own, and all but one spare go. */
static void cycle_memory(int cycle)
{
    size_t segment = test_parameter("mpool_symm_segment_size", 64u << 20);
    size_t bytes = segment / 2 + 4096 * (size_t)(1 + cycle % 3 + test_rank);
    struct test_memory memory = {.bytes = LARGE};
    void *third;
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory.send);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory.receive);
    MPI_Alloc_mem((MPI_Aint)(1 + cycle % 5000), MPI_INFO_NULL, &third);
    number++;
    test_exercise_allreduce(MPI_COMM_WORLD, number, memory, LARGE);
    MPI_Free_mem(cycle % 2 == 0 ? memory.send : memory.receive);
    MPI_Free_mem(third);
    MPI_Free_mem(cycle % 2 == 0 ? memory.receive : memory.send);
}

static void run(const char *kind, void (*cycle)(int), int cycles)
{
    test_case("%s", kind);
    for (int i = 0; i < WARM_UP; i++) {
        cycle(i);
    }
    struct usage before = measure();
    double start = MPI_Wtime();
    for (int i = 0; i < cycles; i++) {
        cycle(i);
    }
    double seconds = MPI_Wtime() - start;
    struct usage after = measure();
    compare(&before, &after, cycles);
    if (test_rank == 0) {
        printf("%s: %d cycles in %.1f s; growth", kind, cycles, seconds);
        for (int i = 0; i < RESOURCES; i++) {
            printf("%s%" PRId64 " %s", i == 0 ? " " : ", ", after.amount[i] - before.amount[i],
                   limits[i].name);
        }
        printf("\n");
    }
}

/*
 * A communicator takes more memory after 1,024 calls, once (heap/team/control.h).  MPI_COMM_WORLD
 * is the only one here that makes so many.
 */
static void ring_grow(void)
{
    for (int call = 0; call < RING_CALLS; call++) {
        int one = 1, sum;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_leaks", MPI_THREAD_SINGLE);
    const char *text = getenv("SYMM_TEST_CYCLES");
    int cycles = text != NULL && *text != '\0' ? atoi(text) : test_quick ? 300 : 1400;
    MPI_Alloc_mem(LARGE, MPI_INFO_NULL, &heap.send);
    MPI_Alloc_mem(LARGE, MPI_INFO_NULL, &heap.receive);
    heap.bytes = LARGE;
    ring_grow();
    run("dup", cycle_dup, cycles);
    run("split", cycle_split, cycles);
    run("create", cycle_create, cycles);
    run("create_group", cycle_create_group, cycles);
    run("memory", cycle_memory, cycles);
    MPI_Free_mem(heap.receive);
    MPI_Free_mem(heap.send);
    return test_end();
}
