/*
 * cuda_streams.c - see cuda_streams.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_streams.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Under the names that the library exports. */
static struct {
    CUresult (*cuStreamCreate)(CUstream *, unsigned);
    CUresult (*cuStreamDestroy_v2)(CUstream);
    CUresult (*cuStreamSynchronize)(CUstream);
    CUresult (*cuStreamQuery)(CUstream);
    CUresult (*cuStreamWaitEvent)(CUstream, CUevent, unsigned);
    CUresult (*cuStreamBeginCapture_v2)(CUstream, CUstreamCaptureMode);
    CUresult (*cuStreamEndCapture)(CUstream, CUgraph *);
    CUresult (*cuMemcpyAsync)(CUdeviceptr, CUdeviceptr, size_t, CUstream);
    CUresult (*cuLaunchHostFunc)(CUstream, CUhostFn, void *);
    CUresult (*cuEventCreate)(CUevent *, unsigned);
    CUresult (*cuEventRecord)(CUevent, CUstream);
    CUresult (*cuEventDestroy_v2)(CUevent);
    CUresult (*cuGraphInstantiateWithFlags)(CUgraphExec *, CUgraph, unsigned long long);
    CUresult (*cuGraphLaunch)(CUgraphExec, CUstream);
    CUresult (*cuGraphExecDestroy)(CUgraphExec);
    CUresult (*cuGraphDestroy)(CUgraph);
} cuda;

static void stop(const char *what, int result)
{
    fprintf(stderr, "cuda_streams: %s (%d)\n", what, result);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

#define OK(name, ...)                                        \
    do {                                                     \
        const CUresult result = cuda.name(__VA_ARGS__);      \
        if (result != CUDA_SUCCESS) {                        \
            stop(#name, (int)result);                        \
        }                                                    \
    } while (0)

static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (address == NULL) {
        stop(name, CUDA_ERROR_NOT_FOUND);
    }
    memcpy(function, &address, sizeof(address));
}

void cuda_streams_open(void)
{
    const char *path = getenv("SYMM_TEST_CUDA_LIBRARY");
    void *library = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        stop(dlerror(), CUDA_ERROR_NOT_FOUND);
    }
#define FIND(name) find(library, #name, &cuda.name)
    FIND(cuStreamCreate);
    FIND(cuStreamDestroy_v2);
    FIND(cuStreamSynchronize);
    FIND(cuStreamQuery);
    FIND(cuStreamWaitEvent);
    FIND(cuStreamBeginCapture_v2);
    FIND(cuStreamEndCapture);
    FIND(cuMemcpyAsync);
    FIND(cuLaunchHostFunc);
    FIND(cuEventCreate);
    FIND(cuEventRecord);
    FIND(cuEventDestroy_v2);
    FIND(cuGraphInstantiateWithFlags);
    FIND(cuGraphLaunch);
    FIND(cuGraphExecDestroy);
    FIND(cuGraphDestroy);
#undef FIND
}

/* ---- streams --------------------------------------------------------------------------------- */

void *cuda_stream_make(void)
{
    CUstream stream;
    OK(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    return stream;
}

void cuda_stream_destroy(void *stream)
{
    OK(cuStreamDestroy_v2, stream);
}

void cuda_memory_settle(void)
{
    OK(cuStreamSynchronize, NULL);
}

void cuda_stream_await(void *stream)
{
    OK(cuStreamSynchronize, stream);
}

bool cuda_stream_is_done(void *stream)
{
    return cuda.cuStreamQuery(stream) != CUDA_ERROR_NOT_READY;
}

static void sleep_for(void *microseconds)
{
    (void)usleep((useconds_t)(uintptr_t)microseconds);
}

void cuda_stream_delay(void *stream, unsigned microseconds)
{
    OK(cuLaunchHostFunc, stream, sleep_for, (void *)(uintptr_t)microseconds);
}

void cuda_stream_copy(void *stream, void *to, const void *from, size_t bytes)
{
    OK(cuMemcpyAsync, (CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, bytes, stream);
}

void cuda_stream_order(void *first, void *then)
{
    CUevent event;
    OK(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
    OK(cuEventRecord, event, first);
    OK(cuStreamWaitEvent, then, event, 0);
    OK(cuEventDestroy_v2, event);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

void cuda_capture_begin(void *stream)
{
    OK(cuStreamBeginCapture_v2, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

void *cuda_capture_end(void *stream)
{
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamEndCapture, stream, &graph);
    OK(cuGraphInstantiateWithFlags, &exec, graph, 0);
    OK(cuGraphDestroy, graph);
    return exec;
}

void cuda_graph_launch(void *graph, void *stream)
{
    OK(cuGraphLaunch, graph, stream);
}

void cuda_graph_destroy(void *graph)
{
    OK(cuGraphExecDestroy, graph);
}

/* ---- MPI ------------------------------------------------------------------------------------- */

MPIX_Stream cuda_mpix_stream(void *stream)
{
    MPI_Info info;
    MPIX_Stream made;
    MPI_Info_create(&info);
    MPI_Info_set(info, "type", "cudaStream_t");
    MPIX_Info_set_hex(info, "value", &stream, sizeof(stream));
    const char *bytes = getenv("SYMM_TEST_STREAM_BYTES");
    const char *blocks = getenv("SYMM_TEST_STREAM_BLOCKS");
    if (bytes != NULL) {
        MPI_Info_set(info, "symm_bytes", bytes);
    }
    if (blocks != NULL) {
        MPI_Info_set(info, "symm_blocks", blocks);
    }
    if (MPIX_Stream_create(info, &made) != MPI_SUCCESS) {
        stop("MPIX_Stream_create", 0);
    }
    MPI_Info_free(&info);
    return made;
}

MPI_Comm cuda_mpix_comm(MPI_Comm comm, void *stream)
{
    MPI_Comm made;
    MPIX_Stream handle = cuda_mpix_stream(stream);
    MPIX_Stream_comm_create(comm, handle, &made);
    MPIX_Stream_free(&handle);
    return made;
}
