/*
 * test_standin_kernels.c - the stand-in driver's kernels: how they are launched, what they see, and
 * what breaks a context.
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

#include "kernels/cuda/device_code/arguments.h"

static void test_kernel_rules(struct fork_rank *self, void *context)
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

/* The flag is what the host waits for: everything is there when it is. */
static void test_kernel_raises_flag(struct fork_rank *self, void *context)
{
    CUmodule module;
    CUstream stream;
    (void)context;
    standin_start(self, 1);
    CUfunction kernel = standin_kernel(self, &module);
    CUdeviceptr memory = standin_memory_make(self, 1, 1);
    uint32_t *flag = standin_word_make(self);
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    standin_numbers_put(self, memory, 0, COUNT);
    for (uint32_t i = 1; i <= 20; i++) {
        unsigned polls = 0;
        struct symm_standin_add add = standin_addition(memory, memory, 1);
        add.flag = flag;
        add.sequence = i;
        standin_add_launch(self, kernel, stream, add);
        while (atomic_load((_Atomic uint32_t *)(void *)flag) != i) {
            unit_pause(&polls);
        }
        standin_numbers_check(self, memory, i, COUNT);
    }
}

/* A kernel of ours that reads memory of two devices, as the host build has it. */
static void test_kernels_of_the_library(struct fork_rank *self, void *context)
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
    uint32_t *flag = standin_word_make(self);
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
    standin_add_launch(self, kernel, stream, standin_addition(memory, memory, 1));
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
    standin_add_launch(self, kernel, NULL,
                       standin_addition(memory + STANDIN_UNIT - BYTES + 4, memory, 1));
    STANDIN_RESULT(self, cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void fail_kernel(struct fork_rank *self)
{
    CUmodule module;
    (void)setenv("SYMM_STANDIN_FAIL", "kernel:2", 1);
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUfunction kernel = standin_kernel(self, &module);
    standin_add_launch(self, kernel, NULL, standin_addition(memory, memory, 1));
    STANDIN_OK(self, cu.cuCtxSynchronize());
    standin_add_launch(self, kernel, NULL, standin_addition(memory, memory, 1));
    STANDIN_RESULT(self, cu.cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

static void give_pageable(struct fork_rank *self)
{
    CUmodule module;
    static uint32_t ours[COUNT];
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUfunction kernel = standin_kernel(self, &module);
    standin_add_launch(self, kernel, NULL, standin_addition(memory, (uintptr_t)ours, 1));
    STANDIN_RESULT(self, cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void test_errors_stick(struct fork_rank *self, void *unused)
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

static void test_children_have_no_driver(struct fork_rank *self, void *unused)
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

/* ---- the trace ------------------------------------------------------------------------------- */

/* Two launches of a kernel that differ in what they store to the host alone, and other work. */
static void give_work(struct fork_rank *self)
{
    CUmodule module;
    CUfunction copy;
    CUstream stream;
    CUgraphExec exec;
    CUgraph graph;
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUfunction kernel = standin_kernel(self, &module);
    uint32_t *flags = standin_word_make(self);
    STANDIN_OK(self, cu.cuModuleGetFunction(&copy, module, "symm_copy"));
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (uint32_t sequence = 7; sequence < 9; sequence++) {
        struct symm_cuda_copy arguments = {
            .input = (void *)(uintptr_t)memory, .outputs = {(void *)(uintptr_t)(memory + 4096)},
            .bytes = 4096, .output_count = 1, .finish = {flags, sequence, sequence},
        };
        void *parameters[] = {&arguments};
        STANDIN_OK(self, cu.cuLaunchKernel(copy, 2, 1, 1, 128, 1, 1, 0, stream, parameters, NULL));
    }
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
    STANDIN_OK(self, cu.cuMemcpyAsync(memory, memory + 8192, 100, stream));
    STANDIN_OK(self, cu.cuMemsetD8Async(memory, 3, 10, stream));
    STANDIN_OK(self, cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    standin_add_launch(self, kernel, stream, standin_addition(memory, memory, 1));
    STANDIN_OK(self, cu.cuStreamEndCapture(stream, &graph));
    STANDIN_OK(self, cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    STANDIN_OK(self, cu.cuGraphLaunch(exec, stream));
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
}

static const char traced[] =
    "process test_standin_kernels\n"
    "kernel symm_copy 2x128 stream 2: @0 @1000 31*0 1000 1 @host #\n"
    "kernel symm_copy 2x128 stream 2: @0 @1000 31*0 1000 1 @host #\n"
    "copy device to device 100x1 stream 2\n"
    "fill 3 10 stream 2\n"
    "capture symm_standin_add 4x256 stream 2: 2*@0 186a0 1 0\n"
    "graph stream 2\n"
    "kernel symm_standin_add 4x256 stream 2: 2*@0 186a0 1 0\n";

static void work_and_compare(struct fork_rank *self)
{
    char name[64], path[96], text[2 * sizeof traced] = "";
    (void)snprintf(name, sizeof name, "/tmp/symm-trace.%ld", (long)getpid());
    (void)snprintf(path, sizeof path, "%s.process.%ld", name, (long)getpid());
    (void)setenv("SYMM_STANDIN_TRACE", name, 1);
    give_work(self);
    FILE *file = fopen(path, "r");
    FORK_CHECK(self, file != NULL);
    (void)unlink(path);
    (void)fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    (void)fputs(text, stderr);
    FORK_CHECK(self, strstr(text, "process ") == text);
    FORK_CHECK(self, strcmp(strchr(text, '\n'), strchr(traced, '\n')) == 0);
}

static void test_trace(struct fork_rank *self, void *unused)
{
    (void)unused;
    FORK_CHECK(self, standin_child(work_and_compare, self, NULL) == 0);
}

UNIT_MAIN("test_standin_kernels", 100,
    FORK_TEST(test_kernel_rules, 1),
    FORK_TEST(test_kernel_raises_flag, 1),
    FORK_TEST(test_kernels_of_the_library, 1),
    FORK_TEST(test_errors_stick, 1),
    FORK_TEST(test_children_have_no_driver, 1),
    FORK_TEST(test_trace, 1))
