/*
 * graph.h - launching a kernel as a graph of one node.
 *
 * The launch of a graph takes the driver 1 to 2 us less than cuLaunchKernel(), with the time in
 * which the node is given its next arguments (bench/results/gpu-h100-launches.txt).  So a device
 * has some such graphs.  What a launch of a graph does is no other than what cuLaunchKernel() does.
 *
 * A node can be given another function as well.  That may cost what a graph saves: since there are
 * graphs, small calls of one kernel are quicker by 2 us, and those of two kernels, which took turns
 * with one graph, are slower by up to 2 (reduce-scatters of up to 4 KiB between two H100, on two
 * machines: bench/results/gpu-h100-graph-functions.txt).  So a kernel takes the graph that has
 * launched its function last, if that is free.  Programs that make several collectives by turns
 * then keep a graph for each.  What this gains has not been timed.
 *
 * Graphs are made, with all that they take on the device, when it is opened.  To allocate memory
 * may wait for kernels of the program, and these may wait for other ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_GRAPH_H
#define SYMM_KERNELS_CUDA_LAUNCH_GRAPH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "heap/gpu/cuda_driver.h"
#include "kernels/completion.h"

enum { SYMM_DEVICE_GRAPHS = 8 };

/* All zero: there is none.  It belongs to a completion or to nobody, so nothing is locked. */
struct symm_graph {
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    _Atomic(CUfunction) function; /* of its last launch; NULL: it has launched nothing yet */
};

/* The graphs of a device. */
struct symm_graphs {
    struct symm_graph all[SYMM_DEVICE_GRAPHS];
    /*
     * A bit for each that is free; from bit 32 on the life of the context in which they were made.
     */
    _Atomic uint64_t free;
    _Atomic unsigned turn; /* which one is given another function next */
};

/* A kernel of threads in one dimension, as graphs take it. */
static inline CUDA_KERNEL_NODE_PARAMS symm_graph_kernel(CUfunction function, unsigned blocks,
                                                        unsigned threads, void **parameters)
{
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = function,
        .gridDimX = blocks, .gridDimY = 1, .gridDimZ = 1,
        .blockDimX = threads, .blockDimY = 1, .blockDimZ = 1,
        .kernelParams = parameters,
    };
}

/* A graph of its own.  False, and there is none: the driver is too old, or refuses. */
bool symm_graph_make(const struct symm_cuda *cuda, struct symm_graph *graph,
                     const CUDA_KERNEL_NODE_PARAMS *kernel);
void symm_graph_destroy(const struct symm_cuda *cuda, struct symm_graph *graph);

/*
 * Make the graphs in this life of the context.  `kernel` may be any: none of their launches will be
 * this one.  Where the driver is too old or refuses, or nobody is to use graphs, there are fewer or
 * none.
 */
void symm_graphs_make(const struct symm_cuda *cuda, struct symm_graphs *graphs, uint32_t life,
                      const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream);

/*
 * Launch `kernel` by a graph, which is the completion's until it is given back.  Arguments are
 * copied.  An earlier launch may not have retired yet: what changes is for later ones.  False: it
 * has to be launched without a graph, because none is free, or the driver has refused.  A graph
 * that the driver has refused is not used again.
 */
bool symm_graphs_launch(const struct symm_cuda *cuda, struct symm_graphs *graphs,
                        struct symm_completion *completion, const CUDA_KERNEL_NODE_PARAMS *kernel,
                        CUstream stream);

/* The completion's graph, if it has one, is free: nothing of the completion is under way. */
void symm_graphs_give(struct symm_graphs *graphs, const struct symm_completion *completion);

void symm_graphs_destroy(const struct symm_cuda *cuda, struct symm_graphs *graphs);

/* Forget graphs whose context has ended. */
void symm_graphs_forget(struct symm_graphs *graphs);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_GRAPH_H */
