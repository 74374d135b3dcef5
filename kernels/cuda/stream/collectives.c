/*
 * collectives.c - see collectives.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/stream/collectives.h"
#include "kernels/pattern.h"

/* False: no kernel does that. */
static bool describe(const struct symm_stream_call *call, const struct symm_collective_row *row,
                     size_t block, struct symm_cuda_stream *arguments)
{
    const int rank = (int)arguments->rank;
    const struct symm_pattern_call asked = {
        .collective = call->collective, .rank = rank, .ranks = (int)arguments->ranks,
        .root = call->root, .input = call->input, .output = call->output, .block = block,
    };
    struct symm_pattern pattern;
    if (call->collective == SYMM_SCAN || call->collective == SYMM_EXSCAN ||
        call->collective == SYMM_REDUCE_SCATTER || !symm_pattern_get(&asked, &pattern)) {
        return false;
    }
    arguments->targets = pattern.targets & ~(1u << rank);
    arguments->sources = pattern.sources;
    if (!row->is_rooted || rank == call->root) {
        arguments->input_step = pattern.input_step;
        arguments->output_step = pattern.output_step;
    }
    return true;
}

/* A factor, as kernels for the type have it. */
static uint64_t factor_bits(enum symm_cuda_type type, double factor)
{
    const float single = (float)factor;
    uint64_t bits = 0;
    if (type == SYMM_CUDA_DOUBLE) {
        memcpy(&bits, &factor, sizeof(factor));
    } else {
        memcpy(&bits, &single, sizeof(single));
    }
    return bits;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void hash_add(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 32;
}

/* What has to be the same on all ranks. */
static uint32_t signature(const struct symm_stream_call *call, bool reduces, bool is_rooted,
                          uint64_t bytes)
{
    uint64_t hash = 1;
    hash_add(&hash, call->collective);
    hash_add(&hash, bytes);
    hash_add(&hash, is_rooted ? (uint64_t)call->root : 0);
    hash_add(&hash, reduces ? (uint64_t)call->type * SYMM_CUDA_OP_COUNT + call->op : 0);
    hash_add(&hash, factor_bits(SYMM_CUDA_DOUBLE, call->factor));
    return (uint32_t)(hash >> 16) & ((UINT32_C(1) << SYMM_STREAM_CALL_BITS) - 1);
}

static enum symm_stream_form form_of(enum symm_stream_way way)
{
    return way == SYMM_STREAM_PUSH || way == SYMM_STREAM_PUSH_TWO_LEGS ? SYMM_STREAM_FORM_PUSH
           : way == SYMM_STREAM_TWO_SHOT                               ? SYMM_STREAM_FORM_TWO_SHOT
                                                                       : SYMM_STREAM_FORM_ONE_SHOT;
}

/*
 * What kernels for one type and operation ask for: pieces are whole words of sixteen bytes, packets
 * have eight, or the only one has four.
 */
static bool is_plain(const struct symm_cuda_stream *arguments, enum symm_stream_form form,
                     uint64_t bytes)
{
    const uint64_t places = (uintptr_t)arguments->input | (uintptr_t)arguments->output |
                            arguments->input_step | arguments->output_step;
    const uint64_t step = form == SYMM_STREAM_FORM_PUSH ? 16 : bytes <= 4 ? 4 : 8;
    return places % step == 0 && (form == SYMM_STREAM_FORM_PUSH || bytes % 4 == 0);
}

/* What the plan makes of a call whose last `padding` bytes are no data. */
static void plan_follow(const struct symm_stream_plan *plan,
                        const struct symm_stream_limits *limits, uint64_t total,
                        uint64_t padding, struct symm_cuda_stream *arguments)
{
    const bool has_slices =
        plan->way == SYMM_STREAM_TWO_SHOT || plan->way == SYMM_STREAM_PUSH_TWO_LEGS;
    arguments->row = plan->row;
    arguments->units = plan->units;
    arguments->blocks = plan->blocks;
    arguments->region = limits->region;
    arguments->legs = plan->way == SYMM_STREAM_PUSH_TWO_LEGS ? 2 : 1;
    /* Slices are whole; their end, in the array, is known by the total. */
    arguments->bytes = plan->bytes - (has_slices ? 0 : padding);
    arguments->total = has_slices ? total - padding : UINT64_MAX;
    if (arguments->legs == 2) {
        arguments->input_step = arguments->output_step = plan->bytes;
    }
    if (form_of(plan->way) == SYMM_STREAM_FORM_PUSH) {
        arguments->is_rooted = 0; /* no rank is behind by more than the others let it */
    }
}

static int function_of(const struct symm_stream_call *call, enum symm_stream_form form,
                       bool reduces, bool is_plain)
{
    const int first = (int)form * SYMM_STREAM_FUNCTIONS_OF_FORM;
    if (!reduces) {
        return first + (is_plain ? SYMM_STREAM_FUNCTION_COPY : SYMM_STREAM_FUNCTION_COPY_ANY);
    }
    return is_plain ? symm_function(first, call->type, call->op)
                    : first + (symm_cuda_type_extent(call->type) > 8 ? SYMM_STREAM_FUNCTION_ANY_16
                                                                     : SYMM_STREAM_FUNCTION_ANY_8);
}

struct symm_kernel *symm_kernel_stream(struct symm_kernel *kernel,
                                       const struct symm_stream_call *call, int rank, int ranks,
                                       const struct symm_stream_limits *limits)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    struct symm_cuda_stream *arguments = &kernel->arguments.stream;
    const bool reduces = row->reduces;
    const bool has_factor = reduces && call->factor != 0;
    if ((reduces && !symm_device_can_reduce(call->type, call->op)) ||
        (has_factor && !symm_stream_can_scale(call->type, call->op))) {
        return symm_kernel_wrong(kernel);
    }
    /* A barrier is a call with a packet of nothing. */
    const size_t extent = reduces ? symm_cuda_type_extent(call->type) : 1;
    const size_t block = call->collective == SYMM_BARRIER ? 8 : call->count * extent;
    const size_t padding = reduces && block > 0 ? symm_cuda_type_padding(call->type) : 0;
    const struct symm_stream_demand demand = {
        .ranks = ranks, .bytes = block, .extent = extent,
        .is_reduced = call->collective == SYMM_ALLREDUCE,
    };
    const struct symm_stream_plan plan = symm_stream_plan(&demand, limits);
    const enum symm_stream_form form = form_of(plan.way);
    *arguments = (struct symm_cuda_stream){
        .input = call->input, .output = call->output,
        .call = signature(call, reduces, row->is_rooted, block),
        .is_rooted = row->is_rooted,
        .rank = (uint32_t)rank, .ranks = (uint32_t)ranks,
    };
    if (reduces) {
        arguments->type = symm_cuda_kernel_type(call->type, call->op);
        arguments->op = call->op;
        arguments->factor = factor_bits(call->type, call->factor);
    }
    if (!describe(call, row, block, arguments)) {
        return symm_kernel_wrong(kernel);
    }
    if (plan.way == SYMM_STREAM_NOTHING) {
        return symm_kernel_nothing(kernel);
    }
    plan_follow(&plan, limits, block, padding, arguments);
    kernel->function = function_of(call, form, reduces, is_plain(arguments, form, block - padding));
    kernel->blocks = plan.blocks;
    kernel->threads = plan.threads;
    return kernel;
}
