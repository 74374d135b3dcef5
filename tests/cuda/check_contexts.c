/*
 * check_contexts.c - calls on device memory while the program captures a graph, has work in flight that goes on until
 * after the call, overwrites the flags of its device, or resets it: on the stand-in driver or on GPUs.
 *
 *     check_contexts CASE      (the table at the end)
 *
 * The program's own copies are made in a stream of their own, because stream 0 is what these tests are about.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "harness.h"

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/cuda/kernels.h"

enum {
    COUNT = 1 << 16,
    BYTES = COUNT * 4,
    SECONDS = 20,      /* after which work that goes on is ended for the program */
    STREAMS_MOST = 3,  /* of the component in a rank that has made one call */
    PROGRAM_STREAMS = 2,
};

/* Each under the name that the library exports. */
#define FUNCTIONS(F)                                                                     \
    F(cuInit, cuInit)                                                                    \
    F(cuDriverGetVersion, cuDriverGetVersion)                                            \
    F(cuDeviceGetCount, cuDeviceGetCount)                                                \
    F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                                \
    F(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState)                            \
    F(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)                         \
    F(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)                               \
    F(cuCtxSetCurrent, cuCtxSetCurrent)                                                  \
    F(cuMemAlloc, cuMemAlloc_v2)                                                         \
    F(cuMemHostAlloc, cuMemHostAlloc)                                                    \
    F(cuMemsetD8, cuMemsetD8_v2)                                                         \
    F(cuMemsetD8Async, cuMemsetD8Async)                                                  \
    F(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)                                           \
    F(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)                                           \
    F(cuStreamCreate, cuStreamCreate)                                                    \
    F(cuStreamSynchronize, cuStreamSynchronize)                                          \
    F(cuStreamBeginCapture, cuStreamBeginCapture_v2)                                     \
    F(cuStreamEndCapture, cuStreamEndCapture)                                            \
    F(cuStreamWaitValue32, cuStreamWaitValue32_v2)                                       \
    F(cuModuleLoadData, cuModuleLoadData)                                                \
    F(cuModuleGetFunction, cuModuleGetFunction)                                          \
    F(cuLaunchKernel, cuLaunchKernel)

static struct {
#define MEMBER(name, symbol) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} cuda;

static void *library;
static symm_standin_left_function *standin_left; /* NULL: a real driver */
static CUdevice device;
static CUstream copies; /* does not block */
static CUdeviceptr input, output;

static void check(const char *what, CUresult result)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "check_contexts: %s: error %d\n", what, (int)result);
        exit(3);
    }
}

#define OK(call) check(#call, cuda.call)

/* ---- the program's part -------------------------------------------------------------------------- */

static void driver_open(void)
{
    const char *path = getenv("SYMM_TEST_CUDA_LIBRARY");
    const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    int count = 0;
    library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "check_contexts: %s\n", dlerror());
        exit(3);
    }
    void *address;
#define LOOK_UP(name, symbol)                            \
    address = dlsym(library, #symbol);                   \
    memcpy(&cuda.name, &address, sizeof(address));       \
    if (address == NULL) {                               \
        check(#symbol " is not there", CUDA_ERROR_NOT_FOUND); \
    }
    FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    address = dlsym(library, "symm_standin_left");
    memcpy(&standin_left, &address, sizeof(address));
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    if (count == 0) {
        check("devices", CUDA_ERROR_NO_DEVICE);
    }
    device = (rank != NULL ? atoi(rank) : 0) % count;
}

/* As cudaSetDevice(). */
static void context_make(void)
{
    CUcontext context;
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
}

static uint32_t number(int rank, uint32_t call, uint32_t i)
{
    return call * 1000003U + (uint32_t)rank * 777U + i * 13U;
}

static void memory_make(void)
{
    OK(cuMemAlloc(&input, BYTES));
    OK(cuMemAlloc(&output, BYTES));
}

static void input_write(uint32_t call)
{
    static uint32_t numbers[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        numbers[i] = number(test_rank, call, i);
    }
    OK(cuMemcpyHtoDAsync(input, numbers, BYTES, copies));
    OK(cuStreamSynchronize(copies));
}

static bool output_is_summed(uint32_t call)
{
    static uint32_t numbers[COUNT];
    bool right = true;
    OK(cuMemcpyDtoHAsync(numbers, output, BYTES, copies));
    OK(cuStreamSynchronize(copies));
    for (uint32_t i = 0; i < COUNT && right; i++) {
        uint32_t sum = 0;
        for (int rank = 0; rank < test_size; rank++) {
            sum += number(rank, call, i);
        }
        right = numbers[i] == sum;
    }
    return right;
}

static void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* A call that kernels serve, and one that is made below on host copies. */
static void calls_make(void)
{
    MPI_Allreduce(pointer(input), pointer(output), COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
}

static void calls_check(uint32_t call)
{
    input_write(call);
    calls_make();
    test_check(output_is_summed(call), "the sums are right");
    input_write(call + 1);
    MPI_Reduce(pointer(input), pointer(output), COUNT, MPI_UINT32_T, MPI_SUM, 0, MPI_COMM_WORLD);
    test_check(test_rank != 0 || output_is_summed(call + 1), "the sums below are right");
}

static unsigned flags_of(CUdevice of, int *active)
{
    unsigned flags = 0;
    OK(cuDevicePrimaryCtxGetState(of, &flags, active));
    return flags;
}

static bool knows_flag(void)
{
    int version = 0;
    OK(cuDriverGetVersion(&version));
    return version >= 12010;
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- work that goes on until the word is raised ---------------------------------------------------- */

static _Atomic uint32_t *word;
static _Atomic bool released, was_late;
static pthread_t guard;

/* Otherwise a call that waits for it would never come back. */
static void *guard_main(void *argument)
{
    double end = seconds() + SECONDS;
    (void)argument;
    while (!atomic_load(&released) && seconds() < end) {
        (void)usleep(10000);
    }
    if (!atomic_load(&released)) {
        atomic_store(&was_late, true);
        atomic_store(word, 1);
    }
    return NULL;
}

static const char spinning[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".visible .entry spin(.param .u64 word)\n"
    "{\n"
    "    .reg .pred %p<2>;\n    .reg .u32 %r<2>;\n    .reg .u64 %d<3>;\n"
    "    ld.param.u64 %d1, [word];\n"
    "    cvta.to.global.u64 %d2, %d1;\n"
    "again:\n"
    "    ld.volatile.global.u32 %r1, [%d2];\n"
    "    setp.eq.u32 %p1, %r1, 0;\n"
    "    @%p1 bra again;\n"
    "    ret;\n"
    "}\n";

static void word_make(void)
{
    void *memory;
    OK(cuMemHostAlloc(&memory, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    word = memory;
    atomic_store(word, 0);
}

static void kernel_start(CUstream stream)
{
    CUmodule module;
    CUfunction function;
    void *argument = word, *arguments[] = {&argument};
    OK(cuModuleLoadData(&module, spinning));
    OK(cuModuleGetFunction(&function, module, "spin"));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

static CUstream work_start(bool by_kernel)
{
    CUstream stream;
    word_make();
    atomic_store(&released, false);
    atomic_store(&was_late, false);
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    if (by_kernel) {
        kernel_start(stream);
    } else {
        OK(cuStreamWaitValue32(stream, (uintptr_t)word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    }
    (void)pthread_create(&guard, NULL, guard_main, NULL);
    return stream;
}

static void work_end(CUstream stream)
{
    atomic_store(&released, true);
    atomic_store(word, 1);
    (void)pthread_join(guard, NULL);
    OK(cuStreamSynchronize(stream));
    test_check(!atomic_load(&was_late), "the call does not wait for the program's kernel");
}

/* ---- cases: before MPI_Init, and after it ------------------------------------------------------------ */

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

/* One call while work goes on: below, on host copies, or by kernels. */
static void early_call(uint32_t call, bool by_kernel, bool is_below)
{
    input_write(call);
    CUstream stream = work_start(by_kernel);
    double begin = seconds();
    if (is_below) {
        MPI_Reduce(pointer(input), pointer(output), COUNT, MPI_UINT32_T, MPI_SUM, 0,
                   MPI_COMM_WORLD);
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
 * The first call takes host copies.  The first one that kernels serve maps memory, which is a case of its own: the
 * stand-in lets that wait for everything.
 */
static void early_after(bool by_kernel)
{
    early_begin();
    early_call(1, by_kernel, true);
    calls_check(2);
    if (standin_left != NULL) {
        test_check(standin_left("stream") <= PROGRAM_STREAMS + STREAMS_MOST, "few streams are made");
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
    calls_make();
    calls_make();
    work_end(stream);
    test_check(output_is_summed(1), "the sums are right");
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

/* The context is older than MPI_Init, so the first calls have something to wait for, and must not. */
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
    for (unsigned char call = 1; call < 20; call++) {
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

/* Whether the driver still knows memory of virtual memory management after a reset: the manuals do not say. */
static bool is_there(const void *memory)
{
    static unsigned char bytes[BYTES];
    CUresult result = cuda.cuMemcpyDtoHAsync(bytes, (uintptr_t)memory, BYTES, copies);
    if (result == CUDA_SUCCESS) {
        result = cuda.cuStreamSynchronize(copies);
    }
    return result == CUDA_SUCCESS;
}

static void reset_after(void)
{
    void *heap = heap_memory();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t call = 0; call < 4; call++) { /* so often that memory is mapped */
            calls_check(10 * round + 2 * call);
        }
        input_write(50);
        MPI_Allreduce(pointer(input), heap, COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        OK(cuDevicePrimaryCtxReset(device));
        MPI_Barrier(MPI_COMM_WORLD);
        context_make();
        memory_make();
        int there = is_there(heap), all = 0;
        MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (test_rank == 0) {
            printf("after a reset memory of MPI_Alloc_mem is %s\n", all != 0 ? "there" : "gone");
        }
        if (all == 0) {
            heap = heap_memory();
        }
        input_write(60);
        MPI_Allreduce(pointer(input), heap, COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
        output = (uintptr_t)heap;
        test_check(output_is_summed(60), "the sums in the heap are right");
        OK(cuMemAlloc(&output, BYTES));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    OK(cuDevicePrimaryCtxReset(device)); /* as many programs do in the end */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Free_mem(heap);
}

/* ---- which one ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*before)(void), (*after)(void);
} cases[] = {
    {"occupied", early_before, occupied_after}, /* a blocking stream that waits for the host */
    {"kernel", early_before, kernel_after},     /* a kernel that does; on GPUs only */
    {"mapping", early_before, mapping_after},   /* likewise, while memory is mapped */
    {"late", nothing_before, late_after},       /* the driver is loaded after MPI_Init; takes 5 s */
    {"capture", context_before, capture_after},
    {"overwritten", context_before, overwritten_after},
    {"reset", context_before, reset_after},
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
    if (strcmp(argv[1], "reset") == 0 && (flags_of(device, &active), active != 0)) {
        fprintf(stderr, "check_contexts: MPI_Finalize has made a context\n");
        status = 1;
    }
    return status;
}
