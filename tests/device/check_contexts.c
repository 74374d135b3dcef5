/*
 * check_contexts.c - calls on device memory while the program captures a graph, has work in flight
 * that goes on until after the call, overwrites the flags of its device, or resets it: on the
 * stand-in driver or on GPUs.
 *
 *     check_contexts CASE      (the table at the end)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/device/contexts_program.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    STREAMS_MOST = 3, /* of the component in a rank that has made calls */
    PROGRAM_STREAMS = 2,
};

/* ---- cases: before MPI_Init, and after it ---------------------------------------------------- */

static void early_before(void)
{
    driver_open();
}

/* The driver is there when the component opens, and no context. */
static void early_begin(void)
{
    int active = 1;
    unsigned flags = flags_of(device, &active);
    test_check(active == 0, "MPI_Init makes no context");
    test_check(!knows_flag() || (flags & CU_CTX_SYNC_MEMOPS) != 0, "MPI_Init sets the flag");
    context_make();
    memory_make();
}

/* One call while work goes on: below, or by kernels. */
static void early_call(uint32_t call, bool by_kernel, bool is_below)
{
    input_write(call);
    CUstream stream = work_start(by_kernel);
    double begin = seconds();
    if (is_below) {
        below_make();
    } else {
        calls_make();
    }
    double end = seconds();
    work_end(stream);
    test_check((is_below && test_rank != 0) || output_is_summed(call), "the sums are right");
    if (test_rank == 0) {
        printf("a call beside the program's work took %.3f s\n", end - begin);
    }
}

/*
 * The first call takes host copies.  The first one that kernels serve maps memory, which is a case
 * of its own: the stand-in lets that wait for everything.
 */
static void early_after(bool by_kernel)
{
    early_begin();
    early_call(1, by_kernel, true);
    calls_check(2);
    if (standin_left != NULL) {
        test_check(standin_left("stream") <= PROGRAM_STREAMS + STREAMS_MOST,
                   "few streams are made");
    }
    early_call(4, by_kernel, false);
    early_call(5, by_kernel, true);
    calls_check(6);
}

static void occupied_after(void)
{
    early_after(false);
}

static void kernel_after(void)
{
    early_after(true);
}

static void mapping_after(void)
{
    early_begin();
    early_call(1, true, false);
    calls_check(2);
}

static void nothing_before(void)
{
}

/* Nobody has seen the driver when the kernel starts: the wait that is made then has an end. */
static void late_after(void)
{
    driver_open();
    context_make();
    memory_make();
    input_write(1);
    CUstream stream = work_start(standin_left == NULL);
    below_make();
    work_end(stream);
    test_check(test_rank != 0 || output_is_summed(1), "the sums are right");
}

static void *work_end_soon(void *stream)
{
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    test_delay(200000);
    work_end(stream);
    return NULL;
}

/*
 * The root of a small gather sends from the host and receives on the device, where a memset has not
 * been done yet.  The others have left, so the root itself stores what it has got.
 */
static void late_mixed_after(void)
{
    enum { SOME = 10, RANKS_MAX = 8, FIRST = 4 };
    uint32_t own[SOME], all[RANKS_MAX * SOME];
    pthread_t thread;
    for (uint32_t i = 0; i < SOME; i++) {
        own[i] = 100 * (uint32_t)(test_rank + 1) + i;
    }
    for (int i = 0; i < FIRST; i++) { /* the ranks come to share memory */
        MPI_Gather(own, SOME, MPI_UINT32_T, all, SOME, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    }
    driver_open();
    context_make();
    memory_make();
    CUstream stream = work_start(false);
    OK(cuMemsetD8Async(output, 0, BYTES, NULL));
    (void)pthread_create(&thread, NULL, work_end_soon, stream);
    MPI_Gather(own, SOME, MPI_UINT32_T, test_rank == 0 ? pointer(output) : NULL, SOME, MPI_UINT32_T,
               0, MPI_COMM_WORLD);
    (void)pthread_join(thread, NULL);
    OK(cuStreamSynchronize(NULL));
    OK(cuMemcpyDtoHAsync(all, output, sizeof(own) * (size_t)test_size, copies));
    OK(cuStreamSynchronize(copies));
    for (uint32_t i = 0; test_rank == 0 && i < SOME * (uint32_t)test_size; i++) {
        test_check(all[i] == 100 * (i / SOME + 1) + i % SOME, "the memset is done before the call");
    }
}

static void context_before(void)
{
    driver_open();
    context_make();
    memory_make();
}

static struct capture {
    CUstreamCaptureMode mode;
    CUstream stream;
    CUresult result;
    CUgraph graph;
    pthread_barrier_t begun, over;
} capture;

static void capture_begin(void)
{
    OK(cuStreamBeginCapture(capture.stream, capture.mode));
    OK(cuMemsetD8Async(input, 0, BYTES, capture.stream)); /* it is not done, but remembered */
}

static void capture_end(void)
{
    capture.graph = NULL;
    capture.result = cuda.cuStreamEndCapture(capture.stream, &capture.graph);
}

static void *capture_main(void *argument)
{
    CUcontext context;
    (void)argument;
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    capture_begin();
    (void)pthread_barrier_wait(&capture.begun);
    (void)pthread_barrier_wait(&capture.over);
    capture_end();
    return NULL;
}

static void capture_check(const char *where)
{
    test_case("capture in %s, mode %d", where, (int)capture.mode);
    test_check(capture.result == CUDA_SUCCESS && capture.graph != NULL, "the capture goes on");
}

/* As the context is older than MPI_Init, the first calls want to wait, and must not. */
static void capture_after(void)
{
    OK(cuStreamCreate(&capture.stream, CU_STREAM_DEFAULT));
    (void)pthread_barrier_init(&capture.begun, NULL, 2);
    (void)pthread_barrier_init(&capture.over, NULL, 2);
    for (uint32_t i = 0; i < 3; i++) {
        capture.mode = (CUstreamCaptureMode)i;
        input_write(i);
        capture_begin();
        calls_make();
        capture_end();
        capture_check("this thread");
        test_check(output_is_summed(i), "the sums are right");
    }
    for (uint32_t i = 0; i < 3; i++) {
        pthread_t thread;
        capture.mode = (CUstreamCaptureMode)i;
        input_write(i);
        (void)pthread_create(&thread, NULL, capture_main, NULL);
        (void)pthread_barrier_wait(&capture.begun);
        calls_make();
        (void)pthread_barrier_wait(&capture.over);
        (void)pthread_join(thread, NULL);
        capture_check("another thread");
        test_check(output_is_summed(i), "the sums are right");
    }
    calls_check(10);
}

/* What cudaSetDeviceFlags() does; then a memset that takes longer than a call takes to begin. */
static void overwritten_after(void)
{
    size_t size = (size_t)(standin_left != NULL ? 16 : 1024) << 20;
    CUdeviceptr large;
    static unsigned char got[BYTES];
    int active;
    calls_check(1);
    OK(cuMemAlloc(&large, size));
    for (unsigned char call = 1; call < (test_whole ? 20 : 6); call++) {
        bool right = true;
        OK(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN));
        OK(cuMemsetD8(large, 0, size));
        OK(cuMemsetD8(large, call, size));
        MPI_Allreduce(pointer(large + size - BYTES), pointer(output), BYTES, MPI_BYTE, MPI_BOR,
                      MPI_COMM_WORLD);
        OK(cuMemcpyDtoHAsync(got, output, BYTES, copies));
        OK(cuStreamSynchronize(copies));
        for (int i = 0; i < BYTES && right; i++) {
            right = got[i] == call;
        }
        test_check(right, "what the memset has written is there");
        test_check(!knows_flag() || flags_of(device, &active) ==
                                        (CU_CTX_SCHED_SPIN | CU_CTX_SYNC_MEMOPS),
                   "the flag is set again, and the others stay");
    }
}

static void *heap_memory(void)
{
    MPI_Info info;
    void *memory = NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    MPI_Alloc_mem(BYTES, info, &memory);
    MPI_Info_free(&info);
    return memory;
}

/* Whether virtual memory outlives a reset: the manuals do not say. */
static bool is_there(const void *memory)
{
    static unsigned char bytes[BYTES];
    CUdeviceptr base;
    size_t size;
    CUresult result = cuda.cuMemGetAddressRange(&base, &size, (uintptr_t)memory);
    if (result == CUDA_SUCCESS) {
        result = cuda.cuMemcpyDtoHAsync(bytes, (uintptr_t)memory, BYTES, copies);
    }
    if (result == CUDA_SUCCESS) {
        result = cuda.cuStreamSynchronize(copies);
    }
    return result == CUDA_SUCCESS;
}

/*
 * On all ranks, or on all but the first, which keeps its memory and what it has open of the others.
 */
static void reset_on(bool all_ranks)
{
    bool mine = all_ranks || test_rank != 0;
    void *heap = heap_memory();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t call = 0; call < 4; call++) { /* so often that memory is mapped */
            calls_check(10 * round + 2 * call);
        }
        input_write(50);
        MPI_Allreduce(pointer(input), heap, COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (mine) {
            OK(cuDevicePrimaryCtxReset(device));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (mine) {
            context_make();
            memory_make();
        }
        int there = is_there(heap), all = 0;
        MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (test_rank == 0) {
            printf("after a reset memory of MPI_Alloc_mem is %s\n", all != 0 ? "there" : "gone");
        }
        if (all == 0) {
            heap = heap_memory();
        }
        CUdeviceptr usual = output;
        input_write(60);
        MPI_Allreduce(pointer(input), heap, COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
        output = (uintptr_t)heap;
        test_check(output_is_summed(60), "the sums in the heap are right");
        output = usual;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(cuDevicePrimaryCtxReset(device)); /* as many programs do in the end */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Free_mem(heap);
}

static void reset_after(void)
{
    reset_on(true);
}

static void reset_one_after(void)
{
    reset_on(false);
}

/* ---- which one ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*before)(void), (*after)(void);
} cases[] = {
    {"occupied", early_before, occupied_after}, /* a blocking stream that waits for the host */
    {"kernel", early_before, kernel_after},     /* a kernel that does; on GPUs only */
    {"mapping", early_before, mapping_after},   /* likewise, while memory is mapped */
    {"late", nothing_before, late_after},       /* the driver is loaded after MPI_Init; takes 5 s */
    {"late-mixed", nothing_before, late_mixed_after}, /* a small gather, to a device */
    {"capture", context_before, capture_after},
    {"overwritten", context_before, overwritten_after},
    {"reset", context_before, reset_after},
    {"reset-one", context_before, reset_one_after},
};

int main(int argc, char **argv)
{
    size_t wanted = 0;
    while (argc == 2 && wanted < sizeof(cases) / sizeof(*cases) &&
           strcmp(cases[wanted].name, argv[1]) != 0) {
        wanted++;
    }
    if (argc != 2 || wanted == sizeof(cases) / sizeof(*cases)) {
        fprintf(stderr, "usage: check_contexts CASE\n");
        return 2;
    }
    cases[wanted].before();
    test_begin(1, argv, "check_contexts", MPI_THREAD_MULTIPLE);
    test_case("%s", argv[1]);
    cases[wanted].after();
    int status = test_end();
    int active = 0;
    if (strncmp(argv[1], "reset", 5) == 0 && (flags_of(device, &active), active != 0)) {
        fprintf(stderr, "check_contexts: MPI_Finalize has made a context\n");
        status = 1;
    }
    return status;
}
