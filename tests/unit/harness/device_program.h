/*
 * device_program.h - what a program does itself on a device of the stand-in driver, beside the
 * library that is tested.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_DEVICE_PROGRAM_H
#define SYMM_TESTS_DEVICE_PROGRAM_H

#include "tests/standin/kernels.h"
#include "tests/unit/harness/device_memory.h"

enum { PROGRAM_BYTES = 4 << 20 };

/* Functions of the driver, and of the stand-in. */
struct device_program {
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
};

extern struct device_program program;

#define PROGRAM_OK(self, call) FORK_CHECK(self, (call) == CUDA_SUCCESS)

/* Find them, and initialise the driver; the library will use the same one. */
void program_begin(struct fork_rank *self);

/* As cudaSetDevice(0) and cudaMalloc(PROGRAM_BYTES). */
CUdeviceptr program_memory(struct fork_rank *self);

#endif /* SYMM_TESTS_DEVICE_PROGRAM_H */
