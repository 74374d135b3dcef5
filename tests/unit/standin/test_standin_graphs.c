/*
 * test_standin_graphs.c - the stand-in driver's graphs: what is captured is done at each launch, in
 * its order; which streams are captured together; and what graphs keep.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/standin/additions.h"

#include <stdatomic.h>
#include <string.h>

static CUstream stream_make(struct fork_rank *self)
{
    CUstream stream;
    STANDIN_OK(self, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static CUevent event_make(struct fork_rank *self)
{
    CUevent event;
    STANDIN_OK(self, cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
}

static void capture_begin(struct fork_rank *self, CUstream stream)
{
    STANDIN_OK(self, cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
}

static CUgraphExec capture_end(struct fork_rank *self, CUstream stream)
{
    CUgraphExec exec;
    CUgraph graph;
    STANDIN_OK(self, cu.cuStreamEndCapture(stream, &graph));
    STANDIN_OK(self, cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    STANDIN_OK(self, cu.cuGraphDestroy(graph));
    return exec;
}

static void capture_fails(struct fork_rank *self, CUstream stream, CUresult wanted)
{
    CUgraph graph;
    STANDIN_RESULT(self, cu.cuStreamEndCapture(stream, &graph), wanted);
    FORK_CHECK(self, graph == NULL);
}

/* ---- replays --------------------------------------------------------------------------------- */

/* Copies, kernels, fills and words; each launch works on what is in memory then. */
static void test_replay(struct fork_rank *self, void *unused)
{
    CUmodule module;
    (void)unused;
    standin_start(self, 0);
    CUfunction kernel = standin_kernel(self, &module);
    CUdeviceptr memory = standin_memory_make(self, 0, 1), copy = standin_memory_make(self, 0, 1);
    CUstream stream = stream_make(self), other = stream_make(self);
    uint32_t *words = standin_word_make(self);
    standin_numbers_put(self, memory, 0, COUNT);
    capture_begin(self, stream);
    STANDIN_OK(self, cu.cuStreamWriteValue32(stream, (uintptr_t)&words[0], 1, 0));
    standin_add_launch(self, kernel, stream, standin_addition(memory, memory, 1));
    STANDIN_OK(self, cu.cuMemsetD8Async(copy, 0, BYTES, stream));
    STANDIN_OK(self, cu.cuMemcpyAsync(copy, memory, BYTES, stream));
    standin_add_launch(self, kernel, stream, standin_addition(copy, copy, 5));
    STANDIN_OK(self, cu.cuStreamWriteValue64(stream, (uintptr_t)&words[2],
                                             UINT64_C(7) << 32 | 8, 0));
    CUgraphExec exec = capture_end(self, stream);
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
    FORK_CHECK(self, words[0] == 0);
    standin_numbers_check(self, memory, 0, COUNT);
    /* In whichever streams: launches of one graph come one after the other. */
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        STANDIN_OK(self, cu.cuGraphLaunch(exec, i % 3 == 0 ? other : stream));
    }
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
    STANDIN_OK(self, cu.cuStreamSynchronize(other));
    standin_numbers_check(self, memory, ROUNDS, COUNT);
    standin_numbers_check(self, copy, ROUNDS + 5, COUNT);
    FORK_CHECK(self, words[0] == 1 && words[2] == 8 && words[3] == 7);
    /* A graph within a graph. */
    capture_begin(self, other);
    STANDIN_OK(self, cu.cuGraphLaunch(exec, other));
    STANDIN_OK(self, cu.cuGraphLaunch(exec, other));
    CUgraphExec twice = capture_end(self, other);
    STANDIN_OK(self, cu.cuGraphExecDestroy(exec));
    STANDIN_OK(self, cu.cuGraphLaunch(twice, stream));
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
    standin_numbers_check(self, memory, ROUNDS + 2, COUNT);
    /* Memory that has gone meanwhile is found: addresses are looked at in each launch. */
    standin_memory_end(self, memory, 1);
    STANDIN_OK(self, cu.cuGraphLaunch(twice, stream));
    STANDIN_RESULT(self, cu.cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* ---- streams that are captured together ------------------------------------------------------ */

static bool is_capturing(struct fork_rank *self, CUstream stream)
{
    CUstreamCaptureStatus status;
    STANDIN_OK(self, cu.cuStreamIsCapturing(stream, &status));
    return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

static void test_join(struct fork_rank *self, void *unused)
{
    (void)unused;
    standin_start(self, 0);
    uint32_t *words = standin_word_make(self);
    CUstream stream = stream_make(self), other = stream_make(self);
    CUevent fork = event_make(self), join = event_make(self);
    capture_begin(self, stream);
    STANDIN_OK(self, cu.cuEventRecord(fork, stream));
    STANDIN_OK(self, cu.cuStreamWaitEvent(other, fork, 0));
    FORK_CHECK(self, is_capturing(self, other));
    STANDIN_OK(self, cu.cuStreamWriteValue32(other, (uintptr_t)words, 1, 0));
    STANDIN_RESULT(self, cu.cuEventQuery(fork), CUDA_ERROR_CAPTURED_EVENT);
    STANDIN_RESULT(self, cu.cuEventSynchronize(fork), CUDA_ERROR_CAPTURED_EVENT);
    CUgraph graph;
    STANDIN_RESULT(self, cu.cuStreamEndCapture(other, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    STANDIN_OK(self, cu.cuEventRecord(join, other));
    STANDIN_OK(self, cu.cuStreamWaitEvent(stream, join, 0));
    CUgraphExec exec = capture_end(self, stream);
    FORK_CHECK(self, !is_capturing(self, other));
    STANDIN_OK(self, cu.cuGraphLaunch(exec, stream));
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
    FORK_CHECK(self, words[0] == 1);
    STANDIN_RESULT(self, cu.cuStreamWaitEvent(other, join, 0), CUDA_ERROR_CAPTURED_EVENT);
    /* Work that nobody waits for. */
    capture_begin(self, stream);
    STANDIN_OK(self, cu.cuEventRecord(fork, stream));
    STANDIN_OK(self, cu.cuStreamWaitEvent(other, fork, 0));
    STANDIN_OK(self, cu.cuStreamWriteValue32(other, (uintptr_t)words, 1, 0));
    capture_fails(self, stream, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    /* Work outside the capture. */
    STANDIN_OK(self, cu.cuEventRecord(join, other));
    STANDIN_OK(self, cu.cuEventSynchronize(join));
    capture_begin(self, stream);
    STANDIN_RESULT(self, cu.cuStreamWaitEvent(stream, join, 0),
                   CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    capture_fails(self, stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    /* Another capture. */
    capture_begin(self, stream);
    capture_begin(self, other);
    STANDIN_OK(self, cu.cuEventRecord(fork, stream));
    STANDIN_RESULT(self, cu.cuStreamWaitEvent(other, fork, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    capture_fails(self, stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    capture_fails(self, other, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    /* Streams that go. */
    capture_begin(self, stream);
    STANDIN_OK(self, cu.cuEventRecord(fork, stream));
    STANDIN_OK(self, cu.cuStreamWaitEvent(other, fork, 0));
    STANDIN_OK(self, cu.cuStreamDestroy(other));
    capture_fails(self, stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    capture_begin(self, stream);
    STANDIN_OK(self, cu.cuStreamDestroy(stream));
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* What is set later does not touch earlier launches. */
static void test_parameters(struct fork_rank *self, void *unused)
{
    CUmodule module;
    CUgraphExec exec;
    CUgraph graph;
    CUgraphNode node;
    (void)unused;
    standin_start(self, 0);
    CUdeviceptr memory = standin_memory_make(self, 0, 1);
    CUstream stream = stream_make(self);
    standin_numbers_put(self, memory, 0, COUNT);
    struct symm_standin_add add = standin_addition(memory, memory, 1);
    void *parameters[] = {&add};
    CUDA_KERNEL_NODE_PARAMS kernel = {
        .func = standin_kernel(self, &module), .gridDimX = 4, .gridDimY = 1, .gridDimZ = 1,
        .blockDimX = 256, .blockDimY = 1, .blockDimZ = 1, .kernelParams = parameters,
    };
    STANDIN_OK(self, cu.cuGraphCreate(&graph, 0));
    STANDIN_OK(self, cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    STANDIN_OK(self, cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    uint32_t sum = 0;
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        add.number = i;
        sum += i;
        STANDIN_OK(self, cu.cuGraphExecKernelNodeSetParams(exec, node, &kernel));
        STANDIN_OK(self, cu.cuGraphLaunch(exec, stream));
    }
    STANDIN_OK(self, cu.cuStreamSynchronize(stream));
    standin_numbers_check(self, memory, sum, COUNT);
    STANDIN_OK(self, cu.cuModuleUnload(module));
    STANDIN_RESULT(self, cu.cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_HANDLE);
}

/* ---- what graphs keep ------------------------------------------------------------------------ */

static void count_up(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void wait_for_count(atomic_int *count, int wanted)
{
    unsigned polls = 0;
    while (atomic_load(count) < wanted) {
        unit_pause(&polls);
    }
}

/* A thread destroys what is kept once the graph has gone and its last launch is done. */
static void test_user_objects(struct fork_rank *self, void *unused)
{
    static atomic_int destroyed;
    CUstreamCaptureStatus status;
    CUuserObject object;
    CUgraph graph;
    cuuint64_t first, second;
    (void)unused;
    standin_start(self, 0);
    uint32_t *words = standin_word_make(self);
    CUstream stream = stream_make(self);
    for (int way = 0; way < 2; way++) {
        words[0] = 0;
        STANDIN_OK(self, cu.cuUserObjectCreate(&object, &destroyed, count_up, 1,
                                               CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
        capture_begin(self, stream);
        STANDIN_OK(self, standin_capture_info(stream, &status, &first, &graph));
        FORK_CHECK(self, status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        STANDIN_OK(self, cu.cuGraphRetainUserObject(graph, object, 1,
                                                    way == 0 ? 0 : CU_GRAPH_USER_OBJECT_MOVE));
        STANDIN_OK(self, cu.cuStreamWaitValue32(stream, (uintptr_t)words, 1,
                                                CU_STREAM_WAIT_VALUE_EQ));
        CUgraphExec exec = capture_end(self, stream);
        if (way == 0) {
            STANDIN_OK(self, cu.cuUserObjectRelease(object, 1));
        }
        STANDIN_OK(self, cu.cuGraphLaunch(exec, stream));
        STANDIN_OK(self, cu.cuGraphExecDestroy(exec));
        FORK_CHECK(self, atomic_load(&destroyed) == way);
        __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
        wait_for_count(&destroyed, way + 1);
        STANDIN_RESULT(self, cu.cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
    }
    /* One that is kept by a capture which fails. */
    capture_begin(self, stream);
    STANDIN_OK(self, standin_capture_info(stream, &status, &second, &graph));
    FORK_CHECK(self, second != first);
    STANDIN_OK(self, cu.cuUserObjectCreate(&object, &destroyed, count_up, 1,
                                           CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    STANDIN_OK(self, cu.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    STANDIN_RESULT(self, cu.cuStreamQuery(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    capture_fails(self, stream, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    wait_for_count(&destroyed, 3);
    STANDIN_OK(self, standin_capture_info(stream, &status, &second, &graph));
    FORK_CHECK(self, status == CU_STREAM_CAPTURE_STATUS_NONE);
}

UNIT_MAIN("test_standin_graphs", 60,
    FORK_TEST(test_replay, 1),
    FORK_TEST(test_join, 1),
    FORK_TEST(test_parameters, 1),
    FORK_TEST(test_user_objects, 1))
