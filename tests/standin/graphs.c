/*
 * graphs.c - graphs: chains of work, by captures or of one kernel.
 *
 * A program that makes a graph itself gives it one node at most here, a kernel, which the real
 * driver does not ask for.  What can be launched has nodes of its own, with kernels' arguments as
 * they were when the node was added or set; addresses in them are looked at when it is launched.
 * It goes with the context in which it was made.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/graphs.h"
#include "tests/standin/trace.h"

#include <stdlib.h>
#include <string.h>

struct CUgraphExec_st {
    struct standin_object object;
    CUcontext context;
    CUgraph graph; /* from which it was made */
    struct standin_nodes nodes;
    struct standin_references references;
    CUstream stream; /* of the last launch; the next one waits for it, wherever that is */
    uint64_t number;
};

static struct standin_objects graphs, execs;

/* ---- nodes ----------------------------------------------------------------------------------- */

CUgraphNode standin_node_add(struct standin_nodes *nodes, standin_give *give, standin_run *run,
                             const void *payload, size_t size)
{
    CUgraphNode node = malloc(sizeof *node + size);
    if (node == NULL) {
        return NULL;
    }
    node->next = NULL;
    node->give = give;
    node->run = run;
    node->size = size;
    if (size > 0) {
        memcpy(node->payload, payload, size);
    }
    if (nodes->last == NULL) {
        nodes->first = node;
    } else {
        nodes->last->next = node;
    }
    nodes->last = node;
    return node;
}

CUresult standin_nodes_give(const struct standin_nodes *nodes, CUstream stream)
{
    CUresult result = CUDA_SUCCESS;
    for (CUgraphNode node = nodes->first; node != NULL && result == CUDA_SUCCESS;
         node = node->next) {
        result = node->give != NULL
                     ? standin_stream_give(stream, node->give, node->payload, node->size)
                     : standin_stream_add(stream, node->run, node->payload, node->size);
    }
    return result;
}

CUresult standin_nodes_copy(struct standin_nodes *to, const struct standin_nodes *from)
{
    CUresult result = CUDA_SUCCESS;
    for (CUgraphNode node = from->first; node != NULL && result == CUDA_SUCCESS;
         node = node->next) {
        result = standin_node_add(to, node->give, node->run, node->payload, node->size) != NULL
                     ? CUDA_SUCCESS
                     : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

void standin_nodes_free(struct standin_nodes *nodes)
{
    CUgraphNode next;
    for (CUgraphNode node = nodes->first; node != NULL; node = next) {
        next = node->next;
        free(node);
    }
    *nodes = (struct standin_nodes){NULL, NULL};
}

/* ---- life ------------------------------------------------------------------------------------ */

CUgraph standin_graph_new(void)
{
    CUgraph graph = calloc(1, sizeof *graph);
    if (graph != NULL) {
        standin_object_add(&graphs, &graph->object);
    }
    return graph;
}

void standin_graph_free(CUgraph graph)
{
    standin_nodes_free(&graph->nodes);
    standin_references_drop(&graph->references);
    standin_object_bury(&graphs, &graph->object);
}

bool standin_graph_is(CUgraph graph)
{
    return standin_object_is(&graphs, graph);
}

size_t standin_graphs_left(void)
{
    return standin_object_count(&graphs) + standin_object_count(&execs);
}

static void exec_free(CUgraphExec exec)
{
    standin_nodes_free(&exec->nodes);
    standin_references_drop(&exec->references);
    standin_object_bury(&execs, &exec->object);
}

void standin_graphs_destroy(CUcontext context)
{
    struct standin_object *next;
    for (struct standin_object *object = execs.first; object; object = next) {
        next = object->next;
        if (((CUgraphExec)object)->context == context) {
            exec_free((CUgraphExec)object);
        }
    }
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static CUresult kernel_keep(struct standin_kept_launch *kept, const CUDA_KERNEL_NODE_PARAMS *from,
                            CUcontext context)
{
    const unsigned grid[3] = {from->gridDimX, from->gridDimY, from->gridDimZ};
    const unsigned block[3] = {from->blockDimX, from->blockDimY, from->blockDimZ};
    struct standin_launch launch;
    CUresult result = standin_launch_make(&launch, from->func, grid, block, from->sharedMemBytes,
                                          from->kernelParams, from->extra, context);
    if (result == CUDA_SUCCESS) {
        standin_launch_keep(&launch, kept);
    }
    return result;
}

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

static CUresult add_kernel(CUgraphNode *node, CUgraph graph, const CUDA_KERNEL_NODE_PARAMS *from,
                           CUcontext context)
{
    struct standin_kept_launch kept;
    if (!standin_graph_is(graph) || graph->is_captured || graph->nodes.first != NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = kernel_keep(&kept, from, context);
    if (result == CUDA_SUCCESS) {
        *node = standin_node_add(&graph->nodes, standin_launch_give, NULL, &kept, sizeof kept);
        result = *node != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t dependency_count, const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    CUcontext context;
    CUresult result = node == NULL || parameters == NULL || dependencies != NULL ||
                              dependency_count != 0
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(add_kernel(node, graph, parameters, context));
    }
    return result;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    CUresult result = standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        bool can = standin_graph_is(graph) && !graph->is_captured;
        if (can) {
            standin_graph_free(graph);
        }
        result = standin_end(can ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
    CUresult result = (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE) != 0
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin(__func__);
    if (result == CUDA_SUCCESS) {
        bool moves = flags == CU_GRAPH_USER_OBJECT_MOVE;
        result = standin_end(standin_graph_is(graph) ? standin_references_add(&graph->references,
                                                                              object, count, moves)
                                                     : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}

/* ---- what can be launched -------------------------------------------------------------------- */

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, CUcontext context)
{
    if (!standin_graph_is(graph) || graph->is_captured) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *exec = calloc(1, sizeof **exec);
    if (*exec == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    (*exec)->context = context;
    (*exec)->graph = graph;
    standin_object_add(&execs, &(*exec)->object);
    CUresult result = standin_nodes_copy(&(*exec)->nodes, &graph->nodes);
    if (result == CUDA_SUCCESS) {
        result = standin_references_copy(&(*exec)->references, &graph->references);
    }
    if (result != CUDA_SUCCESS) {
        exec_free(*exec);
        *exec = NULL;
    }
    return result;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    CUcontext context;
    CUresult result = exec == NULL || flags != 0 ? CUDA_ERROR_INVALID_VALUE
                                                 : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(instantiate(exec, graph, context));
    }
    return result;
}

/* The node of what can be launched that was made from a node of the graph, if that is a kernel. */
static CUgraphNode node_find(CUgraphExec exec, CUgraphNode node)
{
    if (!standin_object_is(&execs, exec) || !standin_graph_is(exec->graph)) {
        return NULL;
    }
    CUgraphNode own = exec->nodes.first;
    for (CUgraphNode of_graph = exec->graph->nodes.first; of_graph != NULL && own != NULL;
         of_graph = of_graph->next, own = own->next) {
        if (of_graph == node) {
            return own->give == standin_launch_give ? own : NULL;
        }
    }
    return NULL;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *parameters)
{
    CUcontext context;
    CUresult result = parameters == NULL ? CUDA_ERROR_INVALID_VALUE
                                         : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        struct standin_kept_launch kept;
        CUgraphNode own = node_find(exec, node);
        result = own == NULL ? CUDA_ERROR_INVALID_VALUE
                             : kernel_keep(&kept, parameters, exec->context);
        if (result == CUDA_SUCCESS) {
            memcpy(own->payload, &kept, sizeof kept);
        }
        (void)standin_end(result);
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
    CUstream stream;
    if (!standin_object_is(&execs, exec) || exec->context != context) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = standin_stream_find(handle, context, &stream);
    if (result == CUDA_SUCCESS && stream->capture == NULL && exec->stream != NULL) {
        result = standin_stream_add_wait(stream, exec->stream, exec->number);
    }
    if (result == CUDA_SUCCESS) {
        standin_trace_graph(stream);
        result = standin_nodes_give(&exec->nodes, stream);
    }
    if (result == CUDA_SUCCESS) {
        result = standin_references_hold(&exec->references, stream);
    }
    if (stream->capture == NULL) {
        exec->stream = stream;
        exec->number = stream->queued;
    }
    return result;
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
            exec_free(exec);
        }
        result = standin_end(is ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    return result;
}
