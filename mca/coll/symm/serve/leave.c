/*
 * serve/leave.c - see serve/leave.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/leave.h"

#include "heap/team/multicast_setup.h"
#include "mca/coll/symm/base/module.h"
#include "mca/coll/symm/device/packing.h"
#include "mca/coll/symm/report/verbose.h"

void mca_coll_symm_leave(struct symm_operation *operation)
{
    if (operation->state != SYMM_OPERATION_DONE) {
        operation->state = SYMM_OPERATION_LEAVING;
    }
}

bool mca_coll_symm_leave_vote(struct symm_operation *operation)
{
    bool leaves = symm_ompi_is_failure(operation->lane->vote.error) ||
                  symm_ompi_comm_failure(operation->comm) != MPI_SUCCESS;
    if (leaves) {
        mca_coll_symm_leave(operation);
    }
    return leaves;
}

bool mca_coll_symm_leave_or_enter(struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    if (!symm_ompi_is_fault_tolerant() ||
        symm_control_enter(&team->control, operation->work.sequence, team->rank)) {
        return true;
    }
    mca_coll_symm_leave(operation);
    return false;
}

/* Whether no rank alive is at work on this rank's memory, now that all can see that it has left. */
static bool is_alone(const struct symm_operation *operation)
{
    const struct symm_team *team = operation->lane->team;
    for (int rank = 0; rank < team->size; rank++) {
        if (rank != team->rank &&
            symm_control_is_inside(&team->control, operation->work.sequence, rank) &&
            symm_ompi_is_alive(operation->comm, rank)) {
            return false;
        }
    }
    return true;
}

/* A communicator whose set-up has not ended has no memory that anybody could work on. */
static bool team_is_left(struct symm_operation *operation)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    if (lane->state != MCA_COLL_SYMM_READY) {
        symm_team_destroy(lane->team);
        lane->team = NULL;
        return true;
    }
    symm_team_multicast_settle(lane->team, false);
    symm_control_leave(&lane->team->control, lane->team->rank);
    return operation->work.sequence == 0 || is_alone(operation);
}

enum symm_status mca_coll_symm_leave_step(struct symm_operation *operation, int *error)
{
    struct mca_coll_symm_lane *lane = operation->lane;
    *error = symm_ompi_comm_failure(operation->comm);
    /* First end what this rank does itself: messages of a vote, work on a device. */
    if (*error == MPI_SUCCESS || !symm_vote_give_up(&lane->vote) ||
        (operation->steps != NULL && symm_run_give_up(&operation->run) == SYMM_PENDING) ||
        (operation->packing != NULL && mca_coll_symm_packing_is_at_work(operation)) ||
        !team_is_left(operation)) {
        return SYMM_PENDING;
    }
    lane->state = MCA_COLL_SYMM_FAILED;
    mca_coll_symm_verbose_about(SYMM_VERBOSE_TROUBLE, operation->comm,
                                "rank %d leaves a call, and fails all others on this communicator: "
                                "%s", lane->vote.rank, symm_ompi_failure_text(*error));
    return SYMM_OK;
}
