/*
 * launches.c - kernels that are launched.
 *
 * What a kernel gets is the argument with all words that are device addresses translated, wherever
 * they stand in it.  A word that is the address of host memory which is not pinned makes the kernel
 * fail: on most devices its use would.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/trace.h"
#include "tests/standin/trap.h"

#include <string.h>

/*
 * Other numbers are hardly addresses: programs and libraries are mapped above the least one, and
 * those from the end on are negative numbers.
 */
static const uint64_t ADDRESS_LEAST = UINT64_C(1) << 45, ADDRESS_END = UINT64_C(1) << 63;

struct work {
    const struct symm_cuda_host_kernel *kernel;
    bool illegal; /* has an address that no device can use */
    unsigned blocks, block_threads;
    uint64_t arguments[STANDIN_ARGUMENTS_MAX / sizeof(uint64_t)];
};

static void call_kernel(void *payload)
{
    const struct work *work = payload;
    work->kernel->run(work->arguments, work->blocks, work->block_threads);
}

static CUresult run_launch(void *payload, CUstream stream)
{
    const struct work *work = payload;
    CUresult result = standin_fault_later("kernel");
    if (result == CUDA_SUCCESS &&
        (work->illegal || !standin_trap_call(call_kernel, payload))) {
        standin_say("%s on device %d: an illegal memory access", work->kernel->name,
                    stream->context->device);
        result = CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return result;
}

static bool is_pageable(uint64_t word)
{
    return word >= ADDRESS_LEAST && word < ADDRESS_END && standin_reservation_at(word) == NULL &&
           !standin_address_is_pinned(word, 1) && standin_address_is_mapped(word, 1);
}

CUresult standin_launch_make(struct standin_launch *launch, CUfunction function,
                             const unsigned grid[3], const unsigned block[3], unsigned shared,
                             void **parameters, void **extra, CUcontext context)
{
    if (!standin_function_is(function, context)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (grid[0] == 0 || grid[0] > INT32_MAX || grid[1] != 1 || grid[2] != 1 || block[0] == 0 ||
        block[0] > STANDIN_THREADS_MAX || block[1] != 1 || block[2] != 1 || shared != 0 ||
        parameters == NULL || parameters[0] == NULL || extra != NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (function->kernel->arguments_size > STANDIN_ARGUMENTS_MAX) {
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    *launch = (struct standin_launch){function, grid[0], block[0], parameters[0]};
    return CUDA_SUCCESS;
}

void standin_launch_keep(const struct standin_launch *launch, struct standin_kept_launch *kept)
{
    kept->launch = *launch;
    kept->launch.argument = NULL;
    memcpy(kept->argument, launch->argument, launch->function->kernel->arguments_size);
}

CUresult standin_launch_give(const void *payload, CUstream stream)
{
    const struct standin_kept_launch *kept = payload;
    const struct standin_launch *launch = &kept->launch;
    if (!standin_function_is(launch->function, stream->context)) {
        return CUDA_ERROR_INVALID_HANDLE; /* its module has been unloaded */
    }
    const struct symm_cuda_host_kernel *kernel = launch->function->kernel;
    struct work work = {.kernel = kernel, .blocks = launch->blocks,
                        .block_threads = launch->block_threads};
    CUresult result = standin_multicast_check_launch(kernel->name, kept->argument,
                                                     stream->context->device);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    memcpy(work.arguments, kept->argument, kernel->arguments_size);
    for (size_t i = 0; i < kernel->arguments_size / sizeof work.arguments[0]; i++) {
        if (is_pageable(work.arguments[i])) {
            standin_say("%s gets the address of host memory that is not pinned, in word %zu",
                        kernel->name, i);
            work.illegal = true;
        }
        work.arguments[i] = standin_address_translate(work.arguments[i], stream->context->device);
    }
    standin_trace_kernel("kernel", kept, stream);
    return standin_stream_add(stream, run_launch, &work, sizeof work);
}

static CUresult launch(const char *name, CUfunction function, const unsigned grid[3],
                       const unsigned block[3], unsigned shared, CUstream handle,
                       void **parameters, void **extra)
{
    struct standin_launch launch;
    CUcontext context;
    CUstream stream;
    CUresult result = standin_begin_in_context(name, &context);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    result = standin_stream_find(handle, context, &stream);
    if (result == CUDA_SUCCESS) {
        result = standin_launch_make(&launch, function, grid, block, shared, parameters, extra,
                                     context);
    }
    if (result == CUDA_SUCCESS) {
        struct standin_kept_launch kept;
        standin_launch_keep(&launch, &kept);
        if (stream->capture != NULL) {
            standin_trace_kernel("capture", &kept, stream);
        }
        result = standin_stream_give(stream, standin_launch_give, &kept, sizeof kept);
    }
    return standin_end(result);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream handle, void **parameters, void **extra)
{
    const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
    return launch(__func__, function, grid, block, shared, handle, parameters, extra);
}

/*
 * A kernel that may be launched early comes behind the one before all the same.  Only kernels that
 * wait for that by themselves may be: those of stream lanes.  Devices before capability 9 refuse.
 */
static bool may_be_early(const CUlaunchConfig *config, CUfunction function)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
            standin_setting("SYMM_STANDIN_CAPABILITY", 9) < 9 ||
            function == NULL || strncmp(function->kernel->name, "symm_stream_", 12) != 0) {
            return false;
        }
    }
    return true;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **extra)
{
    const unsigned grid[3] = {config->gridDimX, config->gridDimY, config->gridDimZ};
    const unsigned block[3] = {config->blockDimX, config->blockDimY, config->blockDimZ};
    return may_be_early(config, function)
               ? launch(__func__, function, grid, block, config->sharedMemBytes, config->hStream,
                        parameters, extra)
               : CUDA_ERROR_INVALID_VALUE;
}
