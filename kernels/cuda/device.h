/*
 * device.h - starting work on a device, and asking whether it is done.
 *
 * A start queues a kernel or copies and returns a ticket.  The ticket is then tested until the
 * answer is not SYMM_PENDING; there is no other way to get rid of it.  When the answer is SYMM_OK,
 * what has been stored is visible to work that is started later, on any device of the node.  No
 * work waits for another rank.  Calls of the program on its own streams and contexts are not
 * disturbed.
 *
 * It knows addresses that the device can reach, and neither teams nor what the work is for.  No
 * header of CUDA is needed; in a build without CUDA (device_absent.c) there are no devices.
 * Thread-safe, a ticket is its owner's.
 *
 * After SYMM_ERR_SYSTEM, SYMM_ERR_NO_MEMORY and SYMM_ERR_NOT_FOUND, symm_cuda_last_failure() says
 * what failed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_H
#define SYMM_KERNELS_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "heap/symm.h"
#include "kernels/cuda/arguments.h"
#include "kernels/ticket.h"

enum {
    /* Blocks of a kernel unless the caller wants fewer: 16 to 64 fill a link with loads. */
    SYMM_DEVICE_BLOCKS = 64,
    /* Copy engines that work side by side, a stream for each. */
    SYMM_DEVICE_COPY_STREAMS = 8,
};

struct symm_device;

/*
 * The device of this number (as the driver counts in this process), with kernels loaded and most of
 * what its work needs, so that little can fail later.  One for all callers, until
 * symm_device_close_all(). Errors: NOT_FOUND (no driver), ARGUMENT (no such device), NO_MEMORY,
 * SYSTEM (e.g. no kernel for so old a device).
 */
SYMM_API enum symm_status symm_device_get(int number, struct symm_device **device);

/* Give all devices back; nobody may be using one.  They can be got again. */
SYMM_API void symm_device_close_all(void);

/*
 * Whether there is a kernel for this: everything that MPI allows, and the same for 16-bit floats.
 */
SYMM_API bool symm_device_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op);

/* Bytes from one element to the next; 0 for numbers that are no type. */
SYMM_API size_t symm_cuda_type_extent(enum symm_cuda_type type);

/* Whether an element has bytes that are not its own: kernels leave them alone. */
SYMM_API bool symm_cuda_type_is_padded(enum symm_cuda_type type);

/*
 * Start a reduction; all of `arguments` but `finish` is the caller's, and copied.  `block_limit`:
 * so many blocks at most, 0 for no wish.  1 to SYMM_CUDA_RANKS_MAX ranks and outputs.  Errors:
 * PENDING (too much is under way, nothing was started), ARGUMENT, NO_MEMORY, SYSTEM.
 */
SYMM_API enum symm_status symm_device_reduce_start(struct symm_device *device,
                                                   enum symm_cuda_type type, enum symm_cuda_op op,
                                                   const struct symm_cuda_reduce *arguments,
                                                   unsigned block_limit,
                                                   struct symm_ticket *ticket);

/*
 * Start to copy a block to one or several places by a kernel, as symm_device_reduce_start() does.
 */
SYMM_API enum symm_status symm_device_copy_start(struct symm_device *device,
                                                 const struct symm_cuda_copy *arguments,
                                                 unsigned block_limit, struct symm_ticket *ticket);

/* Start to copy `count` blocks by a kernel, 1 to SYMM_CUDA_RANKS_MAX. */
SYMM_API enum symm_status symm_device_push_start(struct symm_device *device,
                                                 const struct symm_cuda_push *pushes, int count,
                                                 unsigned block_limit,
                                                 struct symm_ticket *ticket);

/*
 * The same for blocks that are copied within the device, beside kernels that cross links: it waits
 * for none of them, only for earlier ones of this function.
 */
SYMM_API enum symm_status symm_device_beside_start(struct symm_device *device,
                                                   const struct symm_cuda_push *pushes, int count,
                                                   unsigned block_limit,
                                                   struct symm_ticket *ticket);

/*
 * Start to copy blocks to peers by copy engines, without a multiprocessor: side by side, or, with a
 * lane of 0 or more, after each other and after all earlier ones of that lane.  `own`, unless it is
 * NULL, is copied by a kernel of few blocks, since within a device the engines are slow.  Errors:
 * as above; then what had been started already has ended.
 */
SYMM_API enum symm_status symm_device_engine_start(struct symm_device *device,
                                                   const struct symm_cuda_push *pushes, int count,
                                                   int lane, const struct symm_cuda_push *own,
                                                   unsigned block_limit,
                                                   struct symm_ticket *ticket);

/*
 * PENDING; OK once the work is done; SYSTEM if the device has failed: then its work may be undone
 * or half done, but is not under way any more, unless the driver has not even let us ask for a long
 * time.
 */
SYMM_API enum symm_status symm_device_ticket_test(struct symm_device *device,
                                                  struct symm_ticket *ticket);

#endif /* SYMM_KERNELS_CUDA_DEVICE_H */
