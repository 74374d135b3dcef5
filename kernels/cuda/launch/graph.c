/*
 * graph.c - see graph.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"

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

void symm_graph_destroy(const struct symm_cuda *cuda, struct symm_graph *graph)
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

bool symm_graph_make(const struct symm_cuda *cuda, struct symm_graph *graph,
                     const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    if (driver_has_graphs(cuda) && cuda->cuGraphCreate(&graph->graph, 0) == CUDA_SUCCESS &&
        cuda->cuGraphAddKernelNode(&graph->node, graph->graph, NULL, 0, kernel) == CUDA_SUCCESS &&
        cuda->cuGraphInstantiateWithFlags(&graph->exec, graph->graph, 0) == CUDA_SUCCESS) {
        return true;
    }
    symm_graph_destroy(cuda, graph);
    return false;
}

void symm_graphs_make(const struct symm_cuda *cuda, struct symm_graphs *graphs, uint32_t life,
                      const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream)
{
    uint64_t made = 0;
    if (!atomic_load_explicit(&graphs_are_used, memory_order_relaxed)) {
        return;
    }
    for (unsigned number = 0; number < SYMM_DEVICE_GRAPHS; number++) {
        struct symm_graph *graph = &graphs->all[number];
        if (!symm_graph_make(cuda, graph, kernel)) {
            continue;
        }
        if (cuda->cuGraphUpload(graph->exec, stream) == CUDA_SUCCESS) {
            made |= UINT64_C(1) << number;
        } else {
            symm_graph_destroy(cuda, graph);
        }
    }
    atomic_store_explicit(&graphs->free, (uint64_t)life << 32 | made, memory_order_release);
}

void symm_graphs_destroy(const struct symm_cuda *cuda, struct symm_graphs *graphs)
{
    for (unsigned number = 0; number < SYMM_DEVICE_GRAPHS; number++) {
        symm_graph_destroy(cuda, &graphs->all[number]);
    }
}

void symm_graphs_forget(struct symm_graphs *graphs)
{
    atomic_store_explicit(&graphs->free, 0, memory_order_relaxed);
    for (unsigned number = 0; number < SYMM_DEVICE_GRAPHS; number++) {
        struct symm_graph *graph = &graphs->all[number];
        graph->exec = NULL;
        graph->graph = NULL;
        atomic_store_explicit(&graph->function, NULL, memory_order_relaxed);
    }
}

/* ---- taking and giving back ------------------------------------------------------------------ */

/* Of the free ones: the first with this function, the first without any, or one after the other. */
static unsigned graph_choose(struct symm_graphs *graphs, uint32_t free, CUfunction function)
{
    unsigned unused = SYMM_DEVICE_GRAPHS;
    for (unsigned number = 0; number < SYMM_DEVICE_GRAPHS; number++) {
        CUfunction last = atomic_load_explicit(&graphs->all[number].function, memory_order_relaxed);
        if ((free >> number & 1) == 0) {
            continue;
        }
        if (last == function) {
            return number;
        }
        unused = last == NULL && unused == SYMM_DEVICE_GRAPHS ? number : unused;
    }
    unsigned number = unused != SYMM_DEVICE_GRAPHS
                          ? unused
                          : atomic_fetch_add_explicit(&graphs->turn, 1, memory_order_relaxed);
    while ((free >> number % SYMM_DEVICE_GRAPHS & 1) == 0) {
        number++;
    }
    return number % SYMM_DEVICE_GRAPHS;
}

static struct symm_graph *graph_take(struct symm_graphs *graphs, struct symm_completion *completion,
                                     CUfunction function)
{
    uint64_t free = atomic_load_explicit(&graphs->free, memory_order_relaxed);
    while ((uint32_t)free != 0 && free >> 32 == completion->life) {
        unsigned number = graph_choose(graphs, (uint32_t)free, function);
        if (atomic_compare_exchange_weak_explicit(&graphs->free, &free,
                                                  free & ~(UINT64_C(1) << number),
                                                  memory_order_acquire, memory_order_relaxed)) {
            completion->graph = number + 1;
            return &graphs->all[number];
        }
    }
    return NULL;
}

void symm_graphs_give(struct symm_graphs *graphs, const struct symm_completion *completion)
{
    uint64_t free = atomic_load_explicit(&graphs->free, memory_order_relaxed);
    while (completion->graph != 0 && free >> 32 == completion->life) {
        if (atomic_compare_exchange_weak_explicit(&graphs->free, &free,
                                                  free | UINT64_C(1) << (completion->graph - 1),
                                                  memory_order_release, memory_order_relaxed)) {
            return;
        }
    }
}

bool symm_graphs_launch(const struct symm_cuda *cuda, struct symm_graphs *graphs,
                        struct symm_completion *completion, const CUDA_KERNEL_NODE_PARAMS *kernel,
                        CUstream stream)
{
    struct symm_graph *graph = NULL;
    if (atomic_load_explicit(&graphs_are_used, memory_order_relaxed)) {
        graph = graph_take(graphs, completion, kernel->func);
    }
    if (graph == NULL) {
        return false;
    }
    atomic_store_explicit(&graph->function, kernel->func, memory_order_relaxed);
    if (cuda->cuGraphExecKernelNodeSetParams(graph->exec, graph->node, kernel) != CUDA_SUCCESS ||
        cuda->cuGraphLaunch(graph->exec, stream) != CUDA_SUCCESS) {
        symm_graph_destroy(cuda, graph);
        completion->graph = 0;
        return false;
    }
    return true;
}
