/*
 * copy.c - see copy.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>

#include "heap/cuda_context.h"
#include "kernels/cuda/copy.h"

/* A stream a device, made at first use and kept: making one takes longer than most copies. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static CUstream streams[SYMM_CUDA_DEVICES_MAX];

static enum symm_status stream_get(const struct symm_cuda *cuda, int device, CUstream *stream)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&mutex);
    if (streams[device] == NULL) {
        CUresult result = cuda->cuStreamCreate(&streams[device], CU_STREAM_NON_BLOCKING);
        if (result != CUDA_SUCCESS) {
            streams[device] = NULL;
            status = symm_cuda_failed("cuStreamCreate", result);
        }
    }
    *stream = streams[device];
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status copy_on(const struct symm_cuda *cuda, CUstream stream, void *target,
                                const void *source, size_t bytes)
{
    CUresult result = cuda->cuMemcpyAsync((CUdeviceptr)(uintptr_t)target,
                                          (CUdeviceptr)(uintptr_t)source, bytes, stream);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuMemcpyAsync", result);
    }
    result = cuda->cuStreamSynchronize(stream);
    if (result != CUDA_SUCCESS) { /* nothing of it may be under way when the caller goes on */
        result = cuda->cuStreamSynchronize(stream);
    }
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuStreamSynchronize", result);
}

enum symm_status symm_cuda_copy(int device, void *target, const void *source, size_t bytes)
{
    struct symm_cuda_scope scope;
    CUstream stream;
    if (bytes == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = stream_get(scope.cuda, device, &stream);
    if (status == SYMM_OK) {
        status = copy_on(scope.cuda, stream, target, source, bytes);
    }
    symm_cuda_leave(&scope);
    return status;
}
