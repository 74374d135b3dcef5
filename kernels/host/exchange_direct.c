/*
 * exchange_direct.c - every rank copies its block out of each input (pull), or its blocks into the
 * outputs that they are for (push).
 *
 * Ranks begin with the rank behind them, so that not all use the same memory at once, and end with
 * their own block, which nobody waits for.  A rank that has copied the others raises a phase.  A
 * rank whose input is read, or whose output is stored to, stays until those have who do that.  So
 * who gets data from a root leaves when it has them, and all cores take part.
 *
 * Memory that another core has written last is read more quickly than it is written, so a small
 * gather is quicker if the root reads alone.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

enum { COPYING, FINISHING, DEPARTING };
enum { STEP_DEPART = 1 };

static bool pushes(const struct symm_work *work)
{
    return (symm_algorithm_get(work->algorithm)->needs & SYMM_NEEDS_OUTPUTS) != 0;
}

/* The block that this rank copies, from or to the rank.  Returns its bytes. */
static size_t block_find(const struct symm_work *work, int rank, const unsigned char **source,
                         unsigned char **target)
{
    const struct symm_block block = symm_work_block(work, rank);
    bool out = pushes(work);
    size_t bytes = out ? symm_block_outgoing(&block) : symm_block_incoming(&block);
    if (bytes > 0) { /* who has no block may have no buffer */
        *source = out ? (const unsigned char *)work->input + block.send_at
                      : (const unsigned char *)work->inputs[rank] + block.from_at;
        *target = out ? (unsigned char *)work->outputs[rank] + block.to_at
                      : (unsigned char *)work->output + block.receive_at;
    }
    return bytes;
}

/* Copy some of the blocks of the ranks before turn `end`.  Returns whether there are more. */
static bool copy_some(struct symm_run *run, uint64_t end)
{
    const struct symm_work *work = run->work;
    size_t left = SYMM_STEP_BYTES;
    while (left > 0 && run->piece < end) {
        int rank = symm_work_rotate(work, (int)((run->piece + 1) % (uint64_t)work->team->size));
        const unsigned char *source = NULL;
        unsigned char *target = NULL;
        size_t all = block_find(work, rank, &source, &target);
        left -= symm_run_copy(run, target, source, all, left);
    }
    return run->piece < end;
}

/* Whether another rank reads this one's input, or stores to its output. */
static bool is_used(const struct symm_work *work)
{
    const struct symm_collective_row *row = symm_work_collective(work);
    bool is_root = work->team->rank == work->root;
    if (!row->is_rooted) {
        return true;
    }
    return row->from_root || pushes(work) ? is_root : !is_root;
}

static bool others_have_departed(struct symm_run *run)
{
    const struct symm_work *work = run->work;
    bool is_roots = symm_work_collective(work)->to_root && !pushes(work); /* the root reads alone */
    return is_roots ? symm_work_rank_reached(work, work->root, STEP_DEPART)
                    : symm_run_reached(run, STEP_DEPART);
}

static enum symm_status step(struct symm_run *run)
{
    const uint64_t ranks = (uint64_t)run->work->team->size;
    if (run->stage == COPYING) {
        if (copy_some(run, ranks - 1)) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = FINISHING;
    }
    if (run->stage == FINISHING) {
        if (copy_some(run, ranks)) {
            return symm_run_more(run);
        }
        run->stage = DEPARTING;
    }
    return !is_used(run->work) || others_have_departed(run) ? SYMM_OK : SYMM_PENDING;
}

#define DIRECT_ROW(row, algorithm, word, served, ...)                                             \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = word,                                                                             \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_HOST,                                                            \
        .keeps_order = true,                                                                      \
        .step = step,                                                                             \
        __VA_ARGS__                                                                               \
    }

#define PULL_ROW(row, algorithm, served, also_needed)                                             \
    DIRECT_ROW(row, algorithm, "pull", served, .needs = SYMM_NEEDS_INPUTS | (also_needed),        \
               .packing = SYMM_PACKS_ALL)

PULL_ROW(symm_alltoall_pull, SYMM_ALLTOALL_PULL, SYMM_ALLTOALL, SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_allgather_pull, SYMM_ALLGATHER_PULL, SYMM_ALLGATHER, 0);
PULL_ROW(symm_allgatherv_pull, SYMM_ALLGATHERV_PULL, SYMM_ALLGATHERV, 0);
PULL_ROW(symm_alltoallv_pull, SYMM_ALLTOALLV_PULL, SYMM_ALLTOALLV, SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_alltoallw_pull, SYMM_ALLTOALLW_PULL, SYMM_ALLTOALLW, SYMM_NEEDS_OUT_OF_PLACE);
PULL_ROW(symm_bcast_pull, SYMM_BCAST_PULL, SYMM_BCAST, 0);
PULL_ROW(symm_scatter_pull, SYMM_SCATTER_PULL, SYMM_SCATTER, 0);
PULL_ROW(symm_scatterv_pull, SYMM_SCATTERV_PULL, SYMM_SCATTERV, 0);
PULL_ROW(symm_gatherv_pull, SYMM_GATHERV_PULL, SYMM_GATHERV, 0);
DIRECT_ROW(symm_gather_pull, SYMM_GATHER_PULL, "pull", SYMM_GATHER, .needs = SYMM_NEEDS_INPUTS);
DIRECT_ROW(symm_gather_push, SYMM_GATHER_PUSH, "push", SYMM_GATHER, .needs = SYMM_NEEDS_OUTPUTS,
           .on_device = SYMM_GATHER_CUDA_PUSH);
DIRECT_ROW(symm_gatherv_push, SYMM_GATHERV_PUSH, "push", SYMM_GATHERV,
           .needs = SYMM_NEEDS_OUTPUTS);
