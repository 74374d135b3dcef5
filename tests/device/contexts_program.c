/*
 * contexts_program.c - see contexts_program.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/device/contexts_program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 20 }; /* after which work that goes on is ended for the program */

struct program_cuda cuda;


static void *library;
symm_standin_left_function *standin_left;
CUdevice device;
CUstream copies;
CUdeviceptr input, output;

void check(const char *what, CUresult result)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "check_contexts: %s: error %d\n", what, (int)result);
        exit(3);
    }
}

/* ---- the program's part ---------------------------------------------------------------------- */

void driver_open(void)
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

void context_make(void)
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

void memory_make(void)
{
    OK(cuMemAlloc(&input, BYTES));
    OK(cuMemAlloc(&output, BYTES));
}

void input_write(uint32_t call)
{
    static uint32_t numbers[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        numbers[i] = number(test_rank, call, i);
    }
    OK(cuMemcpyHtoDAsync(input, numbers, BYTES, copies));
    OK(cuStreamSynchronize(copies));
}

bool output_is_summed(uint32_t call)
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

void calls_make(void)
{
    MPI_Allreduce(pointer(input), pointer(output), COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
}

static void numbers_add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint32_t *from = in;
    uint32_t *to = inout;
    (void)type;
    for (int i = 0; i < *count; i++) {
        to[i] += from[i];
    }
}

void below_make(void)
{
    MPI_Op add;
    MPI_Op_create(numbers_add, 1, &add);
    MPI_Reduce(pointer(input), pointer(output), COUNT, MPI_UINT32_T, add, 0, MPI_COMM_WORLD);
    MPI_Op_free(&add);
}

void calls_check(uint32_t call)
{
    input_write(call);
    calls_make();
    test_check(output_is_summed(call), "the sums are right");
    input_write(call + 1);
    below_make();
    test_check(test_rank != 0 || output_is_summed(call + 1), "the sums below are right");
}

unsigned flags_of(CUdevice of, int *active)
{
    unsigned flags = 0;
    OK(cuDevicePrimaryCtxGetState(of, &flags, active));
    return flags;
}

bool knows_flag(void)
{
    int version = 0;
    OK(cuDriverGetVersion(&version));
    return version >= 12010;
}

double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- work that goes on until the word is raised ---------------------------------------------- */

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

/* False: there is no compiler for it. */
static bool kernel_start(CUstream stream)
{
    CUmodule module;
    CUfunction function;
    void *argument = word, *arguments[] = {&argument};
    CUresult result = cuda.cuModuleLoadData(&module, spinning);
    if (result != CUDA_SUCCESS) {
        printf("a call beside the program's work: no kernel, error %d\n", (int)result);
        return false;
    }
    OK(cuModuleGetFunction(&function, module, "spin"));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    return true;
}

CUstream work_start(bool by_kernel)
{
    CUstream stream;
    word_make();
    atomic_store(&released, false);
    atomic_store(&was_late, false);
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    if (!by_kernel || !kernel_start(stream)) {
        OK(cuStreamWaitValue32(stream, (uintptr_t)word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    }
    (void)pthread_create(&guard, NULL, guard_main, NULL);
    return stream;
}

void work_end(CUstream stream)
{
    atomic_store(&released, true);
    atomic_store(word, 1);
    (void)pthread_join(guard, NULL);
    OK(cuStreamSynchronize(stream));
    test_check(!atomic_load(&was_late), "the call does not wait for the program's kernel");
}
