/*
 * later_worker.h - a thread that makes random calls: what is outstanding, and how it is completed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_LATER_WORKER_H
#define SYMM_TESTS_LATER_WORKER_H

#include "tests/processes/later/later_call.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    LATER_OUTSTANDING = 6,
    LATER_PERSISTENTS = 5,
    LATER_SLOTS = LATER_OUTSTANDING + LATER_PERSISTENTS,
    LATER_AT_A_TIME = 16 /* numbers of calls for a step */
};

/* The communicators of a thread; the last one is of all threads, for persistent operations only. */
enum later_place { LATER_WORLD, LATER_RENEWED, LATER_PART, LATER_SHARED, LATER_PLACES };

struct later_worker {
    pthread_t thread;
    int index;
    struct later_comm comms[LATER_PLACES];
    struct later_call calls[LATER_SLOTS]; /* the last ones are persistent */
    struct later_call blocking;
    bool active[LATER_SLOTS];
    struct later_buffers buffers[LATER_SLOTS + 1];
    MPI_Comm next; /* with a request: it is being made */
    MPI_Request next_request;
    uint64_t step, made;
    char where[400];
};

/* Memory for what barriers of so many threads promise; MPI's, until the window is freed. */
MPI_Win later_shared_memory(int threads);

/* What the thread is about, for a rank that is ended there. */
void later_stand(struct later_worker *worker, const char *what);

/* Prepare a call, which begins now. */
void later_begin(struct later_worker *worker, struct later_call *call, uint64_t number);

/* The call is over. */
void later_end(struct later_worker *worker, struct later_call *call);

/* Wait for this one, if it is active; for all; or complete some in one of many ways. */
void later_complete(struct later_worker *worker, int slot);
void later_complete_all(struct later_worker *worker);
void later_complete_some(struct later_worker *worker, uint64_t random);

#endif
