/*
 * base/vote.h - whether every rank of a communicator has managed something.
 *
 * Set-up and mapping can fail on one rank alone, and before set-up there is no shared memory to say
 * so.  So ranks vote by point-to-point messages over the PML: rank 0 collects and tells the result.
 * Votes are rare (one per communicator, two for its first segment, one per new segment, and when
 * what failed is tried again).  They use a tag of their own, so they can cross any other
 * communication; votes of one lane are begun in the same order by all ranks.
 *
 * A vote may begin with an announcement of rank 0, which the others need for what they vote about.
 *
 * A vote allocates nothing, because a rank without memory must be able to say so: rank 0 talks to
 * the others in groups of a fixed size.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_VOTE_H
#define MCA_COLL_SYMM_BASE_VOTE_H

#include "mca/ompi_compat.h"

#include "heap/symm.h"

enum { SYMM_VOTE_GROUP = 16, SYMM_VOTE_ANNOUNCEMENT = 40 };

/* A message of the same kind to or from each of some ranks, a group of them at a time. */
struct symm_vote_messages {
    ompi_request_t *requests[SYMM_VOTE_GROUP];
    int pending; /* requests under way are requests[0 .. pending - 1] */
    int first;   /* rank of the group's first message */
    int next;    /* rank after the group's last message */
};

/*
 * What rank 0 tells first, where a vote begins with that.  A rank 0 that votes no sends its verdict
 * instead, which is as long as the first field.
 */
struct symm_vote_announcement {
    int verdict; /* 0: not known yet */
    int fill;
    unsigned char content[SYMM_VOTE_ANNOUNCEMENT];
};

struct symm_vote {
    int tag;
    int rank, size;
    int ballot;          /* this rank's vote: 0 is yes, anything else a reason */
    int ballots[SYMM_VOTE_GROUP]; /* rank 0: of the group of ranks that are asked */
    int verdict;         /* the result, once it is known: 1 if all said yes, or -1 - loser */
    struct symm_vote_messages in, out;
    struct symm_vote_announcement announcement;
    bool announces;      /* rank 0: the announcement is going out; others: it is to come */
    bool told;           /* rank 0: the result is going out, or has gone */
    int loser, reason;   /* a rank that said no; -1: none.  Rank 0: and its reason */
    int error;           /* first error of the PML, or OMPI_SUCCESS */
};

/*
 * Prepare the votes of a communicator, with a tag that is the same on all ranks.  There is nothing
 * to undo.
 */
void symm_vote_init(struct symm_vote *vote, int rank, int size, int tag);

/* Begin a vote, before the work that it is about. */
void symm_vote_open(struct symm_vote *vote, struct ompi_communicator_t *comm);

/*
 * Begin a vote with an announcement.  Rank 0 announces `size` bytes, up to SYMM_VOTE_ANNOUNCEMENT,
 * once it has done its part, and then votes yes; or it votes no at once.  The others may test
 * whether the announcement is there: SYMM_PENDING, SYMM_OK with the content in
 * vote->announcement.content, or SYMM_ERR_NOT_FOUND, as rank 0 has voted no; or SYMM_ERR_SYSTEM as
 * symm_vote_test().  They may also vote before, without it.
 */
void symm_vote_open_announced(struct symm_vote *vote, struct ompi_communicator_t *comm);
void symm_vote_announce(struct symm_vote *vote, struct ompi_communicator_t *comm,
                        const void *content, size_t size);
enum symm_status symm_vote_announcement_test(struct symm_vote *vote,
                                             struct ompi_communicator_t *comm);

/*
 * Whether rank 0 has already said no.  The work can then be given up.  This matters where the work
 * waits for rank 0.
 */
bool symm_vote_is_lost(const struct symm_vote *vote);

/* Cast this rank's vote: 0, or why not.  A "no" of rank 0 goes out at once. */
void symm_vote_cast(struct symm_vote *vote, struct ompi_communicator_t *comm, int ballot);

/*
 * Returns SYMM_PENDING until the result is known, and then SYMM_OK with *all_yes.  vote->loser is a
 * rank that said no; on rank 0 it is rank 0 itself if that said no, and vote->reason is the loser's
 * reason.  Returns SYMM_ERR_SYSTEM when the PML has failed, with the reason in vote->error.  Does
 * not call opal_progress().
 */
enum symm_status symm_vote_test(struct symm_vote *vote, struct ompi_communicator_t *comm,
                                bool *all_yes);

/*
 * The communicator has failed or been revoked (symm_ompi_comm_failure()): have the vote's messages
 * end.  Returns true when none is under way any more, also where there is no vote.
 */
bool symm_vote_give_up(struct symm_vote *vote);

#endif /* MCA_COLL_SYMM_BASE_VOTE_H */
