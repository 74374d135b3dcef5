/*
 * mpi_request/requests.h - what the requests of ours have in common that programs get: where they
 * come from, and how long they hold their communicator.
 *
 * Requests are used again, and are freed when the component is closed: a thread that completes one
 * may look at it once more after another thread has given it back (ompi_request_complete()).
 * opal_free_list_t would do the same, but its inline functions need the option that Open MPI itself
 * was compiled with for atomic operations on 16 bytes.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_MPI_REQUEST_REQUESTS_H
#define MCA_COLL_SYMM_MPI_REQUEST_REQUESTS_H

#include <pthread.h>
#include <stdbool.h>

#include "mca/ompi_compat.h"

/* Requests of one class that nobody uses. */
struct symm_idle_requests {
    opal_class_t *class;
    pthread_mutex_t mutex;
    volatile opal_list_item_t *first; /* under the mutex */
};
#define SYMM_IDLE_REQUESTS(type) {OBJ_CLASS(type), PTHREAD_MUTEX_INITIALIZER, NULL}

/*
 * A request that is inactive and holds the communicator.  Give it back with put().  NULL: no
 * memory.
 */
ompi_request_t *mca_coll_symm_request_take(struct symm_idle_requests *idle,
                                           struct ompi_communicator_t *comm, bool persistent);

/*
 * Let go of the communicator, and keep the request for later.  After an error Open MPI frees the
 * request first, and then calls the error handler of its communicator, which the program may have
 * freed (5.0.7).  So the reference of a failed request is released later: by the next one that
 * fails.
 */
void mca_coll_symm_request_put(struct symm_idle_requests *idle, ompi_request_t *request);

/* Free those that are idle. */
void mca_coll_symm_idle_requests_free(struct symm_idle_requests *idle);

/* For a request's construction: a collective's, with these functions; it cannot be cancelled. */
void mca_coll_symm_request_construct(ompi_request_t *request, ompi_request_start_fn_t start,
                                     ompi_request_free_fn_t free);

/*
 * The request is the program's from now on, which may be waiting for it in another thread.  Open
 * MPI's own store to req_complete has no release (4.1, 5.0), so without the fence that thread
 * could see it before outputs, status and what request_free() looks at: not on x86, but on 64-bit
 * ARM.
 */
static inline void mca_coll_symm_request_complete(ompi_request_t *request)
{
    opal_atomic_wmb();
    (void)ompi_request_complete(request, true);
}

/*
 * Whether that has been done; then behind all that was done before it.  MPI_Test looks at the word
 * without acquire.
 */
static inline bool mca_coll_symm_request_is_complete(const ompi_request_t *request)
{
    return __atomic_load_n(&request->req_complete, __ATOMIC_ACQUIRE) == REQUEST_COMPLETED;
}

/*
 * Start a persistent request of the component below, as MPI_Start does: one that does nothing is
 * only marked.
 */
static inline int mca_coll_symm_request_start_below(ompi_request_t *below)
{
    if (below->req_type == OMPI_REQUEST_NOOP) {
        below->req_state = OMPI_REQUEST_ACTIVE;
        return OMPI_SUCCESS;
    }
    return below->req_start(1, &below);
}

#endif /* MCA_COLL_SYMM_MPI_REQUEST_REQUESTS_H */
