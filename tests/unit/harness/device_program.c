/*
 * device_program.c - see device_program.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_program.h"

struct device_program program;

void program_begin(struct fork_rank *self)
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
    PROGRAM_OK(self, program.cuInit(0));
}

CUdeviceptr program_memory(struct fork_rank *self)
{
    CUcontext context;
    CUdeviceptr memory;
    PROGRAM_OK(self, program.cuDevicePrimaryCtxRetain(&context, 0));
    PROGRAM_OK(self, program.cuCtxSetCurrent(context));
    PROGRAM_OK(self, program.cuMemAlloc(&memory, PROGRAM_BYTES));
    return memory;
}
