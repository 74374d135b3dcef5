/*
 * coll_symm_vote.h - whether every rank of a communicator has managed something.
 *
 * Set-up and mapping can fail on one rank alone, and before set-up there is no shared memory to say so.
 * So ranks vote by point-to-point messages over the PML: rank 0 collects and tells the result.  Votes
 * are rare (one per communicator, one per new segment).  They use a tag of their own, reserved like a
 * nonblocking collective's, so they can cross any other communication; votes on one communicator are
 * begun in the same order by all ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_VOTE_H
#define MCA_COLL_SYMM_VOTE_H

#include "mca/ompi_compat.h"

#include "heap/symm.h"

struct symm_vote {
    int tag;            /* 0: not reserved yet (real tags are negative) */
    int rank, size;
    int ballot;         /* this rank's vote */
    int verdict;        /* the result, once it is known */
    int *ballots;       /* rank 0: [size] */
    ompi_request_t **requests; /* [2 * size] */
    int pending;        /* requests under way are requests[0 .. pending - 1] */
    bool told;          /* rank 0: the result is going out, or has gone */
    int error;          /* first error of the PML, or OMPI_SUCCESS */
};

/* Memory for the votes of a communicator.  OMPI_ERR_OUT_OF_RESOURCE if there is none. */
int symm_vote_construct(struct symm_vote *vote, int rank, int size);
void symm_vote_destruct(struct symm_vote *vote);

/* Reserve the tag, at the same place in the order of collective calls on all ranks.  Idempotent. */
void symm_vote_reserve_tag(struct symm_vote *vote, struct ompi_communicator_t *comm);

/* Begin a vote, before the work that it is about. */
void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm);

/*
 * Whether rank 0 has already said no.  Then the work can be given up, which matters where it waits for
 * rank 0.
 */
bool symm_vote_is_lost(const struct symm_vote *vote);

/* Cast this rank's vote.  A "no" of rank 0 goes out at once. */
void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, bool yes);

/*
 * PENDING until the result is known; then SYMM_OK and *all_yes.  SYMM_ERR_SYSTEM when the PML failed,
 * with the reason in vote->error.  Does not call opal_progress().
 */
enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes);

#endif /* MCA_COLL_SYMM_VOTE_H */
