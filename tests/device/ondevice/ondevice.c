/*
 * ondevice.c - runs the collectives of any test program on device memory; preloaded, never
 * installed.
 *
 * It stands in front of MPI_Allreduce and MPI_Allgather, and of what ondevice_reductions.c,
 * ondevice_exchange.c and ondevice_rooted.c have: copies of the program's buffers go to blocks from
 * MPI_Alloc_mem with kind=cuda, or elsewhere, the call is made on those, and what they hold
 * afterwards comes back.  So every program that checks results on the host checks the kernels, and
 * needs not know of devices.
 *
 * SYMM_TEST_CUDA_LIBRARY  the driver to load; default libcuda.so.1
 * SYMM_TEST_DEVICE_RANK   only this rank's buffers go to its device
 * SYMM_TEST_DEVICE_PART   "send" or "receive": only that buffer
 * SYMM_TEST_DEVICE_TURNS  "calls": a rank's device changes from call to call, in many combinations
 *                         with the others'; "buffers": and is another one for the receive buffer;
 *                         "mixed": in every fourth call
 * SYMM_TEST_DEVICE_MEMORY "fresh": buffers are cuMemAlloc() memory, which is freed after the call;
 *                         "kept": it is kept for later calls, as caching allocators do; "mixed":
 *                         from call to call, rank to rank and buffer to buffer one of these, or
 *                         from MPI_Alloc_mem; in every fourth call all buffers are of one sort;
 *                         "pool": cuMemAllocAsync(); "managed": cuMemAllocManaged(); "mapped": the
 *                         program maps it itself; "any": all in turns
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/ondevice/ondevice.h"
#include "tests/device/ondevice/ondevice_memory.h"

#include <cuda.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 192, ALIGNMENT = 64, PATTERN = 0x6d, DEVICES_MAX = 16 };

static CUresult (*use)(CUcontext);
static CUcontext contexts[DEVICES_MAX];
static int devices;
int ondevice_local_rank;
_Atomic int ondevice_calls;
static CUresult (*upload)(CUdeviceptr, const void *, size_t);
static CUresult (*download)(void *, CUdeviceptr, size_t);
static void (*watch)(int); /* of the stand-in driver */
static bool wanted;

/* The stand-in driver delays what is watched, which is of no use where we wait for it ourselves. */
static void watch_set(int on)
{
    if (watch != NULL) {
        watch(on);
    }
}

/* The contexts that a program would have made with cudaSetDevice(). */
static void driver_open(void)
{
    const char *path = getenv("SYMM_TEST_CUDA_LIBRARY");
    void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        ondevice_stop(dlerror(), -1);
        return;
    }
    watch = (void (*)(int))dlsym(library, "symm_standin_watch");
    CUresult (*init)(unsigned) = (CUresult(*)(unsigned))ondevice_find(library, "cuInit");
    CUresult (*count)(int *) = (CUresult(*)(int *))ondevice_find(library, "cuDeviceGetCount");
    CUresult (*get)(CUdevice *, int) =
        (CUresult(*)(CUdevice *, int))ondevice_find(library, "cuDeviceGet");
    CUresult (*retain)(CUcontext *, CUdevice) =
        (CUresult(*)(CUcontext *, CUdevice))ondevice_find(library, "cuDevicePrimaryCtxRetain");
    use = (CUresult(*)(CUcontext))ondevice_find(library, "cuCtxSetCurrent");
    upload =
        (CUresult(*)(CUdeviceptr, const void *, size_t))ondevice_find(library, "cuMemcpyHtoD_v2");
    download = (CUresult(*)(void *, CUdeviceptr, size_t))ondevice_find(library, "cuMemcpyDtoH_v2");
    ondevice_memory_find(library);
    CUdevice device;
    CUresult error = init(0);
    if (error == CUDA_SUCCESS) {
        error = count(&devices);
    }
    devices = devices < DEVICES_MAX ? devices : DEVICES_MAX;
    for (int i = 0; i < devices && error == CUDA_SUCCESS; i++) {
        error = get(&device, i);
        if (error == CUDA_SUCCESS &&
            (getenv("SYMM_TEST_DEVICE_TURNS") || i == ondevice_local_rank % devices)) {
            error = retain(&contexts[i], device);
        }
    }
    if (error != CUDA_SUCCESS || devices == 0 ||
        use(contexts[ondevice_local_rank % devices]) != CUDA_SUCCESS) {
        ondevice_stop("no device", (int)error);
    }
}

/*
 * Local rank modulo devices, unless they take turns: rank 0's every call, rank 1's every second
 * one, ...
 */
static CUcontext context_choose(const char *part)
{
    const char *turns = getenv("SYMM_TEST_DEVICE_TURNS");
    int turn = turns == NULL ? 0 : ondevice_calls >> ondevice_local_rank % 3;
    if (turns != NULL && strcmp(part, "receive") == 0) {
        turn += strcmp(turns, "buffers") == 0 ||
                (strcmp(turns, "mixed") == 0 && ondevice_calls % 4 == 3);
    }
    return contexts[(ondevice_local_rank + turn) % devices];
}

static void open_all(void)
{
    const char *only = getenv("SYMM_TEST_DEVICE_RANK");
    int rank;
    MPI_Comm node;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    PMPI_Comm_rank(node, &ondevice_local_rank);
    PMPI_Comm_free(&node);
    driver_open();
    wanted = only == NULL || atoi(only) == rank;
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    open_all();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    open_all();
    return rc;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static bool is_wanted(const char *part)
{
    const char *only = getenv("SYMM_TEST_DEVICE_PART");
    return wanted && (only == NULL || strcmp(only, part) == 0);
}

/* Bytes from the first that elements occupy to the last; *lower: where the first is. */
static size_t span(int count, MPI_Datatype type, MPI_Aint *lower)
{
    MPI_Aint extent, bound, true_extent;
    int size;
    MPI_Type_size(type, &size);
    if (size == 0) { /* then extents say nothing */
        return 0;
    }
    MPI_Type_get_extent(type, &bound, &extent);
    MPI_Type_get_true_extent(type, lower, &true_extent);
    return count > 0 ? (size_t)(true_extent + (count - 1) * extent) : 0;
}

struct ondevice_moved ondevice_move(const void *buffer, MPI_Aint lower, size_t bytes,
                                    const char *part)
{
    struct ondevice_moved moved = {.address = (void *)(uintptr_t)buffer};
    if (buffer == MPI_IN_PLACE || !is_wanted(part)) {
        return moved;
    }
    moved.bytes = bytes;
    if (moved.bytes == 0) {
        return moved;
    }
    moved.context = context_choose(part);
    if (use(moved.context) != CUDA_SUCCESS) { /* a context is current in one thread only */
        ondevice_stop("no context", 0);
    }
    moved.host = (unsigned char *)moved.address + lower;
    size_t total = moved.bytes + 2 * GUARD + ALIGNMENT;
    unsigned char *guards = malloc(total);
    moved.origin = ondevice_memory_choose(part);
    moved.block = ondevice_memory_get(total, &moved.origin, moved.context);
    if (guards == NULL || moved.block == NULL) {
        ondevice_stop("no memory", (int)total);
    }
    memset(guards, PATTERN, total);
    moved.data = moved.block + GUARD + (uintptr_t)moved.host % ALIGNMENT;
    memcpy(guards + (moved.data - moved.block), moved.host, moved.bytes);
    if (upload((CUdeviceptr)(uintptr_t)moved.block, guards, total) != CUDA_SUCCESS) {
        ondevice_stop("upload failed", 0);
    }
    free(guards);
    moved.address = moved.data - lower;
    return moved;
}

struct ondevice_moved ondevice_move_elements(const void *buffer, int count, MPI_Datatype type,
                                        const char *part)
{
    MPI_Aint lower = 0;
    size_t bytes = buffer == MPI_IN_PLACE ? 0 : span(count, type, &lower);
    return ondevice_move(buffer, lower, bytes, part);
}

static void check_guards(const unsigned char *copy, size_t before, size_t bytes, size_t total)
{
    for (size_t i = 0; i < total; i++) {
        if ((i < before || i >= before + bytes) && copy[i] != PATTERN) {
            ondevice_stop("memory beside a buffer was changed", (int)(i - before));
        }
    }
}

void ondevice_move_back(struct ondevice_moved *moved)
{
    if (moved->block == NULL) {
        return;
    }
    size_t total = moved->bytes + 2 * GUARD + ALIGNMENT;
    unsigned char *copy = malloc(total);
    watch_set(0);
    if (copy == NULL || use(moved->context) != CUDA_SUCCESS ||
        download(copy, (CUdeviceptr)(uintptr_t)moved->block, total) != CUDA_SUCCESS) {
        ondevice_stop("download failed", 0);
        return;
    }
    watch_set(1);
    size_t before = (size_t)(moved->data - moved->block);
    check_guards(copy, before, moved->bytes, total);
    memcpy(moved->host, copy + before, moved->bytes);
    free(copy);
    ondevice_memory_end(moved->block, total, moved->origin);
}

/* ---- collectives ----------------------------------------------------------------------------- */

int MPI_Allreduce(const void *sbuf, void *rbuf, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct ondevice_moved send = ondevice_move_elements(sbuf, count, type, "send");
    struct ondevice_moved receive = ondevice_move_elements(rbuf, count, type, "receive");
    ondevice_calls++;
    int rc = PMPI_Allreduce(send.address, receive.address, count, type, op, comm);
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}

int MPI_Allgather(const void *sbuf, int scount, MPI_Datatype stype, void *rbuf, int rcount,
                  MPI_Datatype rtype, MPI_Comm comm)
{
    int size, inter;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Comm_remote_size(comm, &size);
    } else {
        PMPI_Comm_size(comm, &size);
    }
    struct ondevice_moved send = ondevice_move_elements(sbuf, scount, stype, "send");
    struct ondevice_moved receive = ondevice_move_elements(rbuf, rcount * size, rtype, "receive");
    ondevice_calls++;
    int rc = PMPI_Allgather(send.address, scount, stype, receive.address, rcount, rtype, comm);
    ondevice_move_back(&receive);
    ondevice_move_back(&send);
    return rc;
}
