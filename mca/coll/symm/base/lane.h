/*
 * base/lane.h - a lane: one stream of operations of a communicator, in one order on all ranks.
 *
 * Blocking calls are one lane, nonblocking calls take turns in a few others, and each persistent
 * operation has one of its own.  A nonblocking call and a blocking one may begin in another order
 * on other ranks, as seen by the ranks' progress, so what ranks agree about in the course of their
 * calls belongs to a lane: a team with its control memory and with what it knows of segments, the
 * votes, whether memory is shared at all.  A lane makes one operation at a time.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_LANE_H
#define MCA_COLL_SYMM_BASE_LANE_H

#include "mca/ompi_compat.h"

#include "heap/team/pads.h"
#include "heap/team/team.h"
#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/base/vote.h"

struct mca_coll_symm_module_t;

enum mca_coll_symm_state {
    MCA_COLL_SYMM_NEW,      /* the next call tries to set up what the ranks share */
    MCA_COLL_SYMM_READY,    /* control memory is shared by all ranks */
    MCA_COLL_SYMM_DISABLED, /* set-up has failed: calls go below until it is tried again */
    MCA_COLL_SYMM_FAILED,   /* this rank has left a call (serve/leave.h): all others fail */
};

struct mca_coll_symm_lane {
    struct mca_coll_symm_module_t *module;
    enum mca_coll_symm_state state;
    struct symm_team *team;     /* NULL before set-up and while disabled */
    unsigned calls_until_retry; /* disabled: after so many calls set-up is tried again */
    unsigned calls_before_set_up; /* new: so many calls have gone below without trying to set up */
    unsigned retry_distance;    /* between the last try and the next; the same on all ranks */
    unsigned calls_compared;    /* that this rank could have left below without the others' lines */
    unsigned calls_relayed;     /* so many next calls on devices are expected to be relayed */
    int relay_device;           /* the device of the last relayed call; -1: there was none */
    struct symm_pad pads[SYMM_PADS]; /* this rank's */
    enum symm_algorithm last_algorithm; /* of the last call that was run; programs repeat calls */
    struct symm_vote vote;
    struct symm_operation operation;
};

/* A lane of the module, which has no operation yet. */
void mca_coll_symm_lane_init(struct mca_coll_symm_lane *lane,
                             struct mca_coll_symm_module_t *module);

/* The communicator and the tag for this lane's votes, the same on all ranks. */
void mca_coll_symm_lane_enable(struct mca_coll_symm_lane *lane, struct ompi_communicator_t *comm,
                               int vote_tag);

/* Leave the memory that is shared.  No operation is under way. */
void mca_coll_symm_lane_end(struct mca_coll_symm_lane *lane);

#endif /* MCA_COLL_SYMM_BASE_LANE_H */
