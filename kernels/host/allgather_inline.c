/*
 * allgather_inline.c - all-gather of small blocks: they have come with the lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

static enum symm_status step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    unsigned char *output = run->work->output;
    for (int rank = 0; rank < team->size; rank++) {
        memcpy(output + (size_t)rank * run->work->count,
               symm_control_line(&team->control, run->work->sequence, rank)->payload,
               run->work->count);
    }
    return SYMM_OK;
}

const struct symm_algorithm_row symm_allgather_inline = {
    .number = SYMM_ALLGATHER_INLINE,
    .name = "inline",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step,
};
