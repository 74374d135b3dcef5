/*
 * engines.c - copies to peers by copy engines; see device.h.  Events tell whether they are done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"

enum { OWN_BLOCKS = 16 }; /* copy within a device about as fast as an engine does to a peer */

static enum symm_status copy_queue(struct symm_device *device, int number,
                                   const struct symm_cuda_push *push)
{
    CUstream stream;
    enum symm_status status = symm_device_stream(device, &device->copies[number], &stream);
    if (status != SYMM_OK) {
        return status;
    }
    CUresult result = device->cuda->cuMemcpyAsync((CUdeviceptr)(uintptr_t)push->output,
                                                  (CUdeviceptr)(uintptr_t)push->input,
                                                  push->bytes, stream);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemcpyAsync", result);
}

/*
 * A copy within the device.  The driver may make a plain one by a kernel, so it is asked to leave
 * the multiprocessors to others.  The hint came with CUDA 12.8, and this form of the function with
 * CUDA 13.0.
 */
static CUresult within_queue(const struct symm_cuda *cuda, const struct symm_cuda_push *push,
                             CUstream stream)
{
    CUdeviceptr output = (CUdeviceptr)(uintptr_t)push->output;
    CUdeviceptr input = (CUdeviceptr)(uintptr_t)push->input;
#if CUDA_VERSION >= 13000
    if (cuda->cuMemcpyBatchAsync != NULL) {
        CUmemcpyAttributes attributes = {
            .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
            .flags = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE,
        };
        size_t bytes = push->bytes, first = 0;
        if (cuda->cuMemcpyBatchAsync(&output, &input, &bytes, 1, &attributes, &first, 1, stream) ==
            CUDA_SUCCESS) {
            return CUDA_SUCCESS;
        }
    }
#endif
    return cuda->cuMemcpyAsync(output, input, push->bytes, stream);
}

static enum symm_status own_queue(struct symm_device *device, int number,
                                  const struct symm_cuda_push *own,
                                  struct symm_completion *completion)
{
    CUstream stream;
    enum symm_status status = symm_device_stream(device, &device->copies[number], &stream);
    if (status != SYMM_OK) {
        return status;
    }
    completion->copies |= 1u << number;
    CUresult result = within_queue(device->cuda, own, stream);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemcpyAsync", result);
}

/* Record an event that tells when the stream has got so far. */
static enum symm_status event_record(struct symm_device *device, int stream, uint32_t slot)
{
    CUevent *event = &device->events[slot][stream];
    if (*event == NULL) {
        CUresult made = device->cuda->cuEventCreate(event, CU_EVENT_DISABLE_TIMING);
        if (made != CUDA_SUCCESS) {
            *event = NULL;
            return symm_cuda_failed("cuEventCreate", made);
        }
    }
    CUresult result = device->cuda->cuEventRecord(*event, symm_device_copy_stream(device, stream));
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuEventRecord", result);
}

static enum symm_status copies_queue(struct symm_device *device,
                                     const struct symm_cuda_push *pushes, int count, int lane,
                                     const struct symm_cuda_push *own,
                                     struct symm_completion *completion)
{
    enum symm_status status = SYMM_OK;
    for (int i = 0; i < count && status == SYMM_OK; i++) {
        int stream = (lane >= 0 ? lane : i) % SYMM_DEVICE_COPY_STREAMS;
        if (pushes[i].bytes > 0) {
            status = copy_queue(device, stream, &pushes[i]);
            if (symm_device_copy_stream(device, stream) != NULL) {
                completion->copies |= 1u << stream; /* even after a failure: a copy may go on */
            }
        }
    }
    if (own != NULL && status == SYMM_OK) {
        status = own_queue(device, count % SYMM_DEVICE_COPY_STREAMS, own, completion);
    }
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS && status == SYMM_OK; i++) {
        if ((completion->copies >> i & 1) != 0) {
            status = event_record(device, i, completion->slot);
        }
    }
    return status;
}

/*
 * As many as the own copy takes to be done when the others are: a rank may keep most of its data.
 * One that sends nothing may be waiting for much.
 */
static unsigned own_blocks(const struct symm_cuda_push *own, const struct symm_cuda_push *pushes,
                           int count)
{
    size_t others = 0;
    for (int i = 0; i < count; i++) {
        others += pushes[i].bytes;
    }
    const size_t most = SYMM_DEVICE_BLOCKS / OWN_BLOCKS;
    size_t times = others > 0 ? (own->bytes + others - 1) / others : 1;
    return OWN_BLOCKS * (unsigned)(times < most ? times : most);
}

static enum symm_status own_copy(struct symm_device *device, const struct symm_cuda_push *own,
                                 unsigned blocks, unsigned block_limit,
                                 struct symm_completion *completion)
{
    const struct symm_cuda_copy copy = {
        .input = own->input, .outputs = {own->output}, .bytes = own->bytes, .output_count = 1,
    };
    struct symm_kernel kernel;
    bool is_limited = block_limit != 0 && block_limit < blocks;
    return symm_start_kernel(
        device, symm_kernel_copy(&kernel, &copy, is_limited ? block_limit : blocks), completion);
}

enum symm_status symm_device_engine_start(struct symm_device *device,
                                          const struct symm_cuda_push *pushes, int count,
                                          int lane, const struct symm_cuda_push *own,
                                          unsigned block_limit, struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    bool copies_own = own != NULL && own->bytes > 0;
    bool by_engine = copies_own && block_limit == SYMM_DEVICE_NO_BLOCKS;
    *completion = (struct symm_completion){0};
    if (symm_push_bytes_most(pushes, count) == 0 && !copies_own) {
        return SYMM_OK;
    }
    enum symm_status status = symm_start_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = copies_queue(device, pushes, count, lane, by_engine ? own : NULL, completion);
    if (status == SYMM_OK && copies_own && !by_engine) {
        status = own_copy(device, own, own_blocks(own, pushes, count), block_limit, completion);
    }
    if (status != SYMM_OK && !symm_completion_settle(device, completion)) {
        symm_cuda_leave(&scope);
        symm_cuda_own_work(1);
        symm_completion_lose(device, completion);
        return status;
    }
    return symm_start_end(device, completion, &scope, status);
}
