/*
 * standin_driver.h - the stand-in driver opened as an application's: its functions by name, and the
 * few things that every use of it begins with.
 *
 * The driver reads its settings from the environment when they are first needed, so each test uses
 * it in a rank (fork_ranks.h) that has set them and opened it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_DRIVER_H
#define SYMM_TESTS_STANDIN_DRIVER_H

#include <cuda.h>

#include "tests/unit/harness/fork_ranks.h"

#define STANDIN_FUNCTIONS(F)                                                                       \
    F(cuInit, "cuInit")                                                                            \
    F(cuDriverGetVersion, "cuDriverGetVersion")                                                    \
    F(cuGetErrorName, "cuGetErrorName")                                                            \
    F(cuGetErrorString, "cuGetErrorString")                                                        \
    F(cuDeviceGetCount, "cuDeviceGetCount")                                                        \
    F(cuDeviceGet, "cuDeviceGet")                                                                  \
    F(cuDeviceGetUuid, "cuDeviceGetUuid")                                                          \
    F(cuDeviceGetName, "cuDeviceGetName")                                                          \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute")                                                \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                        \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease")                                      \
    F(cuDevicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState")                                    \
    F(cuDevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags")                                    \
    F(cuDevicePrimaryCtxReset, "cuDevicePrimaryCtxReset")                                          \
    F(cuCtxGetCurrent, "cuCtxGetCurrent")                                                          \
    F(cuCtxSetCurrent, "cuCtxSetCurrent")                                                          \
    F(cuCtxPushCurrent, "cuCtxPushCurrent")                                                        \
    F(cuCtxPopCurrent, "cuCtxPopCurrent")                                                          \
    F(cuCtxGetDevice, "cuCtxGetDevice")                                                            \
    F(cuCtxGetFlags, "cuCtxGetFlags")                                                              \
    F(cuCtxGetId, "cuCtxGetId")                                                                    \
    F(cuCtxSetFlags, "cuCtxSetFlags")                                                              \
    F(cuCtxSynchronize, "cuCtxSynchronize")                                                        \
    F(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode")                      \
    F(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity")                              \
    F(cuMemCreate, "cuMemCreate")                                                                  \
    F(cuMemRelease, "cuMemRelease")                                                                \
    F(cuMemExportToShareableHandle, "cuMemExportToShareableHandle")                                \
    F(cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle")                            \
    F(cuMemAddressReserve, "cuMemAddressReserve")                                                  \
    F(cuMemAddressFree, "cuMemAddressFree")                                                        \
    F(cuMemMap, "cuMemMap")                                                                        \
    F(cuMemUnmap, "cuMemUnmap")                                                                    \
    F(cuMemSetAccess, "cuMemSetAccess")                                                            \
    F(cuMulticastCreate, "cuMulticastCreate")                                                      \
    F(cuMulticastAddDevice, "cuMulticastAddDevice")                                                \
    F(cuMulticastBindMem, "cuMulticastBindMem")                                                    \
    F(cuMulticastUnbind, "cuMulticastUnbind")                                                      \
    F(cuMulticastGetGranularity, "cuMulticastGetGranularity")                                      \
    F(cuMemGetAddressRange, "cuMemGetAddressRange")                                                \
    F(cuMemAlloc, "cuMemAlloc")                                                                    \
    F(cuMemFree, "cuMemFree")                                                                      \
    F(cuIpcGetMemHandle, "cuIpcGetMemHandle")                                                      \
    F(cuIpcOpenMemHandle, "cuIpcOpenMemHandle")                                                    \
    F(cuIpcCloseMemHandle, "cuIpcCloseMemHandle")                                                  \
    F(cuMemHostAlloc, "cuMemHostAlloc")                                                            \
    F(cuMemFreeHost, "cuMemFreeHost")                                                              \
    F(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer")                                      \
    F(cuMemHostRegister, "cuMemHostRegister")                                                      \
    F(cuMemHostUnregister, "cuMemHostUnregister")                                                  \
    F(cuPointerGetAttribute, "cuPointerGetAttribute")                                              \
    F(cuPointerSetAttribute, "cuPointerSetAttribute")                                              \
    F(cuMemsetD8, "cuMemsetD8")                                                                    \
    F(cuMemsetD8Async, "cuMemsetD8Async")                                                          \
    F(cuMemcpyAsync, "cuMemcpyAsync")                                                              \
    F(cuMemcpyHtoD, "cuMemcpyHtoD")                                                                \
    F(cuMemcpyDtoH, "cuMemcpyDtoH")                                                                \
    F(cuMemcpyDtoD, "cuMemcpyDtoD")                                                                \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync")                                                      \
    F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync")                                                      \
    F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync")                                                      \
    F(cuStreamCreate, "cuStreamCreate")                                                            \
    F(cuStreamDestroy, "cuStreamDestroy")                                                          \
    F(cuStreamSynchronize, "cuStreamSynchronize")                                                  \
    F(cuStreamQuery, "cuStreamQuery")                                                              \
    F(cuStreamWaitEvent, "cuStreamWaitEvent")                                                      \
    F(cuStreamWriteValue32, "cuStreamWriteValue32")                                                \
    F(cuStreamWriteValue64, "cuStreamWriteValue64")                                                \
    F(cuStreamWaitValue32, "cuStreamWaitValue32")                                                  \
    F(cuStreamBeginCapture, "cuStreamBeginCapture")                                                \
    F(cuStreamEndCapture, "cuStreamEndCapture")                                                    \
    F(cuStreamIsCapturing, "cuStreamIsCapturing")                                                  \
    F(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo")                                            \
    F(cuGraphCreate, "cuGraphCreate")                                                              \
    F(cuGraphAddKernelNode, "cuGraphAddKernelNode")                                                \
    F(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags")                                  \
    F(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams")                            \
    F(cuGraphLaunch, "cuGraphLaunch")                                                              \
    F(cuGraphExecDestroy, "cuGraphExecDestroy")                                                    \
    F(cuGraphDestroy, "cuGraphDestroy")                                                            \
    F(cuGraphRetainUserObject, "cuGraphRetainUserObject")                                          \
    F(cuUserObjectCreate, "cuUserObjectCreate")                                                    \
    F(cuUserObjectRelease, "cuUserObjectRelease")                                                  \
    F(cuEventCreate, "cuEventCreate")                                                              \
    F(cuEventRecord, "cuEventRecord")                                                              \
    F(cuEventQuery, "cuEventQuery")                                                                \
    F(cuEventSynchronize, "cuEventSynchronize")                                                    \
    F(cuEventDestroy, "cuEventDestroy")                                                            \
    F(cuModuleLoadData, "cuModuleLoadData")                                                        \
    F(cuModuleUnload, "cuModuleUnload")                                                            \
    F(cuModuleGetFunction, "cuModuleGetFunction")                                                  \
    F(cuFuncGetAttribute, "cuFuncGetAttribute")                                                    \
    F(cuLaunchKernel, "cuLaunchKernel")

struct standin {
#define STANDIN_MEMBER(name, text) __typeof__(name) *name;
    STANDIN_FUNCTIONS(STANDIN_MEMBER)
#undef STANDIN_MEMBER
    __typeof__(cuGetProcAddress) *find;
};

extern struct standin cu;

/* Open the driver; nothing is initialised. */
void standin_open(struct fork_rank *self);

/* The same, initialised, with the primary context of `device` current. */
void standin_start(struct fork_rank *self, int device);

/* End the rank, and fail its test, unless a call gives `wanted`. */
#define STANDIN_RESULT(self, call, wanted) \
    standin_result((self), (call), (wanted), #call, __FILE__, __LINE__)
#define STANDIN_OK(self, call) STANDIN_RESULT(self, call, CUDA_SUCCESS)

void standin_result(struct fork_rank *self, CUresult got, CUresult wanted, const char *call,
                    const char *file, int line);

/* What a capture is called, and its graph; headers of CUDA 13 declare one argument more. */
CUresult standin_capture_info(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                              CUgraph *graph);

/* Granularity of memory, found out by the first test. */
enum { STANDIN_UNIT = 2 << 20 };

/* Properties of memory on a device. */
CUmemAllocationProp standin_properties(int device);

/* `units` of memory that `device` may read and write, by VMM, made on `device`. */
CUdeviceptr standin_memory_make(struct fork_rank *self, int device, size_t units);
void standin_memory_end(struct fork_rank *self, CUdeviceptr memory, size_t units);

/*
 * Fill memory with numbers from `first` on, and check them, through copies that have been waited
 * for.
 */
void standin_numbers_put(struct fork_rank *self, CUdeviceptr memory, uint32_t first, size_t count);
void standin_numbers_check(struct fork_rank *self, CUdeviceptr memory, uint32_t first,
                           size_t count);

/* The driver's own kernel "symm_standin_add". */
CUfunction standin_kernel(struct fork_rank *self, CUmodule *module);

/*
 * Run `body` in a child that forgets this process' driver, if it had one, and ends with exit(); how
 * that ended, as from waitpid().  What it says goes to `output`, if that is not NULL (4096 bytes).
 */
int standin_child(void (*body)(struct fork_rank *self), struct fork_rank *self, char *output);

#endif /* SYMM_TESTS_STANDIN_DRIVER_H */
