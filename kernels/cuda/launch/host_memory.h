/*
 * host_memory.h - blocks of host memory for copies of device memory.  They are pinned where
 * possible, so that devices copy at full speed.
 *
 * Pinning a block takes as long as copying many times its size, so blocks are kept and used again.
 * The size of all kept blocks is bounded.  Blocks that would not be kept are ordinary memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_HOST_MEMORY_H
#define SYMM_KERNELS_CUDA_LAUNCH_HOST_MEMORY_H

#include "heap/private.h"
#include "heap/symm.h"

struct symm_host_block {
    void *memory; /* NULL: none */
    size_t size;
    int slot; /* among the blocks that are kept; -1: ordinary memory */
};

/* At least `size` bytes, for copies of memory of `device`.  Errors: NO_MEMORY.  Thread-safe. */
SYMM_PRIVATE enum symm_status symm_host_block_get(int device, size_t size,
                                                  struct symm_host_block *block);
SYMM_PRIVATE void symm_host_block_put(struct symm_host_block *block);

/*
 * Zeroed pages to register with the driver (NULL: no memory).  They stay what they are when the
 * program resets the device; pages that the driver allocates would be unmapped.  Children of fork()
 * do not get them, because a page that is written after a fork would be another page than the
 * device has.
 */
void *symm_host_pages_map(size_t size);
void symm_host_pages_unmap(void *pages, size_t size);

/* Keep at most so many bytes pinned, from now on; 0: use ordinary memory.  At first: 1 GiB. */
SYMM_PRIVATE void symm_host_blocks_limit(size_t bytes);

/* Give back all blocks that are kept; nobody may be using one.  They can be got again. */
SYMM_PRIVATE void symm_host_blocks_close(void);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_HOST_MEMORY_H */
