/*
 * queue.c - see queue.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/queue.h"

/* A kernel as the driver takes it: its one argument is a struct. */
struct node {
    void *parameters[1];
    CUDA_KERNEL_NODE_PARAMS kernel;
};

static void node_describe(const struct symm_queue *queue, const struct symm_kernel *kernel,
                          struct node *node)
{
    node->parameters[0] = (void *)(uintptr_t)&kernel->arguments;
    node->kernel = (CUDA_KERNEL_NODE_PARAMS){
        .func = queue->functions[kernel->function],
        .gridDimX = kernel->blocks, .gridDimY = 1, .gridDimZ = 1,
        .blockDimX = kernel->threads, .blockDimY = 1, .blockDimZ = 1,
        .kernelParams = node->parameters,
    };
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static _Atomic bool graphs_are_used = true;

void symm_device_use_graphs(bool used)
{
    atomic_store_explicit(&graphs_are_used, used, memory_order_relaxed);
}

/* Drivers before CUDA 12.0 have not all of these. */
static bool driver_has_graphs(const struct symm_cuda *cuda)
{
    return cuda->cuGraphCreate != NULL && cuda->cuGraphAddKernelNode != NULL &&
           cuda->cuGraphInstantiateWithFlags != NULL &&
           cuda->cuGraphUpload != NULL && cuda->cuGraphExecKernelNodeSetParams != NULL &&
           cuda->cuGraphLaunch != NULL &&
           cuda->cuGraphExecDestroy != NULL && cuda->cuGraphDestroy != NULL;
}

static void graph_destroy(const struct symm_cuda *cuda, struct symm_graph *graph)
{
    if (graph->exec != NULL) {
        (void)cuda->cuGraphExecDestroy(graph->exec);
    }
    if (graph->graph != NULL) {
        (void)cuda->cuGraphDestroy(graph->graph);
    }
    graph->exec = NULL;
    graph->graph = NULL;
}

/* False, and there is none: the driver refuses. */
static bool graph_make(const struct symm_cuda *cuda, struct symm_graph *graph,
                       const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream)
{
    if (cuda->cuGraphCreate(&graph->graph, 0) == CUDA_SUCCESS &&
        cuda->cuGraphAddKernelNode(&graph->node, graph->graph, NULL, 0, kernel) == CUDA_SUCCESS &&
        cuda->cuGraphInstantiateWithFlags(&graph->exec, graph->graph, 0) == CUDA_SUCCESS &&
        (stream == NULL || cuda->cuGraphUpload(graph->exec, stream) == CUDA_SUCCESS)) {
        return true;
    }
    graph_destroy(cuda, graph);
    return false;
}

void symm_queue_make_graphs(struct symm_queue *queue, unsigned count, uint32_t generation,
                            int function, CUstream stream)
{
    uint64_t made = 0;
    struct symm_kernel any; /* none of their launches will be this one */
    struct node node;
    if (!atomic_load_explicit(&graphs_are_used, memory_order_relaxed) ||
        !driver_has_graphs(queue->cuda)) {
        return;
    }
    memset(&any, 0, sizeof(any));
    any.function = function;
    any.blocks = 1;
    any.threads = SYMM_DEVICE_WARP;
    node_describe(queue, &any, &node);
    for (unsigned number = 0; number < count; number++) {
        if (graph_make(queue->cuda, &queue->graphs[number], &node.kernel, stream)) {
            made |= UINT64_C(1) << number;
        }
    }
    atomic_store_explicit(&queue->free, (uint64_t)generation << 32 | made, memory_order_release);
}

void symm_queue_destroy_graphs(struct symm_queue *queue)
{
    for (unsigned number = 0; number < SYMM_QUEUE_GRAPHS; number++) {
        graph_destroy(queue->cuda, &queue->graphs[number]);
    }
}

void symm_queue_forget_graphs(struct symm_queue *queue)
{
    atomic_store_explicit(&queue->free, 0, memory_order_relaxed);
    for (unsigned number = 0; number < SYMM_QUEUE_GRAPHS; number++) {
        struct symm_graph *graph = &queue->graphs[number];
        graph->exec = NULL;
        graph->graph = NULL;
        atomic_store_explicit(&graph->function, NULL, memory_order_relaxed);
    }
}

/* ---- taking and giving back ------------------------------------------------------------------ */

/* Of the free ones: the first with this function, the first without any, or one after the other. */
static unsigned graph_choose(struct symm_queue *queue, uint32_t free, CUfunction function)
{
    unsigned unused = SYMM_QUEUE_GRAPHS;
    for (unsigned number = 0; number < SYMM_QUEUE_GRAPHS; number++) {
        CUfunction last =
            atomic_load_explicit(&queue->graphs[number].function, memory_order_relaxed);
        if ((free >> number & 1) == 0) {
            continue;
        }
        if (last == function) {
            return number;
        }
        unused = last == NULL && unused == SYMM_QUEUE_GRAPHS ? number : unused;
    }
    unsigned number = unused != SYMM_QUEUE_GRAPHS
                          ? unused
                          : atomic_fetch_add_explicit(&queue->turn, 1, memory_order_relaxed);
    while ((free >> number % SYMM_QUEUE_GRAPHS & 1) == 0) {
        number++;
    }
    return number % SYMM_QUEUE_GRAPHS;
}

/* Returns its number, plus 1; 0: none is free. */
static uint32_t graph_take(struct symm_queue *queue, uint32_t generation, CUfunction function)
{
    uint64_t free = atomic_load_explicit(&queue->free, memory_order_relaxed);
    while ((uint32_t)free != 0 && free >> 32 == generation &&
           atomic_load_explicit(&graphs_are_used, memory_order_relaxed)) {
        unsigned number = graph_choose(queue, (uint32_t)free, function);
        if (atomic_compare_exchange_weak_explicit(&queue->free, &free,
                                                  free & ~(UINT64_C(1) << number),
                                                  memory_order_acquire, memory_order_relaxed)) {
            return number + 1;
        }
    }
    return 0;
}

void symm_queue_give(struct symm_queue *queue, uint32_t generation, uint32_t graph)
{
    uint64_t free = atomic_load_explicit(&queue->free, memory_order_relaxed);
    while (graph != 0 && free >> 32 == generation) {
        if (atomic_compare_exchange_weak_explicit(&queue->free, &free,
                                                  free | UINT64_C(1) << (graph - 1),
                                                  memory_order_release, memory_order_relaxed)) {
            return;
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool launch_graph(const struct symm_cuda *cuda, struct symm_graph *graph,
                         const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream)
{
    atomic_store_explicit(&graph->function, kernel->func, memory_order_relaxed);
    if (cuda->cuGraphExecKernelNodeSetParams(graph->exec, graph->node, kernel) != CUDA_SUCCESS ||
        cuda->cuGraphLaunch(graph->exec, stream) != CUDA_SUCCESS) {
        graph_destroy(cuda, graph);
        return false;
    }
    return true;
}

/*
 * Early, if the kernel waits for the one before by itself (programmatic dependent launch): in a
 * graph, small calls then take 0.3 us less (bench/results/gpu-h200-2-ranks-early.txt).
 */
static CUresult launch_alone(const struct symm_queue *queue, const struct symm_kernel *kernel,
                             const struct node *node, CUstream stream, const char **call)
{
    CUlaunchAttribute early = {
        .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
        .value.programmaticStreamSerializationAllowed = 1,
    };
    const CUlaunchConfig config = {
        .gridDimX = kernel->blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = kernel->threads,
        .blockDimY = 1, .blockDimZ = 1, .hStream = stream, .attrs = &early, .numAttrs = 1,
    };
    if (kernel->blocks <= queue->early_blocks) {
        *call = "cuLaunchKernelEx";
        return queue->cuda->cuLaunchKernelEx(&config, node->kernel.func,
                                             (void **)(uintptr_t)node->parameters, NULL);
    }
    *call = "cuLaunchKernel";
    return queue->cuda->cuLaunchKernel(node->kernel.func, kernel->blocks, 1, 1, kernel->threads, 1,
                                       1, 0, stream, (void **)(uintptr_t)node->parameters, NULL);
}

enum symm_status symm_queue_launch(struct symm_queue *queue, const struct symm_kernel *kernel,
                                   CUstream stream, uint32_t generation, uint32_t *graph)
{
    struct node node;
    node_describe(queue, kernel, &node);
    const CUfunction function = node.kernel.func;
    if (function == NULL) {
        return SYMM_ERR_ARGUMENT;
    }
    if (graph != NULL) {
        *graph = graph_take(queue, generation, function);
        if (*graph != 0 && launch_graph(queue->cuda, &queue->graphs[*graph - 1], &node.kernel,
                                        stream)) {
            return SYMM_OK;
        }
        *graph = 0;
    }
    const char *call;
    CUresult result = launch_alone(queue, kernel, &node, stream, &call);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed(call, result);
}
