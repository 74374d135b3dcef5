/*
 * contexts_program.h - what check_contexts does as a program that uses devices: the driver's
 * functions, memory, sums that are checked, and work that goes on beside a call.
 *
 * Copies are made in a stream of their own, because stream 0 is what the tests are about.  What
 * fails here ends the program.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CONTEXTS_PROGRAM_H
#define SYMM_TESTS_CONTEXTS_PROGRAM_H

#include "tests/harness/harness.h"

#include <cuda.h>

#include "tests/standin/kernels.h"

enum { COUNT = 1 << 16, BYTES = COUNT * 4 };

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
    F(cuMemGetAddressRange, cuMemGetAddressRange_v2)                                     \
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

struct program_cuda {
#define MEMBER(name, symbol) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct program_cuda cuda;
extern symm_standin_left_function *standin_left; /* NULL: a real driver */
extern CUdevice device;
extern CUstream copies; /* does not block */
extern CUdeviceptr input, output;

void check(const char *what, CUresult result);

#define OK(call) check(#call, cuda.call)

/* Load the driver and initialise it; before MPI_Init or after. */
void driver_open(void);

/* As cudaSetDevice(); memory for input and output. */
void context_make(void);
void memory_make(void);

static inline void *pointer(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

/* The input of call number `call`, and whether the output is the sum of all ranks' inputs. */
void input_write(uint32_t call);
bool output_is_summed(uint32_t call);

/* An all-reduce, which kernels serve. */
void calls_make(void);

/* A sum at rank 0 that is made below on host copies: its operation is host code. */
void below_make(void);

/* Both, with results that are checked. */
void calls_check(uint32_t call);

/* The flags of a primary context, and whether the driver knows CU_CTX_SYNC_MEMOPS. */
unsigned flags_of(CUdevice of, int *active);
bool knows_flag(void);

double seconds(void);

/*
 * Work in a blocking stream that goes on until work_end(), which fails the test if the program had
 * to be helped out of waiting for it: a kernel, or a wait for a word in host memory.
 */
CUstream work_start(bool by_kernel);
void work_end(CUstream stream);

#endif
