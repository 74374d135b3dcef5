/*
 * test_standin.c - the stand-in driver does what it is to do: functions, devices, contexts, faults,
 * what is left at exit.  Memory, and streams with all that they do, have files of their own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/standin_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNIT = STANDIN_UNIT };

static void set(const char *name, const char *value)
{
    (void)setenv(name, value, 1);
}

/* ---- looking up, devices, contexts ----------------------------------------------------------- */

static void test_look_up(struct fork_rank *self, void *context)
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

/* A driver older than CUDA 12.1, when cuCtxSetFlags came. */
static void test_old_driver(struct fork_rank *self, void *context)
{
    void *address;
    CUdriverProcAddressQueryResult found;
    int version;
    (void)context;
    standin_open(self);
    set("SYMM_STANDIN_VERSION", "12000");
    STANDIN_OK(self, cu.cuDriverGetVersion(&version));
    FORK_CHECK(self, version == 12000);
    STANDIN_RESULT(self, cu.find("cuCtxSetFlags", &address, CUDA_VERSION, 0, &found),
                   CUDA_ERROR_NOT_FOUND);
    STANDIN_OK(self, cu.find("cuMemMap", &address, CUDA_VERSION, 0, &found));
}

/* Two devices out of four, of which the first here is number 3 of the machine. */
static void test_visible(struct fork_rank *self, void *context)
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
static void test_visible_by_uuid(struct fork_rank *self, void *context)
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

static void test_no_device(struct fork_rank *self, void *context)
{
    (void)context;
    set("SYMM_STANDIN_DEVICES", "0");
    standin_open(self);
    STANDIN_RESULT(self, cu.cuInit(0), CUDA_ERROR_NO_DEVICE);
}

static void test_contexts(struct fork_rank *self, void *unused)
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

/* ---- faults, counts, what is left ------------------------------------------------------------ */

static void test_faults(struct fork_rank *self, void *context)
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

static void test_capture_mode(struct fork_rank *self, void *context)
{
    char said[4096];
    (void)context;
    FORK_CHECK(self, standin_child(use_capture, self, said) == 0);
    FORK_CHECK(self, strstr(said, "cuStreamSynchronize while a stream is being captured") != NULL);
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

static void test_what_is_left_at_exit(struct fork_rank *self, void *context)
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

static void test_counts(struct fork_rank *self, void *context)
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

UNIT_MAIN("test_standin", 100,
    FORK_TEST(test_old_driver, 1),
    FORK_TEST(test_look_up, 1),
    FORK_TEST_WITH(test_visible, 1, (char[]){"3,1,9,2"}), /* an unknown one */
    FORK_TEST_WITH(test_visible, 1, (char[]){"3,1,1"}),   /* one twice */
    FORK_TEST(test_visible_by_uuid, 2),
    FORK_TEST(test_no_device, 1),
    FORK_TEST(test_contexts, 1),
    FORK_TEST(test_faults, 1),
    FORK_TEST(test_capture_mode, 1),
    FORK_TEST(test_what_is_left_at_exit, 1),
    FORK_TEST(test_counts, 1))
