/*
 * Some calls on device memory, of rank r on device r modulo the number of devices; and what a
 * program does with GPUs beside them, and finds as it left it: contexts of its own, whose work on
 * the buffers is seen, and a kernel of its own that fails, which the calls after it report.
 *
 *     check_gpus calls | contexts | broken-before | broken-after
 *
 * Runs on the stand-in driver named by SYMM_STANDIN_DRIVER, which must be the one that the
 * component was given.  tests/device/gpus.tap judges what is printed beside.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/harness.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "tests/standin/kernels.h"

enum { COUNT = 1 << 16, BYTES = COUNT * (int)sizeof(int), CALLS = 20 };

/* ---- the driver, beside the component -------------------------------------------------------- */

static struct {
    symm_standin_watch_function *watch;
    __typeof__(cuInit) *init;
    __typeof__(cuDeviceGetCount) *count;
    __typeof__(cuDevicePrimaryCtxRetain) *retain;
    CUresult (*create)(CUcontext *context, unsigned flags, CUdevice device);
    __typeof__(cuCtxDestroy) *destroy;
    __typeof__(cuCtxSetCurrent) *set_current;
    __typeof__(cuCtxGetCurrent) *get_current;
    __typeof__(cuCtxSynchronize) *synchronize;
    __typeof__(cuThreadExchangeStreamCaptureMode) *exchange_mode;
    __typeof__(cuMemcpyDtoH) *to_host;
    __typeof__(cuMemsetD8) *set;
    __typeof__(cuModuleLoadData) *load;
    __typeof__(cuModuleGetFunction) *find_kernel;
    __typeof__(cuLaunchKernel) *launch;
} driver;

static const struct {
    const char *name;
    void *function;
} functions[] = {
    {"symm_standin_watch", &driver.watch},
    {"cuInit", &driver.init},
    {"cuDeviceGetCount", &driver.count},
    {"cuDevicePrimaryCtxRetain", &driver.retain},
    {"cuCtxCreate_v2", &driver.create},
    {"cuCtxDestroy_v2", &driver.destroy},
    {"cuCtxSetCurrent", &driver.set_current},
    {"cuCtxGetCurrent", &driver.get_current},
    {"cuCtxSynchronize", &driver.synchronize},
    {"cuThreadExchangeStreamCaptureMode", &driver.exchange_mode},
    {"cuMemcpyDtoH_v2", &driver.to_host},
    {"cuMemsetD8_v2", &driver.set},
    {"cuModuleLoadData", &driver.load},
    {"cuModuleGetFunction", &driver.find_kernel},
    {"cuLaunchKernel", &driver.launch},
};

static bool driver_open(void)
{
    const char *path = getenv("SYMM_STANDIN_DRIVER");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool found = test_check(library != NULL, "SYMM_STANDIN_DRIVER names the stand-in driver");
    for (size_t i = 0; found && i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].name);
        memcpy(functions[i].function, &address, sizeof address);
        found = test_check(address != NULL, functions[i].name);
    }
    if (found) {
        driver.watch(0); /* what the program does is none of the component's faults */
        found = test_check(driver.init(0) == CUDA_SUCCESS, "cuInit");
    }
    return found;
}

/* ---- contexts of the program's own ----------------------------------------------------------- */

static int *device_memory(MPI_Info info)
{
    int *memory = NULL;
    driver.watch(1);
    int error = MPI_Alloc_mem(BYTES, info, &memory);
    driver.watch(0);
    test_check(error == MPI_SUCCESS, "MPI_Alloc_mem");
    return memory;
}

static int sum(int *input, int *output)
{
    driver.watch(1);
    int error = MPI_Allreduce(input, output, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    driver.watch(0);
    return error;
}

/* The thread's current context and capture mode are `context` and the strictest. */
static void check_left(CUcontext context)
{
    CUcontext current = NULL;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    test_check(driver.get_current(&current) == CUDA_SUCCESS && current == context,
               "the current context is left as it was found");
    test_check(driver.exchange_mode(&mode) == CUDA_SUCCESS && mode == CU_STREAM_CAPTURE_MODE_GLOBAL,
               "the capture mode is left as it was found");
}

/* cuMemsetD8() returns before it has done its work; the call right behind it must wait for that. */
static void check_sum(int *input, int *output, int call)
{
    static int results[COUNT];
    unsigned char byte = (unsigned char)(1 + (call + test_rank) % 20);
    int expected = 0;
    for (int rank = 0; rank < test_size; rank++) {
        expected += 0x01010101 * (1 + (call + rank) % 20);
    }
    test_check(driver.set((CUdeviceptr)(uintptr_t)input, byte, BYTES) == CUDA_SUCCESS,
               "cuMemsetD8");
    test_check(sum(input, output) == MPI_SUCCESS, "MPI_Allreduce");
    test_check(driver.to_host(results, (CUdeviceptr)(uintptr_t)output, BYTES) == CUDA_SUCCESS,
               "cuMemcpyDtoH");
    for (int i = 0; i < COUNT; i++) {
        if (results[i] != expected) {
            test_fail("element %d is %x and should be %x", i, (unsigned)results[i],
                      (unsigned)expected);
            return;
        }
    }
}

static CUcontext primary_use(int *device)
{
    CUcontext context = NULL;
    int count = 0;
    test_check(driver.count(&count) == CUDA_SUCCESS && count > 0, "devices");
    *device = test_rank % (count > 0 ? count : 1);
    test_check(driver.retain(&context, *device) == CUDA_SUCCESS &&
                   driver.set_current(context) == CUDA_SUCCESS, "a primary context");
    return context;
}

/* With other contexts, the memory is there before they are, which come and go. */
static void run_calls(MPI_Info info, bool other_contexts)
{
    int device;
    CUcontext first = primary_use(&device);
    int *input = device_memory(info), *output = device_memory(info);
    check_left(first);
    for (int call = 0; call < CALLS; call++) {
        CUcontext context = first;
        test_case("call %d", call);
        if (other_contexts && call % 2 == 1) {
            test_check(driver.create(&context, 0, device) == CUDA_SUCCESS, "cuCtxCreate");
        }
        check_sum(input, output, call);
        check_left(context);
        if (context != first) {
            test_check(driver.destroy(context) == CUDA_SUCCESS, "cuCtxDestroy");
            test_check(driver.set_current(first) == CUDA_SUCCESS, "cuCtxSetCurrent");
        }
    }
    MPI_Free_mem(input);
    MPI_Free_mem(output);
}

/* ---- a kernel of the program's own that fails ------------------------------------------------ */

/* It stores to an address that nobody has. */
static void break_context(void)
{
    static const char image[] = ".version 8.0\n";
    CUmodule module;
    CUfunction kernel;
    struct symm_standin_add add = {.target = (uint32_t *)64, .source = (uint32_t *)64, .count = 1};
    void *arguments[] = {&add};
    if (!test_check(driver.load(&module, image) == CUDA_SUCCESS, "cuModuleLoadData") ||
        !test_check(driver.find_kernel(&kernel, module, "symm_standin_add") == CUDA_SUCCESS,
                    "cuModuleGetFunction")) {
        return;
    }
    (void)driver.launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    test_check(driver.synchronize() == CUDA_ERROR_ILLEGAL_ADDRESS, "the program's kernel fails");
}

/* Rank 0's context breaks, before or after the first call that uses its device. */
static void run_broken(MPI_Info info, bool before)
{
    int device;
    CUcontext context = primary_use(&device);
    int *input = device_memory(info), *output = device_memory(info);
    if (!before) {
        check_sum(input, output, 0);
    }
    if (test_rank == 0) {
        break_context();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error = sum(input, output);
    test_check(test_rank != 0 || error != MPI_SUCCESS,
               "the call fails on the rank that it concerns");
    check_left(context);
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    int none = 1;
    MPI_Info info;
    test_begin(none, argv, "check_gpus", MPI_THREAD_SINGLE);
    test_case("%s", part);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    if (!driver_open()) {
        return test_end();
    }
    if (strcmp(part, "calls") == 0 || strcmp(part, "contexts") == 0) {
        run_calls(info, strcmp(part, "contexts") == 0);
    } else if (strcmp(part, "broken-before") == 0 || strcmp(part, "broken-after") == 0) {
        run_broken(info, strcmp(part, "broken-before") == 0);
    } else {
        test_fail("\"%s\" is none of: calls, contexts, broken-before, broken-after", part);
    }
    driver.watch(1);
    MPI_Info_free(&info);
    return test_end();
}
