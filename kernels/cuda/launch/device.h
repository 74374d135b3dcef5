/*
 * device.h - starting work on a device, and asking whether it is done.
 *
 * A start queues a kernel or copies and returns a completion.  The caller tests the completion
 * until the answer is not SYMM_PENDING; nothing else ends a completion.  When the answer is
 * SYMM_OK, what has been stored is visible to work that is started later, on any device of the
 * node.  No work waits for another rank for long.  Calls of the program on its own streams and
 * contexts are not disturbed.
 *
 * This layer knows addresses that the device can reach.  It knows neither teams nor what the work
 * is for.  No header of CUDA is needed.  In a build without CUDA (device_absent.c) there are no
 * devices.  The functions are thread-safe, but a completion is its owner's.
 *
 * After SYMM_ERR_SYSTEM, SYMM_ERR_NO_MEMORY and SYMM_ERR_NOT_FOUND, symm_cuda_last_failure() says
 * what failed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_DEVICE_H
#define SYMM_KERNELS_CUDA_LAUNCH_DEVICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "heap/private.h"
#include "heap/symm.h"
#include "kernels/cuda/device_code/arguments.h"
#include "kernels/completion.h"

enum {
    /* Blocks of a kernel unless the caller says otherwise: 16 to 64 fill a link with loads. */
    SYMM_DEVICE_BLOCKS = 64,
    /* Copy engines that work side by side, a stream for each. */
    SYMM_DEVICE_COPY_STREAMS = 8,
    SYMM_DEVICE_WARP = 32, /* threads */
};

/* As many threads, in whole warps. */
static inline uint64_t symm_device_warps(uint64_t threads)
{
    return (threads + SYMM_DEVICE_WARP - 1) / SYMM_DEVICE_WARP * SYMM_DEVICE_WARP;
}

/* A limit of blocks for symm_device_engine_start(): no kernel at all. */
#define SYMM_DEVICE_NO_BLOCKS UINT_MAX

struct symm_device;

/*
 * Get the device of this number (as the driver counts in this process).  Its kernels are loaded,
 * and most of what its work needs is made, so that little can fail later.  All callers share it
 * until symm_device_close_all().  Errors: NOT_FOUND (no driver), ARGUMENT (no such device),
 * NO_MEMORY, SYSTEM (e.g. no kernel for so old a device).
 */
SYMM_PRIVATE enum symm_status symm_device_get(int number, struct symm_device **device);

/* Give all devices back; nobody may be using one.  They can be got again. */
void symm_device_close_all(void);

/*
 * Whether kernels are launched as graphs of one node where the driver can do that (graph.h), as
 * they are until this is called.  For all devices, from the next launch on.
 */
SYMM_PRIVATE void symm_device_use_graphs(bool used);

/*
 * Whether there is a kernel for this: everything that MPI allows, and the same for 16-bit floats.
 */
SYMM_PRIVATE bool symm_device_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op);

/* Whether there is a kernel of rings for it: arithmetic on words of four and eight bytes. */
bool symm_device_can_ring(enum symm_cuda_type type, enum symm_cuda_op op);

/* The type whose kernel is used: the unsigned integer, where the bits are the same. */
enum symm_cuda_type symm_cuda_kernel_type(enum symm_cuda_type type, enum symm_cuda_op op);

/* Bytes behind the last of an element's own, up to the next element. */
size_t symm_cuda_type_padding(enum symm_cuda_type type);

/* Bytes from one element to the next; 0 for numbers that are no type. */
size_t symm_cuda_type_extent(enum symm_cuda_type type);

/* Whether an element has bytes that are not its own: kernels leave them alone. */
SYMM_PRIVATE bool symm_cuda_type_is_padded(enum symm_cuda_type type);

struct symm_kernel;

/*
 * Start a kernel (kernel.h) on a stream of ours, or nothing if it has nothing to do.  The kernel is
 * the caller's again afterwards.  Errors: PENDING (too much is under way, nothing was started),
 * ARGUMENT, NO_MEMORY, SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_device_start(struct symm_device *device,
                                                struct symm_kernel *kernel,
                                                struct symm_completion *completion);

/*
 * Start to copy blocks to peers by copy engines, without a multiprocessor.  The copies run side by
 * side.  With a lane of 0 or more they run after each other, and after all earlier copies of that
 * lane.  A kernel of few blocks copies `own`, unless it is NULL, since the engines are slow within
 * a device.  With SYMM_DEVICE_NO_BLOCKS an engine copies it all the same.  Errors: as
 * symm_device_start(); copies that had been started have then ended.
 */
enum symm_status symm_device_engine_start(struct symm_device *device,
                                          const struct symm_cuda_push *pushes, int count,
                                          int lane, const struct symm_cuda_push *own,
                                          unsigned block_limit,
                                          struct symm_completion *completion);

/*
 * PENDING until the work is done, then OK.  SYSTEM if the device has failed.  Its work may then be
 * undone or half done, but it is not under way any more, unless the driver has not even let us ask
 * for a long time.
 */
SYMM_PRIVATE enum symm_status symm_completion_test(struct symm_device *device,
                                                   struct symm_completion *completion);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_DEVICE_H */
