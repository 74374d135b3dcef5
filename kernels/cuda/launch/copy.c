/*
 * copy.c - see copy.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/copy.h"

/* What to copy.  Without rows: only wait. */
struct rows {
    void *target;
    const void *source;
    size_t bytes, pitch, count;
};

static CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

static enum symm_status run_queue(const struct symm_cuda *cuda, CUstream stream, void *target,
                                  const void *source, size_t bytes)
{
    CUresult result = cuda->cuMemcpyAsync(address_of(target), address_of(source), bytes, stream);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemcpyAsync", result);
}

static enum symm_status pitched_queue(const struct symm_cuda *cuda, CUstream stream,
                                      const struct rows *rows)
{
    CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = address_of(rows->source),
        .srcPitch = rows->pitch,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = address_of(rows->target),
        .dstPitch = rows->pitch,
        .WidthInBytes = rows->bytes,
        .Height = rows->count,
    };
    CUresult result = cuda->cuMemcpy2DAsync(&copy, stream);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemcpy2DAsync", result);
}

static enum symm_status rows_queue(const struct symm_cuda *cuda, CUstream stream,
                                   const struct rows *rows)
{
    const size_t pitch_most = INT32_MAX; /* CU_DEVICE_ATTRIBUTE_MAX_PITCH of all devices so far */
    enum symm_status status = SYMM_OK;
    if (rows->count > 1 && rows->pitch <= pitch_most) {
        return pitched_queue(cuda, stream, rows);
    }
    for (size_t row = 0; row < rows->count && status == SYMM_OK; row++) {
        size_t offset = row * rows->pitch;
        status = run_queue(cuda, stream, (unsigned char *)rows->target + offset,
                           (const unsigned char *)rows->source + offset, rows->bytes);
    }
    return status;
}

static enum symm_status stream_wait(const struct symm_cuda *cuda, CUstream stream)
{
    CUresult result = cuda->cuStreamSynchronize(stream);
    if (result != CUDA_SUCCESS) { /* no copy may be under way when the caller goes on */
        result = cuda->cuStreamSynchronize(stream);
    }
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuStreamSynchronize", result);
}

static enum symm_status copy(int device, const struct rows *rows, bool wait)
{
    struct symm_cuda_scope scope;
    CUstream stream;
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_cuda_stream(&scope, device, &stream);
    if (status == SYMM_OK) {
        status = rows_queue(scope.cuda, stream, rows);
    }
    if (status == SYMM_OK && wait) {
        status = stream_wait(scope.cuda, stream);
    }
    symm_cuda_leave(&scope);
    return status;
}

enum symm_status symm_cuda_copy(int device, void *target, const void *source, size_t bytes)
{
    struct rows rows = {.target = target, .source = source, .bytes = bytes, .count = 1};
    return bytes == 0 ? SYMM_OK : copy(device, &rows, true);
}

enum symm_status symm_cuda_rows_copy(int device, void *target, const void *source, size_t bytes,
                                     size_t pitch, size_t rows)
{
    struct rows wanted = {target, source, bytes, pitch, rows};
    return bytes == 0 ? SYMM_OK : copy(device, &wanted, false);
}

enum symm_status symm_cuda_rows_finish(int device)
{
    struct rows none = {.count = 0};
    return copy(device, &none, true);
}

static enum symm_status stream_test(int device)
{
    struct symm_cuda_scope scope;
    CUstream stream;
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_cuda_stream(&scope, device, &stream);
    if (status == SYMM_OK) {
        CUresult result = scope.cuda->cuStreamQuery(stream);
        if (result == CUDA_ERROR_NOT_READY) {
            status = SYMM_PENDING;
        } else if (result != CUDA_SUCCESS) {
            status = symm_cuda_failed("cuStreamQuery", result);
        }
    }
    symm_cuda_leave(&scope);
    return status;
}

enum symm_status symm_cuda_rows_test(int device)
{
    enum symm_status status = stream_test(device);
    if (status != SYMM_OK && status != SYMM_PENDING) {
        (void)symm_cuda_rows_finish(device);
    }
    return status;
}
