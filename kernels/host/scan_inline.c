/*
 * scan_inline.c - scans of small arrays: the inputs have come with the lines.
 *
 * Every rank reduces the inputs of the ranks before it.  Nobody waits, as in reduction_inline.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/scratch.h"
#include "kernels/host/prefix.h"
#include "kernels/prefix.h"
#include "kernels/run_steps.h"

static enum symm_status step(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent, most = SYMM_SCRATCH_SIZE / extent;
    int ranks = symm_prefix_length(run->work, team->rank);
    for (int rank = 0; rank < ranks; rank++) {
        run->work->inputs[rank] = symm_control_line(&team->control, run->work->sequence,
                                                    rank)->payload;
    }
    for (size_t done = 0; ranks > 0 && done < run->work->count;) {
        size_t count = symm_least(run->work->count - done, most);
        symm_prefix_fold(run->work->reduction, ranks, run->work->inputs, done * extent,
                         (unsigned char *)run->work->output + done * extent, count);
        done += count;
    }
    return SYMM_OK;
}

SYMM_ALGORITHM_ROWS(scan, SCAN, exscan, EXSCAN, inline, INLINE,
    .name = "inline",
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step);
