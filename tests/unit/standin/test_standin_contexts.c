/*
 * test_standin_contexts.c - the stand-in driver's rules about contexts: what a reset ends, what
 * stream 0 encompasses, and what spoils a capture.  They are the manual's; what real devices do,
 * check_contexts shows.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 4096 };

/* ---- primary contexts ------------------------------------------------------------------------ */

static void test_flags(struct fork_rank *self, void *unused)
{
    CUcontext context;
    unsigned flags;
    int active;
    (void)unused;
    standin_open(self);
    STANDIN_RESULT(self, cu.cuDevicePrimaryCtxGetState(0, &flags, &active),
                   CUDA_ERROR_NOT_INITIALIZED);
    STANDIN_OK(self, cu.cuInit(0));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    FORK_CHECK(self, flags == 0 && active == 0);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SYNC_MEMOPS));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    FORK_CHECK(self, flags == CU_CTX_SYNC_MEMOPS && active == 0); /* a flag makes no context */
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&context, 0));
    STANDIN_OK(self, cu.cuCtxSetCurrent(context));
    STANDIN_OK(self, cu.cuCtxGetFlags(&flags));
    FORK_CHECK(self, flags == CU_CTX_SYNC_MEMOPS);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    STANDIN_OK(self, cu.cuCtxGetFlags(&flags));
    FORK_CHECK(self, flags == CU_CTX_SCHED_YIELD);
    STANDIN_RESULT(self, cu.cuDevicePrimaryCtxSetFlags(0, 1 << 30), CUDA_ERROR_INVALID_VALUE);
}

static void test_reset(struct fork_rank *self, void *unused)
{
    CUcontext context, again;
    CUdeviceptr memory, other;
    CUmodule module;
    CUstream stream;
    unsigned char in_core;
    unsigned flags;
    int active;
    unsigned long long first, id;
    void *pinned;
    void *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)unused;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SYNC_MEMOPS));
    STANDIN_OK(self, cu.cuCtxGetCurrent(&context));
    STANDIN_OK(self, cu.cuCtxGetId(context, &first));
    STANDIN_OK(self, cu.cuMemAlloc(&memory, BYTES));
    other = standin_memory_make(self, 0, 1);
    STANDIN_OK(self, cu.cuMemHostAlloc(&pinned, BYTES, 0));
    STANDIN_OK(self, cu.cuMemHostRegister(own, BYTES, 0));
    STANDIN_OK(self, cu.cuStreamCreate(&stream, 0));
    CUfunction kernel = standin_kernel(self, &module);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxReset(0));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    FORK_CHECK(self, active == 0 && flags == 0);
    STANDIN_RESULT(self, cu.cuCtxGetId(context, &id), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    STANDIN_RESULT(self, cu.cuMemAlloc(&memory, BYTES), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    FORK_CHECK(self, mincore(pinned, BYTES, &in_core) != 0);
    *(volatile unsigned char *)own = 1;
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&again, 0));
    FORK_CHECK(self, again == context); /* so only the number tells */
    STANDIN_OK(self, cu.cuCtxGetId(NULL, &id));
    FORK_CHECK(self, id != first);
    STANDIN_RESULT(self, cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    STANDIN_RESULT(self, cu.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    STANDIN_RESULT(self, cu.cuFuncGetAttribute(&active, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel),
                   CUDA_ERROR_INVALID_HANDLE);
    STANDIN_RESULT(self, cu.cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    STANDIN_OK(self, cu.cuMemsetD8(other, 0, BYTES)); /* virtual memory belongs to no context */
    standin_memory_end(self, other, 1);
}

/* ---- stream 0 -------------------------------------------------------------------------------- */

static uint32_t *word_make(struct fork_rank *self)
{
    void *word;
    STANDIN_OK(self, cu.cuMemHostAlloc(&word, BYTES, 0));
    *(volatile uint32_t *)word = 0;
    return word;
}

/* A blocking stream that is busy makes stream 0 so; another one does not. */
static void test_stream_0(struct fork_rank *self, void *unused)
{
    CUstream blocking, other;
    (void)unused;
    standin_start(self, 0);
    uint32_t *word = word_make(self);
    STANDIN_OK(self, cu.cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    STANDIN_OK(self, cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    STANDIN_OK(self, cu.cuStreamWaitValue32(other, (uintptr_t)word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    STANDIN_OK(self, cu.cuStreamSynchronize(CU_STREAM_LEGACY));
    STANDIN_OK(self, cu.cuStreamQuery(NULL));
    STANDIN_OK(self, cu.cuStreamWaitValue32(blocking, (uintptr_t)word, 1,
                                            CU_STREAM_WAIT_VALUE_GEQ));
    STANDIN_RESULT(self, cu.cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
    STANDIN_OK(self, cu.cuStreamWriteValue32(other, (uintptr_t)word, 1, 0));
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    STANDIN_OK(self, cu.cuStreamSynchronize(CU_STREAM_LEGACY));
    STANDIN_OK(self, cu.cuStreamQuery(blocking));
}

/* ---- captures -------------------------------------------------------------------------------- */

static void capture_end(struct fork_rank *self, CUstream stream, CUresult wanted)
{
    CUgraph graph;
    STANDIN_RESULT(self, cu.cuStreamEndCapture(stream, &graph), wanted);
    FORK_CHECK(self, (graph != NULL) == (wanted == CUDA_SUCCESS));
    if (graph != NULL) {
        STANDIN_OK(self, cu.cuGraphDestroy(graph));
    }
}

static void test_capture(struct fork_rank *self, void *unused)
{
    CUstream blocking, other;
    CUstreamCaptureStatus status;
    CUdeviceptr memory;
    const CUstreamCaptureMode relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
    (void)unused;
    standin_start(self, 0);
    uint32_t *word = word_make(self);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, BYTES));
    STANDIN_OK(self, cu.cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    STANDIN_OK(self, cu.cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    STANDIN_RESULT(self, cu.cuStreamBeginCapture(NULL, relaxed),
                   CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    STANDIN_OK(self, cu.cuStreamIsCapturing(CU_STREAM_LEGACY, &status));
    FORK_CHECK(self, status == CU_STREAM_CAPTURE_STATUS_NONE);
    /* What is captured is not done; to ask about stream 0 does no harm. */
    STANDIN_OK(self, cu.cuStreamBeginCapture(blocking, relaxed));
    STANDIN_OK(self, cu.cuStreamWriteValue32(blocking, (uintptr_t)word, 7, 0));
    STANDIN_OK(self, cu.cuMemsetD8Async(memory, 1, BYTES, other));
    STANDIN_OK(self, cu.cuStreamSynchronize(other));
    STANDIN_RESULT(self, cu.cuStreamIsCapturing(CU_STREAM_LEGACY, &status),
                   CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    STANDIN_OK(self, cu.cuStreamIsCapturing(blocking, &status));
    FORK_CHECK(self, status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    capture_end(self, blocking, CUDA_SUCCESS);
    STANDIN_OK(self, cu.cuStreamSynchronize(blocking));
    FORK_CHECK(self, *word == 0);
    /* Each of these ends it, in any mode. */
    for (int way = 0; way < 5; way++) {
        STANDIN_OK(self, cu.cuStreamBeginCapture(blocking, relaxed));
        CUresult result = way == 0   ? cu.cuStreamSynchronize(CU_STREAM_LEGACY)
                          : way == 1 ? cu.cuStreamQuery(NULL)
                          : way == 2 ? cu.cuMemsetD8(memory, 0, BYTES)
                          : way == 3 ? cu.cuStreamQuery(blocking)
                                     : cu.cuCtxSynchronize();
        FORK_CHECK(self, result == (way < 3 ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                            : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
        STANDIN_OK(self, cu.cuStreamIsCapturing(blocking, &status));
        FORK_CHECK(self, status == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        capture_end(self, blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    /* A stream that does not block leaves stream 0 alone. */
    STANDIN_OK(self, cu.cuStreamBeginCapture(other, relaxed));
    STANDIN_OK(self, cu.cuStreamSynchronize(CU_STREAM_LEGACY));
    STANDIN_OK(self, cu.cuMemsetD8(memory, 0, BYTES));
    capture_end(self, other, CUDA_SUCCESS);
}

/* Functions that are not for times of capture, by the modes of capture and thread. */
static void test_modes(struct fork_rank *self, void *unused)
{
    (void)unused;
    standin_start(self, 0);
    for (int i = 0; i < 9; i++) {
        CUstreamCaptureMode of_capture = (CUstreamCaptureMode)(i / 3);
        CUstreamCaptureMode of_thread = (CUstreamCaptureMode)(i % 3), mode = of_thread;
        bool allowed = of_capture == CU_STREAM_CAPTURE_MODE_RELAXED ||
                       of_thread == CU_STREAM_CAPTURE_MODE_RELAXED;
        CUdeviceptr memory;
        CUstream stream;
        STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        STANDIN_OK(self, cu.cuStreamBeginCapture(stream, of_capture));
        STANDIN_OK(self, cu.cuThreadExchangeStreamCaptureMode(&mode));
        STANDIN_RESULT(self, cu.cuMemAlloc(&memory, BYTES),
                       allowed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        STANDIN_OK(self, cu.cuThreadExchangeStreamCaptureMode(&mode));
        capture_end(self, stream, allowed ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
}

UNIT_MAIN("test_standin_contexts", 60,
    FORK_TEST(test_flags, 1),
    FORK_TEST(test_reset, 1),
    FORK_TEST(test_stream_0, 1),
    FORK_TEST(test_capture, 1),
    FORK_TEST(test_modes, 1))
