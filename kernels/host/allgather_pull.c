/*
 * allgather_pull.c - every rank reads all inputs.
 *
 * It is for outputs that peers cannot reach.  There is one phase at the end, so that no rank
 * changes its input while a peer still reads it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

enum { COPYING, DEPARTING };
enum { STEP_DEPART = 1 };

static void copy_some(struct symm_run *run)
{
    int rank = symm_work_rotate(run->work, (int)run->piece);
    unsigned char *target = (unsigned char *)run->work->output + (size_t)rank * run->work->count;
    (void)symm_run_copy(run, target, run->work->inputs[rank], run->work->count, SYMM_STEP_BYTES);
}

static enum symm_status step(struct symm_run *run)
{
    if (run->stage == COPYING) {
        copy_some(run);
        if (run->piece < (uint64_t)run->work->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

const struct symm_algorithm_row symm_allgather_pull = {
    .number = SYMM_ALLGATHER_PULL,
    .name = "pull",
    .collective = SYMM_ALLGATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};
