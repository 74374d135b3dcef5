/*
 * reduce_scatter_hold.c - reduce-scatter in place by loads: every rank loads its own block of all
 * inputs and reduces it, holds the result in its scratch until the others have read what the result
 * is written over, and copies it there.
 *
 * A result comes where the first blocks of its rank's input are, mostly that of rank 0.  So rank 0
 * has to have loaded it, which the kernels tell each other (handover.h, device_code/held.cuh).  By
 * way of slices in scratch (pipeline.h), ranks meet between two launches, and each adds what the
 * others have sent: all of it goes through its device's memory twice more.
 *
 * Results that do not fit the scratch go by slices after all, and so do those of more than 25
 * ranks.  All ranks know the largest block and the size of the scratches.
 *
 * (NCCL: ReduceScatter_LD, whose results in place are where their rank's own block was.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/handover.h"
#include "kernels/cuda/pipeline.h"
#include "kernels/cuda/steps.h"

enum {
    VECTOR = 16,       /* bytes */
    RANKS_MOST = SYMM_CUDA_HELD_TOLD + 1,
    UNEVEN = 2 << 20,  /* bytes that a block may be longer than others */
};

static size_t scratch_wanted(size_t bytes, int ranks)
{
    return bytes / (size_t)ranks + UNEVEN;
}

/* ---- who reads what -------------------------------------------------------------------------- */

static size_t extent_of(const struct symm_work *work)
{
    return symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type);
}

static size_t bytes_of(const struct symm_work *work, int rank)
{
    return (work->begins[rank + 1] - work->begins[rank]) * extent_of(work);
}

/* Whether `reader` loads, of the input of `rank`, what the result of `rank` is written over. */
static bool waits(const struct symm_work *work, int rank, int reader)
{
    return work->in_place && bytes_of(work, reader) > 0 &&
           work->begins[reader] * extent_of(work) < bytes_of(work, rank);
}

/* A bit for each other rank that this one's result waits for; none: it is not held. */
static uint64_t awaited(const struct symm_work *work)
{
    uint64_t readers = 0;
    for (int reader = 0; reader < work->team->size; reader++) {
        bool is_awaited = reader != work->team->rank && waits(work, work->team->rank, reader);
        readers |= (uint64_t)is_awaited << reader;
    }
    return readers;
}

static bool can_hold(const struct symm_work *work)
{
    size_t longest = 0;
    for (int rank = 0; rank < work->team->size; rank++) {
        longest = bytes_of(work, rank) > longest ? bytes_of(work, rank) : longest;
    }
    return longest + VECTOR <= work->scratch_size && work->team->size <= RANKS_MOST;
}

/*
 * Whether all ranks have as many elements and go through them with the same threads, each through
 * vectors at the same distances: then what a thread of rank r writes over is read by that thread of
 * rank 0.  All ranks agree: a mapping changes nothing in where a vector begins.
 */
static bool is_even(const struct symm_work *work)
{
    size_t bytes = bytes_of(work, 0);
    uintptr_t places = bytes;
    for (int rank = 0; rank < work->team->size; rank++) {
        places |= (uintptr_t)work->inputs[rank];
        if (bytes_of(work, rank) != bytes) {
            return false;
        }
    }
    return places % VECTOR == 0 &&
           !symm_cuda_type_is_padded((enum symm_cuda_type)work->cuda_type);
}

/* Where this rank's result is held: at the same place in a vector as its block of the inputs. */
static unsigned char *held(const struct symm_work *work)
{
    int me = work->team->rank;
    uintptr_t block = (uintptr_t)work->inputs[me] + work->begins[me] * extent_of(work);
    return (unsigned char *)work->scratches[me] + block % VECTOR;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Nothing, if this rank's result is not held. */
static struct symm_cuda_push copy_of(const struct symm_work *work)
{
    struct symm_cuda_push copy = {0};
    if (awaited(work) != 0) {
        copy = (struct symm_cuda_push){held(work), work->output, bytes_of(work, work->team->rank)};
    }
    return copy;
}

static int copies(const struct symm_work *work, struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX])
{
    copies[0] = copy_of(work);
    return 1;
}

static struct symm_cuda_held handover_of(const struct symm_work *work)
{
    int me = work->team->rank;
    struct symm_cuda_held held = {
        .words = symm_cuda_handover_words(work, me, 0),
        .sources = awaited(work),
        .patience = SYMM_HANDOVER_PATIENCE,
        .copy = copy_of(work),
    };
    for (int rank = 0; rank < work->team->size; rank++) {
        if (rank != me && waits(work, rank, me)) {
            held.told[held.told_count++] = symm_cuda_handover_words(work, rank, me);
        }
    }
    return held;
}

/*
 * A result that is not written over what others read goes to its place at once.  Without elements
 * there is no kernel, and nobody waits for this rank.
 */
static struct symm_kernel *load_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int me = work->team->rank;
    size_t offset = work->begins[me] * extent_of(work);
    const struct symm_cuda_held handover = handover_of(work);
    struct symm_cuda_reduce arguments = {
        .begin = 0, .end = work->begins[me + 1] - work->begins[me], .ranks = work->team->size,
        .output_count = 1,
        .one = {handover.sources != 0 ? (void *)held(work) : work->output, handover},
    };
    for (int rank = 0; rank < work->team->size; rank++) {
        arguments.inputs[rank] = (const unsigned char *)work->inputs[rank] + offset;
    }
    if (handover.told_count > 0 || handover.sources != 0) {
        arguments.hold = is_even(work) ? SYMM_CUDA_HELD_BY_BLOCKS : SYMM_CUDA_HELD;
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

static enum symm_status step(struct symm_run *run)
{
    static const struct symm_handover hold = {.make = load_make, .copies = copies};
    return can_hold(run->work) ? symm_handover_step(run, &hold)
                               : symm_reduce_scatter_cuda_push.step(run);
}

SYMM_ALGORITHM_ROWS(reduce_scatter, REDUCE_SCATTER, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                    cuda_hold, CUDA_HOLD,
    .name = "cuda_hold",
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_SLICE_SCRATCH,
    .slow = SYMM_SLOW_SHARED_DEVICES,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = symm_pipeline_scratch_least,
    .scratch_fair = symm_pipeline_scratch_least,
    .step = step);
