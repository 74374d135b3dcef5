/*
 * rooted_direct.c - broadcast and scatter: the others read the root's input.  Gather: the others
 * store to the root's output (push), or the root reads their inputs (pull).
 *
 * In the first three each of the others copies its own block, so that all cores take part.  It
 * leaves when it is done.  The root stays until all are: they read its input, or write its output.
 * Memory that another core has written last is read more quickly than it is written, so a small
 * gather is quicker if the root reads alone.  The others then stay until it has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/rooted.h"

enum { COPYING, DEPARTING };
enum { STEP_DEPART = 1 };

static void some_copy(struct symm_run *run)
{
    size_t begin = symm_rooted_begin(run->work, run->work->team->rank) + run->position;
    size_t bytes = symm_least(run->work->count - run->position, SYMM_STEP_BYTES);
    if (symm_rooted_is_from_root(run->work)) {
        memcpy((unsigned char *)run->work->output + run->position,
               (const unsigned char *)run->work->inputs[run->work->root] + begin, bytes);
    } else {
        memcpy((unsigned char *)run->work->outputs[run->work->root] + begin,
               (const unsigned char *)run->work->input + run->position, bytes);
    }
    run->position += bytes;
}

static enum symm_status step(struct symm_run *run)
{
    if (!symm_rooted_is_root(run->work)) {
        some_copy(run);
        if (run->position < run->work->count) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        return SYMM_OK;
    }
    if (run->stage == COPYING) {
        symm_run_raise(run, STEP_DEPART);
        symm_rooted_own_copy(run->work);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

static void some_gather(struct symm_run *run)
{
    int rank = symm_work_rotate(run->work, 1 + (int)run->piece);
    unsigned char *target = (unsigned char *)run->work->output + symm_rooted_begin(run->work, rank);
    (void)symm_run_copy(run, target, run->work->inputs[rank], run->work->count, SYMM_STEP_BYTES);
}

static enum symm_status gather_pull_step(struct symm_run *run)
{
    bool is_root = symm_rooted_is_root(run->work);
    if (run->stage == COPYING && is_root) {
        some_gather(run);
        if (run->piece + 1 < (uint64_t)run->work->team->size) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        symm_rooted_own_copy(run->work);
        return SYMM_OK;
    }
    return symm_work_rank_reached(run->work, run->work->root, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

const struct symm_algorithm_row symm_bcast_pull = {
    .number = SYMM_BCAST_PULL,
    .name = "pull",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_scatter_pull = {
    .number = SYMM_SCATTER_PULL,
    .name = "pull",
    .collective = SYMM_SCATTER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .packing = SYMM_PACKS_ALL,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_gather_push = {
    .number = SYMM_GATHER_PUSH,
    .name = "push",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .on_device = SYMM_GATHER_CUDA_PUSH,
    .step = step,
};

const struct symm_algorithm_row symm_gather_pull = {
    .number = SYMM_GATHER_PULL,
    .name = "pull",
    .collective = SYMM_GATHER,
    .memory = SYMM_ALGORITHM_HOST,
    .needs = SYMM_NEEDS_INPUTS,
    .keeps_order = true,
    .step = gather_pull_step,
};
