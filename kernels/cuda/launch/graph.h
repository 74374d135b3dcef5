/*
 * graph.h - launching a kernel as a graph of one node.
 *
 * The launch of a graph takes the driver 1 to 2 us less than cuLaunchKernel(), with the time in
 * which the node is given its next kernel (bench/results/gpu-h100-launches.txt).  So the first
 * slots of a device have such graphs.  What a launch of a graph does is no other than what
 * cuLaunchKernel() does.
 *
 * Graphs are made, with all that they take on the device, when it is opened.  To allocate memory
 * may wait for kernels of the program, and these may wait for other ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_GRAPH_H
#define SYMM_KERNELS_CUDA_LAUNCH_GRAPH_H

#include "heap/cuda_driver.h"

/* All zero: there is none.  It belongs to whoever has its slot, so nothing is locked. */
struct symm_graph {
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
};

/*
 * Make a graph of `kernel`, whatever that is: none of its launches will be this one.  Where the
 * driver is too old or refuses, or nobody is to use graphs, there is none.
 */
void symm_graph_make(const struct symm_cuda *cuda, struct symm_graph *graph,
                     const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream);

/*
 * Launch `kernel` by the graph.  Arguments are copied.  An earlier launch may not have retired yet:
 * what changes is for later ones.  False: it has to be launched without a graph, of which there is
 * none, or none any more because the driver has refused.
 */
bool symm_graph_launch(const struct symm_cuda *cuda, struct symm_graph *graph,
                       const CUDA_KERNEL_NODE_PARAMS *kernel, CUstream stream);

void symm_graph_destroy(const struct symm_cuda *cuda, struct symm_graph *graph);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_GRAPH_H */
