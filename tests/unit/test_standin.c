/*
 * test_standin.c - the stand-in driver does what it is to do: devices, contexts, memory, copies, what the
 * program must not do, faults, what is left at exit.  test_standin_streams.c has streams and kernels.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/standin_driver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNIT = STANDIN_UNIT };

static void set(const char *name, const char *value)
{
    (void)setenv(name, value, 1);
}

/* ---- looking up, devices, contexts ------------------------------------------------------------- */

static void rank_look_up(struct fork_rank *self, void *context)
{
    void *address;
    CUdriverProcAddressQueryResult found;
    int count;
    (void)context;
    standin_open(self);
    STANDIN_RESULT(self, cu.find("cuNothing", &address, CUDA_VERSION, 0, &found),
                   CUDA_ERROR_NOT_FOUND);
    FORK_CHECK(self, found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && address == NULL);
    STANDIN_RESULT(self, cu.find("cuStreamDestroy", &address, 2000, 0, &found),
                   CUDA_ERROR_NOT_FOUND);
    FORK_CHECK(self, found == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    STANDIN_RESULT(self, cu.cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    STANDIN_OK(self, cu.cuInit(0));
    STANDIN_OK(self, cu.cuDeviceGetCount(&count));
    FORK_CHECK(self, count == 2);
}

static void test_functions_are_found(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_look_up, NULL);
}

/* Two devices out of four, of which the first here is number 3 of the machine. */
static void rank_visible(struct fork_rank *self, void *context)
{
    CUuuid uuids[2];
    int count;
    char name[64];
    set("SYMM_STANDIN_DEVICES", "4");
    set("CUDA_VISIBLE_DEVICES", context);
    standin_open(self);
    STANDIN_OK(self, cu.cuInit(0));
    STANDIN_OK(self, cu.cuDeviceGetCount(&count));
    FORK_CHECK(self, count == 2);
    for (int i = 0; i < 2; i++) {
        STANDIN_OK(self, cu.cuDeviceGetUuid(&uuids[i], i));
    }
    FORK_CHECK(self, memcmp(&uuids[0], &uuids[1], sizeof uuids[0]) != 0);
    STANDIN_OK(self, cu.cuDeviceGetName(name, sizeof name, 0));
    FORK_CHECK(self, strcmp(name, "Stand-in device 3") == 0);
    STANDIN_RESULT(self, cu.cuDeviceGet(&count, 2), CUDA_ERROR_INVALID_DEVICE);
}

/* A device by its UUID, as one process tells another. */
static void rank_visible_by_uuid(struct fork_rank *self, void *context)
{
    CUuuid uuid;
    char name[64];
    (void)context;
    standin_open(self);
    if (self->rank == 0) {
        STANDIN_OK(self, cu.cuInit(0));
        STANDIN_OK(self, cu.cuDeviceGetUuid(&uuid, 1));
    }
    CUuuid uuids[2];
    fork_rank_exchange(self, &uuid, sizeof uuid, uuids);
    if (self->rank == 1) {
        const unsigned char *bytes = (const unsigned char *)uuids[0].bytes;
        (void)snprintf(name, sizeof name, "GPU-%02x%02x%02x%02x-%02x%02x", bytes[0], bytes[1],
                       bytes[2], bytes[3], bytes[4], bytes[5]);
        set("CUDA_VISIBLE_DEVICES", name);
        STANDIN_OK(self, cu.cuInit(0));
        STANDIN_OK(self, cu.cuDeviceGetName(name, sizeof name, 0));
        FORK_CHECK(self, strcmp(name, "Stand-in device 1") == 0);
    }
}

static void rank_no_device(struct fork_rank *self, void *context)
{
    (void)context;
    set("SYMM_STANDIN_DEVICES", "0");
    standin_open(self);
    STANDIN_RESULT(self, cu.cuInit(0), CUDA_ERROR_NO_DEVICE);
}

static void test_devices(void **state)
{
    (void)state;
    char with_unknown[] = "3,1,9,2";
    char with_double[] = "3,1,1";
    fork_ranks_run(1, rank_visible, with_unknown);
    fork_ranks_run(1, rank_visible, with_double);
    fork_ranks_run(2, rank_visible_by_uuid, NULL);
    fork_ranks_run(1, rank_no_device, NULL);
}

static void rank_contexts(struct fork_rank *self, void *unused)
{
    CUcontext contexts[2];
    CUcontext found;
    CUdevice device;
    CUstream stream;
    (void)unused;
    standin_open(self);
    STANDIN_OK(self, cu.cuInit(0));
    STANDIN_RESULT(self, cu.cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    STANDIN_RESULT(self, cu.cuCtxPopCurrent(&found), CUDA_ERROR_INVALID_CONTEXT);
    STANDIN_RESULT(self, cu.cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
    for (int i = 0; i < 2; i++) {
        STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&contexts[i], i));
        STANDIN_OK(self, cu.cuCtxPushCurrent(contexts[i]));
    }
    STANDIN_OK(self, cu.cuCtxGetDevice(&device));
    FORK_CHECK(self, device == 1);
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    STANDIN_OK(self, cu.cuCtxPopCurrent(&found));
    FORK_CHECK(self, found == contexts[1]);
    STANDIN_RESULT(self, cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    STANDIN_OK(self, cu.cuCtxSetCurrent(NULL));
    STANDIN_OK(self, cu.cuCtxGetCurrent(&found));
    FORK_CHECK(self, found == NULL);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRelease(1)); /* and its stream goes, too */
    STANDIN_RESULT(self, cu.cuCtxPushCurrent(contexts[1]), CUDA_ERROR_INVALID_CONTEXT);
    STANDIN_RESULT(self, cu.cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_CONTEXT);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&contexts[1], 1));
    STANDIN_OK(self, cu.cuCtxPushCurrent(contexts[1]));
    STANDIN_RESULT(self, cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

static void test_contexts(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_contexts, NULL);
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* What the real driver refuses, and what only it could be thought to refuse. */
static void rank_memory_rules(struct fork_rank *self, void *context)
{
    CUmemAllocationProp properties = standin_properties(0);
    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUmemGenericAllocationHandle other;
    CUdeviceptr base;
    size_t size;
    unsigned yes;
    (void)context;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemGetAllocationGranularity(&size, &properties,
                                                      CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    FORK_CHECK(self, size == UNIT);
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT / 2, &properties, 0),
                   CUDA_ERROR_INVALID_VALUE);
    properties.location.id = 7;
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
    properties.location.id = 0;
    properties.requestedHandleTypes |= CU_MEM_HANDLE_TYPE_FABRIC;
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    STANDIN_OK(self, cu.cuMemCreate(&handle, 2 * UNIT, &properties, 0));
    STANDIN_OK(self, cu.cuMemCreate(&other, UNIT, &properties, 0));
    STANDIN_OK(self, cu.cuMemAddressReserve(&base, 8 * UNIT, 0, 0, 0));
    STANDIN_RESULT(self, cu.cuMemMap(base, UNIT, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemMap(base, UNIT, UNIT, handle, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemMap(base + UNIT / 2, 2 * UNIT, 0, handle, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemMap(base + 7 * UNIT, 2 * UNIT, 0, handle, 0),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemMap(base, 2 * UNIT, 0, handle, 0));
    STANDIN_RESULT(self, cu.cuMemMap(base + UNIT, UNIT, 0, other, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemMap(base + 2 * UNIT, UNIT, 0, other, 0));
    STANDIN_RESULT(self, cu.cuMemsetD8(base, 1, UNIT), CUDA_ERROR_INVALID_VALUE); /* no access */
    STANDIN_RESULT(self, cu.cuMemSetAccess(base, UNIT, &access, 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemSetAccess(base, 4 * UNIT, &access, 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemSetAccess(base, 3 * UNIT, &access, 1));
    STANDIN_OK(self, cu.cuMemsetD8(base, 1, 3 * UNIT)); /* across both */
    STANDIN_RESULT(self, cu.cuMemsetD8(base, 1, 3 * UNIT + 1), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemRelease(handle));
    STANDIN_RESULT(self, cu.cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemGetAddressRange(&base, &size, base + UNIT));
    FORK_CHECK(self, size == 2 * UNIT);
    STANDIN_OK(self, cu.cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, base));
    FORK_CHECK(self, size == 8 * UNIT);
    yes = 1;
    STANDIN_RESULT(self, cu.cuPointerSetAttribute(&yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, base),
                   CUDA_ERROR_NOT_SUPPORTED);
    STANDIN_RESULT(self, cu.cuMemUnmap(base, UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemAddressFree(base, 8 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemUnmap(base, 3 * UNIT));
    STANDIN_RESULT(self, cu.cuMemUnmap(base, 3 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemAddressFree(base, 4 * UNIT), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemAddressFree(base, 8 * UNIT));
    STANDIN_OK(self, cu.cuMemRelease(other));
}

static void test_memory_rules(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_memory_rules, NULL);
}

struct offer {
    int pid, descriptor;
};

/* Rank 0's memory of device 0, seen by rank 1, which has device 1 only. */
static void rank_share(struct fork_rank *self, void *context)
{
    CUmemAllocationProp properties = standin_properties(0);
    CUmemAccessDesc access = {.location = properties.location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr base;
    struct offer offers[2] = {{.pid = getpid(), .descriptor = -1}, {0}};
    (void)context;
    set("CUDA_VISIBLE_DEVICES", self->rank == 0 ? "0" : "1");
    standin_start(self, 0);
    if (self->rank == 0) {
        STANDIN_OK(self, cu.cuMemCreate(&handle, 2 * UNIT, &properties, 0));
        STANDIN_OK(self, cu.cuMemExportToShareableHandle(
                             &offers[0].descriptor, handle,
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    }
    struct offer mine = offers[0];
    fork_rank_exchange(self, &mine, sizeof mine, offers);
    if (self->rank == 1) {
        char name[64];
        (void)snprintf(name, sizeof name, "/proc/%d/fd/%d", offers[0].pid, offers[0].descriptor);
        int descriptor = open(name, O_RDWR | O_CLOEXEC);
        FORK_CHECK(self, descriptor >= 0);
        STANDIN_OK(self, cu.cuMemImportFromShareableHandle(
                             &handle, (void *)(uintptr_t)descriptor,
                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
        (void)close(descriptor);
        descriptor = memfd_create("not the driver's", 0);
        CUmemGenericAllocationHandle none;
        STANDIN_RESULT(self,
                       cu.cuMemImportFromShareableHandle(
                           &none, (void *)(uintptr_t)descriptor,
                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                       CUDA_ERROR_INVALID_VALUE);
    }
    STANDIN_OK(self, cu.cuMemAddressReserve(&base, 2 * UNIT, 0, 0, 0));
    STANDIN_OK(self, cu.cuMemMap(base, 2 * UNIT, 0, handle, 0));
    STANDIN_OK(self, cu.cuMemSetAccess(base, 2 * UNIT, &access, 1));
    if (self->rank == 0) {
        standin_numbers_put(self, base, 1000, UNIT / 4);
    }
    fork_rank_barrier(self);
    standin_numbers_check(self, base, 1000, UNIT / 4);
    fork_rank_barrier(self);
    if (self->rank == 1) {
        int device;
        standin_numbers_put(self, base, 5, UNIT / 4);
        STANDIN_OK(self, cu.cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                  base));
        FORK_CHECK(self, device == CU_DEVICE_INVALID);
    }
    fork_rank_barrier(self);
    standin_numbers_check(self, base, 5, UNIT / 4);
}

static void test_memory_is_shared(void **state)
{
    (void)state;
    fork_ranks_run(2, rank_share, NULL);
}

static void touch_vmm(struct fork_rank *self)
{
    standin_start(self, 0);
    volatile uint32_t *memory = (uint32_t *)(uintptr_t)standin_memory_make(self, 0, 1);
    standin_numbers_put(self, (uintptr_t)memory, 1, 16);
    (void)*memory;
}

static void touch_allocated(struct fork_rank *self)
{
    CUdeviceptr memory;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, 64));
    *(volatile uint32_t *)(uintptr_t)memory = 1;
}

static void touch_nothing(struct fork_rank *self)
{
    standin_start(self, 0);
}

/* A sanitizer makes an exit of the signal. */
static bool crashes(void (*body)(struct fork_rank *self), struct fork_rank *self)
{
    char said[4096];
    int status = standin_child(body, self, said);
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) ||
           (status != 0 && strstr(said, "Sanitizer") != NULL);
}

static void rank_touch(struct fork_rank *self, void *context)
{
    (void)context;
    FORK_CHECK(self, !crashes(touch_nothing, self));
    FORK_CHECK(self, crashes(touch_vmm, self));
    FORK_CHECK(self, crashes(touch_allocated, self));
}

static void test_program_cannot_touch_device_memory(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_touch, NULL);
}

static void rank_pinned(struct fork_rank *self, void *context)
{
    void *pinned;
    CUdeviceptr address;
    unsigned type;
    static uint32_t ours[1024];
    (void)context;
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_PORTABLE));
    STANDIN_OK(self, cu.cuMemHostGetDevicePointer(&address, (char *)pinned + 8, 0));
    FORK_CHECK(self, address == (uintptr_t)pinned + 8);
    STANDIN_OK(self, cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address));
    FORK_CHECK(self, type == CU_MEMORYTYPE_HOST);
    STANDIN_RESULT(self,
                   cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                            (uintptr_t)ours),
                   CUDA_ERROR_INVALID_VALUE);
    STANDIN_RESULT(self, cu.cuMemHostGetDevicePointer(&address, ours, 0), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemHostRegister(ours, sizeof ours, 0));
    STANDIN_OK(self, cu.cuMemHostGetDevicePointer(&address, ours, 0));
    STANDIN_RESULT(self, cu.cuMemHostRegister(ours + 1, 4, 0),
                   CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    STANDIN_OK(self, cu.cuMemHostUnregister(ours));
    STANDIN_RESULT(self, cu.cuMemHostUnregister(ours), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    STANDIN_RESULT(self, cu.cuMemFreeHost(ours), CUDA_ERROR_INVALID_VALUE);
    STANDIN_OK(self, cu.cuMemFreeHost(pinned));
}

static void test_pinned_memory(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_pinned, NULL);
}

/* ---- faults, counts, what is left -------------------------------------------------------------- */

static void rank_faults(struct fork_rank *self, void *context)
{
    CUmemAllocationProp properties = standin_properties(0);
    CUmemGenericAllocationHandle handle;
    CUcontext current;
    (void)context;
    set("SYMM_STANDIN_FAIL", "cuMemCreate:2,cuMemRelease:1:CUDA_ERROR_NOT_PERMITTED,"
                             "cuCtxGetCurrent:2+,cuMemMap:1@3");
    standin_start(self, 0);
    STANDIN_OK(self, cu.cuMemCreate(&handle, UNIT, &properties, 0));
    STANDIN_RESULT(self, cu.cuMemRelease(handle), CUDA_ERROR_NOT_PERMITTED);
    STANDIN_OK(self, cu.cuMemRelease(handle));
    STANDIN_RESULT(self, cu.cuMemCreate(&handle, UNIT, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
    STANDIN_OK(self, cu.cuMemCreate(&handle, UNIT, &properties, 0));
    STANDIN_OK(self, cu.cuCtxGetCurrent(&current));
    STANDIN_RESULT(self, cu.cuCtxGetCurrent(&current), CUDA_ERROR_UNKNOWN);
    STANDIN_RESULT(self, cu.cuCtxGetCurrent(&current), CUDA_ERROR_UNKNOWN);
    (void)standin_memory_make(self, 0, 1); /* rank 3's fault is not ours */
}

static void test_faults(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_faults, NULL);
}

static void use_capture(struct fork_rank *self)
{
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUstream stream;
    CUcontext context;
    set("SYMM_STANDIN_CAPTURING", "1");
    standin_open(self);
    STANDIN_OK(self, cu.cuInit(0));
    STANDIN_RESULT(self, cu.cuDevicePrimaryCtxRetain(&context, 0),
                   CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    STANDIN_OK(self, cu.cuThreadExchangeStreamCaptureMode(&mode));
    FORK_CHECK(self, mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRetain(&context, 0));
    STANDIN_OK(self, cu.cuCtxSetCurrent(context));
    STANDIN_OK(self, cu.cuStreamCreate(&stream, 0));
    STANDIN_OK(self, cu.cuThreadExchangeStreamCaptureMode(&mode));
    STANDIN_RESULT(self, cu.cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

static void rank_capture(struct fork_rank *self, void *context)
{
    char said[4096];
    (void)context;
    FORK_CHECK(self, standin_child(use_capture, self, said) == 0);
    FORK_CHECK(self, strstr(said, "cuStreamSynchronize while a stream is being captured") != NULL);
}

static void test_capture_mode(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_capture, NULL);
}

static void leave_everything(struct fork_rank *self)
{
    CUstream stream;
    void *pinned;
    CUdeviceptr memory;
    standin_start(self, 0);
    (void)standin_memory_make(self, 0, 1);
    STANDIN_OK(self, cu.cuStreamCreate(&stream, 0));
    STANDIN_OK(self, cu.cuMemHostAlloc(&pinned, 64, 0));
    STANDIN_OK(self, cu.cuMemAlloc(&memory, 64));
}

static void leave_nothing(struct fork_rank *self)
{
    CUdeviceptr memory;
    standin_start(self, 0);
    CUdeviceptr vmm = standin_memory_make(self, 0, 1);
    STANDIN_OK(self, cu.cuMemAlloc(&memory, 64));
    STANDIN_OK(self, cu.cuMemFree(memory));
    standin_memory_end(self, vmm, 1);
    STANDIN_OK(self, cu.cuDevicePrimaryCtxRelease(0));
}

static void rank_strict(struct fork_rank *self, void *context)
{
    char said[4096];
    int status;
    (void)context;
    FORK_CHECK(self, standin_child(leave_everything, self, NULL) == 0);
    set("SYMM_STANDIN_STRICT", "1");
    status = standin_child(leave_nothing, self, said);
    fork_rank_check(self, status == 0, said, __FILE__, __LINE__);
    status = standin_child(leave_everything, self, said);
    FORK_CHECK(self, WIFEXITED(status) && WEXITSTATUS(status) == 86);
    FORK_CHECK(self, strstr(said, "left: mapping") != NULL && strstr(said, "left: stream") != NULL);
    FORK_CHECK(self, strstr(said, "left: event") == NULL && strstr(said, "left: handle") == NULL);
    set("SYMM_STANDIN_KEPT", "mapping:0,reservation,stream,pinned,allocation,context");
    status = standin_child(leave_everything, self, said);
    FORK_CHECK(self, status != 0 && strstr(said, "left: stream") == NULL);
    set("SYMM_STANDIN_KEPT", "mapping:1,reservation,stream,pinned,allocation,context");
    status = standin_child(leave_everything, self, said);
    fork_rank_check(self, status == 0, said, __FILE__, __LINE__);
}

static void test_what_is_left_at_exit(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_strict, NULL);
}

static void rank_counts(struct fork_rank *self, void *context)
{
    char name[] = "/tmp/symm-standin.XXXXXX";
    char text[4096] = "";
    (void)context;
    int file = mkstemp(name);
    FORK_CHECK(self, file >= 0);
    set("SYMM_STANDIN_COUNT", name);
    (void)standin_child(leave_nothing, self, NULL);
    (void)unlink(name);
    FORK_CHECK(self, read(file, text, sizeof text - 1) > 0);
    FORK_CHECK(self, strstr(text, "-1 cuMemCreate 1\n") != NULL);
    FORK_CHECK(self, strstr(text, "-1 cuMemFree 1\n") != NULL);
    FORK_CHECK(self, strstr(text, "cuEventCreate") == NULL);
}

static void test_counts(void **state)
{
    (void)state;
    fork_ranks_run(1, rank_counts, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions_are_found),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_memory_rules),
        cmocka_unit_test(test_memory_is_shared),
        cmocka_unit_test(test_program_cannot_touch_device_memory),
        cmocka_unit_test(test_pinned_memory),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_capture_mode),
        cmocka_unit_test(test_what_is_left_at_exit),
        cmocka_unit_test(test_counts),
    };
    unit_begin("test_standin", 100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
