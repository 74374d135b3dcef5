/*
 * test_cuda_contexts.c - calls of ours while the program captures a graph, has a kernel that waits
 * for another process, or overwrites flags; on the stand-in driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_program.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/copy.h"

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static unsigned first_flags(struct fork_rank *self)
{
    unsigned flags;
    int active;
    PROGRAM_OK(self, program.cuDevicePrimaryCtxGetState(0, &flags, &active));
    return flags;
}

/* A stream with work that ends when the word is raised, as a kernel of NCCL waits for its peer. */
static volatile uint32_t *stream_occupy(struct fork_rank *self, unsigned flags, CUstream *stream)
{
    void *word;
    PROGRAM_OK(self, program.cuMemAllocHost(&word, 4096));
    *(volatile uint32_t *)word = 0;
    PROGRAM_OK(self, program.cuStreamCreate(stream, flags));
    PROGRAM_OK(self, program.cuStreamWaitValue32(*stream, (uintptr_t)word, 1,
                                                 CU_STREAM_WAIT_VALUE_GEQ));
    return word;
}

/* What the device has written is all `value`, by a copy of ours as a call makes it. */
static bool is_all(struct fork_rank *self, CUdeviceptr memory, unsigned char value)
{
    static unsigned char got[PROGRAM_BYTES], wanted[PROGRAM_BYTES];
    memset(wanted, value, PROGRAM_BYTES);
    FORK_STATUS(self, symm_cuda_copy(0, got, pointer(memory), PROGRAM_BYTES), SYMM_OK);
    return memcmp(got, wanted, PROGRAM_BYTES) == 0;
}

/* ---- waiting for stream 0 -------------------------------------------------------------------- */

/* The driver is seen before there is a context: so nothing has to be waited for. */
static void test_seen_early(struct fork_rank *self, void *context)
{
    struct symm_memory memory;
    CUstream stream;
    int host = 0;
    (void)context;
    program_begin(self);
    FORK_CHECK(self, symm_cuda_memory_describe(&host, &memory));
    CUdeviceptr block = program_memory(self);
    FORK_CHECK(self, (first_flags(self) & CU_CTX_SYNC_MEMOPS) != 0);
    PROGRAM_OK(self, program.cuMemsetD8(block, 3, PROGRAM_BYTES));
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_DEFAULT, &stream);
    double begin = unit_seconds();
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 3));
    FORK_CHECK(self, unit_seconds() - begin < 4.5);
    *word = 1;
    PROGRAM_OK(self, program.cuStreamSynchronize(stream));
}

/* It is seen afterwards, and the stream is busy for ever: the wait ends, once. */
static void seen_late(struct fork_rank *self)
{
    CUstream stream;
    program_begin(self);
    CUdeviceptr block = program_memory(self);
    PROGRAM_OK(self, program.cuMemsetD8(block, 3, PROGRAM_BYTES));
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_DEFAULT, &stream);
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 3));
    double begin = unit_seconds();
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, unit_seconds() - begin < 4.5);
    *word = 1;
    PROGRAM_OK(self, program.cuStreamSynchronize(stream));
}

/* A capture survives our first call in its context; the wait is made up for in a later one. */
static void test_capture_in_flight(struct fork_rank *self, void *context)
{
    CUstreamCaptureMode mode = *(const CUstreamCaptureMode *)context;
    CUstream stream;
    CUgraph graph;
    program_begin(self);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "100000", 1) == 0);
    CUdeviceptr block = program_memory(self);
    PROGRAM_OK(self, program.cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    PROGRAM_OK(self, program.cuMemsetD8(block, 1, PROGRAM_BYTES));
    PROGRAM_OK(self, program.cuMemsetD8(block, 2, PROGRAM_BYTES));
    PROGRAM_OK(self, program.cuStreamBeginCapture(stream, mode));
    symm_cuda_memory_settle(0);
    PROGRAM_OK(self, program.cuStreamEndCapture(stream, &graph));
    FORK_CHECK(self, graph != NULL);
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 2));
}

/* A context of the program's own, likewise. */
static void test_capture_in_own(struct fork_rank *self, void *context)
{
    CUcontext own;
    CUstream stream;
    CUgraph graph;
    (void)context;
    program_begin(self);
    (void)program_memory(self);
    symm_cuda_memory_settle(0);
    PROGRAM_OK(self, program.cuCtxCreate(&own, 0, 0));
    PROGRAM_OK(self, program.cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    PROGRAM_OK(self, program.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    symm_cuda_sync_memops(0);
    PROGRAM_OK(self, program.cuStreamEndCapture(stream, &graph));
    symm_cuda_sync_memops(0); /* sets the flag, which waits for the whole context */
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_NON_BLOCKING, &stream);
    symm_cuda_sync_memops(0);
    *word = 1;
    FORK_CHECK(self, program.cuCtxGetCurrent(&own) == CUDA_SUCCESS && own != NULL);
}

/* A context of the program's own whose stream is busy for ever: the wait ends, once. */
static void own_busy(struct fork_rank *self)
{
    CUcontext own;
    CUstream stream;
    program_begin(self);
    (void)program_memory(self);
    symm_cuda_memory_settle(0);
    PROGRAM_OK(self, program.cuCtxCreate(&own, 0, 0));
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_DEFAULT, &stream);
    symm_cuda_sync_memops(0);
    double begin = unit_seconds();
    symm_cuda_sync_memops(0);
    FORK_CHECK(self, unit_seconds() - begin < 4.5);
    *word = 1;
    PROGRAM_OK(self, program.cuStreamSynchronize(stream));
}

/* Both wait for seconds: so at the same time. */
static void test_busy_for_ever(struct fork_rank *self, void *context)
{
    (void)context;
    if (self->rank == 0) {
        seen_late(self);
    } else {
        own_busy(self);
    }
}

/* A driver that sets flags only of the context that is current. */
static void test_flag_refused(struct fork_rank *self, void *context)
{
    (void)context;
    program_begin(self);
    (void)program_memory(self);
    program.let_fail("cuDevicePrimaryCtxSetFlags:1+");
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, (first_flags(self) & CU_CTX_SYNC_MEMOPS) != 0);
}

/* A driver that fails to say whether it is done is asked again in the next call. */
static void test_settling_fails(struct fork_rank *self, void *context)
{
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "100000", 1) == 0);
    program_begin(self);
    CUdeviceptr block = program_memory(self);
    for (unsigned char value = 1; value < 9; value++) {
        PROGRAM_OK(self, program.cuMemsetD8(block, value, PROGRAM_BYTES));
    }
    program.let_fail("cuStreamSynchronize:1,cuStreamSynchronize:2,cuStreamQuery:1");
    symm_cuda_memory_settle(0);
    program.let_fail("");
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 8));
}

/* cudaSetDeviceFlags() takes the flag away that we rely on. */
static void test_flags_overwritten(struct fork_rank *self, void *context)
{
    bool is_foreign = *(const bool *)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "20000", 1) == 0);
    program_begin(self);
    CUdeviceptr block = program_memory(self);
    symm_cuda_memory_settle(0);
    for (unsigned char value = 1; value < 10; value++) {
        PROGRAM_OK(self, program.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
        PROGRAM_OK(self, program.cuMemsetD8(block, 0, PROGRAM_BYTES));
        PROGRAM_OK(self, program.cuMemsetD8(block, value, PROGRAM_BYTES));
        if (is_foreign) {
            symm_cuda_memory_settle(0);
        } else {
            symm_cuda_sync_memops(0);
        }
        FORK_CHECK(self, is_all(self, block, value));
        FORK_CHECK(self, first_flags(self) == (CU_CTX_SCHED_YIELD | CU_CTX_SYNC_MEMOPS));
    }
}

/* A context of a row. */
#define MODE(name) &(CUstreamCaptureMode){CU_STREAM_CAPTURE_MODE_##name}

UNIT_MAIN("test_cuda_contexts", 90,
    FORK_TEST(test_seen_early, 1),
    FORK_TEST(test_busy_for_ever, 2),
    FORK_TEST(test_settling_fails, 1),
    FORK_TEST(test_flag_refused, 1),
    FORK_TEST_WITH(test_capture_in_flight, 1, MODE(GLOBAL)),
    FORK_TEST_WITH(test_capture_in_flight, 1, MODE(THREAD_LOCAL)),
    FORK_TEST_WITH(test_capture_in_flight, 1, MODE(RELAXED)),
    FORK_TEST(test_capture_in_own, 1),
    FORK_TEST_WITH(test_flags_overwritten, 1, &(bool){false}),
    FORK_TEST_WITH(test_flags_overwritten, 1, &(bool){true}))
