/*
 * test_cuda_heap.c - heaps of device memory, on the stand-in driver (tests/standin): blocks, peers,
 * several devices, and what a program has current.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, SEGMENT_SIZE = 2 * MIB, BIG = 3 * MIB };

/* ---- drivers --------------------------------------------------------------------------------- */

static void test_no_driver(struct fork_rank *self, void *context)
{
    const struct symm_cuda *cuda;
    const struct symm_kind *kind;
    struct symm_heap *heap;
    int device;
    (void)context;
    struct symm_process *process = fork_team_process(self);
    symm_cuda_configure("/nowhere/libcuda.so.1");
    for (int round = 0; round < 2; round++) {
        symm_cuda_forget_failure();
        FORK_CHECK(self, device_failure_names(""));
        FORK_STATUS(self, symm_cuda_get(&cuda), SYMM_ERR_NOT_FOUND);
        FORK_CHECK(self, device_failure_names("/nowhere/libcuda.so.1"));
        FORK_STATUS(self, symm_cuda_device_current(&device), SYMM_ERR_NOT_FOUND);
        FORK_STATUS(self, symm_kind_of_device(0, &kind), SYMM_ERR_NOT_FOUND);
        FORK_STATUS(self, symm_process_device_heap(process, 0, &heap), SYMM_ERR_NOT_FOUND);
        FORK_CHECK(self, !symm_cuda_is_used());
        FORK_CHECK(self, symm_process_heap_at(process, 1) == NULL);
    }
    memset(device_alloc(self, symm_process_heap(process), 1000), 1, 1000);
    device_driver_use(); /* what has failed is tried anew */
    (void)device_alloc(self, device_heap(self, process, 0), 1000);
    FORK_CHECK(self, symm_cuda_is_used());
    symm_process_release(process);
}

static void test_no_devices(struct fork_rank *self, void *context)
{
    struct symm_heap *heap;
    int device;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DEVICES", "0", 1) == 0);
    struct symm_process *process = device_process(self);
    FORK_STATUS(self, symm_cuda_device_current(&device), SYMM_ERR_NOT_FOUND);
    FORK_CHECK(self, device_failure_names("device"));
    FORK_CHECK(self, symm_process_device_heap(process, 0, &heap) != SYMM_OK);
    symm_process_release(process);
}

static void test_wrong_devices(struct fork_rank *self, void *context)
{
    static const int wrong[] = {-1, 2, SYMM_CUDA_DEVICES_MAX, SYMM_CUDA_DEVICES_MAX + 1};
    struct symm_process *process = device_process(self);
    struct symm_heap *heap;
    (void)context;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        FORK_STATUS(self, symm_process_device_heap(process, wrong[i], &heap), SYMM_ERR_ARGUMENT);
        FORK_CHECK(self, device_failure_names("no device"));
    }
    FORK_CHECK(self, symm_process_heap_at(process, 1) == NULL);
    symm_process_release(process);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void test_blocks(struct fork_rank *self, void *context)
{
    static const size_t sizes[] = {1, 1000, 100000, SEGMENT_SIZE, BIG};
    enum { BLOCKS = sizeof(sizes) / sizeof(*sizes) };
    void *blocks[BLOCKS];
    struct symm_location location;
    struct symm_heap_stats stats;
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, 1);
    (void)context;
    FORK_CHECK(self, device_heap(self, process, 1) == heap);
    FORK_CHECK(self, symm_heap_device(heap) == 1);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < BLOCKS; i++) {
            blocks[i] = device_alloc(self, heap, sizes[i]);
            FORK_CHECK(self, round > 0 || device_is_zero(self, 1, blocks[i], sizes[i]));
            device_fill(self, 1, blocks[i], sizes[i], i);
            FORK_STATUS(self, symm_process_locate(process, blocks[i], sizes[i], &location),
                        SYMM_OK);
            FORK_CHECK(self, location.heap == 1);
            FORK_CHECK(self, symm_heap_address(heap, location.offset) == blocks[i]);
        }
        for (size_t i = 0; i < BLOCKS; i++) {
            FORK_CHECK(self, device_is_filled(self, 1, blocks[i], sizes[i], i));
            FORK_STATUS(self, symm_heap_free(heap, blocks[i]), SYMM_OK);
            FORK_STATUS(self, symm_heap_free(heap, blocks[i]), SYMM_ERR_FREED);
        }
    }
    symm_heap_get_stats(heap, &stats);
    FORK_CHECK(self, stats.segments == 1 && stats.blocks == 0 && stats.segments_retired > 0);
    symm_process_release(process);
}

/* Heaps have numbers in the order of their first use, and addresses tell them apart. */
static void test_several_heaps(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_location location;
    int local = 0;
    (void)context;
    void *blocks[3] = {
        device_alloc(self, symm_process_heap(process), 1000),
        device_alloc(self, device_heap(self, process, 1), 1000),
    };
    FORK_CHECK(self, symm_cuda_device_reaches(1, blocks[1]));
    FORK_CHECK(self, !symm_cuda_device_reaches(0, blocks[1])); /* it is not in use yet */
    blocks[2] = device_alloc(self, device_heap(self, process, 0), 1000);
    for (uint32_t i = 0; i < 3; i++) {
        FORK_STATUS(self, symm_process_locate(process, blocks[i], 1000, &location), SYMM_OK);
        FORK_CHECK(self, location.heap == i);
        FORK_CHECK(self, symm_cuda_device_reaches(0, blocks[i]) == (i > 0));
        FORK_CHECK(self, symm_cuda_device_reaches(1, blocks[i]) == (i > 0));
    }
    FORK_STATUS(self, symm_process_locate(process, &local, 1, &location), SYMM_ERR_FOREIGN);
    FORK_CHECK(self, symm_heap_device(symm_process_heap_at(process, 0)) == -1);
    FORK_CHECK(self, symm_heap_device(symm_process_heap_at(process, 1)) == 1);
    FORK_CHECK(self, symm_heap_device(symm_process_heap_at(process, 2)) == 0);
    FORK_CHECK(self, symm_process_heap_at(process, 3) == NULL);
    FORK_CHECK(self, symm_process_heap_at(process, SYMM_HEAPS_MAX) == NULL);
    device_fill(self, 0, blocks[1], 1000, 7); /* the other device's */
    FORK_CHECK(self, device_is_filled(self, 1, blocks[1], 1000, 7));
    symm_process_release(process);
}

static void test_memory_runs_out(struct fork_rank *self, void *context)
{
    enum { BLOCKS = 100 };
    void *blocks[BLOCKS], *block = NULL;
    size_t count = 0;
    enum symm_status status;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_MEMORY", "16777216", 1) == 0);
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, 0);
    while ((status = symm_heap_alloc(heap, SEGMENT_SIZE, 0, &block)) == SYMM_OK) {
        FORK_CHECK(self, count < BLOCKS);
        blocks[count++] = block;
    }
    FORK_STATUS(self, status, SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, device_failure_names("cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY"));
    FORK_CHECK(self, count == 8);
    FORK_STATUS(self, symm_heap_free(heap, blocks[3]), SYMM_OK);
    FORK_CHECK(self, device_alloc(self, heap, SEGMENT_SIZE) == blocks[3]);
    symm_process_release(process);
}

/* Less than a segment of the usual size is left. */
static void test_device_is_nearly_full(struct fork_rank *self, void *context)
{
    const struct symm_heap_config usual = {.window_size = (size_t)1 << 30};
    struct symm_process *process = NULL;
    struct symm_heap_stats stats;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_MEMORY", "16777216", 1) == 0);
    device_driver_use();
    FORK_STATUS(self, symm_process_acquire(&usual, &process), SYMM_OK);
    struct symm_heap *heap = device_heap(self, process, 0);
    void *block = device_alloc(self, heap, BIG);
    FORK_CHECK(self, device_is_zero(self, 0, block, BIG));
    symm_heap_get_stats(heap, &stats);
    FORK_CHECK(self, stats.segments == 1 && stats.segment_bytes == 4 * MIB);
    (void)device_alloc(self, heap, 12 * MIB);
    FORK_STATUS(self, symm_heap_alloc(heap, BIG, 0, &block), SYMM_ERR_NO_MEMORY);
    symm_process_release(process);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    struct symm_process *process;
    int number;
    bool failed;
};

/* The first use of the driver, of either device, and of their heaps, by all threads at a time. */
static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < 20 && !worker->failed; round++) {
        struct symm_heap *heap = NULL;
        struct symm_location location;
        void *block = NULL;
        size_t size = (size_t)(1 + round % 3) * MIB;
        int device = (worker->number + round) % 2;
        worker->failed =
            symm_process_device_heap(worker->process, device, &heap) != SYMM_OK ||
            symm_heap_device(heap) != device ||
            symm_heap_alloc(heap, size, 0, &block) != SYMM_OK ||
            symm_process_locate(worker->process, block, size, &location) != SYMM_OK ||
            symm_process_heap_at(worker->process, location.heap) != heap ||
            !symm_cuda_device_reaches(device, block) ||
            symm_heap_free(heap, block) != SYMM_OK;
    }
    return NULL;
}

static void test_threads(struct fork_rank *self, void *context)
{
    enum { WORKERS = 4 };
    struct worker workers[WORKERS];
    struct symm_process *process = device_process(self);
    (void)context;
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.process = process, .number = i};
        FORK_CHECK(self, pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]) == 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        FORK_CHECK(self, pthread_join(workers[i].thread, NULL) == 0);
        FORK_CHECK(self, !workers[i].failed);
    }
    FORK_CHECK(self, symm_process_heap_at(process, 3) == NULL);
    symm_process_release(process);
}

/* ---- what the program has current ------------------------------------------------------------ */

static void test_contexts(struct fork_rank *self, void *context)
{
    const struct symm_cuda *cuda;
    CUcontext before = NULL, after = NULL, program = NULL;
    char text[SYMM_CUDA_TEXT_SIZE];
    int device = -1;
    (void)context;
    struct symm_process *process = device_process(self);
    for (int rank = 0; rank < 5; rank++) {
        symm_cuda_configure_rank(rank);
        FORK_STATUS(self, symm_cuda_device_current(&device), SYMM_OK);
        FORK_CHECK(self, device == rank % 2);
    }
    FORK_STATUS(self, symm_cuda_get(&cuda), SYMM_OK);
    (void)device_alloc(self, device_heap(self, process, 0), 1000);
    FORK_CHECK(self, cuda->cuCtxGetCurrent(&after) == CUDA_SUCCESS && after == NULL);
    FORK_CHECK(self, cuda->cuDevicePrimaryCtxRetain(&program, 1) == CUDA_SUCCESS);
    FORK_CHECK(self, cuda->cuCtxPushCurrent(program) == CUDA_SUCCESS);
    FORK_CHECK(self, cuda->cuCtxGetCurrent(&before) == CUDA_SUCCESS && before == program);
    symm_cuda_configure_rank(0);
    FORK_STATUS(self, symm_cuda_device_current(&device), SYMM_OK);
    FORK_CHECK(self, device == 1);
    (void)device_alloc(self, device_heap(self, process, 0), BIG);
    (void)device_alloc(self, device_heap(self, process, 1), BIG);
    FORK_CHECK(self, cuda->cuCtxGetCurrent(&after) == CUDA_SUCCESS && after == program);
    for (CUdevice handle = 0; handle < 2; handle++) {
        unsigned flags = 0;
        int active = 0;
        FORK_CHECK(self, cuda->cuDevicePrimaryCtxGetState(handle, &flags, &active) == CUDA_SUCCESS);
        FORK_CHECK(self, active != 0 && (flags & CU_CTX_SYNC_MEMOPS) != 0);
    }
    symm_cuda_device_describe(1, text, sizeof(text));
    FORK_CHECK(self, strncmp(text, "device 1 (", 10) == 0 && strstr(text, ", GPU-") != NULL);
    symm_cuda_device_describe(99, text, sizeof(text));
    FORK_CHECK(self, strcmp(text, "device 99") == 0);
    symm_process_release(process);
}

/* As if another thread of the program were capturing a graph. */
static void test_capture(struct fork_rank *self, void *context)
{
    FORK_CHECK(self, setenv("SYMM_STANDIN_CAPTURING", "1", 1) == 0);
    test_blocks(self, context);
}

UNIT_MAIN("test_cuda_heap", 150,
    FORK_TEST(test_no_driver, 1),
    FORK_TEST(test_no_devices, 1),
    FORK_TEST(test_wrong_devices, 1),
    FORK_TEST(test_blocks, 1),
    FORK_TEST(test_several_heaps, 1),
    FORK_TEST(test_memory_runs_out, 1),
    FORK_TEST(test_device_is_nearly_full, 1),
    FORK_TEST(test_threads, 1),
    FORK_TEST(test_contexts, 1),
    FORK_TEST(test_capture, 1))
