/*
 * probe.c - see probe.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "bench/probes/probe.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static const struct symm_cuda *driver;

static _Noreturn void probe_end(const char *call, const char *failure)
{
    (void)fprintf(stderr, "%s: %s\n", call, failure);
    exit(1);
}

int probe_device_of(int argc, char **argv)
{
    char *end = NULL;
    long number = argc > 1 ? strtol(argv[1], &end, 10) : 0;
    if (argc > 2 || (argc == 2 && (end == argv[1] || *end != '\0' || number < 0 ||
                                   number > INT_MAX))) {
        (void)fprintf(stderr, "%s: '%s' is not the number of a device, such as 0, alone\n", argv[0],
                      argv[argc > 2 ? 2 : 1]);
        exit(2);
    }
    return (int)number;
}

void probe_check(CUresult result, const char *call)
{
    char failure[160];
    if (result != CUDA_SUCCESS) {
        probe_end(call, symm_cuda_error(result, failure, sizeof(failure)));
    }
}

static void current_begin(const struct probe *probe)
{
    probe_check(probe->cuda->cuCtxPushCurrent(probe->context), "cuCtxPushCurrent");
}

static void current_end(const struct probe *probe)
{
    CUcontext former;
    probe_check(probe->cuda->cuCtxPopCurrent(&former), "cuCtxPopCurrent");
}

void probe_open(struct probe *probe, int number, const void *fatbin)
{
    char failure[256];
    if (symm_cuda_get(&driver) != SYMM_OK) {
        symm_cuda_last_failure(failure, sizeof(failure));
        probe_end("no CUDA driver", failure);
    }
    *probe = (struct probe){.cuda = driver, .number = number};
    probe_check(driver->cuDeviceGet(&probe->device, number), "cuDeviceGet");
    probe_check(driver->cuDevicePrimaryCtxRetain(&probe->context, probe->device),
                "cuDevicePrimaryCtxRetain");
    current_begin(probe);
    probe_check(driver->cuModuleLoadData(&probe->module, fatbin), "cuModuleLoadData");
    probe_check(driver->cuStreamCreate(&probe->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    current_end(probe);
}

void probe_close(struct probe *probe)
{
    current_begin(probe);
    probe_check(driver->cuStreamDestroy(probe->stream), "cuStreamDestroy");
    probe_check(driver->cuModuleUnload(probe->module), "cuModuleUnload");
    current_end(probe);
    probe_check(driver->cuDevicePrimaryCtxRelease(probe->device), "cuDevicePrimaryCtxRelease");
}

CUfunction probe_function(const struct probe *probe, const char *name)
{
    CUfunction function;
    current_begin(probe);
    probe_check(driver->cuModuleGetFunction(&function, probe->module, name), name);
    current_end(probe);
    return function;
}

static CUdeviceptr memory_map(const struct probe *probe, CUmemGenericAllocationHandle memory,
                              size_t room)
{
    CUmemAccessDesc access = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = probe->number},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    CUdeviceptr address;
    probe_check(driver->cuMemAddressReserve(&address, room, 0, 0, 0), "cuMemAddressReserve");
    probe_check(driver->cuMemMap(address, room, 0, memory, 0), "cuMemMap");
    probe_check(driver->cuMemSetAccess(address, room, &access, 1), "cuMemSetAccess");
    return address;
}

void probe_memory(const struct probe *probes, int count, int owner, size_t size,
                  CUdeviceptr *addresses)
{
    const struct probe *mine = &probes[owner];
    CUmemAllocationProp kind = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = mine->number},
    };
    CUmemGenericAllocationHandle memory;
    size_t granularity;
    probe_check(driver->cuMemGetAllocationGranularity(&granularity, &kind,
                                                      CU_MEM_ALLOC_GRANULARITY_MINIMUM),
                "cuMemGetAllocationGranularity");
    size_t room = (size + granularity - 1) / granularity * granularity;
    probe_check(driver->cuMemCreate(&memory, room, &kind, 0), "cuMemCreate");
    for (int rank = 0; rank < count; rank++) {
        addresses[rank] = memory_map(&probes[rank], memory, room);
    }
    current_begin(mine);
    probe_check(driver->cuMemsetD8Async(addresses[owner], 0, room, mine->stream),
                "cuMemsetD8Async");
    probe_check(driver->cuStreamSynchronize(mine->stream), "cuStreamSynchronize");
    current_end(mine);
}

void *probe_host_memory(const struct probe *probe, size_t size, CUdeviceptr *address)
{
    size_t room = (size + PAGE - 1) / PAGE * PAGE;
    void *memory = aligned_alloc(PAGE, room);
    if (memory == NULL) {
        probe_end("aligned_alloc", "no memory");
    }
    memset(memory, 0, room);
    current_begin(probe);
    probe_check(driver->cuMemHostRegister(memory, room, CU_MEMHOSTREGISTER_DEVICEMAP),
                "cuMemHostRegister");
    probe_check(driver->cuMemHostGetDevicePointer(address, memory, 0),
                "cuMemHostGetDevicePointer");
    current_end(probe);
    return memory;
}

void probe_launch(const struct probe *probe, CUfunction function, unsigned threads,
                  void *arguments)
{
    void *parameters[] = {arguments};
    current_begin(probe);
    probe_check(driver->cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, probe->stream,
                                       parameters, NULL), "cuLaunchKernel");
    current_end(probe);
}

void probe_fetch(const struct probe *probe, void *to, CUdeviceptr from, size_t size)
{
    current_begin(probe);
    probe_check(driver->cuStreamSynchronize(probe->stream), "cuStreamSynchronize");
    probe_check(driver->cuMemcpyDtoHAsync(to, from, size, probe->stream), "cuMemcpyDtoHAsync");
    probe_check(driver->cuStreamSynchronize(probe->stream), "cuStreamSynchronize");
    current_end(probe);
}
