/*
 * rooted_inline.c - broadcast, gather and scatter of small data: they have come with the lines.
 *
 * The root's line has the whole vector, or each line has its rank's block.  The root's own block
 * stays where it is.  Nobody waits, as in reduction_inline.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/rooted.h"

static const unsigned char *payload_of(const struct symm_work *work, int rank)
{
    return symm_control_line(&work->team->control, work->sequence, rank)->payload;
}

static enum symm_status from_root_step(struct symm_run *run)
{
    if (symm_rooted_is_root(run->work)) {
        symm_rooted_own_copy(run->work);
    } else {
        memcpy(run->work->output,
               payload_of(run->work, run->work->root) + symm_rooted_begin(run->work,
                                                                          run->work->team->rank),
               run->work->count);
    }
    return SYMM_OK;
}

static enum symm_status to_root_step(struct symm_run *run)
{
    if (symm_rooted_is_root(run->work)) {
        for (int rank = 0; rank < run->work->team->size; rank++) {
            if (rank != run->work->root) {
                memcpy((unsigned char *)run->work->output + symm_rooted_begin(run->work, rank),
                       payload_of(run->work, rank), run->work->count);
            }
        }
        symm_rooted_own_copy(run->work);
    }
    return SYMM_OK;
}

SYMM_ALGORITHM_ROWS(bcast, BCAST, scatter, SCATTER, inline, INLINE,
    .name = "inline",
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = from_root_step);

const struct symm_algorithm_row symm_gather_inline = {
    .number = SYMM_GATHER_INLINE,
    .name = "inline",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = to_root_step,
};
