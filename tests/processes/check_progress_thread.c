/*
 * The thread that moves requests on while the program computes (coll_symm_progress_thread): data
 * have moved when the program comes back to MPI, peers need not wait for it, what only the
 * program's threads may do is left to them, and the thread sleeps when there is nothing to do.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Without that parameter the same calls give the same results, but nothing moves meanwhile:
 * SYMM_TEST_MOVES=0 expects that. SYMM_TEST_MOVES=alone expects the thread in rank 0 only.
 * SYMM_TEST_LEVEL is the thread level, as in mpi.h.
 */
#define _GNU_SOURCE

#include "tests/harness/harness.h"
#include "tests/harness/persistent.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Many steps of an operation, so that a call of MPI alone does not make it. */
enum { COUNT = 1 << 20, MANY = 12, WARM_UP = 8, SMALL = 1000, MIDDLE = 1 << 18 };
enum { COMPUTING = 1000000, NOTHING_MOVES = COMPUTING / 4 };

static bool moves;    /* this rank has the thread */
static bool is_alone; /* the only one: what is complete when depends on the others' calls to MPI */
static int *send, *receive;
static atomic_int *flags; /* shared by all ranks */

static void fill(void)
{
    for (int i = 0; i < COUNT; i++) {
        send[i] = i + test_rank;
        receive[i] = -1;
    }
}

static bool is_sum(const int *sums, int count)
{
    for (int i = 0; i < count; i++) {
        if (sums[i] != i * test_size + test_size * (test_size - 1) / 2) {
            return false;
        }
    }
    return true;
}

/* Both have to be there in time, on a machine with other work as well. */
static void compute(void)
{
    const char *patience = getenv("SYMM_TEST_PATIENCE");
    unsigned duration = moves && !is_alone ? COMPUTING : NOTHING_MOVES;
    test_delay(duration * (unsigned)(patience != NULL ? atoi(patience) : 1));
}

/* All lanes of a communicator meet the buffers, which takes votes: those are for the program. */
static void warm_up(MPI_Comm comm)
{
    for (int i = 0; i < WARM_UP; i++) {
        MPI_Request request;
        MPI_Iallreduce(send, receive, COUNT, MPI_INT, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* ---- what has moved -------------------------------------------------------------------------- */

/* The first look at a request that has been outstanding while all ranks were busy elsewhere. */
static void look(MPI_Request *request)
{
    int done = 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    test_check((done != 0) == moves || is_alone,
               moves ? "complete at the first MPI_Test" : "not complete at the first MPI_Test");
    MPI_Wait(request, MPI_STATUS_IGNORE);
    test_check(is_sum(receive, COUNT), "the result");
}

static void alone(MPI_Comm comm, bool persistent, const char *memory)
{
    MPI_Request request = MPI_REQUEST_NULL;
    test_case("%s memory, %s", memory, persistent ? "persistent" : "nonblocking");
    fill();
    warm_up(comm);
    if (persistent) {
        PERSISTENT(Allreduce)(send, receive, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                              &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    fill();
    MPI_Barrier(comm);
    if (persistent) {
        MPI_Start(&request);
    } else {
        MPI_Iallreduce(send, receive, COUNT, MPI_INT, MPI_SUM, comm, &request);
    }
    compute();
    look(&request);
    if (persistent) {
        MPI_Request_free(&request);
    }
}

/* More than can be at work at a time: the next ones begin as the first ones end. */
static void many(MPI_Comm comm)
{
    MPI_Request requests[MANY];
    int done = 0;
    int *sums = malloc(MANY * MIDDLE * sizeof(int));
    test_case("%d requests", MANY);
    fill();
    warm_up(comm);
    MPI_Barrier(comm);
    for (int i = 0; i < MANY - 1 && sums != NULL; i++) {
        MPI_Iallreduce(send, sums + i * MIDDLE, MIDDLE, MPI_INT, MPI_SUM, comm, &requests[i]);
    }
    MPI_Ibarrier(comm, &requests[MANY - 1]);
    compute();
    for (int i = 0; i < 2 && !done; i++) { /* the first one makes progress when it has looked */
        MPI_Testall(MANY, requests, &done, MPI_STATUSES_IGNORE);
    }
    test_check((done != 0) == moves || is_alone,
               moves ? "all complete at the second MPI_Testall"
                     : "not all complete at the second MPI_Testall");
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY - 1; i++) {
        test_check(is_sum(sums + i * MIDDLE, MIDDLE), "the results");
    }
    free(sums);
}

/* Rank 0 calls MPI again only when all others have their results, or after some time. */
static void late(MPI_Comm comm)
{
    MPI_Request request;
    test_case("the others need not wait for rank 0");
    fill();
    warm_up(comm);
    fill();
    atomic_store(&flags[test_rank], 0);
    MPI_Barrier(comm);
    if (test_rank > 0) {
        test_delay(20000 * (unsigned)test_rank);
    }
    MPI_Iallreduce(send, receive, COUNT, MPI_INT, MPI_SUM, comm, &request);
    if (test_rank > 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        atomic_store(&flags[test_rank], 1);
    } else {
        int ready = 1;
        for (int i = 0; i < (moves ? 200 : 5) && ready < test_size; i++) {
            test_delay(50000);
            for (ready = 1; ready < test_size && atomic_load(&flags[ready]) != 0; ready++) {
            }
        }
        test_check((ready == test_size) == moves,
                   moves ? "they have their results" : "they wait without the thread");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    test_check(is_sum(receive, COUNT), "the result");
}

/* ---- what is left to the program ------------------------------------------------------------- */

static pthread_t main_thread;
static atomic_int strange_calls, own_calls;

static void add(void *from, void *to, int *length, MPI_Datatype *type)
{
    (void)type;
    if (pthread_equal(pthread_self(), main_thread)) {
        atomic_fetch_add(&own_calls, 1);
    } else {
        atomic_fetch_add(&strange_calls, 1);
    }
    for (int i = 0; i < *length; i++) {
        ((int *)to)[i] += ((const int *)from)[i];
    }
}

static void left_to_program(MPI_Comm comm)
{
    MPI_Op op;
    MPI_Datatype every_second;
    MPI_Request requests[2];
    int *gathered = calloc((size_t)test_size * 2 * SMALL, sizeof(int));
    test_case("user-defined operations and data with gaps");
    fill();
    MPI_Op_create(add, 1, &op);
    MPI_Type_vector(SMALL, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int round = 0; round < WARM_UP && gathered != NULL; round++) {
        MPI_Iallreduce(send, receive, COUNT, MPI_INT, op, comm, &requests[0]);
        MPI_Iallgather(send, 1, every_second, gathered, SMALL, MPI_INT, comm, &requests[1]);
        test_delay(10000);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        test_check(is_sum(receive, COUNT), "the result");
        bool is_right = true;
        for (int i = 0; i < test_size * SMALL; i++) {
            is_right &= gathered[i] == 2 * (i % SMALL) + i / SMALL;
        }
        test_check(is_right, "the gathered data");
    }
    test_check(atomic_load(&own_calls) > 0 || test_size == 1, "the function is called");
    test_check(atomic_load(&strange_calls) == 0, "by the program's thread alone");
    MPI_Type_free(&every_second);
    MPI_Op_free(&op);
    free(gathered);
}

/* A child of a process whose thread is at work, and one that frees memory. */
static void forks(MPI_Comm comm)
{
    test_case("fork() beside the thread");
    fill();
    warm_up(comm);
    for (int round = 0; round < 10; round++) {
        MPI_Request request;
        void *block = NULL;
        int status = -1;
        MPI_Alloc_mem(100000, MPI_INFO_NULL, &block);
        MPI_Iallreduce(send, receive, COUNT, MPI_INT, MPI_SUM, comm, &request);
        test_delay(100u * (unsigned)round);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            MPI_Free_mem(block);
            _exit(7);
        }
        test_check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
                       WEXITSTATUS(status) == 7, "the child ends");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Free_mem(block);
        test_check(is_sum(receive, COUNT), "the result");
    }
}

/* ---- the thread itself ----------------------------------------------------------------------- */

/* A line of /proc/self/task/.../status of the thread; false: there is no such thread. */
static bool thread_line(const char *key, char *text, size_t size)
{
    DIR *folder = opendir("/proc/self/task");
    struct dirent *entry;
    bool found = false;
    while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
        char path[300], line[300];
        bool is_it = false;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        FILE *file = fopen(path, "r");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            is_it = is_it || strcmp(line, "Name:\tsymm-progress\n") == 0;
            if (is_it && strncmp(line, key, strlen(key)) == 0) {
                snprintf(text, size, "%.*s", (int)size - 1, line);
                found = true;
            }
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return found;
}

static void thread_sleeps(void)
{
    char before[300] = "", after[300] = "", state[300] = "", blocked[300] = "";
    test_case("the thread");
    test_delay(100000); /* it may be in a nap still */
    test_check(thread_line("voluntary_ctxt_switches:", before, sizeof before) == moves,
               moves ? "there is one" : "there is none");
    test_delay(200000);
    (void)thread_line("voluntary_ctxt_switches:", after, sizeof after);
    test_check(strcmp(before, after) == 0 &&
                   (!thread_line("State:", state, sizeof state) ||
                    strstr(state, "sleeping") != NULL),
               "it sleeps while nothing is outstanding");
    if (moves && thread_line("SigBlk:", blocked, sizeof blocked)) {
        uint64_t mask = strtoull(blocked + strlen("SigBlk:"), NULL, 16);
        test_check((~mask & 0x7fffffffu & ~(1u << 8 | 1u << 18)) == 0, "no signal reaches it");
    }
}

int main(int argc, char **argv)
{
    const char *level = getenv("SYMM_TEST_LEVEL"), *expected = getenv("SYMM_TEST_MOVES");
    MPI_Win window;
    MPI_Request never;
    MPI_Aint size;
    int unit, *own;
    test_begin(argc, argv, "check_progress_thread",
               level != NULL ? atoi(level) : MPI_THREAD_SINGLE);
    is_alone = expected != NULL && strcmp(expected, "alone") == 0 && test_rank == 0;
    moves = is_alone || expected == NULL || (*expected != '0' && strcmp(expected, "alone") != 0);
    main_thread = pthread_self();
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &flags);
    int kinds = (moves && !is_alone) || test_whole ? 2 : 1;
    for (int kind = 0; kind < kinds; kind++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (kind == 0) {
            MPI_Alloc_mem(COUNT * sizeof(int), MPI_INFO_NULL, &send);
            MPI_Alloc_mem(COUNT * sizeof(int), MPI_INFO_NULL, &receive);
        } else {
            send = malloc(COUNT * sizeof(int));
            receive = malloc(COUNT * sizeof(int));
        }
        if (send == NULL || receive == NULL) {
            fprintf(stderr, "check_progress_thread: no memory\n");
            MPI_Abort(MPI_COMM_WORLD, 2);
            return 2;
        }
        alone(comm, false, kind == 0 ? "heap" : "malloc");
        alone(comm, true, kind == 0 ? "heap" : "malloc");
        late(comm);
        many(comm);
        left_to_program(comm);
        forks(comm);
        thread_sleeps();
        MPI_Comm_free(&comm);
        if (kind == 0) {
            MPI_Free_mem(receive);
            MPI_Free_mem(send);
        } else {
            free(receive);
            free(send);
        }
    }
    MPI_Win_free(&window);
    PERSISTENT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &never); /* not even started */
    return test_end();
}
