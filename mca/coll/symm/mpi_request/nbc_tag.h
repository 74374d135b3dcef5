/*
 * mpi_request/nbc_tag.h - tags of nonblocking collectives, which a communicator counts.
 *
 * The components below take a tag for each nonblocking or persistent call, within that call.  All
 * ranks make these calls in one order, so they get the same tags.  A call of ours that turns out
 * not to be served is made below later, when ranks may have made different numbers of further
 * calls.  So its tag is taken in the program's call as well, and lent to the component below
 * afterwards: the communicator's counter stands at the lent tag while that component makes its
 * call.
 *
 * Another thread may make a nonblocking call on the communicator at that moment.  So all our
 * functions that lead to such a call hold a lock.  Where there are several threads, we stand in
 * front of all nonblocking and persistent collectives of a communicator on which tags are lent
 * (host_copy/layer.c).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_MPI_REQUEST_NBC_TAG_H
#define MCA_COLL_SYMM_MPI_REQUEST_NBC_TAG_H

#include "mca/ompi_compat.h"

/* Around a call in which a tag is taken.  A thread may do so several times. */
void mca_coll_symm_nbc_lock(void);
void mca_coll_symm_nbc_unlock(void);

/* Take the next tag. */
int mca_coll_symm_nbc_tag_take(struct ompi_communicator_t *comm);

/* What the counter is when the tag comes back. */
struct symm_lent_tag {
    struct ompi_communicator_t *comm;
    int32_t counter;
};

/* The next call on the communicator takes `tag`; then take it back. */
void mca_coll_symm_nbc_tag_lend(struct symm_lent_tag *lent, struct ompi_communicator_t *comm,
                                int tag);
void mca_coll_symm_nbc_tag_take_back(const struct symm_lent_tag *lent);

#endif /* MCA_COLL_SYMM_MPI_REQUEST_NBC_TAG_H */
