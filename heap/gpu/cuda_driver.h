/*
 * cuda_driver.h - the functions of the CUDA driver that this library calls, in one table.
 *
 * Nothing here is linked with libcuda: it is opened when a device is first asked for, so the same
 * binary runs on nodes that have none, and a test can put a driver of its own in its place.
 * Functions are looked up by name and version, because a name alone is an older function than the
 * one that cuda.h declares.
 *
 * Failures are remembered per thread by the call's name, so that a message can say what failed
 * although the functions above return a mere status:
 *
 *     CUresult result = cuda->cuMemCreate(...);
 *     if (result != CUDA_SUCCESS) {
 *         return symm_cuda_failed("cuMemCreate", result);
 *     }
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_DRIVER_H
#define SYMM_HEAP_GPU_CUDA_DRIVER_H

#include <cuda.h>

#include "heap/gpu/cuda_device.h"

/* Each with the version of CUDA in which the form came that cuda.h declares under this name. */
#define SYMM_CUDA_FUNCTIONS(F)             \
    F(cuInit, 2000)                        \
    F(cuDriverGetVersion, 2020)            \
    F(cuGetErrorName, 6000)                \
    F(cuGetErrorString, 6000)              \
    F(cuDeviceGetCount, 2000)              \
    F(cuDeviceGet, 2000)                   \
    F(cuDeviceGetName, 2000)               \
    F(cuDeviceGetUuid, 11040)              \
    F(cuDeviceGetAttribute, 2000)          \
    F(cuDevicePrimaryCtxRetain, 7000)      \
    F(cuDevicePrimaryCtxRelease, 11000)    \
    F(cuDevicePrimaryCtxGetState, 7000)    \
    F(cuDevicePrimaryCtxSetFlags, 11000)   \
    F(cuCtxGetCurrent, 4000)               \
    F(cuCtxPushCurrent, 4000)              \
    F(cuCtxPopCurrent, 4000)               \
    F(cuCtxGetDevice, 2000)                \
    F(cuCtxGetFlags, 7000)                 \
    F(cuMemGetAllocationGranularity, 10020) \
    F(cuMemCreate, 10020)                  \
    F(cuMemRelease, 10020)                 \
    F(cuMemExportToShareableHandle, 10020) \
    F(cuMemImportFromShareableHandle, 10020) \
    F(cuMemAddressReserve, 10020)          \
    F(cuMemAddressFree, 10020)             \
    F(cuMemMap, 10020)                     \
    F(cuMemUnmap, 10020)                   \
    F(cuMemSetAccess, 10020)               \
    F(cuMemAlloc, 3020)                    \
    F(cuMemFree, 3020)                     \
    F(cuIpcGetMemHandle, 4010)             \
    F(cuIpcOpenMemHandle, 11000)           \
    F(cuIpcCloseMemHandle, 4010)           \
    F(cuMemHostRegister, 6050)             \
    F(cuMemHostUnregister, 4000)           \
    F(cuMemHostGetDevicePointer, 3020)     \
    F(cuMemsetD8Async, 3020)               \
    F(cuMemcpyAsync, 4000)                 \
    F(cuMemcpyHtoDAsync, 3020)             \
    F(cuMemcpyDtoHAsync, 3020)             \
    F(cuMemcpy2DAsync, 3020)               \
    F(cuStreamCreate, 2000)                \
    F(cuStreamDestroy, 4000)               \
    F(cuStreamSynchronize, 2000)           \
    F(cuStreamQuery, 2000)                 \
    F(cuStreamIsCapturing, 10000)          \
    F(cuEventCreate, 2000)                 \
    F(cuEventRecord, 2000)                 \
    F(cuEventQuery, 2000)                  \
    F(cuEventDestroy, 4000)                \
    F(cuModuleLoadData, 2000)              \
    F(cuModuleUnload, 2000)                \
    F(cuModuleGetFunction, 2000)           \
    F(cuLaunchKernel, 4000)                \
    F(cuPointerGetAttribute, 4000)         \
    F(cuPointerGetAttributes, 7000)        \
    F(cuMemGetAddressRange, 3020)          \
    F(cuThreadExchangeStreamCaptureMode, 10010)

/* Those that this library can do without, where the driver is older. */
#define SYMM_CUDA_OPTIONAL_FUNCTIONS(F) \
    F(cuCtxGetId, 12000)                \
    F(cuCtxSetFlags, 12010)             \
    F(cuCtxSynchronize, 2000)           \
    F(cuDeviceTotalMem, 3020)           \
    F(cuDeviceCanAccessPeer, 4000)      \
    F(cuDeviceGetP2PAttribute, 8000)    \
    F(cuGraphCreate, 10000)             \
    F(cuGraphAddKernelNode, 12000)      \
    F(cuGraphInstantiateWithFlags, 11040) \
    F(cuGraphExecKernelNodeSetParams, 12000) \
    F(cuGraphUpload, 11010)             \
    F(cuGraphLaunch, 10000)             \
    F(cuGraphExecDestroy, 10000)        \
    F(cuGraphDestroy, 10000)            \
    SYMM_CUDA_STREAM_FUNCTIONS(F)       \
    SYMM_CUDA_BATCH_FUNCTIONS(F)        \
    SYMM_CUDA_MULTICAST_FUNCTIONS(F)

/* What is done in streams of the program. */
#define SYMM_CUDA_STREAM_FUNCTIONS(F)   \
    F(cuLaunchKernelEx, 11060)          \
    F(cuStreamGetCtx, 9020)             \
    F(cuStreamGetId, 12000)             \
    F(cuStreamWaitEvent, 3020)          \
    F(cuStreamGetCaptureInfo, SYMM_CUDA_CAPTURE_INFO_VERSION) \
    F(cuStreamWriteValue32, 11070)      \
    F(cuStreamWriteValue64, 11070)      \
    F(cuStreamWaitValue32, 11070)       \
    F(cuGraphRetainUserObject, 11030)   \
    F(cuUserObjectCreate, 11030)        \
    F(cuUserObjectRelease, 11030)

/* CUDA 13.0 declares a form that tells of edges as well. */
#if CUDA_VERSION >= 13000
#define SYMM_CUDA_CAPTURE_INFO_VERSION 12030
#else
#define SYMM_CUDA_CAPTURE_INFO_VERSION 11030
#endif

/* CUDA 12.8 declares another form. */
#if CUDA_VERSION >= 13000
#define SYMM_CUDA_BATCH_FUNCTIONS(F) F(cuMemcpyBatchAsync, 13000)
#else
#define SYMM_CUDA_BATCH_FUNCTIONS(F)
#endif

/* A build without NVLink multicast does not even look for them. */
#if defined(HAVE_MULTICAST) && !defined(MULTICAST_UNICAST)
#define SYMM_CUDA_MULTICAST_FUNCTIONS(F) \
    F(cuMulticastCreate, 12010)          \
    F(cuMulticastAddDevice, 12010)       \
    F(cuMulticastBindMem, 12010)         \
    F(cuMulticastUnbind, 12010)          \
    F(cuMulticastGetGranularity, 12010)
#else
#define SYMM_CUDA_MULTICAST_FUNCTIONS(F)
#endif

/* The table: a pointer to each function, under its own name; to optional ones perhaps NULL. */
struct symm_cuda {
#define SYMM_CUDA_MEMBER(name, version) __typeof__(name) *name;
    SYMM_CUDA_FUNCTIONS(SYMM_CUDA_MEMBER)
    SYMM_CUDA_OPTIONAL_FUNCTIONS(SYMM_CUDA_MEMBER)
#undef SYMM_CUDA_MEMBER
};

/*
 * The table, with the driver initialised; the driver is opened at first use and kept.  What has
 * failed is tried anew the next time.  Thread-safe.  Errors: NOT_FOUND (symm_cuda_last_failure()
 * says what).
 */
enum symm_status symm_cuda_get(const struct symm_cuda **cuda);

/*
 * The table if the driver is in this process, whoever has loaded it; nothing is loaded or
 * initialised for this, so its functions may answer CUDA_ERROR_NOT_INITIALIZED.  Errors: NOT_FOUND.
 */
enum symm_status symm_cuda_get_loaded(const struct symm_cuda **cuda);

/*
 * Remember that `call` (a string that stays) has failed in this thread.  Returns NO_MEMORY where
 * the device has no memory left, otherwise SYSTEM.
 */
enum symm_status symm_cuda_failed(const char *call, CUresult result);

/*
 * Work of ours on a device has been started (1) or has ended well (-1).  What has not ended well
 * stays counted: its error may come from any later call.
 */
void symm_cuda_own_work(int change);

/* Remember what failed where no call did: a sentence without a full stop.  Returns NOT_FOUND. */
enum symm_status symm_cuda_unusable(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Write "CUDA_ERROR_OUT_OF_MEMORY (out of memory)" to `text` and return it. */
const char *symm_cuda_error(CUresult result, char *text, size_t size);

#endif /* SYMM_HEAP_GPU_CUDA_DRIVER_H */
