/*
 * test_cuda_contexts.c - what becomes of calls of ours, and of the program's own work, when the program captures a
 * graph, has a kernel that waits for another process, overwrites flags, or resets the device; on the stand-in driver.
 *
 * The program's part uses functions of the driver that are found by their names (struct program).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/device_memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/copy.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/host_memory.h"
#include "tests/cuda/kernels.h"

enum { BYTES = 4 << 20, COPIES = 2 };

/* Functions that the program calls. */
static struct {
    CUresult (*cuInit)(unsigned);
    CUresult (*cuCtxSetCurrent)(CUcontext);
    CUresult (*cuCtxGetCurrent)(CUcontext *);
    CUresult (*cuCtxCreate)(CUcontext *, unsigned, CUdevice);
    CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
    CUresult (*cuDevicePrimaryCtxGetState)(CUdevice, unsigned *, int *);
    CUresult (*cuDevicePrimaryCtxSetFlags)(CUdevice, unsigned);
    CUresult (*cuDevicePrimaryCtxReset)(CUdevice);
    CUresult (*cuMemAlloc)(CUdeviceptr *, size_t);
    CUresult (*cuMemAllocHost)(void **, size_t);
    CUresult (*cuMemsetD8)(CUdeviceptr, unsigned char, size_t);
    CUresult (*cuMemcpyDtoHAsync)(void *, CUdeviceptr, size_t, CUstream);
    CUresult (*cuStreamCreate)(CUstream *, unsigned);
    CUresult (*cuStreamSynchronize)(CUstream);
    CUresult (*cuStreamBeginCapture)(CUstream, CUstreamCaptureMode);
    CUresult (*cuStreamEndCapture)(CUstream, CUgraph *);
    CUresult (*cuStreamWaitValue32)(CUstream, CUdeviceptr, cuuint32_t, unsigned);
    CUresult (*cuMemSetAccess)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
    symm_standin_fail_function *let_fail;
    symm_standin_left_function *left;
} program;

#define OK(self, call) FORK_CHECK(self, (call) == CUDA_SUCCESS)

static void program_begin(struct fork_rank *self)
{
    device_driver_use();
    device_driver_symbol(self, "cuInit", &program.cuInit);
    device_driver_symbol(self, "cuCtxSetCurrent", &program.cuCtxSetCurrent);
    device_driver_symbol(self, "cuCtxGetCurrent", &program.cuCtxGetCurrent);
    device_driver_symbol(self, "cuCtxCreate_v2", &program.cuCtxCreate);
    device_driver_symbol(self, "cuDevicePrimaryCtxRetain", &program.cuDevicePrimaryCtxRetain);
    device_driver_symbol(self, "cuDevicePrimaryCtxGetState", &program.cuDevicePrimaryCtxGetState);
    device_driver_symbol(self, "cuDevicePrimaryCtxSetFlags_v2",
                         &program.cuDevicePrimaryCtxSetFlags);
    device_driver_symbol(self, "cuDevicePrimaryCtxReset_v2", &program.cuDevicePrimaryCtxReset);
    device_driver_symbol(self, "cuMemAlloc_v2", &program.cuMemAlloc);
    device_driver_symbol(self, "cuMemAllocHost_v2", &program.cuMemAllocHost);
    device_driver_symbol(self, "cuMemsetD8_v2", &program.cuMemsetD8);
    device_driver_symbol(self, "cuMemcpyDtoHAsync_v2", &program.cuMemcpyDtoHAsync);
    device_driver_symbol(self, "cuStreamCreate", &program.cuStreamCreate);
    device_driver_symbol(self, "cuStreamSynchronize", &program.cuStreamSynchronize);
    device_driver_symbol(self, "cuStreamBeginCapture_v2", &program.cuStreamBeginCapture);
    device_driver_symbol(self, "cuStreamEndCapture", &program.cuStreamEndCapture);
    device_driver_symbol(self, "cuStreamWaitValue32_v2", &program.cuStreamWaitValue32);
    device_driver_symbol(self, "cuMemSetAccess", &program.cuMemSetAccess);
    device_driver_symbol(self, "symm_standin_fail", &program.let_fail);
    device_driver_symbol(self, "symm_standin_left", &program.left);
    OK(self, program.cuInit(0));
}

/* As cudaSetDevice() and cudaMalloc(). */
static CUdeviceptr program_memory(struct fork_rank *self)
{
    CUcontext context;
    CUdeviceptr memory;
    OK(self, program.cuDevicePrimaryCtxRetain(&context, 0));
    OK(self, program.cuCtxSetCurrent(context));
    OK(self, program.cuMemAlloc(&memory, BYTES));
    return memory;
}

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static unsigned first_flags(struct fork_rank *self)
{
    unsigned flags;
    int active;
    OK(self, program.cuDevicePrimaryCtxGetState(0, &flags, &active));
    return flags;
}

/* A stream with something that goes on until the word is raised, as a kernel of NCCL waits for its peer. */
static volatile uint32_t *stream_occupy(struct fork_rank *self, unsigned flags, CUstream *stream)
{
    void *word;
    OK(self, program.cuMemAllocHost(&word, 4096));
    *(volatile uint32_t *)word = 0;
    OK(self, program.cuStreamCreate(stream, flags));
    OK(self, program.cuStreamWaitValue32(*stream, (uintptr_t)word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    return word;
}

static double seconds(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What the device has written is all `value`, by a copy of ours as a call makes it. */
static bool is_all(struct fork_rank *self, CUdeviceptr memory, unsigned char value)
{
    static unsigned char got[BYTES], wanted[BYTES];
    memset(wanted, value, BYTES);
    FORK_STATUS(self, symm_cuda_copy(0, got, pointer(memory), BYTES), SYMM_OK);
    return memcmp(got, wanted, BYTES) == 0;
}

/* ---- waiting for stream 0 --------------------------------------------------------------------- */

/* The driver is seen before there is a context: so nothing has to be waited for. */
static void seen_early(struct fork_rank *self, void *context)
{
    struct symm_memory memory;
    CUstream stream;
    int host = 0;
    (void)context;
    program_begin(self);
    FORK_CHECK(self, symm_cuda_memory_describe(&host, &memory));
    CUdeviceptr block = program_memory(self);
    FORK_CHECK(self, (first_flags(self) & CU_CTX_SYNC_MEMOPS) != 0);
    OK(self, program.cuMemsetD8(block, 3, BYTES));
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_DEFAULT, &stream);
    double begin = seconds();
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 3));
    FORK_CHECK(self, seconds() - begin < 3);
    *word = 1;
    OK(self, program.cuStreamSynchronize(stream));
}

/* It is seen afterwards, and the stream is busy for ever: the wait ends, once. */
static void seen_late(struct fork_rank *self, void *context)
{
    CUstream stream;
    (void)context;
    program_begin(self);
    CUdeviceptr block = program_memory(self);
    OK(self, program.cuMemsetD8(block, 3, BYTES));
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_DEFAULT, &stream);
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 3));
    double begin = seconds();
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, seconds() - begin < 3);
    *word = 1;
    OK(self, program.cuStreamSynchronize(stream));
}

/* A capture goes on after our first call in its context; what was not waited for then is waited for later. */
static void capture_in_flight(struct fork_rank *self, void *context)
{
    CUstreamCaptureMode mode = *(const CUstreamCaptureMode *)context;
    CUstream stream;
    CUgraph graph;
    program_begin(self);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "100000", 1) == 0);
    CUdeviceptr block = program_memory(self);
    OK(self, program.cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(self, program.cuMemsetD8(block, 1, BYTES));
    OK(self, program.cuMemsetD8(block, 2, BYTES));
    OK(self, program.cuStreamBeginCapture(stream, mode));
    symm_cuda_memory_settle(0);
    OK(self, program.cuStreamEndCapture(stream, &graph));
    FORK_CHECK(self, graph != NULL);
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 2));
}

/* A context of the program's own, likewise. */
static void capture_in_own(struct fork_rank *self, void *context)
{
    CUcontext own;
    CUstream stream;
    CUgraph graph;
    (void)context;
    program_begin(self);
    (void)program_memory(self);
    symm_cuda_memory_settle(0);
    OK(self, program.cuCtxCreate(&own, 0, 0));
    OK(self, program.cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(self, program.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    symm_cuda_sync_memops(0);
    OK(self, program.cuStreamEndCapture(stream, &graph));
    volatile uint32_t *word = stream_occupy(self, CU_STREAM_NON_BLOCKING, &stream);
    symm_cuda_sync_memops(0);
    symm_cuda_sync_memops(0);
    *word = 1;
    FORK_CHECK(self, program.cuCtxGetCurrent(&own) == CUDA_SUCCESS && own != NULL);
}

/* A driver that fails to say whether it is done is asked again in the next call. */
static void settling_fails(struct fork_rank *self, void *context)
{
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "100000", 1) == 0);
    program_begin(self);
    CUdeviceptr block = program_memory(self);
    for (unsigned char value = 1; value < 9; value++) {
        OK(self, program.cuMemsetD8(block, value, BYTES));
    }
    program.let_fail("cuStreamSynchronize:1:CUDA_ERROR_UNKNOWN,cuStreamSynchronize:2:CUDA_ERROR_UNKNOWN,"
                     "cuStreamQuery:1:CUDA_ERROR_UNKNOWN");
    symm_cuda_memory_settle(0);
    program.let_fail("");
    symm_cuda_memory_settle(0);
    FORK_CHECK(self, is_all(self, block, 8));
}

/* cudaSetDeviceFlags() takes the flag away that we rely on. */
static void flags_overwritten(struct fork_rank *self, void *context)
{
    bool is_foreign = *(const bool *)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "20000", 1) == 0);
    program_begin(self);
    CUdeviceptr block = program_memory(self);
    symm_cuda_memory_settle(0);
    for (unsigned char value = 1; value < 10; value++) {
        OK(self, program.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
        OK(self, program.cuMemsetD8(block, 0, BYTES));
        OK(self, program.cuMemsetD8(block, value, BYTES));
        if (is_foreign) {
            symm_cuda_memory_settle(0);
        } else {
            symm_cuda_sync_memops(0);
        }
        FORK_CHECK(self, is_all(self, block, value));
        FORK_CHECK(self, first_flags(self) == (CU_CTX_SCHED_YIELD | CU_CTX_SYNC_MEMOPS));
    }
}

/* ---- a device that is reset --------------------------------------------------------------------- */

/* Everything that is made in a context is used in this one. */
static void work(struct fork_rank *self, struct symm_device *device, unsigned char *memory)
{
    struct symm_host_block block;
    struct symm_ticket ticket;
    unsigned polls = 0;
    const struct symm_cuda_push push = {memory, memory + 4096, 4096};
    device_fill(self, 0, memory, 4096, 1);
    for (int way = 0; way < 3; way++) {
        FORK_STATUS(self, way == 0   ? symm_device_push_start(device, &push, 1, 0, &ticket)
                          : way == 1 ? symm_device_beside_start(device, &push, 1, 0, &ticket)
                                     : symm_device_engine_start(device, &push, 1, -1, NULL, 0,
                                                                &ticket), SYMM_OK);
        enum symm_status status = SYMM_PENDING;
        while (status == SYMM_PENDING) {
            unit_pause(&polls);
            status = symm_device_ticket_test(device, &ticket);
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
static void reset_between(struct fork_rank *self, void *context)
{
    bool by_program = *(const bool *)context;
    struct symm_device *device;
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context,stream:1,module,reservation", 1) == 0);
    program_begin(self);
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, 0);
    unsigned char *memory = device_alloc(self, heap, BYTES);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    for (int round = 0; round < 3; round++) {
        work(self, device, memory);
        OK(self, program.cuDevicePrimaryCtxReset(0));
        if (by_program) {
            (void)program_memory(self);
        }
        symm_cuda_sync_memops(0);
    }
    work(self, device, memory);
    OK(self, program.cuDevicePrimaryCtxReset(0));
    FORK_STATUS(self, symm_heap_free(heap, memory), SYMM_OK); /* without a context for it */
    symm_host_blocks_close();
    symm_device_close_all();
    symm_process_release(process);
    unsigned flags;
    int active = 1;
    OK(self, program.cuDevicePrimaryCtxGetState(0, &flags, &active));
    FORK_CHECK(self, active == 0);
}

/* While a kernel is under way: its ticket ends, and looking for its flag is harmless. */
static void reset_during(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    struct symm_ticket ticket;
    enum symm_status status = SYMM_PENDING;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_FAIL", "cuLaunchKernel:2", 1) == 0);
    program_begin(self);
    struct symm_process *process = device_process(self);
    unsigned char *memory = device_alloc(self, device_heap(self, process, 0), BYTES);
    const struct symm_cuda_push push = {memory, memory + 4096, 4096};
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    FORK_STATUS(self, symm_device_push_start(device, &push, 1, 0, &ticket), SYMM_OK);
    ticket.sequence += 5; /* as if it had not come to its end */
    OK(self, program.cuDevicePrimaryCtxReset(0));
    for (int polls = 0; polls < 5000 && status == SYMM_PENDING; polls++) {
        status = symm_device_ticket_test(device, &ticket);
    }
    FORK_STATUS(self, status, SYMM_ERR_SYSTEM);
}

/* ---- smaller things ------------------------------------------------------------------------------- */

/* Streams are made when they are used. */
static void few_streams(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    (void)context;
    program_begin(self);
    struct symm_process *process = device_process(self);
    (void)device_alloc(self, device_heap(self, process, 0), BYTES);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    FORK_CHECK(self, program.left("stream") <= 2);
}

/* A context of ours is broken, the program's is not, and stays current. */
static void pop_fails(struct fork_rank *self, void *context)
{
    struct symm_cuda_scope scope;
    CUcontext own, current;
    CUdeviceptr memory;
    (void)context;
    program_begin(self);
    OK(self, program.cuCtxCreate(&own, 0, 0));
    FORK_STATUS(self, symm_cuda_enter(0, &scope), SYMM_OK);
    OK(self, program.cuMemAlloc(&memory, BYTES));
    program.let_fail("copy:1:CUDA_ERROR_ILLEGAL_ADDRESS");
    (void)scope.cuda->cuMemcpyAsync(memory, memory + 4096, 4096, NULL);
    FORK_CHECK(self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_ERROR_ILLEGAL_ADDRESS);
    symm_cuda_leave(&scope);
    FORK_CHECK(self, program.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == own);
}

/* Access is taken back from memory that has been found usable. */
static void access_revoked(struct fork_rank *self, void *context)
{
    struct symm_memory described;
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    (void)context;
    program_begin(self);
    struct symm_process *process = device_process(self);
    void *memory = device_alloc(self, device_heap(self, process, 0), BYTES);
    FORK_CHECK(self, symm_cuda_memory_describe(memory, &described));
    FORK_CHECK(self, symm_cuda_memory_is_usable(&described, memory));
    OK(self, program.cuMemSetAccess(described.base, described.size, &access, 1));
    FORK_CHECK(self, symm_cuda_memory_describe(memory, &described));
    FORK_CHECK(self, !symm_cuda_memory_is_usable(&described, memory));
}

/* Copies are begun, a later one cannot be, and the driver fails to wait for the first: none goes on afterwards. */
static void waiting_fails(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    struct symm_ticket ticket;
    int lasting = *(const int *)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "50000", 1) == 0);
    program_begin(self);
    struct symm_process *process = device_process(self);
    unsigned char *memory = device_alloc(self, device_heap(self, process, 0), BYTES);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    const struct symm_cuda_push pushes[COPIES] = {
        {memory, memory + BYTES / 4, BYTES / 4},
        {memory, memory + BYTES / 2, BYTES / 4},
    };
    for (int round = 0; round < 6; round++) {
        device_fill(self, 0, memory, BYTES / 4, (uint64_t)round);
        program.let_fail(lasting ? "cuMemcpyAsync:2:CUDA_ERROR_UNKNOWN,cuStreamSynchronize:1+:CUDA_ERROR_UNKNOWN"
                             : "cuMemcpyAsync:2:CUDA_ERROR_UNKNOWN,cuStreamSynchronize:1:CUDA_ERROR_UNKNOWN");
        FORK_STATUS(self, symm_device_engine_start(device, pushes, COPIES, -1, NULL, 0, &ticket),
                    SYMM_ERR_SYSTEM);
        program.let_fail("");
        if (!lasting) {
            FORK_CHECK(self, device_is_filled(self, 0, memory + BYTES / 4, BYTES / 4,
                                              (uint64_t)round));
        }
    }
    /* Slots of work that may go on are lost; in the end that is said, instead of waiting for one. */
    enum symm_status status = SYMM_ERR_SYSTEM;
    for (int round = 0; round < SYMM_CUDA_SLOTS + 1 && lasting && status != SYMM_OK; round++) {
        program.let_fail("cuMemcpyAsync:2:CUDA_ERROR_UNKNOWN,cuStreamSynchronize:1+:CUDA_ERROR_UNKNOWN");
        status = symm_device_engine_start(device, pushes, COPIES, -1, NULL, 0, &ticket);
        FORK_STATUS(self, status, SYMM_ERR_SYSTEM);
    }
    FORK_CHECK(self, !lasting || device_failure_names("has not answered"));
}

/* ---- the tests ------------------------------------------------------------------------------------ */

static void test_seen_early(void **state)
{
    (void)state;
    fork_ranks_run(1, seen_early, NULL);
}

static void test_seen_late(void **state)
{
    (void)state;
    fork_ranks_run(1, seen_late, NULL);
}

static void test_settling_fails(void **state)
{
    (void)state;
    fork_ranks_run(1, settling_fails, NULL);
}

static void test_captures(void **state)
{
    (void)state;
    for (CUstreamCaptureMode mode = 0; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++) {
        fork_ranks_run(1, capture_in_flight, &mode);
    }
    fork_ranks_run(1, capture_in_own, NULL);
}

static void test_flags_overwritten(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool is_foreign = i != 0;
        fork_ranks_run(1, flags_overwritten, &is_foreign);
    }
}

static void test_resets(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool by_program = i != 0;
        fork_ranks_run(1, reset_between, &by_program);
    }
    fork_ranks_run(1, reset_during, NULL);
}

static void test_streams(void **state)
{
    (void)state;
    fork_ranks_run(1, few_streams, NULL);
}

static void test_pop(void **state)
{
    (void)state;
    fork_ranks_run(1, pop_fails, NULL);
}

static void test_access_revoked(void **state)
{
    (void)state;
    fork_ranks_run(1, access_revoked, NULL);
}

static void test_waiting_fails(void **state)
{
    (void)state;
    for (int lasting = 0; lasting < 2; lasting++) {
        fork_ranks_run(1, waiting_fails, &lasting);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen_early),
        cmocka_unit_test(test_seen_late),
        cmocka_unit_test(test_settling_fails),
        cmocka_unit_test(test_captures),
        cmocka_unit_test(test_flags_overwritten),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_pop),
        cmocka_unit_test(test_access_revoked),
        cmocka_unit_test(test_waiting_fails),
    };
    unit_begin("test_cuda_contexts", 120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
