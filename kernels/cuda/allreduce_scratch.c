/*
 * allreduce_scratch.c - pieces of the array are copied to scratch, reduced there, and copied out
 * again.
 *
 * It is for buffers that other ranks cannot reach; relay.h says how.  Piece p goes through
 *
 *   in      stage p:     own input to own scratch,
 *   reduce  stage p + 1: two-shot in place, on the scratch of all ranks,
 *   out     stage p + 2: own scratch to own output.
 *
 * A small array, or an array of two ranks, is reduced by one-shot.  One-shot reads the scratch of
 * all ranks and stores to its own output at once.  This saves a stage, and with two ranks no more
 * bytes cross the link.  Pairs with padding are also reduced by one-shot, because kernels leave
 * padding in outputs alone and copies do not.
 *
 * It is right in place as well: a piece is copied in before it is copied out.  The sums are, bit
 * for bit, the sums of two-shot on buffers: rank order, one rounding.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay_array.h"

/*
 * The most bytes that a rank loads from others by one-shot.  Loading them takes less time than a
 * stage.
 */
static const size_t one_shot_loads = 1024 * 1024;

static bool is_one_shot(size_t bytes, int ranks, size_t scratch_size)
{
    return ranks <= 2 || (bytes <= one_shot_loads / (size_t)(ranks - 1) &&
                          bytes <= symm_relay_row(scratch_size, 1));
}

static unsigned stages_beside(bool one_shot)
{
    return one_shot ? 1 : 2;
}

static size_t scratch_wanted(size_t bytes, int ranks)
{
    return symm_relay_array_wanted(bytes, stages_beside(is_one_shot(bytes, ranks, SIZE_MAX)));
}

/* How the array is cut, alike on all ranks. */
struct cut {
    bool one_shot;
    struct symm_relay_array array;
};

static struct cut cut_make(const struct symm_work *work)
{
    size_t bytes = work->count * symm_cuda_type_extent(work->cuda_type);
    bool one_shot = is_one_shot(bytes, work->team->size, work->scratch_size) ||
                    symm_cuda_type_is_padded(work->cuda_type);
    return (struct cut){one_shot, symm_relay_array_cut(work, stages_beside(one_shot))};
}

/* ---- launches -------------------------------------------------------------------------------- */

static struct symm_kernel *two_shot_make(const struct symm_work *work,
                                         const struct symm_relay_array *array, uint64_t piece,
                                         struct symm_kernel *kernel)
{
    int ranks = work->team->size;
    size_t begin, end;
    symm_slice(symm_relay_array_count(work, array, piece), array->extent, work->team->rank, ranks,
               &begin, &end);
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = ranks, .output_count = ranks,
    };
    for (int turn = 0; turn < ranks; turn++) {
        int target = symm_work_rotate(work, turn);
        arguments.inputs[turn] = symm_relay_array_part(work, array, turn, piece);
        arguments.outputs[turn] = symm_relay_array_part(work, array, target, piece);
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

static struct symm_kernel *reduce_make(const struct symm_work *work, uint64_t stage,
                                       struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    uint64_t piece = stage - 1;
    if (stage == 0 || piece >= cut.array.pieces) {
        return symm_kernel_nothing(kernel);
    }
    return cut.one_shot ? symm_relay_array_reduce(work, &cut.array, work->team->size, piece,
                                                  kernel)
                        : two_shot_make(work, &cut.array, piece, kernel);
}

static struct symm_kernel *copies_make(const struct symm_work *work, uint64_t stage,
                                       struct symm_kernel *kernel)
{
    struct cut cut = cut_make(work);
    const struct symm_relay_array *array = &cut.array;
    struct symm_cuda_push copies[2];
    int count = 0;
    if (stage < array->pieces) {
        copies[count++] = symm_relay_array_copy_in(work, array, stage);
    }
    if (!cut.one_shot && stage >= 2) {
        uint64_t piece = stage - 2;
        copies[count++] = (struct symm_cuda_push){
            .input = symm_relay_array_part(work, array, work->team->rank, piece),
            .output = (unsigned char *)work->output +
                      symm_relay_array_begin(array, piece) * array->extent,
            .bytes = symm_relay_array_count(work, array, piece) * array->extent,
        };
    }
    return symm_kernel_beside(kernel, copies, count, work->block_limit);
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_make launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = reduce_make, [SYMM_STAGE_BESIDE] = copies_make};
    struct cut cut = cut_make(run->work);
    return symm_relay_step(run, cut.array.pieces + stages_beside(cut.one_shot), launches);
}

const struct symm_algorithm_row symm_allreduce_cuda_scratch = {
    .number = SYMM_ALLREDUCE_CUDA_SCRATCH,
    .name = "cuda_scratch",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_RELAY_SCRATCH,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .step = step,
};
