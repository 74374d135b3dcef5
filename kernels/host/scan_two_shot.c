/*
 * scan_two_shot.c - each rank owns a slice: it makes all prefixes of the slice, and stores each one
 * to the output of its rank.
 *
 * Only the owner touches a slice, in any rank's memory.  It stores to a rank's output when it has
 * read that rank's input, which nobody reads again.  So it is right in place as well, even if only
 * some ranks are in place.  There is one phase at the end: my output is complete when all owners
 * have stored their slices.
 *
 * Blocks of 16 KiB, and the prefixes that grow from them, stay in the first-level cache.  Prefixes
 * are by turns in two blocks of this rank's own: in scratch, and in its first staging buffer, which
 * is not used otherwise.  A step takes one block of scratch only: two threads with one block each
 * could wait for each other's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/prefix.h"
#include "kernels/host/steps.h"
#include "kernels/prefix.h"

static const void *input_of(const struct symm_run *run, int rank)
{
    return (const unsigned char *)run->work->inputs[rank] + run->position *
        run->work->reduction->extent;
}

static void prefix_store(const struct symm_run *run, int rank, const void *prefix, size_t bytes)
{
    size_t offset = run->position * run->work->reduction->extent;
    unsigned char *output = (unsigned char *)run->work->outputs[rank] + offset;
    if (prefix != output) { /* in place, rank 0's is there */
        memcpy(output, prefix, symm_result_bytes(run->work->reduction, bytes));
    }
}

static void block_scan(struct symm_run *run, size_t block)
{
    const struct symm_team *team = run->work->team;
    bool inclusive = symm_prefix_is_inclusive(run->work);
    size_t bytes = block * run->work->reduction->extent;
    void *scratch = symm_scratch_take();
    void *places[2] = {scratch, symm_stage_buffer(&team->control, team->rank, 0)};
    const void *before = input_of(run, 0);
    if (inclusive) {
        prefix_store(run, 0, before, bytes);
    }
    for (int rank = 1; rank < team->size; rank++) {
        void *prefix = places[rank % 2];
        if (inclusive || rank < team->size - 1) {
            symm_prefix_join(run->work->reduction, before, input_of(run, rank), prefix, block);
        }
        prefix_store(run, rank, inclusive ? prefix : before, bytes);
        before = prefix;
    }
    symm_scratch_give(scratch);
}

static enum symm_status step(struct symm_run *run)
{
    return symm_host_slice_step(run, block_scan);
}

#define TWO_SHOT_ROW(collective_, COLLECTIVE)                                                      \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, two_shot, TWO_SHOT, .name = "two_shot",            \
                       .memory = SYMM_ALGORITHM_HOST,                                              \
                       .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS, .keeps_order = true,       \
                       .on_device = SYMM_##COLLECTIVE##_CUDA_TWO_SHOT, .step = step)

TWO_SHOT_ROW(scan, SCAN);
TWO_SHOT_ROW(exscan, EXSCAN);
