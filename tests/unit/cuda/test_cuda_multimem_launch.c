/*
 * test_cuda_multimem_launch.c - the launch layer of multicast: what there are kernels for, wrong
 * arguments, the driver's failures, and devices that are too old.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "heap/gpu/cuda_device.h"
#include "kernels/cuda/launch/multimem.h"

/* Written down once more, from what the switch is documented to do. */
static bool is_in_table(enum symm_cuda_type type, enum symm_cuda_op op, bool one_shot)
{
    bool is_order = op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX, is_sum = op == SYMM_CUDA_SUM;
    switch (type) {
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_DOUBLE:
        return is_sum && !one_shot;
    case SYMM_CUDA_HALF:
    case SYMM_CUDA_BFLOAT16:
        return (is_sum || is_order) && !one_shot;
    case SYMM_CUDA_INT32:
    case SYMM_CUDA_INT64:
    case SYMM_CUDA_UINT32:
    case SYMM_CUDA_UINT64:
        return is_sum || is_order || (op >= SYMM_CUDA_BAND && op <= SYMM_CUDA_BXOR);
    case SYMM_CUDA_INT8:
    case SYMM_CUDA_INT16:
    case SYMM_CUDA_UINT8:
    case SYMM_CUDA_UINT16:
    case SYMM_CUDA_BYTE:
        return op >= SYMM_CUDA_BAND && op <= SYMM_CUDA_BXOR;
    default:
        return false;
    }
}

static void test_wrong_arguments(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    struct cuda_ranks ranks = {0};
    struct symm_completion completion;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 1));
    struct cuda_rank *one = &ranks.ranks[0];
    struct symm_cuda_multimem reduce = {
        .unicast = {.inputs = {one->input}, .outputs = {one->output}, .end = 1, .ranks = 1,
                    .output_count = 1},
        .input = one->input, .output = one->output,
    };
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_multimem(&kernel, SYMM_CUDA_FLOAT,
                                                             SYMM_CUDA_SUM, &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, symm_device_multimem_load(one->device), SYMM_OK);
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_multimem(&kernel, SYMM_CUDA_FLOAT,
                                                             SYMM_CUDA_MIN, &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    reduce.output = NULL; /* would be one-shot */
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_multimem(&kernel, SYMM_CUDA_FLOAT,
                                                             SYMM_CUDA_SUM, &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    reduce.unicast.output_count = 2;
    FORK_STATUS(self, symm_device_start(one->device,
                                        symm_kernel_multimem(&kernel, SYMM_CUDA_INT32,
                                                             SYMM_CUDA_SUM, &reduce, 0),
                                        &completion), SYMM_ERR_ARGUMENT);
    cuda_ranks_close(&ranks);
}

/* What fails is named, leaves no module, and works the next time. */
static void test_load_with_faults(struct fork_rank *self, void *context)
{
    static const char *const faults[] = {
        "cuDeviceGetAttribute:1", "cuModuleLoadData:1", "cuModuleGetFunction:1",
        "cuModuleGetFunction:2", "cuModuleGetFunction:35", "cuCtxPushCurrent:1",
    };
    symm_standin_fail_function *fault_set;
    (void)context;
    cuda_ranks_begin(self, NULL);
    device_driver_symbol(self, "symm_standin_fail", &fault_set);
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        enum { OTHER_MODULES = 6 }; /* which the device has had before */
        char failure[SYMM_CUDA_TEXT_SIZE] = "";
        struct symm_device *device;
        FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
        fault_set(faults[i]);
        symm_cuda_forget_failure();
        FORK_CHECK(self, symm_device_multimem_load(device) != SYMM_OK);
        symm_cuda_last_failure(failure, sizeof(failure));
        FORK_CHECK(self, strncmp(failure, faults[i], strcspn(faults[i], ":")) == 0);
        FORK_STATUS(self, symm_device_multimem_load(device), SYMM_OK);
        FORK_STATUS(self, symm_device_multimem_load(device), SYMM_OK);
        symm_device_close_all();
        unsigned long loaded = device_driver_uses(self, "cuModuleLoadData") -
                               (strncmp(faults[i], "cuModuleLoad", 12) == 0 ? 1 : 0);
        FORK_CHECK(self, device_driver_uses(self, "cuModuleUnload") == loaded + OTHER_MODULES);
        fault_set("");
    }
}

static void test_older_device(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_CAPABILITY", "8", 1) == 0);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    FORK_STATUS(self, symm_device_multimem_load(device), SYMM_ERR_NOT_FOUND);
    symm_device_close_all();
}

static void test_table(void **state)
{
    (void)state;
    for (int i = 0; i < SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT * 2; i++) {
        enum symm_cuda_type type = (enum symm_cuda_type)(i / 2 / SYMM_CUDA_OP_COUNT);
        enum symm_cuda_op op = (enum symm_cuda_op)(i / 2 % SYMM_CUDA_OP_COUNT);
        assert_int_equal(symm_multimem_can_reduce(type, op, i % 2 != 0),
                         is_in_table(type, op, i % 2 != 0));
    }
}

UNIT_MAIN("test_cuda_multimem_launch", 60,
    cmocka_unit_test(test_table),
    FORK_TEST(test_wrong_arguments, 1),
    FORK_TEST(test_load_with_faults, 1),
    FORK_TEST(test_older_device, 1))
