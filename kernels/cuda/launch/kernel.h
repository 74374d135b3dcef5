/*
 * kernel.h - a kernel as a value: which function, which grid, which arguments.
 *
 * The functions here make kernels, and start nothing: symm_device_start() does (device.h), and for
 * calls on streams symm_stream_queue_add().  They know addresses that the device can reach.  They
 * know neither teams nor what the work is for, and no driver is needed.
 *
 * Each sets *kernel, in which arguments are copied, and returns it.  If there is nothing to do, it
 * has no blocks, and its start is done at once.  If the arguments are wrong, it has no function,
 * and its start returns SYMM_ERR_ARGUMENT.  `block_limit` is the most blocks, 0 for no limit of the
 * caller's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_KERNEL_H
#define SYMM_KERNELS_CUDA_LAUNCH_KERNEL_H

#include <stddef.h>

#include "kernels/cuda/launch/functions.h"

struct symm_kernel {
    int function;             /* functions.h */
    unsigned blocks, threads; /* of a block */
    bool beside;              /* it waits for no kernels but such as are beside, too */
    uint32_t finish;          /* where struct symm_cuda_finish is, in bytes from here; its start
                                 sets that */
    union {
        struct symm_cuda_reduce reduce; /* and scans */
        struct symm_cuda_small small;
        struct symm_cuda_copy copy;
        struct symm_cuda_pushes pushes;
        struct symm_cuda_small_pushes small_pushes;
        struct symm_cuda_nests nests; /* and few of them */
        struct symm_cuda_packets packets;
        struct symm_cuda_few_packets few_packets;
        struct symm_cuda_ring ring;
        struct symm_cuda_exchange exchange; /* and of few turns */
        struct symm_cuda_multimem multimem;
        struct symm_cuda_multimem_copy multimem_copy;
        struct symm_cuda_stream stream;
    } arguments;
};

/*
 * A reduction; a result that is held is held.cuh's matter: if the completion ends `late`, the
 * others have been told, but the result has yet to be copied.  There are 1 to SYMM_CUDA_RANKS_MAX
 * ranks and outputs.
 */
struct symm_kernel *symm_kernel_reduce(struct symm_kernel *kernel, enum symm_cuda_type type,
                                       enum symm_cuda_op op,
                                       const struct symm_cuda_reduce *arguments,
                                       unsigned block_limit);

/* A scan, with as many outputs as ranks: each gets what the inputs up to its number reduce to. */
struct symm_kernel *symm_kernel_scan(struct symm_kernel *kernel, enum symm_cuda_type type,
                                     enum symm_cuda_op op,
                                     const struct symm_cuda_reduce *arguments,
                                     unsigned block_limit);

/* Copies of a block to one or several places. */
struct symm_kernel *symm_kernel_copy(struct symm_kernel *kernel,
                                     const struct symm_cuda_copy *arguments, unsigned block_limit);

/*
 * Copies of `count` blocks, 0 to SYMM_CUDA_RANKS_MAX.  With `own_last` the last one stays within
 * the device.  If it is large, some blocks of the kernel copy nothing else, while the others fill
 * the links.
 */
struct symm_kernel *symm_kernel_push(struct symm_kernel *kernel,
                                     const struct symm_cuda_push *pushes, int count, bool own_last,
                                     unsigned block_limit);

/* The same within the device, beside kernels that cross links. */
struct symm_kernel *symm_kernel_beside(struct symm_kernel *kernel,
                                       const struct symm_cuda_push *pushes, int count,
                                       unsigned block_limit);

/*
 * Sending packets and waiting for those of others, for a moment: see struct symm_cuda_packets and
 * packets.cuh.  The first reduces what comes, the second copies it.  If the completion ends `late`,
 * everything has been sent, but not all has come.  A kernel without rows then waits for the rest.
 * At most SYMM_CUDA_SMALL_RANKS ranks; the pad and the rows begin at multiples of sixteen.
 */
struct symm_kernel *symm_kernel_packets_reduce(struct symm_kernel *kernel,
                                               enum symm_cuda_type type, enum symm_cuda_op op,
                                               const struct symm_cuda_packets *packets,
                                               unsigned block_limit);
struct symm_kernel *symm_kernel_packets_copy(struct symm_kernel *kernel,
                                             const struct symm_cuda_packets *packets,
                                             unsigned block_limit);

/*
 * Passing an array on: see struct symm_cuda_ring and ring.cuh.  If the completion ends `late`,
 * something has not come, and the same kernel goes on from there.
 */
struct symm_kernel *symm_kernel_ring(struct symm_kernel *kernel, enum symm_cuda_type type,
                                     enum symm_cuda_op op, const struct symm_cuda_ring *ring,
                                     unsigned block_limit);

/*
 * An exchange through scratch of `count` turns, 0 to SYMM_CUDA_RANKS_MAX: see struct symm_cuda_turn
 * and exchange.cuh.  A quarter of the blocks copies, and the others push.  A thread waits for
 * others for `patience` ns.  If the completion ends `late`, this rank has pushed all and told the
 * others, but has yet to copy some.
 */
struct symm_kernel *symm_kernel_exchange(struct symm_kernel *kernel,
                                         const struct symm_cuda_turn *turns, int count,
                                         uint64_t patience, unsigned block_limit);

/*
 * Packing `count` nests, or unpacking them, 0 to SYMM_CUDA_NESTS: see struct symm_cuda_nest, whose
 * `unit` need not be set.  All lies within the device.
 */
SYMM_PRIVATE struct symm_kernel *symm_kernel_nests(struct symm_kernel *kernel,
                                                   const struct symm_cuda_nest *nests, int count,
                                                   bool unpacks, unsigned block_limit);

/* ---- for those who make kernels, and engines ------------------------------------------------- */

/*
 * Everything but the arguments: a thread for each of `units`, as far as the blocks go.  Small work
 * has few blocks, and each of its threads has one load to wait for.  `most_blocks` and
 * `most_threads` of a block: 0 for SYMM_DEVICE_BLOCKS, SYMM_CUDA_BLOCK_THREADS.
 */
static inline struct symm_kernel *symm_kernel_set(struct symm_kernel *kernel, int function,
                                                  size_t finish, uint64_t units,
                                                  unsigned most_blocks, unsigned most_threads)
{
    const unsigned most = most_blocks != 0 ? most_blocks : SYMM_DEVICE_BLOCKS;
    unsigned threads = most_threads != 0 ? most_threads : SYMM_CUDA_BLOCK_THREADS, blocks = 1;
    if (units < threads) {
        threads = (unsigned)symm_device_warps(units);
    } else if (units < (uint64_t)threads * most) {
        blocks = (unsigned)((units + threads - 1) / threads);
    } else {
        blocks = most;
    }
    kernel->function = function;
    kernel->blocks = blocks;
    kernel->threads = threads;
    kernel->beside = false;
    kernel->finish = (uint32_t)finish;
    return kernel;
}

/* The place of `finish` in the arguments of that name. */
#define SYMM_KERNEL_FINISH(name) offsetof(struct symm_kernel, arguments.name.finish)

static inline struct symm_cuda_finish *symm_kernel_finish(struct symm_kernel *kernel)
{
    return (struct symm_cuda_finish *)(void *)((unsigned char *)kernel + kernel->finish);
}

/* A kernel with nothing to do. */
static inline struct symm_kernel *symm_kernel_nothing(struct symm_kernel *kernel)
{
    kernel->function = 0;
    kernel->blocks = 0;
    return kernel;
}

/* One that is refused. */
static inline struct symm_kernel *symm_kernel_wrong(struct symm_kernel *kernel)
{
    kernel->function = SYMM_FUNCTION_NONE;
    return kernel;
}

uint64_t symm_push_bytes_most(const struct symm_cuda_push *pushes, int count);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_KERNEL_H */
