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
    *graph = (struct symm_graph){0};
}

static bool is_made(const struct symm_cuda *cuda, struct symm_graph *graph,
                    const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    return cuda->cuGraphCreate(&graph->graph, 0) == CUDA_SUCCESS &&
           cuda->cuGraphAddKernelNode(&graph->node, graph->graph, NULL, 0, kernel) ==
               CUDA_SUCCESS &&
           cuda->cuGraphInstantiateWithFlags(&graph->exec, graph->graph, 0) == CUDA_SUCCESS;
}

void symm_graph_make(const struct symm_cuda *cuda, struct symm_graph *graph,
                     const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream)
{
    if (!driver_has_graphs(cuda) ||
        !atomic_load_explicit(&graphs_are_used, memory_order_relaxed)) {
        return;
    }
    if (!is_made(cuda, graph, kernel) ||
        cuda->cuGraphUpload(graph->exec, stream) != CUDA_SUCCESS) {
        symm_graph_destroy(cuda, graph);
    }
}

bool symm_graph_launch(const struct symm_cuda *cuda, struct symm_graph *graph,
                       const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream)
{
    if (graph->exec == NULL || !atomic_load_explicit(&graphs_are_used, memory_order_relaxed)) {
        return false;
    }
    if (cuda->cuGraphExecKernelNodeSetParams(graph->exec, graph->node, kernel) != CUDA_SUCCESS ||
        cuda->cuGraphLaunch(graph->exec, stream) != CUDA_SUCCESS) {
        symm_graph_destroy(cuda, graph);
        return false;
    }
    return true;
}
