/*
 * cuda.h - the functions of the CUDA driver that the benchmark calls, looked up when it runs: the
 * same program works where there is no driver. Only for files that are compiled with cuda.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_CUDA_H
#define BENCH_CUDA_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

/* Some of these names are macros of cuda.h for a version (cuMemAlloc: cuMemAlloc_v2). They are
 * replaced here as everywhere else, so prototype, member and symbol are of the same version. */
#define CUDA_FUNCTIONS(USE) \
    USE(cuInit) \
    USE(cuGetErrorName) \
    USE(cuGetErrorString) \
    USE(cuDriverGetVersion) \
    USE(cuDeviceGetCount) \
    USE(cuDeviceGet) \
    USE(cuDeviceGetAttribute) \
    USE(cuDeviceGetName) \
    USE(cuDeviceGetUuid) \
    USE(cuDevicePrimaryCtxRetain) \
    USE(cuDevicePrimaryCtxRelease) \
    USE(cuCtxPushCurrent) \
    USE(cuCtxPopCurrent) \
    USE(cuStreamCreate) \
    USE(cuStreamSynchronize) \
    USE(cuStreamQuery) \
    USE(cuStreamDestroy) \
    USE(cuEventCreate) \
    USE(cuEventRecord) \
    USE(cuEventSynchronize) \
    USE(cuEventElapsedTime) \
    USE(cuEventDestroy) \
    USE(cuStreamBeginCapture) \
    USE(cuStreamEndCapture) \
    USE(cuGraphInstantiateWithFlags) \
    USE(cuGraphLaunch) \
    USE(cuGraphExecDestroy) \
    USE(cuGraphDestroy) \
    USE(cuMemAlloc) \
    USE(cuMemFree) \
    USE(cuMemAllocHost) \
    USE(cuMemFreeHost) \
    USE(cuMemcpyHtoDAsync) \
    USE(cuMemcpyDtoHAsync) \
    USE(cuMemcpyDtoDAsync) \
    USE(cuMemsetD8Async) \
    USE(cuPointerGetAttribute)

#define CUDA_MEMBER(name) __typeof__(name) *name;

struct cuda {
    void *library;
    CUDA_FUNCTIONS(CUDA_MEMBER)
};

/* Opens the driver, or the library that the environment variable SYMM_BENCH_CUDA_LIBRARY names;
 * false with a sentence in `text` (of FAILURE_LENGTH bytes) if it is not there or lacks a
 * function. */
bool cuda_open(struct cuda *cuda, char *text);

/* "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)", FAILURE_LENGTH bytes at most. */
void cuda_describe(const struct cuda *cuda, const char *call, CUresult result, char *text);

#endif
