/*
 * base/lane.c - see base/lane.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/lane.h"

#include <stdlib.h>

void mca_coll_symm_lane_init(struct mca_coll_symm_lane *lane, struct mca_coll_symm_module_t *module)
{
    memset(lane, 0, sizeof(*lane));
    lane->module = module;
    lane->state = MCA_COLL_SYMM_NEW;
    lane->relay_device = -1;
    lane->last_algorithm = SYMM_ALLREDUCE_INLINE;
    symm_vote_init(&lane->vote, 0, 0, 0);
    lane->operation.lane = lane;
    lane->operation.run.work = &lane->operation.work;
    lane->operation.state = SYMM_OPERATION_DONE;
}

void mca_coll_symm_lane_enable(struct mca_coll_symm_lane *lane, struct ompi_communicator_t *comm,
                               int vote_tag)
{
    symm_vote_init(&lane->vote, ompi_comm_rank(comm), ompi_comm_size(comm), vote_tag);
}

void mca_coll_symm_lane_end(struct mca_coll_symm_lane *lane)
{
    for (int i = 0; i < SYMM_PADS; i++) {
        symm_pad_free(&lane->pads[i]);
    }
    symm_team_destroy(lane->team);
    lane->team = NULL;
    free(lane->operation.holdings); /* with the run's arrays, but for `blocks` */
    lane->operation.holdings = NULL;
    free(lane->operation.late);
    lane->operation.late = NULL;
    free(lane->operation.work.blocks);
    lane->operation.work.blocks = NULL;
}
