/*
 * graphs.c - graphs of one kernel.
 *
 * A graph has at most one node here, which the real driver does not ask for.  What can be launched
 * keeps a copy of the kernel's argument, as it was when the node was added or set; addresses in it
 * are looked at when it is launched.  It goes with the context in which it was made.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/launches.h"

#include <stdlib.h>
#include <string.h>

/* A kernel with a copy of its argument; no function: no kernel. */
struct kernel {
    struct standin_launch launch;
    uint64_t argument[STANDIN_ARGUMENTS_MAX / sizeof(uint64_t)];
};

struct CUgraphNode_st {
    struct kernel kernel;
};

struct CUgraph_st {
    struct standin_object object;
    struct CUgraphNode_st node;
};

struct CUgraphExec_st {
    struct standin_object object;
    CUcontext context;
    CUgraph graph; /* from which it was made */
    struct kernel kernel;
};

static struct standin_objects graphs, execs;

CUgraph standin_graph_new(void)
{
    CUgraph graph = calloc(1, sizeof *graph);
    if (graph != NULL) {
        standin_object_add(&graphs, &graph->object);
    }
    return graph;
}

size_t standin_graphs_left(void)
{
    return standin_object_count(&graphs) + standin_object_count(&execs);
}

void standin_graphs_destroy(CUcontext context)
{
    struct standin_object *next;
    for (struct standin_object *object = execs.first; object; object = next) {
        next = object->next;
        if (((CUgraphExec)object)->context == context) {
            standin_object_bury(&execs, object);
        }
    }
}

static CUresult kernel_set(struct kernel *kernel, const CUDA_KERNEL_NODE_PARAMS *from,
                           CUcontext context)
{
    const unsigned grid[3] = {from->gridDimX, from->gridDimY, from->gridDimZ};
    const unsigned block[3] = {from->blockDimX, from->blockDimY, from->blockDimZ};
    struct standin_launch launch;
    CUresult result = standin_launch_make(&launch, from->func, grid, block, from->sharedMemBytes,
                                          from->kernelParams, from->extra, context);
    if (result == CUDA_SUCCESS) {
        memcpy(kernel->argument, launch.argument, launch.function->kernel->arguments_size);
        kernel->launch = launch;
        kernel->launch.argument = NULL;
    }
    return result;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    CUcontext context;
    CUresult result = graph == NULL || flags != 0 ? CUDA_ERROR_INVALID_VALUE
                                                  : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        *graph = standin_graph_new();
        result = standin_end(*graph != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
    }
    return result;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t dependency_count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    CUcontext context;
    CUresult result = node == NULL || parameters == NULL || dependencies != NULL
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    if (!standin_object_is(&graphs, graph) || dependency_count != 0 ||
        graph->node.kernel.launch.function != NULL) {
        return standin_end(CUDA_ERROR_INVALID_VALUE);
    }
    *node = &graph->node;
    return standin_end(kernel_set(&graph->node.kernel, parameters, context));
}

CUresult cuGraphDestroy(CUgraph graph)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS && !standin_object_is(&graphs, graph)) {
        result = standin_end(CUDA_ERROR_INVALID_VALUE);
    } else if (result == CUDA_SUCCESS) {
        standin_object_bury(&graphs, &graph->object);
        result = standin_end(CUDA_SUCCESS);
    }
    return result;
}

/* ---- what can be launched -------------------------------------------------------------------- */

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CUcontext context;
    CUresult result = exec == NULL || flags != 0 ? CUDA_ERROR_INVALID_VALUE
                                                 : standin_begin_in_context(__func__, &context);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    if (!standin_object_is(&graphs, graph)) {
        return standin_end(CUDA_ERROR_INVALID_VALUE);
    }
    *exec = calloc(1, sizeof **exec);
    if (*exec != NULL) {
        (*exec)->context = context;
        (*exec)->graph = graph;
        (*exec)->kernel = graph->node.kernel;
        standin_object_add(&execs, &(*exec)->object);
    }
    return standin_end(*exec != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    CUcontext context;
    CUresult result = parameters == NULL ? CUDA_ERROR_INVALID_VALUE
                                         : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        bool is = standin_object_is(&execs, exec) && standin_object_is(&graphs, exec->graph) &&
                  node == &exec->graph->node;
        result = standin_end(is ? kernel_set(&exec->kernel, parameters, exec->context)
                                : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream handle)
{
    CUcontext context;
    CUstream stream;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        bool is = standin_object_is(&execs, exec) && exec->context == context;
        result = standin_end(is ? standin_stream_find(handle, context, &stream)
                                : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}

static CUresult launch(CUgraphExec exec, CUstream handle, CUcontext context)
{
    struct standin_launch launched;
    CUstream stream;
    if (!standin_object_is(&execs, exec) || exec->context != context) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result != CUDA_SUCCESS || exec->kernel.launch.function == NULL) {
        return result;
    }
    if (!standin_function_is(exec->kernel.launch.function, context)) {
        return CUDA_ERROR_INVALID_HANDLE; /* its module has been unloaded */
    }
    launched = exec->kernel.launch;
    launched.argument = exec->kernel.argument;
    return standin_launch_add(&launched, stream);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(launch(exec, handle, context));
    }
    return result;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        bool is = standin_object_is(&execs, exec) && exec->context == context;
        if (is) {
            standin_object_bury(&execs, &exec->object);
        }
        result = standin_end(is ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}
