/*
 * packets.c - starting kernels of packets; see device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/launch/device_state.h"

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

/* `type` and `op` of a reduction; otherwise `op` is SYMM_CUDA_OP_COUNT. */
static enum symm_status packets_start(struct symm_device *device, enum symm_cuda_type type,
                                      enum symm_cuda_op op,
                                      const struct symm_cuda_packets *packets,
                                      unsigned block_limit, struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    union {
        struct symm_cuda_packets any;
        struct symm_cuda_few_packets few;
    } launched;
    size_t extent = op == SYMM_CUDA_OP_COUNT ? 1 : symm_cuda_type_extent(type);
    uint64_t unit = extent > PACKET_DATA ? extent : PACKET_DATA;
    struct symm_launch launch = {
        .arguments = &launched,
        .units = (packets->bytes + unit - 1) / unit,
    };
    launch.block_threads = block_threads(launch.units);
    unsigned most = launch.units > (uint64_t)launch.block_threads * BLOCKS_FEW ? BLOCKS_MOST
                                                                              : BLOCKS_FEW;
    launch.block_limit = block_limit != 0 && block_limit < most ? block_limit : most;
    *completion = (struct symm_completion){0};
    if (!are_usable(packets)) {
        return SYMM_ERR_ARGUMENT;
    }
    bool few = launch.units <= (uint64_t)launch.block_threads * launch.block_limit &&
               are_few(packets, &launched.few);
    if (few) {
        launch.finish = &launched.few.finish;
    } else {
        launched.any = *packets;
        launched.any.is_between_two = are_among(packets, TWO_RANKS);
        launch.finish = &launched.any.finish;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    launch.function = symm_functions_packets(&device->functions, type, op, few);
    status = symm_launch_kernel(device, device->kernels, &launch, completion);
    return symm_launch_end(device, completion, &scope, status);
}

enum symm_status symm_device_packets_reduce_start(struct symm_device *device,
                                                  enum symm_cuda_type type, enum symm_cuda_op op,
                                                  const struct symm_cuda_packets *packets,
                                                  unsigned block_limit,
                                                  struct symm_completion *completion)
{
    if (!symm_device_can_reduce(type, op)) {
        *completion = (struct symm_completion){0};
        return SYMM_ERR_ARGUMENT;
    }
    return packets_start(device, type, op, packets, block_limit, completion);
}

enum symm_status symm_device_packets_copy_start(struct symm_device *device,
                                                const struct symm_cuda_packets *packets,
                                                unsigned block_limit,
                                                struct symm_completion *completion)
{
    return packets_start(device, SYMM_CUDA_BYTE, SYMM_CUDA_OP_COUNT, packets, block_limit,
                         completion);
}
