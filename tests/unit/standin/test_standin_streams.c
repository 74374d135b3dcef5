/*
 * test_standin_streams.c - the stand-in driver's streams, events and copies: their order, and when
 * functions return.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/standin/additions.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void gate_open(uint32_t *gate)
{
    atomic_store((_Atomic uint32_t *)(void *)gate, 1);
}

static void wait_for(struct fork_rank *self, CUstream stream, const uint32_t *gate)
{
    STANDIN_OK(self, cu.cuStreamWaitValue32(stream, (uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_EQ));
}

/* ---- order ----------------------------------------------------------------------------------- */

static void test_streams_keep_order(struct fork_rank *self, void *context)
{
    CUmodule module;
    CUstream streams[2];
    CUevent event;
    (void)context;
    standin_start(self, 0);
    CUfunction kernel = standin_kernel(self, &module);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUdeviceptr other = standin_memory_make(self, 0, 1);
    STANDIN_OK(self, cu.cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
    STANDIN_OK(self, cu.cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
    STANDIN_OK(self, cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    STANDIN_OK(self, cu.cuEventQuery(event)); /* never recorded */
    standin_numbers_put(self, memory, 0, COUNT);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        standin_add_launch(self, kernel, streams[i % 2], standin_addition(other, memory, 1));
        STANDIN_OK(self, cu.cuMemcpyDtoDAsync(memory, other, BYTES, streams[i % 2]));
        STANDIN_OK(self, cu.cuEventRecord(event, streams[i % 2]));
        STANDIN_OK(self, cu.cuStreamWaitEvent(streams[(i + 1) % 2], event, 0));
    }
    STANDIN_OK(self, cu.cuEventSynchronize(event));
    STANDIN_OK(self, cu.cuEventQuery(event));
    standin_numbers_check(self, memory, ROUNDS, COUNT);
    STANDIN_OK(self, cu.cuEventDestroy(event));
    STANDIN_RESULT(self, cu.cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    STANDIN_OK(self, cu.cuStreamDestroy(streams[1]));
    STANDIN_RESULT(self, cu.cuStreamQuery(streams[1]), CUDA_ERROR_INVALID_HANDLE);
}

/* Without an event nothing orders two streams: of many rounds, each is the last in some. */
static void test_streams_are_not_ordered_by_luck(struct fork_rank *self, void *context)
{
    CUstream streams[2];
    bool seen[2] = {false, false};
    (void)context;
    (void)setenv("SYMM_STANDIN_DELAY", "300", 1);
    standin_start(self, 0);
    uint32_t *word = standin_word_make(self);
    STANDIN_OK(self, cu.cuStreamCreate(&streams[0], CU_STREAM_NON_BLOCKING));
    STANDIN_OK(self, cu.cuStreamCreate(&streams[1], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 500 && !(seen[0] && seen[1]); i++) {
        for (uint32_t s = 0; s < 2; s++) {
            STANDIN_OK(self, cu.cuStreamWriteValue32(streams[s], (uintptr_t)word, s, 0));
        }
        STANDIN_OK(self, cu.cuCtxSynchronize());
        seen[*word] = true;
    }
    FORK_CHECK(self, seen[0] && seen[1]);
}

static void test_stream_zero_waits(struct fork_rank *self, void *context)
{
    CUstream blocking;
    CUstream free_stream;
    (void)context;
    standin_start(self, 0);
    uint32_t *gate = standin_word_make(self);
    CUdeviceptr word = (uintptr_t)gate;
    STANDIN_OK(self, cu.cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    STANDIN_OK(self, cu.cuStreamCreate(&free_stream, CU_STREAM_NON_BLOCKING));
    wait_for(self, blocking, gate);
    STANDIN_OK(self, cu.cuStreamWriteValue32(NULL, word + 4, 1, 0));
    STANDIN_OK(self, cu.cuStreamWriteValue32(free_stream, word + 8, 1, 0));
    STANDIN_OK(self, cu.cuStreamSynchronize(free_stream));
    FORK_CHECK(self, gate[2] == 1);
    STANDIN_RESULT(self, cu.cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    STANDIN_RESULT(self, cu.cuStreamQuery(blocking), CUDA_ERROR_NOT_READY);
    FORK_CHECK(self, *(volatile uint32_t *)(gate + 1) == 0);
    gate_open(gate);
    STANDIN_OK(self, cu.cuStreamSynchronize(NULL));
    FORK_CHECK(self, gate[1] == 1);
}

/* ---- when functions return ------------------------------------------------------------------- */

static void test_copies(struct fork_rank *self, void *context)
{
    CUstream stream;
    void *pinned;
    uint32_t *pageable = malloc(BYTES);
    (void)context;
    standin_start(self, 0);
    FORK_CHECK(self, pageable != NULL);
    uint32_t *gate = standin_word_make(self);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    STANDIN_OK(self, cu.cuMemHostAlloc(&pinned, BYTES, 0));
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    memset(pinned, 1, BYTES);
    memset(pageable, 2, BYTES);

    /* From pageable memory: read at once.  From pinned memory: read when it is its turn. */
    wait_for(self, stream, gate);
    STANDIN_OK(self, cu.cuMemcpyHtoDAsync(memory, pageable, BYTES / 2, stream));
    STANDIN_OK(self, cu.cuMemcpyHtoDAsync(memory + BYTES / 2, pinned, BYTES / 2, stream));
    memset(pageable, 3, BYTES);
    memset(pinned, 4, BYTES);
    STANDIN_RESULT(self, cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    gate_open(gate);

    /* To pageable memory: done on return, Async or not. */
    STANDIN_OK(self, cu.cuMemcpyDtoHAsync(pageable, memory, BYTES, stream));
    STANDIN_OK(self, cu.cuStreamQuery(stream));
    FORK_CHECK(self, pageable[0] == 0x02020202 && pageable[COUNT / 2 + 1] == 0x04040404);

    STANDIN_RESULT(self, cu.cuMemcpyHtoDAsync((uintptr_t)pageable, pinned, 4, stream),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemcpyDtoDAsync(memory, (uintptr_t)pageable, 4, stream),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemcpyDtoHAsync(pageable, memory, 2 * STANDIN_UNIT, stream),
                   CUDA_ERROR_INVALID_VALUE);
    free(pageable);
}

/* Within device memory nothing waits, unless the program has asked for it. */
static void test_sync_memops(struct fork_rank *self, void *context)
{
    CUdeviceptr memory;
    unsigned yes = 1;
    bool late = false;
    (void)context;
    (void)setenv("SYMM_STANDIN_DELAY", "300", 1);
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, 2 * BYTES));
    for (int i = 0; i < 200 && !late; i++) {
        STANDIN_OK(self, cu.cuMemcpyDtoD(memory, memory + BYTES, BYTES));
        late = cu.cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY;
    }
    FORK_CHECK(self, late);
    STANDIN_OK(self, cu.cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    for (int i = 0; i < 20; i++) {
        STANDIN_OK(self, cu.cuMemsetD8(memory, 1, BYTES));
        STANDIN_OK(self, cu.cuStreamQuery(NULL));
    }
    yes = 0;
    STANDIN_OK(self, cu.cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
    STANDIN_OK(self, cu.cuCtxSetFlags(CU_CTX_SYNC_MEMOPS));
    for (int i = 0; i < 20; i++) {
        STANDIN_OK(self, cu.cuMemcpyDtoD(memory, memory + BYTES, BYTES));
        STANDIN_OK(self, cu.cuStreamQuery(NULL));
    }
    STANDIN_OK(self, cu.cuMemFree(memory));
}

UNIT_MAIN("test_standin_streams", 100,
    FORK_TEST(test_streams_keep_order, 1),
    FORK_TEST(test_streams_are_not_ordered_by_luck, 1),
    FORK_TEST(test_stream_zero_waits, 1),
    FORK_TEST(test_copies, 1),
    FORK_TEST(test_sync_memops, 1))
