/*
 * check_device.c - device memory from MPI_Alloc_mem, used as a program uses it: blocks of several sizes
 * are filled, copied and read on the device, and freed in another order.
 *
 * Runs on the stand-in driver named by SYMM_STANDIN_DRIVER, which must be the one that the component was
 * given.  What this program itself asks of the driver is never made to fail, so whatever goes wrong is
 * the component's.  Memory that cannot be had is no failure here: it must have been said, and the ranks
 * go on.  faults.tap judges the rest.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "harness.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/kernels.h"

enum { BLOCKS = 6, ROUNDS = 2, MIB = 1 << 20 };

static const size_t sizes[BLOCKS] = {100, 5 * MIB, 4096, 3 * MIB, 1, MIB + 4};

/* ---- the driver, beside the component ----------------------------------------------------------- */

static struct {
    symm_standin_watch_function *watch;
    __typeof__(cuInit) *init;
    __typeof__(cuDevicePrimaryCtxRetain) *retain;
    __typeof__(cuDevicePrimaryCtxRelease) *release;
    __typeof__(cuCtxSetCurrent) *set_current;
    __typeof__(cuCtxGetCurrent) *get_current;
    __typeof__(cuCtxSynchronize) *synchronize;
    __typeof__(cuPointerGetAttribute) *attribute;
    __typeof__(cuMemcpyHtoD) *to_device;
    __typeof__(cuMemcpyDtoH) *to_host;
    __typeof__(cuMemcpyDtoD) *within;
} driver;

static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return test_check(address != NULL, name);
}

static bool driver_open(void)
{
    const char *path = getenv("SYMM_STANDIN_DRIVER");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return test_check(library != NULL, "SYMM_STANDIN_DRIVER names the stand-in driver") &&
           find(library, "symm_standin_watch", &driver.watch) &&
           find(library, "cuInit", &driver.init) &&
           find(library, "cuDevicePrimaryCtxRetain", &driver.retain) &&
           find(library, "cuDevicePrimaryCtxRelease_v2", &driver.release) &&
           find(library, "cuCtxSetCurrent", &driver.set_current) &&
           find(library, "cuCtxGetCurrent", &driver.get_current) &&
           find(library, "cuCtxSynchronize", &driver.synchronize) &&
           find(library, "cuPointerGetAttribute", &driver.attribute) &&
           find(library, "cuMemcpyHtoD_v2", &driver.to_device) &&
           find(library, "cuMemcpyDtoH_v2", &driver.to_host) &&
           find(library, "cuMemcpyDtoD_v2", &driver.within);
}

static bool ok(CUresult result, const char *call)
{
    if (result != CUDA_SUCCESS) {
        test_fail("%s gives %d", call, (int)result);
    }
    return result == CUDA_SUCCESS;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

struct block {
    unsigned char *memory; /* on the device; NULL: was refused */
    size_t size;
    uint64_t stream;
};

static unsigned char byte_of(uint64_t stream, size_t i)
{
    return (unsigned char)(test_random(stream, i / 4096) + i);
}

static void block_make(struct block *block, size_t size, uint64_t stream, MPI_Info info)
{
    CUcontext before = NULL;
    CUcontext after = NULL;
    unsigned type = 0;
    *block = (struct block){.size = size, .stream = stream};
    driver.watch(0);
    ok(driver.get_current(&before), "cuCtxGetCurrent");
    driver.watch(1);
    int error = MPI_Alloc_mem((MPI_Aint)size, info, &block->memory);
    driver.watch(0);
    ok(driver.get_current(&after), "cuCtxGetCurrent");
    test_check(before == after, "the current context is left as it was found");
    if (error != MPI_SUCCESS || block->memory == NULL) {
        printf("check_device: rank %d was refused %zu bytes\n", test_rank, size);
        block->memory = NULL;
    } else if (!ok(driver.attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    (CUdeviceptr)(uintptr_t)block->memory),
                   "cuPointerGetAttribute") ||
               !test_check(type == CU_MEMORYTYPE_DEVICE, "the memory is on a device")) {
        block->memory = NULL;
    }
    driver.watch(1);
}

static void block_fill(struct block *block)
{
    unsigned char *here = block->memory == NULL ? NULL : malloc(block->size);
    if (here != NULL) {
        for (size_t i = 0; i < block->size; i++) {
            here[i] = byte_of(block->stream, i);
        }
        ok(driver.to_device((CUdeviceptr)(uintptr_t)block->memory, here, block->size),
           "cuMemcpyHtoD");
        ok(driver.synchronize(), "cuCtxSynchronize");
        free(here);
    }
}

static void block_check(const struct block *block)
{
    unsigned char *here = block->memory == NULL ? NULL : malloc(block->size);
    if (here != NULL && ok(driver.to_host(here, (CUdeviceptr)(uintptr_t)block->memory, block->size),
                           "cuMemcpyDtoH")) {
        size_t i = 0;
        while (i < block->size && here[i] == byte_of(block->stream, i)) {
            i++;
        }
        if (i < block->size) {
            test_fail("byte %zu of %zu is wrong", i, block->size);
        }
    }
    free(here);
}

static void block_end(struct block *block)
{
    if (block->memory != NULL) {
        test_check(MPI_Free_mem(block->memory) == MPI_SUCCESS, "MPI_Free_mem");
        block->memory = NULL;
    }
}

/* The second round finds the heap as the first one left it. */
static void run_round(int number, MPI_Info info)
{
    struct block blocks[BLOCKS];
    test_case("round %d", number);
    for (int i = 0; i < BLOCKS; i++) {
        block_make(&blocks[i], sizes[i], test_stream((uint64_t)number, (uint64_t)test_rank,
                                                     (uint64_t)i), info);
        driver.watch(0);
        block_fill(&blocks[i]);
        driver.watch(1);
    }
    driver.watch(0);
    for (int i = 0; i < BLOCKS; i++) {
        block_check(&blocks[i]);
    }
    driver.watch(1);
    for (int i = 0; i < BLOCKS; i++) {
        block_end(&blocks[(i * 5 + 2) % BLOCKS]);
    }
}

int main(int argc, char **argv)
{
    CUcontext context = NULL;
    MPI_Info info;
    test_begin(argc, argv, "check_device", MPI_THREAD_SINGLE);
    test_case("setting up");
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (driver_open()) {
        driver.watch(0);
        ok(driver.init(0), "cuInit");
        ok(driver.retain(&context, test_rank % 2), "cuDevicePrimaryCtxRetain");
        ok(driver.set_current(context), "cuCtxSetCurrent");
        driver.watch(1);
        for (int i = 0; i < ROUNDS; i++) {
            run_round(i, info);
        }
        driver.watch(0);
        ok(driver.release(test_rank % 2), "cuDevicePrimaryCtxRelease");
        driver.watch(1);
    }
    MPI_Info_free(&info);
    return test_end();
}
