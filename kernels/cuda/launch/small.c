/*
 * small.c - see small.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/small.h"

enum {
    VECTOR = 16,
    BYTES_MOST = 512, /* of a block that is copied byte by byte */
    /* With more of them the blocks of a kernel have to count each other. */
    FLAGGED_UNITS = SYMM_CUDA_FLAGS * SYMM_CUDA_BLOCK_THREADS,
};

static uint64_t units_most(unsigned block_limit)
{
    bool is_limited = block_limit != 0 && block_limit < SYMM_DEVICE_BLOCKS;
    return (uint64_t)(is_limited ? block_limit : SYMM_DEVICE_BLOCKS) * SYMM_CUDA_BLOCK_THREADS;
}

/* ---- reductions ------------------------------------------------------------------------------ */

uint64_t symm_small_reduce(enum symm_cuda_type type, const struct symm_cuda_reduce *arguments,
                           unsigned block_limit, struct symm_cuda_small *small)
{
    const uint64_t extent = symm_cuda_type_extent(type), first = arguments->begin * extent;
    const uint64_t count = arguments->end - arguments->begin;
    uint64_t addresses = 0;
    if (arguments->ranks > SYMM_CUDA_SMALL_RANKS ||
        arguments->output_count > SYMM_CUDA_SMALL_RANKS ||
        count > units_most(block_limit) * VECTOR) {
        return 0;
    }
    *small = (struct symm_cuda_small){
        .ranks = arguments->ranks,
        .output_count = arguments->output_count,
    };
    for (int i = 0; i < arguments->output_count; i++) {
        small->outputs[i] = (unsigned char *)arguments->outputs[i] + first;
        addresses |= (uint64_t)(uintptr_t)small->outputs[i];
    }
    for (int rank = 0; rank < arguments->ranks; rank++) {
        small->inputs[rank] = (const unsigned char *)arguments->inputs[rank] + first;
        addresses |= (uint64_t)(uintptr_t)small->inputs[rank];
    }
    bool by_vectors = addresses % VECTOR == 0 && !symm_cuda_type_is_padded(type);
    uint64_t vectors = by_vectors ? count * extent / VECTOR : 0;
    uint64_t rest = count - vectors * VECTOR / extent;
    small->vectors = (uint32_t)vectors;
    small->rest = (uint32_t)rest;
    return addresses % extent == 0 && vectors + rest <= units_most(block_limit) ? vectors + rest
                                                                                : 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* The units of a block; 0 if it is better copied in larger ones. */
static uint64_t block_describe(const struct symm_cuda_push *push, uint64_t most,
                               struct symm_cuda_small_push *small)
{
    uint64_t addresses = (uint64_t)(uintptr_t)push->input | (uint64_t)(uintptr_t)push->output;
    uint64_t vectors = addresses % VECTOR == 0 ? push->bytes / VECTOR : 0;
    uint64_t rest = push->bytes - vectors * VECTOR;
    if (vectors > most || rest > BYTES_MOST) {
        return 0;
    }
    *small = (struct symm_cuda_small_push){push->input, push->output, (uint32_t)vectors,
                                           (uint32_t)rest};
    return vectors + rest;
}

uint64_t symm_small_push(const struct symm_cuda_push *pushes, int count, unsigned block_limit,
                         struct symm_cuda_small_pushes *small)
{
    const uint64_t most = units_most(block_limit);
    uint64_t threads = 0;
    int used = 0;
    *small = (struct symm_cuda_small_pushes){.threads = 0};
    for (int i = 0; i < count; i++) {
        if (pushes[i].bytes == 0) {
            continue;
        }
        uint64_t units = used < SYMM_CUDA_SMALL_RANKS
                             ? block_describe(&pushes[i], most, &small->pushes[used])
                             : 0;
        if (units == 0) {
            return 0;
        }
        threads = units > threads ? units : threads;
        used++;
    }
    threads = symm_device_warps(threads);
    small->threads = (uint32_t)threads;
    uint64_t all = threads * (uint64_t)used;
    bool has_flags = all <= FLAGGED_UNITS, others_have = threads <= FLAGGED_UNITS;
    return all <= most && (has_flags || !others_have) ? all : 0;
}
