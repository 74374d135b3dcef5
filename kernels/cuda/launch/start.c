/*
 * start.c - starting kernels that reduce, scan and copy; see device.h.
 *
 * A start looks its kernel up after symm_launch_begin(), which loads kernels anew where the context
 * has been reset.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/small.h"

enum {
    VECTOR = 16,           /* bytes that a thread moves at a time */
    APART_LEAST = 1 << 20, /* bytes of an own block that takes longer than a few blocks more */
    APART_BLOCKS = 16,     /* copy an own block about as fast as others store to a peer */
};

/* ---- reductions and scans -------------------------------------------------------------------- */

/* Elements with padding are never moved as vectors. */
static uint64_t reduce_units(enum symm_cuda_type type, uint64_t count)
{
    return symm_cuda_type_is_padded(type)
               ? count : (count * symm_cuda_type_extent(type) + VECTOR - 1) / VECTOR;
}

static enum symm_status combine_start(struct symm_device *device, bool is_scan,
                                      enum symm_cuda_type type, enum symm_cuda_op op,
                                      const struct symm_cuda_reduce *arguments,
                                      unsigned block_limit, struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    union {
        struct symm_cuda_small small;
        struct symm_cuda_reduce any;
    } launched;
    struct symm_launch launch = {.arguments = &launched, .block_limit = block_limit};
    *completion = (struct symm_completion){0};
    if (!symm_device_can_reduce(type, op) || arguments->ranks < 1 ||
        arguments->ranks > SYMM_CUDA_RANKS_MAX ||
        arguments->output_count < 1 || arguments->output_count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    if (arguments->begin == arguments->end) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_functions *functions = &device->functions;
    if (!is_scan && arguments->hold == SYMM_CUDA_NOT_HELD) {
        launch.units = symm_small_reduce(type, arguments, block_limit, &launched.small);
    }
    if (launch.units > 0) {
        launch.function = symm_functions_small(functions, type, op);
        launch.finish = &launched.small.finish;
    } else {
        launched.any = *arguments;
        launch.function = is_scan ? symm_functions_scan(functions, type, op)
                                  : symm_functions_reduce(functions, type, op, arguments->ranks);
        launch.finish = &launched.any.finish;
        if (arguments->hold != SYMM_CUDA_NOT_HELD && block_limit > SYMM_CUDA_HANDOVER_WORDS) {
            launch.block_limit = SYMM_CUDA_HANDOVER_WORDS; /* each block has to have a word */
        }
        launch.units = reduce_units(type, arguments->end - arguments->begin);
    }
    status = symm_launch_kernel(device, device->kernels, &launch, completion);
    return symm_launch_end(device, completion, &scope, status);
}

enum symm_status symm_device_reduce_start(struct symm_device *device, enum symm_cuda_type type,
                                          enum symm_cuda_op op,
                                          const struct symm_cuda_reduce *arguments,
                                          unsigned block_limit, struct symm_completion *completion)
{
    return combine_start(device, false, type, op, arguments, block_limit, completion);
}

enum symm_status symm_device_scan_start(struct symm_device *device, enum symm_cuda_type type,
                                        enum symm_cuda_op op,
                                        const struct symm_cuda_reduce *arguments,
                                        unsigned block_limit, struct symm_completion *completion)
{
    if (arguments->output_count != arguments->ranks || arguments->hold != SYMM_CUDA_NOT_HELD) {
        *completion = (struct symm_completion){0};
        return SYMM_ERR_ARGUMENT;
    }
    return combine_start(device, true, type, op, arguments, block_limit, completion);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copy little data; false: they are not little, and nothing has been started. */
static bool small_push(struct symm_device *device, CUstream stream,
                       const struct symm_cuda_push *pushes, int count, unsigned block_limit,
                       struct symm_completion *completion, enum symm_status *status)
{
    struct symm_cuda_small_pushes launched;
    const struct symm_launch launch = {
        .function = device->functions.small_push,
        .arguments = &launched,
        .finish = &launched.finish,
        .units = symm_small_push(pushes, count, block_limit, &launched),
        .block_limit = block_limit,
    };
    if (launch.units == 0) {
        return false;
    }
    *status = symm_launch_kernel(device, stream, &launch, completion);
    return true;
}

static bool small_copy(struct symm_device *device, const struct symm_cuda_copy *arguments,
                       unsigned block_limit, struct symm_completion *completion,
                       enum symm_status *status)
{
    struct symm_cuda_push pushes[SYMM_CUDA_SMALL_RANKS];
    if (arguments->output_count > SYMM_CUDA_SMALL_RANKS) {
        return false;
    }
    for (int i = 0; i < arguments->output_count; i++) {
        pushes[i] = (struct symm_cuda_push){arguments->input, arguments->outputs[i],
                                            arguments->bytes};
    }
    return small_push(device, device->kernels, pushes, arguments->output_count, block_limit,
                      completion, status);
}

enum symm_status symm_launch_copy(struct symm_device *device,
                                  const struct symm_cuda_copy *arguments, unsigned block_limit,
                                  struct symm_completion *completion)
{
    enum symm_status status;
    if (small_copy(device, arguments, block_limit, completion, &status)) {
        return status;
    }
    struct symm_cuda_copy launched = *arguments;
    const struct symm_launch launch = {
        .function = device->functions.copy,
        .arguments = &launched,
        .finish = &launched.finish,
        .units = (arguments->bytes + VECTOR - 1) / VECTOR,
        .block_limit = block_limit,
    };
    return symm_launch_kernel(device, device->kernels, &launch, completion);
}

enum symm_status symm_device_copy_start(struct symm_device *device,
                                        const struct symm_cuda_copy *arguments,
                                        unsigned block_limit, struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    *completion = (struct symm_completion){0};
    if (arguments->output_count < 0 || arguments->output_count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    if (arguments->bytes == 0 || arguments->output_count == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    return symm_launch_end(device, completion, &scope,
                           symm_launch_copy(device, arguments, block_limit, completion));
}

uint64_t symm_launch_bytes_most(const struct symm_cuda_push *pushes, int count)
{
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        most = pushes[i].bytes > most ? pushes[i].bytes : most;
    }
    return most;
}

/*
 * How many of the kernel's blocks copy the last of `count` blocks and nothing else.  They come on
 * top of the others where there is no limit.  Within a limit they get the last block's share.
 */
static unsigned apart_choose(const struct symm_cuda_push *pushes, int count, unsigned *block_limit)
{
    uint64_t own = pushes[count - 1].bytes, others = 0;
    for (int i = 0; i < count - 1; i++) {
        others += pushes[i].bytes;
    }
    if (own < APART_LEAST || own > others) { /* a longer one wants all blocks in the end */
        return 0;
    }
    if (*block_limit == 0) {
        *block_limit = SYMM_DEVICE_BLOCKS + APART_BLOCKS;
    }
    unsigned share = *block_limit / (unsigned)count;
    return share < APART_BLOCKS ? share : APART_BLOCKS;
}

static enum symm_status push_launch(struct symm_device *device, CUstream stream,
                                    const struct symm_cuda_push *pushes, int count, bool own_last,
                                    uint64_t bytes_most, unsigned block_limit,
                                    struct symm_completion *completion)
{
    enum symm_status status;
    if (small_push(device, stream, pushes, count, block_limit, completion, &status)) {
        return status;
    }
    struct symm_cuda_pushes launched = {.count = count};
    unsigned apart = own_last ? apart_choose(pushes, count, &block_limit) : 0;
    memcpy(launched.pushes, pushes, (size_t)count * sizeof(*pushes));
    launched.apart = (uint64_t)apart * SYMM_CUDA_BLOCK_THREADS;
    const struct symm_launch launch = {
        .function = device->functions.push,
        .arguments = &launched,
        .finish = &launched.finish,
        .units = (bytes_most + VECTOR - 1) / VECTOR + launched.apart,
        .block_limit = block_limit,
    };
    return symm_launch_kernel(device, stream, &launch, completion);
}

static enum symm_status push_start(struct symm_device *device, bool beside,
                                   const struct symm_cuda_push *pushes, int count,
                                   bool own_last, unsigned block_limit,
                                   struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    *completion = (struct symm_completion){0};
    if (count < 0 || count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    uint64_t bytes_most = symm_launch_bytes_most(pushes, count);
    if (bytes_most == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUstream stream = device->kernels;
    if (beside) {
        status = symm_device_stream(device, &device->beside, &stream);
    }
    if (status == SYMM_OK) {
        status = push_launch(device, stream, pushes, count, own_last, bytes_most, block_limit,
                             completion);
        completion->beside = beside;
    }
    return symm_launch_end(device, completion, &scope, status);
}

enum symm_status symm_device_push_start(struct symm_device *device,
                                        const struct symm_cuda_push *pushes, int count,
                                        bool own_last, unsigned block_limit,
                                        struct symm_completion *completion)
{
    return push_start(device, false, pushes, count, own_last, block_limit, completion);
}

enum symm_status symm_device_beside_start(struct symm_device *device,
                                          const struct symm_cuda_push *pushes, int count,
                                          unsigned block_limit, struct symm_completion *completion)
{
    return push_start(device, true, pushes, count, false, block_limit, completion);
}
