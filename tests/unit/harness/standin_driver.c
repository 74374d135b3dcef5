/*
 * standin_driver.c - see standin_driver.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct standin cu;

static const struct function {
    const char *name;
    size_t offset;
} functions[] = {
#define STANDIN_ENTRY(name, text) {text, offsetof(struct standin, name)},
    STANDIN_FUNCTIONS(STANDIN_ENTRY)
#undef STANDIN_ENTRY
};

void standin_result(struct fork_rank *self, CUresult got, CUresult wanted, const char *call,
                    const char *file, int line)
{
    char text[300];
    const char *name = NULL;
    if (got != wanted) {
        (void)cu.cuGetErrorName(got, &name);
        (void)snprintf(text, sizeof text, "%s gives %s (%d)", call, name == NULL ? "?" : name,
                       (int)got);
        fork_rank_check(self, false, text, file, line);
    }
}

void standin_open(struct fork_rank *self)
{
    void *library = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW | RTLD_LOCAL);
    fork_rank_check(self, library != NULL, library == NULL ? dlerror() : "", __FILE__, __LINE__);
    void *address = dlsym(library, "cuGetProcAddress_v2");
    FORK_CHECK(self, address != NULL);
    memcpy(&cu.find, &address, sizeof address);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        CUdriverProcAddressQueryResult found;
        CUresult result = cu.find(functions[i].name, &address, CUDA_VERSION,
                                  CU_GET_PROC_ADDRESS_DEFAULT, &found);
        fork_rank_check(self, result == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS,
                        functions[i].name, __FILE__, __LINE__);
        memcpy((unsigned char *)&cu + functions[i].offset, &address, sizeof address);
    }
}

void standin_start(struct fork_rank *self, int device)
{
    CUcontext context;
    standin_open(self);
    STANDIN_OK(self, cu.cuInit(0));
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&context, device));
    STANDIN_OK(self, cu.cuCtxSetCurrent(context));
}

CUresult standin_capture_info(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                              CUgraph *graph)
{
#if CUDA_VERSION >= 13000
    return cu.cuStreamGetCaptureInfo(stream, status, id, graph, NULL, NULL, NULL);
#else
    return cu.cuStreamGetCaptureInfo(stream, status, id, graph, NULL, NULL);
#endif
}

CUmemAllocationProp standin_properties(int device)
{
    return (CUmemAllocationProp){
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
    };
}

CUdeviceptr standin_memory_make(struct fork_rank *self, int device, size_t units)
{
    CUmemAllocationProp properties = standin_properties(device);
    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr memory;
    size_t size = units * STANDIN_UNIT;
    STANDIN_OK(self, cu.cuMemAddressReserve(&memory, size, 0, 0, 0));
    STANDIN_OK(self, cu.cuMemCreate(&handle, size, &properties, 0));
    STANDIN_OK(self, cu.cuMemMap(memory, size, 0, handle, 0));
    STANDIN_OK(self, cu.cuMemRelease(handle));
    STANDIN_OK(self, cu.cuMemSetAccess(memory, size, &access, 1));
    return memory;
}

void standin_memory_end(struct fork_rank *self, CUdeviceptr memory, size_t units)
{
    STANDIN_OK(self, cu.cuMemUnmap(memory, units * STANDIN_UNIT));
    STANDIN_OK(self, cu.cuMemAddressFree(memory, units * STANDIN_UNIT));
}

static uint32_t *numbers_make(struct fork_rank *self, size_t count)
{
    uint32_t *numbers = calloc(count, sizeof *numbers);
    FORK_CHECK(self, numbers != NULL);
    return numbers;
}

void standin_numbers_put(struct fork_rank *self, CUdeviceptr memory, uint32_t first, size_t count)
{
    uint32_t *numbers = numbers_make(self, count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = first + (uint32_t)i;
    }
    STANDIN_OK(self, cu.cuMemcpyHtoD(memory, numbers, count * sizeof *numbers));
    STANDIN_OK(self, cu.cuCtxSynchronize());
    free(numbers);
}

void standin_numbers_check(struct fork_rank *self, CUdeviceptr memory, uint32_t first,
                           size_t count)
{
    uint32_t *numbers = numbers_make(self, count);
    STANDIN_OK(self, cu.cuMemcpyDtoH(numbers, memory, count * sizeof *numbers));
    for (size_t i = 0; i < count; i++) {
        FORK_CHECK(self, numbers[i] == first + (uint32_t)i);
    }
    free(numbers);
}

CUfunction standin_kernel(struct fork_rank *self, CUmodule *module)
{
    CUfunction kernel;
    STANDIN_OK(self, cu.cuModuleLoadData(module, ".version 8.0\n"));
    STANDIN_OK(self, cu.cuModuleGetFunction(&kernel, *module, "symm_standin_add"));
    return kernel;
}

int standin_child(void (*body)(struct fork_rank *self), struct fork_rank *self, char *output)
{
    int ends[2];
    int status = -1;
    FORK_CHECK(self, pipe(ends) == 0);
    int child = fork();
    FORK_CHECK(self, child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        body(self);
        exit(0);
    }
    (void)close(ends[1]);
    char text[4096];
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], text + length, sizeof text - 1 - length)) > 0) {
        length += (size_t)got;
    }
    text[length] = '\0';
    (void)close(ends[0]);
    if (output != NULL) {
        memcpy(output, text, length + 1);
    }
    FORK_CHECK(self, waitpid(child, &status, 0) == child);
    return status;
}
