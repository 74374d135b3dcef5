/*
 * test_standin_streams.c - the stand-in driver's streams, events, copies and kernels: their order,
 * when functions return, and what breaks a context.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/cuda/device_code/arguments.h"
#include "tests/standin/kernels.h"

enum { COUNT = 100000, BYTES = 4 * COUNT, ROUNDS = 40 };

static void launch(struct fork_rank *self, CUfunction kernel, CUstream stream,
                   struct symm_standin_add add)
{
    void *parameters[] = {&add};
    STANDIN_OK(self, cu.cuLaunchKernel(kernel, 4, 1, 1, 256, 1, 1, 0, stream, parameters, NULL));
}

static struct symm_standin_add addition(CUdeviceptr target, CUdeviceptr source, uint32_t number)
{
    return (struct symm_standin_add){.target = (uint32_t *)(uintptr_t)target,
                                     .source = (const uint32_t *)(uintptr_t)source,
                                     .count = COUNT,
                                     .number = number};
}

/* A word that streams can wait for, and the program can write. */
static uint32_t *gate_make(struct fork_rank *self)
{
    void *word;
    STANDIN_OK(self, cu.cuMemHostAlloc(&word, 4096, CU_MEMHOSTALLOC_PORTABLE));
    memset(word, 0, 4096);
    return word;
}

static void gate_open(uint32_t *gate)
{
    atomic_store((_Atomic uint32_t *)(void *)gate, 1);
}

static void wait_for(struct fork_rank *self, CUstream stream, const uint32_t *gate)
{
    STANDIN_OK(self, cu.cuStreamWaitValue32(stream, (uintptr_t)gate, 1, CU_STREAM_WAIT_VALUE_EQ));
}

/* ---- order ----------------------------------------------------------------------------------- */

static void rank_order(struct fork_rank *self, void *context)
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
        launch(self, kernel, streams[i % 2], addition(other, memory, 1));
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

static void test_streams_keep_order(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_order, NULL);
}

/* Without an event nothing orders two streams: of many rounds, each is the last in some. */
static void rank_disorder(struct fork_rank *self, void *context)
{
    CUstream streams[2];
    bool seen[2] = {false, false};
    (void)context;
    (void)setenv("SYMM_STANDIN_DELAY", "300", 1);
    standin_start(self, 0);
    uint32_t *word = gate_make(self);
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

static void test_streams_are_not_ordered_by_luck(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_disorder, NULL);
}

static void rank_stream_zero(struct fork_rank *self, void *context)
{
    CUstream blocking;
    CUstream free_stream;
    (void)context;
    standin_start(self, 0);
    uint32_t *gate = gate_make(self);
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

static void test_stream_zero_waits(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_stream_zero, NULL);
}

/* ---- when functions return ------------------------------------------------------------------- */

static void rank_copies(struct fork_rank *self, void *context)
{
    CUstream stream;
    void *pinned;
    uint32_t *pageable = malloc(BYTES);
    (void)context;
    standin_start(self, 0);
    FORK_CHECK(self, pageable != NULL);
    uint32_t *gate = gate_make(self);
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

static void test_copies(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_copies, NULL);
}

/* Within device memory nothing waits, unless the program has asked for it. */
static void rank_sync_memops(struct fork_rank *self, void *context)
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

static void test_sync_memops(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_sync_memops, NULL);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void rank_kernel_rules(struct fork_rank *self, void *context)
{
    CUmodule module;
    CUfunction none;
    CUcontext other;
    int threads;
    void *nothing[] = {NULL};
    (void)context;
    standin_start(self, 0);
    CUfunction kernel = standin_kernel(self, &module);
    STANDIN_RESULT(self, cu.cuModuleGetFunction(&none, module, "no_such_kernel"),
                   CUDA_ERROR_NOT_FOUND);
    CUmodule no_module;
    STANDIN_RESULT(self, cu.cuModuleLoadData(&no_module, "not an image"),
                   CUDA_ERROR_INVALID_IMAGE);
    STANDIN_OK(self, cu.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                           kernel));
    FORK_CHECK(self, threads == 1024);
    STANDIN_RESULT(self, cu.cuLaunchKernel(kernel, 1, 1, 1, 2048, 1, 1, 0, NULL, nothing, NULL),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, NULL, nothing, NULL),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&other, 1));
    STANDIN_OK(self, cu.cuCtxPushCurrent(other));
    STANDIN_RESULT(self, cu.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, nothing, NULL),
                   CUDA_ERROR_INVALID_HANDLE);
    STANDIN_OK(self, cu.cuCtxPopCurrent(&other));
    STANDIN_OK(self, cu.cuModuleUnload(module));
    STANDIN_RESULT(self, cu.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, nothing, NULL),
                   CUDA_ERROR_INVALID_HANDLE);
}

static void test_kernel_rules(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_kernel_rules, NULL);
}

/* The flag is what the host waits for: everything is there when it is. */
static void rank_flag(struct fork_rank *self, void *context)
{
    CUmodule module;
    CUstream stream;
    (void)context;
    standin_start(self, 1);
    CUfunction kernel = standin_kernel(self, &module);
    CUdeviceptr memory = standin_memory_make(self, 1, 1);
    uint32_t *flag = gate_make(self);
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    standin_numbers_put(self, memory, 0, COUNT);
    for (uint32_t i = 1; i <= 20; i++) {
        unsigned polls = 0;
        struct symm_standin_add add = addition(memory, memory, 1);
        add.flag = flag;
        add.sequence = i;
        launch(self, kernel, stream, add);
        while (atomic_load((_Atomic uint32_t *)(void *)flag) != i) {
            unit_pause(&polls);
        }
        standin_numbers_check(self, memory, i, COUNT);
    }
}

static void test_kernel_raises_flag(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_flag, NULL);
}

/* A kernel of ours that reads memory of two devices, as the host build has it. */
static void rank_reduction(struct fork_rank *self, void *context)
{
    CUmodule module;
    CUfunction kernel;
    CUmemAccessDesc access = {.location = standin_properties(0).location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr memory[2];
    (void)context;
    standin_start(self, 0);
    for (int device = 0; device < 2; device++) {
        memory[device] = standin_memory_make(self, device, 1);
        STANDIN_OK(self, cu.cuMemSetAccess(memory[device], STANDIN_UNIT, &access, 1));
        standin_numbers_put(self, memory[device], 10, COUNT);
    }
    uint32_t *flag = gate_make(self);
    struct symm_cuda_reduce sum = {
        .inputs = {(void *)(uintptr_t)memory[0], (void *)(uintptr_t)memory[1]},
        .outputs = {(void *)(uintptr_t)memory[1]},
        .begin = 1,
        .end = COUNT - 1,
        .ranks = 2,
        .output_count = 1,
        .finish = {.flags = flag, .sequence = 99},
    };
    void *parameters[] = {&sum};
    STANDIN_OK(self, cu.cuModuleLoadData(&module, ".version 8.0\n"));
    STANDIN_OK(self, cu.cuModuleGetFunction(&kernel, module, "symm_reduce_uint32_sum"));
    STANDIN_OK(self, cu.cuLaunchKernel(kernel, 3, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
    STANDIN_OK(self, cu.cuCtxSynchronize());
    FORK_CHECK(self, *flag == 99);
    uint32_t *result = malloc(BYTES);
    FORK_CHECK(self, result != NULL);
    STANDIN_OK(self, cu.cuMemcpyDtoH(result, memory[1], BYTES));
    for (uint32_t i = 0; i < COUNT; i++) {
        FORK_CHECK(self, result[i] == (i == 0 || i == COUNT - 1 ? 10 + i : 2 * (10 + i)));
    }
    free(result);
}

static void test_kernels_of_the_library(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_reduction, NULL);
}

/* Memory that only device 0 may touch, used by a kernel on device 1. */
static void break_context(struct fork_rank *self)
{
    CUmodule module;
    CUcontext context;
    CUstream stream;
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&context, 1));
    STANDIN_OK(self, cu.cuCtxPushCurrent(context));
    CUfunction kernel = standin_kernel(self, &module);
    STANDIN_RESULT(self, cu.cuMemsetD8Async(memory, 0, 4, NULL), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    launch(self, kernel, stream, addition(memory, memory, 1));
    STANDIN_RESULT(self, cu.cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    STANDIN_RESULT(self, cu.cuStreamQuery(NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
    STANDIN_RESULT(self, cu.cuModuleUnload(module), CUDA_ERROR_ILLEGAL_ADDRESS);
    STANDIN_RESULT(self, cu.cuCtxPopCurrent(&context), CUDA_ERROR_ILLEGAL_ADDRESS);
    STANDIN_OK(self, cu.cuStreamQuery(NULL)); /* device 0 is as it was */
}

/* Past the end of what is mapped, on the right device. */
static void run_past_end(struct fork_rank *self)
{
    CUmodule module;
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUfunction kernel = standin_kernel(self, &module);
    launch(self, kernel, NULL, addition(memory + STANDIN_UNIT - BYTES + 4, memory, 1));
    STANDIN_RESULT(self, cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void fail_kernel(struct fork_rank *self)
{
    CUmodule module;
    (void)setenv("SYMM_STANDIN_FAIL", "kernel:2", 1);
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUfunction kernel = standin_kernel(self, &module);
    launch(self, kernel, NULL, addition(memory, memory, 1));
    STANDIN_OK(self, cu.cuCtxSynchronize());
    launch(self, kernel, NULL, addition(memory, memory, 1));
    STANDIN_RESULT(self, cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

static void give_pageable(struct fork_rank *self)
{
    CUmodule module;
    static uint32_t ours[COUNT];
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUfunction kernel = standin_kernel(self, &module);
    launch(self, kernel, NULL, addition(memory, (uintptr_t)ours, 1));
    STANDIN_RESULT(self, cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void rank_broken(struct fork_rank *self, void *unused)
{
    char said[4096];
    (void)unused;
    FORK_CHECK(self, standin_child(break_context, self, said) == 0);
    FORK_CHECK(self, strstr(said, "symm_standin_add on device 1: an illegal memory access"));
    FORK_CHECK(self, standin_child(run_past_end, self, NULL) == 0);
    FORK_CHECK(self, standin_child(fail_kernel, self, NULL) == 0);
    FORK_CHECK(self, standin_child(give_pageable, self, said) == 0);
    FORK_CHECK(self, strstr(said, "host memory that is not pinned, in word 1"));
}

static void test_errors_stick(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_broken, NULL);
}

static void rank_fork(struct fork_rank *self, void *unused)
{
    (void)unused;
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    standin_numbers_put(self, memory, 7, COUNT);
    int count;
    pid_t child = fork();
    if (child == 0) {
        _exit(cu.cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    int status;
    FORK_CHECK(self, waitpid(child, &status, 0) == child && status == 0);
    standin_numbers_check(self, memory, 7, COUNT);
}

static void test_children_have_no_driver(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_fork, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_keep_order),
        cmocka_unit_test(test_streams_are_not_ordered_by_luck),
        cmocka_unit_test(test_stream_zero_waits),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_sync_memops),
        cmocka_unit_test(test_kernel_rules),
        cmocka_unit_test(test_kernel_raises_flag),
        cmocka_unit_test(test_kernels_of_the_library),
        cmocka_unit_test(test_errors_stick),
        cmocka_unit_test(test_children_have_no_driver),
    };
    unit_begin("test_standin_streams", 100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
