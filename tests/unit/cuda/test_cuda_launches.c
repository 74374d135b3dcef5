/*
 * test_cuda_launches.c - the launch layer, on the stand-in driver: more work than it has slots for,
 * wrong arguments, and functions of the driver that fail while a device is opened; how many blocks
 * a kernel may have.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/gpu/cuda_device.h"
#include "kernels/cuda/steps.h"
#include "tests/unit/harness/device_memory.h"

enum { STARTS = SYMM_CUDA_SLOTS + 10, SIZE = 256 };

static unsigned char input[SIZE], got[SIZE];

/* More than there are slots for: the rest is told to come back. */
static void test_many(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    struct symm_completion completions[STARTS];
    struct cuda_ranks ranks = {0};
    int started = 0, ended = 0;
    unsigned polls = 0;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "2000", 1) == 0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 1));
    struct cuda_rank *one = &ranks.ranks[0];
    unit_fill(input, SIZE, unit_random_start(43, 0));
    cuda_ranks_put(&ranks, 0, one->input, input, SIZE);
    while (started < STARTS) {
        struct symm_cuda_copy copy = {
            .input = one->input, .bytes = SIZE, .output_count = 1,
            .outputs = {one->output + started * SIZE},
        };
        enum symm_status status =
            symm_device_start(one->device, symm_kernel_copy(&kernel, &copy, 1),
                              &completions[started]);
        FORK_CHECK(self, status == SYMM_OK || status == SYMM_PENDING);
        if (status == SYMM_OK) {
            started++;
        } else if (symm_completion_test(one->device, &completions[ended]) == SYMM_OK) {
            ended++;
        }
        unit_pause(&polls);
    }
    FORK_CHECK(self, ended > 0);
    for (; ended < STARTS; ended++) {
        while (symm_completion_test(one->device, &completions[ended]) == SYMM_PENDING) {
            unit_pause(&polls);
        }
    }
    for (int i = 0; i < STARTS; i++) {
        cuda_ranks_get(&ranks, 0, one->output + i * SIZE, got, SIZE);
        FORK_CHECK(self, memcmp(got, input, SIZE) == 0);
    }
    cuda_ranks_close(&ranks);
}

static void test_wrong_arguments(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    struct cuda_ranks ranks = {0};
    struct symm_device *device;
    struct symm_completion completion;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_STATUS(self, symm_device_get(-1, &device), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, symm_device_get(CUDA_DEVICES, &device), SYMM_ERR_ARGUMENT);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 1));
    struct cuda_rank *one = &ranks.ranks[0];
    struct symm_cuda_reduce reduce = {
        .inputs = {one->input}, .outputs = {one->output}, .end = 1, .ranks = 1, .output_count = 1,
    };
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_reduce(&kernel, SYMM_CUDA_FLOAT, SYMM_CUDA_BAND,
                                                           &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    reduce.ranks = SYMM_CUDA_RANKS_MAX + 1;
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_reduce(&kernel, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM,
                                                           &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    reduce.ranks = 2; /* and one output */
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_scan(&kernel, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM,
                                                         &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    cuda_ranks_close(&ranks);
}

/*
 * Devices are opened while a function fails: then that is said, nothing is left, and it works
 * again.
 */
static void run_open_with_fault(struct fork_rank *self, void *context)
{
    const struct cuda_fault *fault = context;
    char text[100], failure[SYMM_CUDA_TEXT_SIZE] = "";
    struct symm_device *device;
    int failures = 0;
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    cuda_ranks_begin(self, text);
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context", 1) == 0);
    for (int i = 0; i < 3; i++) {
        symm_cuda_forget_failure();
        if (symm_device_get(0, &device) != SYMM_OK) {
            symm_cuda_last_failure(failure, sizeof(failure));
            FORK_CHECK(self, strstr(failure, fault->what) != NULL);
            FORK_CHECK(self, device == NULL);
            failures++;
        }
    }
    FORK_CHECK(self, failures == 1);
    symm_device_close_all();
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_failures_in_opening(void **state)
{
    static const struct cuda_fault faults[] = {
        {"cuStreamCreate", 1}, {"cuMemHostRegister", 1}, {"cuMemHostGetDevicePointer", 1},
        {"cuModuleLoadData", 1}, {"cuModuleLoadData", 2}, {"cuModuleGetFunction", 1},
        {"cuModuleGetFunction", 2}, {"cuModuleGetFunction", 88}, {"cuCtxPushCurrent", 1},
        {"cuDevicePrimaryCtxRetain", 1}, {"cuCtxGetId", 1},
        {"cuThreadExchangeStreamCaptureMode", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        struct cuda_fault fault = faults[i];
        print_message("# %s, use %d\n", fault.what, fault.use);
        fork_ranks_run(1, run_open_with_fault, &fault);
    }
}

/* Many where a kernel stores to several peers, unless the user or a computation has a say. */
static void test_blocks(void **state)
{
    struct symm_work work = {.block_limit = 0};
    (void)state;
    assert_int_equal(symm_cuda_store_blocks(&work, 2), 0); /* as many as kernels have mostly */
    assert_true(symm_cuda_store_blocks(&work, 3) > SYMM_DEVICE_BLOCKS);
    work.beside = true;
    assert_int_equal(symm_cuda_store_blocks(&work, 3), 0);
    work.beside = false;
    work.block_limit = 8;
    assert_int_equal(symm_cuda_store_blocks(&work, 3), 8);
    work.block_limit = 1000;
    assert_int_equal(symm_cuda_store_blocks(&work, 3), 1000);
}

UNIT_MAIN("test_cuda_launches", 60,
    FORK_TEST(test_many, 1),
    FORK_TEST(test_wrong_arguments, 1),
    cmocka_unit_test(test_failures_in_opening),
    cmocka_unit_test(test_blocks))
