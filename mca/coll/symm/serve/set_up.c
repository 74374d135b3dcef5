/*
 * serve/set_up.c - see serve/set_up.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/set_up.h"

#include <errno.h>
#include <stdlib.h>

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/modex.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/base/processors.h"
#include "mca/coll/symm/base/steps.h"
#include "mca/coll/symm/choose/choose.h"
#include "mca/coll/symm/choose/table_cache.h"
#include "mca/coll/symm/report/shortage.h"
#include "mca/coll/symm/report/verbose.h"
#include "mca/coll/symm/resources/resource.h"
#include "mca/coll/symm/serve/end.h"
#include "mca/coll/symm/serve/leave.h"

/* ---- what a rank gets ------------------------------------------------------------------------ */

static bool names_get(struct ompi_communicator_t *comm, const char **names)
{
    int size = ompi_comm_size(comm), known = 0;
    while (known < size &&
           mca_coll_symm_server_name(ompi_group_peer_lookup(comm->c_local_group, known),
                                     &names[known]) == OMPI_SUCCESS &&
           names[known] != NULL) {
        known++;
    }
    return known == size;
}

static enum symm_status team_make(struct ompi_communicator_t *comm, struct symm_team **team)
{
    int size = ompi_comm_size(comm);
    struct symm_team_config config = {.rank = ompi_comm_rank(comm), .size = size};
    enum symm_status status = SYMM_ERR_NO_MEMORY;
    const char **names = calloc((size_t)size, sizeof(*names));
    if (names != NULL && names_get(comm, names)) {
        config.names = names;
        status = symm_team_create(mca_coll_symm_component.process, &config, team);
    }
    free(names);
    return status;
}

/*
 * What operations keep from one call to the next: what they have of resources, with arrays that
 * have an element for each rank, in one piece; and what late calls need.
 */
static bool memory_make(struct symm_operation *operation, size_t ranks)
{
    const size_t of_rank = sizeof(struct symm_location) + 3 * sizeof(void *) + sizeof(size_t);
    struct symm_work *work = &operation->work;
    if (operation->late == NULL) {
        operation->late = calloc(1, mca_coll_symm_steps_late.memory);
    }
    if (operation->late == NULL || operation->holdings != NULL) {
        return operation->late != NULL;
    }
    operation->holdings = calloc(1, sizeof(*operation->holdings) + (ranks + 1) * of_rank);
    if (operation->holdings == NULL) {
        return false;
    }
    operation->holdings->locations = (struct symm_location *)(operation->holdings + 1);
    work->inputs = (const void **)(void *)(operation->holdings->locations + ranks);
    work->outputs = (void **)(void *)(work->inputs + ranks);
    work->scratches = work->outputs + ranks;
    work->begins = (size_t *)(void *)(work->scratches + ranks); /* one more, for the end */
    return true;
}

/*
 * Get the private memory that the first call needs.  Returns what is missing.  The function may be
 * called again.
 */
static enum symm_status prepare(struct mca_coll_symm_lane *lane, struct ompi_communicator_t *comm)
{
    if (!memory_make(&lane->operation, (size_t)ompi_comm_size(comm))) {
        return SYMM_ERR_NO_MEMORY;
    }
    return lane->team != NULL ? SYMM_OK : team_make(comm, &lane->team);
}

/*
 * How far ranks may get ahead.  Those that take turns on a processor do as much as that is at each
 * turn (bench/results/host-rows.txt).  Where ranks have a processor each, 32 are enough
 * (bench/results/host-rows-slots.txt).
 */
static unsigned slots_wanted(void)
{
    enum { USUAL = 32 };
    int slots = mca_coll_symm_component.slots;
    return slots != 0 ? (unsigned)slots
                      : mca_coll_symm_processors_are_shared() ? (unsigned)SYMM_RING_MOST : USUAL;
}

/* Rank 0: take control memory, with what all ranks must go by alike. */
static enum symm_status control_take(struct symm_team *team)
{
    struct symm_table table;
    const struct symm_control_config config = {
        .payload_size = mca_coll_symm_component.slot_size,
        .piece_size = mca_coll_symm_component.piece_size,
        .ring = slots_wanted(),
        .extra = &table,
        .extra_size = mca_coll_symm_table_get(&table, team->size),
    };
    mca_coll_symm_choose_settle(&table);
    return symm_team_take(team, &config);
}

/* The others: reach what rank 0 announces. */
static enum symm_status control_reach(struct mca_coll_symm_lane *lane,
                                      struct ompi_communicator_t *comm)
{
    struct symm_control_place place;
    enum symm_status status = symm_vote_announcement_test(&lane->vote, comm);
    if (status != SYMM_OK) {
        return status;
    }
    memcpy(&place, lane->vote.announcement.content, sizeof(place));
    return symm_team_reach(lane->team, &place);
}

_Static_assert(sizeof(struct symm_control_place) <= SYMM_VOTE_ANNOUNCEMENT,
               "rank 0 can announce it");

/*
 * Disable the module for some calls.  What failed may have been a passing shortage, but trying
 * again costs a vote, so it is done rarely.
 */
static void disable(struct mca_coll_symm_lane *lane)
{
    enum { FIRST_RETRY = 1000, LAST_RETRY = 1 << 20 };
    symm_team_destroy(lane->team);
    lane->team = NULL;
    lane->state = MCA_COLL_SYMM_DISABLED;
    if (lane->retry_distance == 0) {
        lane->retry_distance = FIRST_RETRY;
    } else if (lane->retry_distance < LAST_RETRY) {
        lane->retry_distance *= 2;
    }
    lane->calls_until_retry = lane->retry_distance;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void mca_coll_symm_step_set_up(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    errno = 0;
    enum symm_status status = prepare(lane, operation->comm);
    if (status == SYMM_OK) {
        status = lane->vote.rank == 0 ? control_take(lane->team)
                                        : control_reach(lane, operation->comm);
    }
    int error = errno;
    if (status == SYMM_PENDING) {
        return;
    }
    if (status != SYMM_OK) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_TROUBLE, operation->comm,
                                    "rank %d cannot share memory: %s",
                                    lane->vote.rank, symm_status_string(status));
    } else if (lane->vote.rank == 0) {
        symm_vote_announce(&lane->vote, operation->comm, &lane->team->lane.place,
                           sizeof(lane->team->lane.place));
    }
    symm_vote_cast(&lane->vote, operation->comm, mca_coll_symm_shortage(status, error));
    mca_coll_symm_go_to(operation, SYMM_OPERATION_VOTING_ON_SET_UP);
}

void mca_coll_symm_step_vote_on_set_up(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    bool all_yes;
    enum symm_status status = symm_vote_test(&lane->vote, operation->comm, &all_yes);
    if (status == SYMM_PENDING) {
        return;
    }
    if (lane->team != NULL) {
        symm_team_settle(lane->team, status != SYMM_OK ? SYMM_LANE_DOUBT
                                       : all_yes         ? SYMM_LANE_ALL
                                                         : SYMM_LANE_NOT);
    }
    if (status != SYMM_OK && mca_coll_symm_leave_vote(operation)) {
        return;
    }
    if (status != SYMM_OK) {
        symm_team_destroy(lane->team); /* the next call begins anew */
        lane->team = NULL;
        mca_coll_symm_end_error(operation, lane->vote.error);
        return;
    }
    if (lane->vote.rank == 0) {
        mca_coll_symm_verbose_about(SYMM_VERBOSE_COMMUNICATORS, operation->comm, "%s",
                                    all_yes ? "the ranks share memory: serving"
                                            : "some ranks cannot share memory: not serving");
    }
    if (!all_yes) {
        mca_coll_symm_vote_lost_warn(operation, MCA_COLL_SYMM_CANNOT_SHARE);
        disable(lane);
        mca_coll_symm_end_fallback(operation, SYMM_REASON_DISABLED);
        return;
    }
    lane->state = MCA_COLL_SYMM_READY;
    mca_coll_symm_go_to(operation, SYMM_OPERATION_WAITING_FOR_SLOT);
}
