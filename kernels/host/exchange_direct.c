/*
 * exchange_direct.c - every rank copies its block out of each input (pull), or its blocks into the
 * outputs that they are for (push).
 *
 * Ranks begin with the rank behind them, so that not all use the same memory at once.  There is
 * one phase at the end, so that no rank changes its input while a peer still reads it.  Nobody
 * reads the input of a rank that pushes, so in a gatherv who is not the root leaves then.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

enum { COPYING, DEPARTING };
enum { STEP_DEPART = 1 };

static bool pushes(const struct symm_work *work)
{
    return work->algorithm == SYMM_GATHERV_PUSH;
}

/* The block that this rank copies, from or to the rank.  Returns its bytes. */
static size_t block_find(const struct symm_work *work, int rank, const unsigned char **source,
                         unsigned char **target)
{
    const struct symm_block *block = &work->blocks[rank];
    bool out = pushes(work);
    size_t bytes = out ? symm_block_outgoing(block) : symm_block_incoming(block);
    if (bytes > 0) { /* who has no block may have no buffer */
        *source = out ? (const unsigned char *)work->input + block->send_at
                      : (const unsigned char *)work->inputs[rank] + block->from_at;
        *target = out ? (unsigned char *)work->outputs[rank] + block->to_at
                      : (unsigned char *)work->output + block->receive_at;
    }
    return bytes;
}

static void copy_some(struct symm_run *run)
{
    size_t left = SYMM_STEP_BYTES;
    while (left > 0 && run->piece < (uint64_t)run->work->team->size) {
        int rank = symm_work_rotate(run->work,
                                   (int)((run->piece + 1) % (uint64_t)run->work->team->size));
        const unsigned char *source = NULL;
        unsigned char *target = NULL;
        size_t all = block_find(run->work, rank, &source, &target);
        left -= symm_run_copy(run, target, source, all, left);
    }
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
    bool leaves = pushes(run->work) && run->work->team->rank != run->work->root;
    return leaves || symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

#define DIRECT_ROW(row, algorithm, word, served, needed, packs)                                   \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = word,                                                                             \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_HOST,                                                            \
        .needs = needed,                                                                          \
        .packing = packs,                                                                         \
        .keeps_order = true,                                                                      \
        .step = step,                                                                             \
    }

#define PULL_ROW(row, algorithm, served, needed)                                                  \
    DIRECT_ROW(row, algorithm, "pull", served, needed, SYMM_PACKS_ALL)

PULL_ROW(symm_alltoall_pull, SYMM_ALLTOALL_PULL, SYMM_ALLTOALL,
         SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_allgatherv_pull, SYMM_ALLGATHERV_PULL, SYMM_ALLGATHERV, SYMM_NEEDS_INPUTS);
PULL_ROW(symm_alltoallv_pull, SYMM_ALLTOALLV_PULL, SYMM_ALLTOALLV,
         SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_alltoallw_pull, SYMM_ALLTOALLW_PULL, SYMM_ALLTOALLW,
         SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_gatherv_pull, SYMM_GATHERV_PULL, SYMM_GATHERV, SYMM_NEEDS_INPUTS);
PULL_ROW(symm_scatterv_pull, SYMM_SCATTERV_PULL, SYMM_SCATTERV, SYMM_NEEDS_INPUTS);
DIRECT_ROW(symm_gatherv_push, SYMM_GATHERV_PUSH, "push", SYMM_GATHERV, SYMM_NEEDS_OUTPUTS,
           SYMM_PACKS_NOT);
