/*
 * graph.h - launching a kernel as a graph of one node.
 *
 * The launch of a graph that has been launched before takes 1.8 us less than cuLaunchKernel(), with
 * the .4 us in which the node is given its next kernel (H100, driver 580:
 * bench/results/gpu-h100-launches.txt).  So each slot of a device has such a graph.  What a launch
 * of a graph does is no other than what cuLaunchKernel() does.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_GRAPH_H
#define SYMM_KERNELS_CUDA_GRAPH_H

#include "heap/cuda_driver.h"

/* All zero: not made yet.  It belongs to whoever has its slot, so nothing is locked. */
struct symm_graph {
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    bool is_refused; /* the driver did not want it: it is not asked again */
};

/*
 * Make `kernel`, in the current context, what the next cuGraphLaunch() of graph->exec launches.
 * Arguments are copied.  No launch of it may be under way.  False: kernels have to be launched
 * without a graph, because the driver is too old, or does not want to, or nobody is to use graphs.
 */
bool symm_graph_set(const struct symm_cuda *cuda, struct symm_graph *graph,
                    const CUDA_KERNEL_NODE_PARAMS *kernel);

void symm_graph_destroy(const struct symm_cuda *cuda, struct symm_graph *graph);

#endif /* SYMM_KERNELS_CUDA_GRAPH_H */
