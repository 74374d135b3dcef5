/*
 * Threads under MPI_THREAD_MULTIPLE: each has a communicator of its own, calls collectives there,
 * allocates and frees memory, and makes and frees communicators, all at the same time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, SMALL_CALLS = 40, BLOCKS = 16, CHURN = 100000 };

struct worker {
    pthread_t thread;
    int index;
    int rounds;
    MPI_Comm comm;
};

static void small_calls(const struct worker *worker, uint64_t number)
{
    int64_t send[64];
    int64_t receive[64];
    struct test_memory memory = {send, receive, sizeof send};
    for (uint64_t i = 0; i < SMALL_CALLS; i++) {
        test_exercise_allreduce(worker->comm, number + i, memory, 8 + i % 8 * 64);
        test_exercise_allgather(worker->comm, number + i, memory, sizeof send);
    }
}

static void check_block(const unsigned char *block, size_t bytes, unsigned char pattern)
{
    if (block[0] != pattern || block[bytes / 2] != pattern || block[bytes - 1] != pattern) {
        test_fail("block of %zu bytes: expected %#04x, found %#04x, %#04x, %#04x", bytes, pattern,
                  block[0], block[bytes / 2], block[bytes - 1]);
    }
}

/* Blocks of this thread must neither overlap nor be lost while others get and free theirs. */
static void churn(const struct worker *worker, uint64_t number)
{
    unsigned char *block[BLOCKS] = {NULL};
    size_t bytes[BLOCKS] = {0};
    for (uint64_t i = 0; i < CHURN + BLOCKS; i++) {
        uint64_t random = test_random(test_stream(number, (uint64_t)test_rank, 2), i);
        size_t at = i < CHURN ? random % BLOCKS : i - CHURN;
        unsigned char pattern = (unsigned char)(16 * (worker->index + 1) + (int)at);
        if (block[at] != NULL) {
            check_block(block[at], bytes[at], pattern);
            MPI_Free_mem(block[at]);
            block[at] = NULL;
        } else if (i < CHURN) {
            bytes[at] = 1 + (random >> 8) % 3000;
            MPI_Alloc_mem((MPI_Aint)bytes[at], MPI_INFO_NULL, &block[at]);
            memset(block[at], pattern, bytes[at]);
        }
    }
}

/* The communicator's number is part of the data, so that another thread's data would be noticed. */
static void *work(void *argument)
{
    const struct worker *worker = argument;
    for (int round = 0; round < worker->rounds; round++) {
        uint64_t number = (uint64_t)(worker->index * 1000 + round) * 1000;
        MPI_Comm comm;
        test_case("thread %d, round %d", worker->index, round);
        small_calls(worker, number);
        churn(worker, number);
        test_exercise(worker->comm, number + 1, 50000 + (size_t)worker->index * 100000);
        MPI_Comm_dup(worker->comm, &comm);
        test_exercise(comm, number + 2, 4096);
        MPI_Comm_free(&comm);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[THREADS];
    int provided = test_begin(argc, argv, "check_threads", MPI_THREAD_MULTIPLE);
    if (provided < MPI_THREAD_MULTIPLE) {
        return test_skip("this Open MPI does not provide MPI_THREAD_MULTIPLE");
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.index = i, .rounds = test_quick ? 2 : 4};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fprintf(stderr, "check_threads: cannot start thread %d\n", i);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    /* The main thread takes part, in the world. */
    test_case("main thread");
    for (uint64_t i = 0; i < 4; i++) {
        test_exercise(MPI_COMM_WORLD, 9000000 + i, 30000);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    return test_end();
}
