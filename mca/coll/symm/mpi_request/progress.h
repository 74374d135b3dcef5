/*
 * mpi_request/progress.h - moving on the requests of one kind from within opal_progress().
 *
 * A callback of opal_progress() is registered while requests are outstanding.  Threads may be in it
 * at the same time, and it may be entered from within itself.  So one thread at a time walks along
 * the requests and steps them.  It completes those that are done after the walk, because that calls
 * functions of the program: those that delete attributes of a datatype.  The callback:
 *
 *     if (!mca_coll_symm_walk_begin(&outstanding)) {
 *         return 0;
 *     }
 *     ... step, and take those that are done off the list ...
 *     mca_coll_symm_walk_end(&outstanding);
 *     ... complete them ...
 *     mca_coll_symm_outstanding_drop(&outstanding, completed);
 *     return completed;
 *
 * OPAL's locks do nothing below MPI_THREAD_MULTIPLE, where one thread at a time is in MPI.  The
 * locks here are real ones and so cheap that this makes no difference.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_MPI_REQUEST_PROGRESS_H
#define MCA_COLL_SYMM_MPI_REQUEST_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "mca/ompi_compat.h"

/* Requests of one kind. */
struct symm_outstanding {
    opal_progress_callback_t callback;
    pthread_mutex_t mutex;
    size_t count; /* under the mutex: the callback is registered if there are any */
    atomic_flag walking;
};
#define SYMM_OUTSTANDING(callback) {callback, PTHREAD_MUTEX_INITIALIZER, 0, ATOMIC_FLAG_INIT}

/* A request is started; and so many are complete. */
void mca_coll_symm_outstanding_add(struct symm_outstanding *outstanding);
void mca_coll_symm_outstanding_drop(struct symm_outstanding *outstanding, int completed);

/* Forget all: the component is closed. */
void mca_coll_symm_outstanding_forget(struct symm_outstanding *outstanding);

/* Whether this thread may walk: no other one does, nor a caller of this one. */
static inline bool mca_coll_symm_walk_begin(struct symm_outstanding *outstanding)
{
    return !atomic_flag_test_and_set_explicit(&outstanding->walking, memory_order_acquire);
}

static inline void mca_coll_symm_walk_end(struct symm_outstanding *outstanding)
{
    atomic_flag_clear_explicit(&outstanding->walking, memory_order_release);
}

#endif /* MCA_COLL_SYMM_MPI_REQUEST_PROGRESS_H */
