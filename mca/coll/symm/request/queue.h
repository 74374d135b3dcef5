/*
 * request/queue.h - a lane with the requests that wait for it, and the progress of all of them.
 *
 * A lane makes one operation at a time, in the order in which the program has started them.  While
 * requests are outstanding, a callback of opal_progress() steps the operations.  One thread at a
 * time walks; it never waits, and is not called again by what it calls.  A thread of ours may walk
 * as well (progress_thread/thread.h), and leaves all but a few steps to the others.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REQUEST_QUEUE_H
#define MCA_COLL_SYMM_REQUEST_QUEUE_H

#include "mca/coll/symm/request/request_state.h"

struct symm_queue {
    struct mca_coll_symm_lane lane;
    mca_coll_symm_request_t *first, **last; /* under queue.c's mutex, as are the next two */
    bool is_listed;          /* among the queues that have requests */
    struct symm_queue *next; /* of those */
};

/* A queue whose lane votes with this tag.  NULL: no memory. */
struct symm_queue *mca_coll_symm_queue_create(mca_coll_symm_module_t *module,
                                              struct ompi_communicator_t *comm, int vote_tag);

/* There are no requests in it. */
void mca_coll_symm_queue_destroy(struct symm_queue *queue);

/* The request is started: put it into its queue. */
void mca_coll_symm_queue_add(mca_coll_symm_request_t *request);

/* Go on with all queues. */
void mca_coll_symm_queues_step(void);

/* Forget all that is outstanding. */
void mca_coll_symm_queues_close(void);

#endif /* MCA_COLL_SYMM_REQUEST_QUEUE_H */
