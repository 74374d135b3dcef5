/*
 * functions.c - the table of the driver's functions, and cuGetProcAddress() on it.
 *
 * A function is found only by a caller who asks for at least the version that brought its present
 * prototype.  (The real driver would hand out an older prototype, to be called wrongly.)
 * SYMM_STANDIN_VERSION=12000 makes a driver of CUDA 12.0, which lacks what came later.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <string.h>

/* cuda.h gives most functions another name (_v2), so the plain one is in quotes. */
#define FUNCTION(text, name, since, flags) {text, (void *)(uintptr_t)name, since, flags}

enum { SAFE = STANDIN_CAPTURE_SAFE, ALLOCATES = STANDIN_ALLOCATES };

const struct standin_function standin_functions[] = {
    FUNCTION("cuInit", cuInit, 2000, SAFE),
    FUNCTION("cuDriverGetVersion", cuDriverGetVersion, 2020, SAFE),
    FUNCTION("cuGetErrorName", cuGetErrorName, 6000, SAFE),
    FUNCTION("cuGetErrorString", cuGetErrorString, 6000, SAFE),
    FUNCTION("cuGetProcAddress", cuGetProcAddress, 12000, SAFE),

    FUNCTION("cuDeviceGetCount", cuDeviceGetCount, 2000, SAFE),
    FUNCTION("cuDeviceGet", cuDeviceGet, 2000, SAFE),
    FUNCTION("cuDeviceGetName", cuDeviceGetName, 2000, SAFE),
    FUNCTION("cuDeviceGetUuid", cuDeviceGetUuid, 11040, SAFE),
    FUNCTION("cuDeviceGetAttribute", cuDeviceGetAttribute, 2000, SAFE),
    FUNCTION("cuDeviceGetPCIBusId", cuDeviceGetPCIBusId, 4010, SAFE),
    FUNCTION("cuDeviceTotalMem", cuDeviceTotalMem, 3020, SAFE),
    FUNCTION("cuDeviceCanAccessPeer", cuDeviceCanAccessPeer, 4000, SAFE),
    FUNCTION("cuDeviceGetP2PAttribute", cuDeviceGetP2PAttribute, 8000, SAFE),
    FUNCTION("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain, 7000, ALLOCATES),
    FUNCTION("cuDevicePrimaryCtxRelease", cuDevicePrimaryCtxRelease, 11000, 0),
    FUNCTION("cuDevicePrimaryCtxGetState", cuDevicePrimaryCtxGetState, 7000, SAFE),
    FUNCTION("cuDevicePrimaryCtxSetFlags", cuDevicePrimaryCtxSetFlags, 11000, SAFE),
    FUNCTION("cuDevicePrimaryCtxReset", cuDevicePrimaryCtxReset, 11000, 0),

    FUNCTION("cuCtxCreate", cuCtxCreate_v2, 3020, ALLOCATES),
    FUNCTION("cuCtxDestroy", cuCtxDestroy, 4000, 0),
    FUNCTION("cuCtxGetCurrent", cuCtxGetCurrent, 4000, SAFE),
    FUNCTION("cuCtxSetCurrent", cuCtxSetCurrent, 4000, SAFE),
    FUNCTION("cuCtxPushCurrent", cuCtxPushCurrent, 4000, SAFE),
    FUNCTION("cuCtxPopCurrent", cuCtxPopCurrent, 4000, SAFE),
    FUNCTION("cuCtxGetDevice", cuCtxGetDevice, 2000, SAFE),
    FUNCTION("cuCtxGetFlags", cuCtxGetFlags, 7000, SAFE),
    FUNCTION("cuCtxGetId", cuCtxGetId, 12000, SAFE),
    FUNCTION("cuCtxSetFlags", cuCtxSetFlags, 12010, 0),
    FUNCTION("cuCtxSynchronize", cuCtxSynchronize, 2000, 0),
    FUNCTION("cuThreadExchangeStreamCaptureMode", cuThreadExchangeStreamCaptureMode, 10010, SAFE),

    FUNCTION("cuMemGetAllocationGranularity", cuMemGetAllocationGranularity, 10020, SAFE),
    FUNCTION("cuMemCreate", cuMemCreate, 10020, ALLOCATES),
    FUNCTION("cuMemRelease", cuMemRelease, 10020, 0),
    FUNCTION("cuMemExportToShareableHandle", cuMemExportToShareableHandle, 10020, 0),
    FUNCTION("cuMemImportFromShareableHandle", cuMemImportFromShareableHandle, 10020, ALLOCATES),
    FUNCTION("cuMemGetAllocationPropertiesFromHandle", cuMemGetAllocationPropertiesFromHandle,
             10020, SAFE),
    FUNCTION("cuMemRetainAllocationHandle", cuMemRetainAllocationHandle, 11000, 0),
    FUNCTION("cuMemAddressReserve", cuMemAddressReserve, 10020, ALLOCATES),
    FUNCTION("cuMemAddressFree", cuMemAddressFree, 10020, 0),
    FUNCTION("cuMemMap", cuMemMap, 10020, ALLOCATES),
    FUNCTION("cuMemUnmap", cuMemUnmap, 10020, 0),
    FUNCTION("cuMemSetAccess", cuMemSetAccess, 10020, ALLOCATES),
    FUNCTION("cuMemGetAccess", cuMemGetAccess, 10020, SAFE),

    FUNCTION("cuMulticastCreate", cuMulticastCreate, 12010, ALLOCATES),
    FUNCTION("cuMulticastAddDevice", cuMulticastAddDevice, 12010, 0),
    FUNCTION("cuMulticastBindMem", cuMulticastBindMem, 12010, ALLOCATES),
    FUNCTION("cuMulticastUnbind", cuMulticastUnbind, 12010, 0),
    FUNCTION("cuMulticastGetGranularity", cuMulticastGetGranularity, 12010, SAFE),

    FUNCTION("cuMemAlloc", cuMemAlloc, 3020, ALLOCATES),
    FUNCTION("cuMemFree", cuMemFree, 3020, 0),
    FUNCTION("cuMemAllocAsync", cuMemAllocAsync, 11020, ALLOCATES | SAFE),
    FUNCTION("cuMemFreeAsync", cuMemFreeAsync, 11020, SAFE),
    FUNCTION("cuMemGetInfo", cuMemGetInfo, 3020, SAFE),
    FUNCTION("cuMemGetAddressRange", cuMemGetAddressRange, 3020, SAFE),
    FUNCTION("cuMemHostAlloc", cuMemHostAlloc, 2020, ALLOCATES),
    FUNCTION("cuMemAllocHost", cuMemAllocHost, 3020, ALLOCATES),
    FUNCTION("cuMemAllocManaged", cuMemAllocManaged, 6000, ALLOCATES),
    FUNCTION("cuMemFreeHost", cuMemFreeHost, 2000, 0),
    FUNCTION("cuMemHostGetDevicePointer", cuMemHostGetDevicePointer, 3020, SAFE),
    FUNCTION("cuMemHostRegister", cuMemHostRegister, 6050, ALLOCATES),
    FUNCTION("cuMemHostUnregister", cuMemHostUnregister, 4000, 0),
    FUNCTION("cuPointerGetAttribute", cuPointerGetAttribute, 4000, SAFE),
    FUNCTION("cuPointerGetAttributes", cuPointerGetAttributes, 7000, SAFE),
    FUNCTION("cuPointerSetAttribute", cuPointerSetAttribute, 6000, 0),

    FUNCTION("cuIpcGetMemHandle", cuIpcGetMemHandle, 4010, 0),
    FUNCTION("cuIpcOpenMemHandle", cuIpcOpenMemHandle, 11000, ALLOCATES),
    FUNCTION("cuIpcCloseMemHandle", cuIpcCloseMemHandle, 4010, 0),

    FUNCTION("cuMemsetD8", cuMemsetD8, 3020, 0),
    FUNCTION("cuMemsetD8Async", cuMemsetD8Async, 3020, SAFE),
    FUNCTION("cuMemcpy", cuMemcpy, 4000, 0),
    FUNCTION("cuMemcpyAsync", cuMemcpyAsync, 4000, SAFE),
#if CUDA_VERSION >= 13000
    FUNCTION("cuMemcpyBatchAsync", cuMemcpyBatchAsync, 13000, SAFE),
#endif
    FUNCTION("cuMemcpy2DAsync", cuMemcpy2DAsync, 3020, SAFE),
    FUNCTION("cuMemcpyHtoD", cuMemcpyHtoD, 3020, 0),
    FUNCTION("cuMemcpyDtoH", cuMemcpyDtoH, 3020, 0),
    FUNCTION("cuMemcpyDtoD", cuMemcpyDtoD, 3020, 0),
    FUNCTION("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync, 3020, SAFE),
    FUNCTION("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync, 3020, SAFE),
    FUNCTION("cuMemcpyDtoDAsync", cuMemcpyDtoDAsync, 3020, SAFE),

    FUNCTION("cuStreamCreate", cuStreamCreate, 2000, ALLOCATES),
    FUNCTION("cuStreamDestroy", cuStreamDestroy, 4000, 0),
    FUNCTION("cuStreamSynchronize", cuStreamSynchronize, 2000, 0),
    FUNCTION("cuStreamQuery", cuStreamQuery, 2000, 0),
    FUNCTION("cuStreamWaitEvent", cuStreamWaitEvent, 3020, SAFE),
    FUNCTION("cuStreamBeginCapture", cuStreamBeginCapture, 10010, SAFE),
    FUNCTION("cuStreamEndCapture", cuStreamEndCapture, 10000, SAFE),
    FUNCTION("cuStreamIsCapturing", cuStreamIsCapturing, 10000, SAFE),
#if CUDA_VERSION >= 13000
    FUNCTION("cuStreamGetCaptureInfo", cuStreamGetCaptureInfo, 12030, SAFE),
#else
    FUNCTION("cuStreamGetCaptureInfo", cuStreamGetCaptureInfo, 11030, SAFE),
#endif
    FUNCTION("cuStreamGetCtx", cuStreamGetCtx, 9020, SAFE),
    FUNCTION("cuStreamGetId", cuStreamGetId, 12000, SAFE),
    FUNCTION("cuGraphCreate", cuGraphCreate, 10000, ALLOCATES),
    FUNCTION("cuGraphAddKernelNode", cuGraphAddKernelNode, 12000, ALLOCATES),
    FUNCTION("cuGraphInstantiateWithFlags", cuGraphInstantiateWithFlags, 11040, ALLOCATES),
    FUNCTION("cuGraphExecKernelNodeSetParams", cuGraphExecKernelNodeSetParams, 12000, SAFE),
    FUNCTION("cuGraphUpload", cuGraphUpload, 11010, ALLOCATES),
    FUNCTION("cuGraphLaunch", cuGraphLaunch, 10000, SAFE),
    FUNCTION("cuGraphExecDestroy", cuGraphExecDestroy, 10000, 0),
    FUNCTION("cuGraphDestroy", cuGraphDestroy, 10000, SAFE),
    FUNCTION("cuStreamWriteValue32", cuStreamWriteValue32, 11070, SAFE),
    FUNCTION("cuUserObjectCreate", cuUserObjectCreate, 11030, ALLOCATES | SAFE),
    FUNCTION("cuUserObjectRelease", cuUserObjectRelease, 11030, SAFE),
    FUNCTION("cuGraphRetainUserObject", cuGraphRetainUserObject, 11030, ALLOCATES | SAFE),
    FUNCTION("cuStreamWriteValue64", cuStreamWriteValue64, 11070, SAFE),
    FUNCTION("cuStreamWaitValue32", cuStreamWaitValue32, 11070, SAFE),
    FUNCTION("cuLaunchHostFunc", cuLaunchHostFunc, 10000, SAFE),
    FUNCTION("cuEventCreate", cuEventCreate, 2000, ALLOCATES | SAFE),
    FUNCTION("cuEventRecord", cuEventRecord, 2000, SAFE),
    FUNCTION("cuEventQuery", cuEventQuery, 2000, 0),
    FUNCTION("cuEventSynchronize", cuEventSynchronize, 2000, 0),
    FUNCTION("cuEventElapsedTime", cuEventElapsedTime, 2000, SAFE),
    FUNCTION("cuEventDestroy", cuEventDestroy, 4000, 0),

    FUNCTION("cuModuleLoadData", cuModuleLoadData, 2000, ALLOCATES),
    FUNCTION("cuModuleUnload", cuModuleUnload, 2000, 0),
    FUNCTION("cuModuleGetFunction", cuModuleGetFunction, 2000, SAFE),
    FUNCTION("cuFuncGetAttribute", cuFuncGetAttribute, 2020, SAFE),
    FUNCTION("cuLaunchKernel", cuLaunchKernel, 4000, SAFE),
    FUNCTION("cuLaunchKernelEx", cuLaunchKernelEx, 11060, SAFE),
};

const size_t standin_function_count = sizeof standin_functions / sizeof standin_functions[0];

int standin_driver_version(void)
{
    return (int)standin_setting("SYMM_STANDIN_VERSION", CUDA_VERSION);
}

static const struct standin_function *find(const char *symbol)
{
    size_t i = 0;
    while (i < standin_function_count && strcmp(standin_functions[i].name, symbol) != 0) {
        i++;
    }
    return i < standin_function_count ? &standin_functions[i] : NULL;
}

static CUresult look_up(const char *symbol, void **address, int version,
                        CUdriverProcAddressQueryResult *status)
{
    const struct standin_function *function = find(symbol);
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
    if (function == NULL || function->since > standin_driver_version()) {
        found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    } else if (function->since > version) {
        found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
    *address = found == CU_GET_PROC_ADDRESS_SUCCESS ? function->address : NULL;
    if (status != NULL) {
        *status = found;
    }
    return found == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *symbol, void **address, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status)
{
    if (symbol == NULL || address == NULL ||
        (flags & ~(cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                               CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = standin_begin_anytime(__func__);
    if (result == CUDA_SUCCESS) {
        result = standin_end(look_up(symbol, address, version, status));
    } else {
        *address = NULL;
        if (status != NULL) {
            *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
        }
    }
    return result;
}

/* The first form of this function, which has no status. */
#undef cuGetProcAddress
__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **address,
                                                                 int version, cuuint64_t flags);

CUresult cuGetProcAddress(const char *symbol, void **address, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(symbol, address, version, flags, NULL);
}

CUresult cuDriverGetVersion(int *version)
{
    CUresult result = version == NULL ? CUDA_ERROR_INVALID_VALUE : standin_begin_anytime(__func__);
    if (result == CUDA_SUCCESS) {
        *version = standin_driver_version();
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}
