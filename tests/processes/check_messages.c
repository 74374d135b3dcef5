/*
 * Messages of several threads under MPI_THREAD_MULTIPLE: each thread has a communicator of its own,
 * and exchanges small messages with its fellow in another rank, at the same time as the others.  No
 * collective is called.
 *
 * An Open MPI that loses a message hangs.  This program sees that nothing arrives, says so, and
 * ends.  6.0.0a1 hangs in 2 of 6 runs, unless it has no fast boxes (btl_sm_fbox_max 0).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _DEFAULT_SOURCE /* nanosleep */
#include "tests/harness/harness.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 8, MESSAGES = 20000, QUICK = 200, PATIENCE = 10 }; /* the last in seconds */

struct worker {
    pthread_t thread;
    int index;
    MPI_Comm comm;
};

static atomic_ulong arrived;
static atomic_int ended;

static void *work(void *argument)
{
    const struct worker *worker = argument;
    int partner = test_rank ^ 1;
    test_case("thread %d", worker->index);
    for (int i = 0; i < (test_quick ? QUICK : MESSAGES); i++) {
        int sent[2] = {worker->index, i};
        int received[2] = {-1, -1};
        MPI_Sendrecv(sent, 2, MPI_INT, partner, 0, received, 2, MPI_INT, partner, 0, worker->comm,
                     MPI_STATUS_IGNORE);
        test_check(received[0] == worker->index && received[1] == i,
                   "the partner's message, in its turn");
        arrived++;
    }
    ended++;
    return NULL;
}

/* Waits for the threads as long as messages arrive. */
static void watch(void)
{
    unsigned long before = 0;
    for (int still = 0; ended < THREADS; still++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        if (arrived != before) {
            before = arrived;
            still = 0;
        } else if (still == PATIENCE * 10) {
            fprintf(stderr, "check_messages: nothing has arrived on rank %d for %d s, after %lu\n",
                    test_rank, PATIENCE, before);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

int main(int argc, char **argv)
{
    struct worker workers[THREADS];
    int provided = test_begin(argc, argv, "check_messages", MPI_THREAD_MULTIPLE);
    if (provided < MPI_THREAD_MULTIPLE) {
        return test_skip("this Open MPI does not provide MPI_THREAD_MULTIPLE");
    }
    if (test_size % 2 != 0) {
        return test_skip("the number of ranks is odd");
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i].index = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fprintf(stderr, "check_messages: cannot start thread %d\n", i);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    watch();
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    return test_end();
}
