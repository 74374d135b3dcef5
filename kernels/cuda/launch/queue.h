/*
 * queue.h - launching kernels, by graphs of one node where the driver can do that.
 *
 * There are two sorts of queues.  A device's own has streams of ours, and flags in host memory tell
 * when a kernel has ended (device_state.h): blocking calls wait for these.  A stream lane's has the
 * program's streams, in which kernels count for themselves (stream/queue.h).
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
#ifndef SYMM_KERNELS_CUDA_LAUNCH_QUEUE_H
#define SYMM_KERNELS_CUDA_LAUNCH_QUEUE_H

#include <stdatomic.h>

#include "heap/gpu/cuda_driver.h"
#include "kernels/cuda/launch/kernel.h"

enum { SYMM_QUEUE_GRAPHS = 8 };

/* All zero: there is none.  It belongs to a launch or to nobody, so nothing is locked. */
struct symm_graph {
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    _Atomic(CUfunction) function; /* of its last launch; NULL: it has launched nothing yet */
};

struct symm_queue {
    const struct symm_cuda *cuda;
    const CUfunction *functions; /* by the numbers of kernels */
    struct symm_graph graphs[SYMM_QUEUE_GRAPHS];
    /*
     * A bit for each graph that is free; from bit 32 on the generation of the context in which they
     * were made.
     */
    _Atomic uint64_t free;
    _Atomic unsigned turn; /* which one is given another function next */
    /*
     * Kernels of up to so many blocks may be launched while the one before in the stream is at
     * work: they wait for its end by themselves.  0: none.
     */
    unsigned early_blocks;
};

/*
 * Make `count` graphs in this generation of the context, and have what they take uploaded by
 * `stream`, unless that is NULL.  `function` may be any.  Where the driver is too old or refuses,
 * or nobody is to use graphs, there are fewer or none.
 */
void symm_queue_make_graphs(struct symm_queue *queue, unsigned count, uint32_t generation,
                            int function, CUstream stream);
void symm_queue_destroy_graphs(struct symm_queue *queue);

/* Forget graphs whose context has ended. */
void symm_queue_forget_graphs(struct symm_queue *queue);

/*
 * Launch a kernel within a scope: by a graph, which is the caller's until it is given back, or by
 * itself, because none is free, or the driver has refused.  A graph that the driver has refused is
 * not used again.  `graph` becomes its number, plus 1; 0: none.  If that is NULL, no graph is used:
 * the stream is captured.  Arguments are copied.  An earlier launch by a graph may not have retired
 * yet: what changes is for later ones.  Errors: ARGUMENT (no such function has been loaded),
 * SYSTEM, NO_MEMORY.
 */
enum symm_status symm_queue_launch(struct symm_queue *queue, const struct symm_kernel *kernel,
                                   CUstream stream, uint32_t generation, uint32_t *graph);

/* The graph of this number is free; 0: there is none. */
void symm_queue_give(struct symm_queue *queue, uint32_t generation, uint32_t graph);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_QUEUE_H */
