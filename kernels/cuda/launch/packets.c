/*
 * packets.c - kernels of packets; see kernel.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/launch/kernel.h"

/*
 * Blocks have flags of their own, which say whether they are late.  Within a limit many small
 * blocks begin sooner than few large ones.  With a unit for each thread 16 blocks are as quick as
 * 32.  More data than that take .6 to .85 of the time with 32 (gpu-h200-2-ranks-packets.txt, two
 * H200, 256 KiB to a peer and more).
 */
enum { BLOCKS_FEW = 16, BLOCKS_MOST = SYMM_CUDA_FLAGS, THREADS_LEAST = 128, PACKET_DATA = 8,
       TWO_RANKS = 2 };

static unsigned block_threads(uint64_t units)
{
    unsigned threads = THREADS_LEAST;
    while (threads < SYMM_CUDA_BLOCK_THREADS && units > (uint64_t)threads * BLOCKS_FEW) {
        threads *= 2;
    }
    return threads;
}

static bool are_usable(const struct symm_cuda_packets *packets)
{
    uint64_t addresses = (uint64_t)(uintptr_t)packets->pad | packets->pad_row;
    for (int rank = 0; rank < SYMM_CUDA_SMALL_RANKS; rank++) {
        addresses |= (uint64_t)(uintptr_t)packets->rows[rank];
    }
    return addresses % (2 * PACKET_DATA) == 0 && packets->bytes > 0 && packets->flag != 0 &&
           packets->flag <= UINT32_MAX && packets->sources >> SYMM_CUDA_SMALL_RANKS == 0;
}

/* Nothing goes to ranks from `limit` on, and nothing comes from them. */
static bool are_among(const struct symm_cuda_packets *packets, int limit)
{
    for (int rank = limit; rank < SYMM_CUDA_SMALL_RANKS; rank++) {
        if (packets->rows[rank] != NULL) {
            return false;
        }
    }
    return packets->sources >> limit == 0;
}

/* Whether the packets are for the kernels of few ranks.  Sets all of `few` but `finish`. */
static bool are_few(const struct symm_cuda_packets *packets, struct symm_cuda_few_packets *few)
{
    uint64_t all = (uint64_t)(uintptr_t)packets->input | (uint64_t)(uintptr_t)packets->output |
                   packets->input_step | packets->output_step;
    if (!are_among(packets, SYMM_CUDA_FEW_RANKS) || all % PACKET_DATA != 0 ||
        packets->bytes % (PACKET_DATA / 2) != 0 || packets->pad_row > UINT32_MAX) {
        return false;
    }
    *few = (struct symm_cuda_few_packets){
        .input = packets->input, .pad = packets->pad, .output = packets->output,
        .input_step = packets->input_step, .output_step = packets->output_step,
        .flag = (uint32_t)packets->flag, .sources = (uint32_t)packets->sources,
        .bytes = (uint32_t)packets->bytes, .pad_row = (uint32_t)packets->pad_row,
        .patience = packets->patience,
    };
    memcpy(few->rows, packets->rows, sizeof(few->rows));
    return true;
}

/* A reduction's `extent`, or 1 of a copy; `any` and `few`: functions. */
static struct symm_kernel *packets_set(struct symm_kernel *kernel, int any, int few, size_t extent,
                                       const struct symm_cuda_packets *packets,
                                       unsigned block_limit)
{
    const uint64_t unit = extent > PACKET_DATA ? extent : PACKET_DATA;
    const uint64_t units = (packets->bytes + unit - 1) / unit;
    const unsigned threads = block_threads(units);
    const unsigned most = units > (uint64_t)threads * BLOCKS_FEW ? BLOCKS_MOST : BLOCKS_FEW;
    const unsigned blocks = block_limit != 0 && block_limit < most ? block_limit : most;
    if (!are_usable(packets)) {
        return symm_kernel_wrong(kernel);
    }
    if (units <= (uint64_t)threads * blocks && are_few(packets, &kernel->arguments.few_packets)) {
        return symm_kernel_set(kernel, few, SYMM_KERNEL_FINISH(few_packets), units, blocks,
                               threads);
    }
    kernel->arguments.packets = *packets;
    kernel->arguments.packets.is_between_two = are_among(packets, TWO_RANKS);
    return symm_kernel_set(kernel, any, SYMM_KERNEL_FINISH(packets), units, blocks, threads);
}

struct symm_kernel *symm_kernel_packets_reduce(struct symm_kernel *kernel,
                                               enum symm_cuda_type type, enum symm_cuda_op op,
                                               const struct symm_cuda_packets *packets,
                                               unsigned block_limit)
{
    const int own = symm_function(0, type, op);
    return symm_device_can_reduce(type, op)
               ? packets_set(kernel, SYMM_FUNCTION_PACKETS + own, SYMM_FUNCTION_FEW_PACKETS + own,
                             symm_cuda_type_extent(type), packets, block_limit)
               : symm_kernel_wrong(kernel);
}

struct symm_kernel *symm_kernel_packets_copy(struct symm_kernel *kernel,
                                             const struct symm_cuda_packets *packets,
                                             unsigned block_limit)
{
    return packets_set(kernel, SYMM_FUNCTION_PACKETS_COPY, SYMM_FUNCTION_FEW_PACKETS_COPY, 1,
                       packets, block_limit);
}
