/*
 * test_cuda_resets.c - the launch layer when the program resets the device, or the driver fails to
 * push, pop or wait; and how many streams it makes.  On the stand-in driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/copy.h"
#include "kernels/cuda/launch/kernel.h"
#include "kernels/cuda/launch/host_memory.h"
#include "kernels/cuda/launch/multimem.h"

enum { COPIES = 2 };

/* ---- a device that is reset ------------------------------------------------------------------ */

/* Everything that is made in a context is used in this one. */
static void work(struct fork_rank *self, struct symm_device *device, unsigned char *memory)
{
    struct symm_kernel kernel;
    struct symm_host_block block;
    struct symm_completion completion;
    unsigned polls = 0;
    const struct symm_cuda_push push = {memory, memory + 4096, 4096};
    device_fill(self, 0, memory, 4096, 1);
    for (int way = 0; way < 3; way++) {
        FORK_STATUS(self, way == 0   ? symm_device_start(device,
                                                         symm_kernel_push(&kernel, &push, 1, false,
                                                                          0), &completion)
                          : way == 1 ? symm_device_start(device,
                                                         symm_kernel_beside(&kernel, &push, 1, 0),
                                                         &completion)
                                     : symm_device_engine_start(device, &push, 1, -1, NULL, 0,
                                                                &completion), SYMM_OK);
        enum symm_status status = SYMM_PENDING;
        while (status == SYMM_PENDING) {
            unit_pause(&polls);
            status = symm_completion_test(device, &completion);
        }
        FORK_STATUS(self, status, SYMM_OK);
        FORK_CHECK(self, device_is_filled(self, 0, memory + 4096, 4096, 1));
        device_fill(self, 0, memory + 4096, 4096, 2);
    }
    FORK_STATUS(self, symm_host_block_get(0, 8192, &block), SYMM_OK);
    memset(block.memory, 0, 8192);
    FORK_STATUS(self, symm_cuda_copy(0, block.memory, memory, 8192), SYMM_OK);
    FORK_CHECK(self, unit_is_filled(block.memory, 4096, unit_random_start(2000, 1)));
    symm_host_block_put(&block);
}

/* With a context begun anew by the program, or left to us, before our next call. */
static void test_reset_between(struct fork_rank *self, void *context)
{
    bool by_program = *(const bool *)context;
    struct symm_device *device;
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context,stream:1,module,reservation", 1) == 0);
    program_begin(self);
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, 0);
    unsigned char *memory = device_alloc(self, heap, PROGRAM_BYTES);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    for (int round = 0; round < 3; round++) {
        work(self, device, memory);
        PROGRAM_OK(self, program.cuDevicePrimaryCtxReset(0));
        if (by_program) {
            (void)program_memory(self);
        }
        symm_cuda_sync_memops(0);
    }
    work(self, device, memory);
    PROGRAM_OK(self, program.cuDevicePrimaryCtxReset(0));
    FORK_STATUS(self, symm_heap_free(heap, memory), SYMM_OK); /* without a context for it */
    symm_host_blocks_close();
    symm_device_close_all();
    symm_process_release(process);
    unsigned flags;
    int active = 1;
    PROGRAM_OK(self, program.cuDevicePrimaryCtxGetState(0, &flags, &active));
    FORK_CHECK(self, active == 0);
}

/* While a kernel is under way: its completion ends, and looking for its flag is harmless. */
static void test_reset_during(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    struct symm_device *device;
    struct symm_completion completion;
    enum symm_status status = SYMM_PENDING;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_FAIL", "cuLaunchKernel:2", 1) == 0);
    program_begin(self);
    struct symm_process *process = device_process(self);
    unsigned char *memory = device_alloc(self, device_heap(self, process, 0), PROGRAM_BYTES);
    const struct symm_cuda_push push = {memory, memory + 4096, 4096};
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    FORK_STATUS(self, symm_device_start(device, symm_kernel_push(&kernel, &push, 1, false, 0),
                                        &completion), SYMM_OK);
    completion.sequence += 5; /* as if it had not come to its end */
    PROGRAM_OK(self, program.cuDevicePrimaryCtxReset(0));
    for (int polls = 0; polls < 5000 && status == SYMM_PENDING; polls++) {
        status = symm_completion_test(device, &completion);
    }
    FORK_STATUS(self, status, SYMM_ERR_SYSTEM);
}

/* ---- kernels of multicast ------------------------------------------------------------------- */

struct copier {
    struct symm_device *device;
    unsigned char *memory;
    atomic_bool stops;
    unsigned copies;
};

/*
 * A copy by an address that is not of multicast, so that the kernel fails: SYSTEM if it has been
 * started, ARGUMENT if there are no kernels.
 */
static enum symm_status multimem_copy(const struct copier *copier)
{
    struct symm_kernel kernel;
    struct symm_completion completion;
    unsigned polls = 0;
    const struct symm_cuda_multimem_copy arguments = {
        .unicast = {.input = copier->memory, .outputs = {copier->memory + 4096}, .bytes = 4096,
                    .output_count = 1},
        .output = copier->memory + 4096,
    };
    enum symm_status status =
        symm_device_start(copier->device, symm_kernel_multimem_copy(&kernel, &arguments, 0),
                          &completion);
    if (status == SYMM_OK) {
        do {
            unit_pause(&polls);
            status = symm_completion_test(copier->device, &completion);
        } while (status == SYMM_PENDING);
    }
    return status;
}

static bool multimem_begin(struct fork_rank *self, struct copier *copier)
{
    program_begin(self);
    struct symm_process *process = device_process(self);
    copier->memory = device_alloc(self, device_heap(self, process, 0), PROGRAM_BYTES);
    FORK_STATUS(self, symm_device_get(0, &copier->device), SYMM_OK);
    return symm_device_multimem_load(copier->device) == SYMM_OK; /* otherwise not built */
}

/* The kernels cannot be had when they are first asked for again: the next start tries once more. */
static void test_multimem_fails(struct fork_rank *self, void *context)
{
    struct copier copier = {0};
    (void)context;
    if (multimem_begin(self, &copier)) {
        FORK_STATUS(self, multimem_copy(&copier), SYMM_ERR_SYSTEM);
        PROGRAM_OK(self, program.cuDevicePrimaryCtxReset(0));
        program.let_fail("cuModuleLoadData:5"); /* after those of the other kernels */
        FORK_STATUS(self, multimem_copy(&copier), SYMM_ERR_NO_MEMORY);
        FORK_CHECK(self, device_failure_names("cuModuleLoadData"));
        program.let_fail("");
        FORK_STATUS(self, multimem_copy(&copier), SYMM_ERR_SYSTEM);
        FORK_CHECK(self, !device_failure_names("cuModuleLoadData"));
        FORK_CHECK(self, !device_failure_names("cuMemHostRegister"));
        symm_device_close_all();
    }
}

/* Whatever becomes of them. */
static void *copy_again(void *argument)
{
    struct copier *copier = argument;
    while (!atomic_load(&copier->stops)) {
        (void)multimem_copy(copier);
        copier->copies++;
    }
    return NULL;
}

/* A reset is noticed in one thread while another one starts kernels. */
static void test_multimem_beside(struct fork_rank *self, void *context)
{
    enum { RESETS = 300 };
    struct copier copier = {0};
    pthread_t thread;
    (void)context;
    if (multimem_begin(self, &copier)) {
        FORK_CHECK(self, pthread_create(&thread, NULL, copy_again, &copier) == 0);
        for (int i = 0; i < RESETS; i++) {
            PROGRAM_OK(self, program.cuDevicePrimaryCtxReset(0));
            (void)multimem_copy(&copier);
        }
        atomic_store(&copier.stops, true);
        (void)pthread_join(thread, NULL);
        FORK_CHECK(self, copier.copies > 0);
        symm_device_close_all();
    }
}

/* ---- smaller things -------------------------------------------------------------------------- */

/* Streams are made when they are used. */
static void test_streams(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    (void)context;
    program_begin(self);
    struct symm_process *process = device_process(self);
    (void)device_alloc(self, device_heap(self, process, 0), PROGRAM_BYTES);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    FORK_CHECK(self, program.left("stream") <= 2);
}

/* A context of ours is broken, the program's is not, and stays current. */
static void test_pop(struct fork_rank *self, void *context)
{
    struct symm_cuda_scope scope;
    CUcontext own, current;
    CUdeviceptr memory;
    (void)context;
    program_begin(self);
    PROGRAM_OK(self, program.cuCtxCreate(&own, 0, 0));
    FORK_STATUS(self, symm_cuda_enter(0, &scope), SYMM_OK);
    PROGRAM_OK(self, program.cuMemAlloc(&memory, PROGRAM_BYTES));
    program.let_fail("copy:1:CUDA_ERROR_ILLEGAL_ADDRESS");
    (void)scope.cuda->cuMemcpyAsync(memory, memory + 4096, 4096, NULL);
    FORK_CHECK(self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_ERROR_ILLEGAL_ADDRESS);
    symm_cuda_leave(&scope);
    FORK_CHECK(self, program.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == own);
}

/* Access is taken back from memory that has been found usable. */
static void test_access_revoked(struct fork_rank *self, void *context)
{
    struct symm_memory described;
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    (void)context;
    program_begin(self);
    struct symm_process *process = device_process(self);
    void *memory = device_alloc(self, device_heap(self, process, 0), PROGRAM_BYTES);
    FORK_CHECK(self, symm_cuda_memory_describe(memory, &described));
    FORK_CHECK(self, symm_cuda_memory_is_usable(&described, memory));
    PROGRAM_OK(self, program.cuMemSetAccess(described.base, described.size, &access, 1));
    FORK_CHECK(self, symm_cuda_memory_describe(memory, &described));
    FORK_CHECK(self, !symm_cuda_memory_is_usable(&described, memory));
}

/* A second copy cannot be begun, and the driver fails to wait for the first: it does not go on. */
static void test_waiting_fails(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    struct symm_completion completion;
    int lasting = *(const int *)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "50000", 1) == 0);
    program_begin(self);
    struct symm_process *process = device_process(self);
    unsigned char *memory = device_alloc(self, device_heap(self, process, 0), PROGRAM_BYTES);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    const struct symm_cuda_push pushes[COPIES] = {
        {memory, memory + PROGRAM_BYTES / 4, PROGRAM_BYTES / 4},
        {memory, memory + PROGRAM_BYTES / 2, PROGRAM_BYTES / 4},
    };
    for (int round = 0; round < 6; round++) {
        device_fill(self, 0, memory, PROGRAM_BYTES / 4, (uint64_t)round);
        program.let_fail(lasting ? "cuMemcpyAsync:2,cuStreamSynchronize:1+"
                                 : "cuMemcpyAsync:2,cuStreamSynchronize:1");
        FORK_STATUS(self, symm_device_engine_start(device, pushes, COPIES, -1, NULL, 0,
                                                   &completion),
                    SYMM_ERR_SYSTEM);
        program.let_fail("");
        if (!lasting) {
            FORK_CHECK(self, device_is_filled(self, 0, memory + PROGRAM_BYTES / 4,
                                              PROGRAM_BYTES / 4, (uint64_t)round));
        }
    }
    /* Slots of work that may go on are lost; in the end that is said, and not waited for one. */
    enum symm_status status = SYMM_ERR_SYSTEM;
    for (int round = 0; round < SYMM_CUDA_SLOTS + 1 && lasting && status != SYMM_OK; round++) {
        program.let_fail("cuMemcpyAsync:2,cuStreamSynchronize:1+");
        status = symm_device_engine_start(device, pushes, COPIES, -1, NULL, 0, &completion);
        FORK_STATUS(self, status, SYMM_ERR_SYSTEM);
    }
    FORK_CHECK(self, !lasting || device_failure_names("has not answered"));
}

UNIT_MAIN("test_cuda_resets", 90,
    FORK_TEST_WITH(test_reset_between, 1, &(bool){false}),
    FORK_TEST_WITH(test_reset_between, 1, &(bool){true}),
    FORK_TEST(test_reset_during, 1),
    FORK_TEST(test_multimem_fails, 1),
    FORK_TEST(test_multimem_beside, 1),
    FORK_TEST(test_streams, 1),
    FORK_TEST(test_pop, 1),
    FORK_TEST(test_access_revoked, 1),
    FORK_TEST_WITH(test_waiting_fails, 1, &(int){false}),
    FORK_TEST_WITH(test_waiting_fails, 1, &(int){true}))
