/*
 * pinned.h - pinned memory that streams of the program copy from and to.
 *
 * It is never given back to the driver, which would wait for all kernels of the context, and these
 * may wait for other ranks.  Blocks that are given back here are used again.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_PINNED_H
#define SYMM_KERNELS_CUDA_STREAM_PINNED_H

#include "heap/gpu/cuda_context.h"

struct symm_pinned {
    struct symm_pinned *next; /* for whoever has it */
    void *memory;             /* zero when it was new; devices see it at this address */
    size_t size;
    int device;
    uint32_t generation; /* of the context that knows it */
};

/* Within a scope of `device`: at least `size` bytes.  Errors: NO_MEMORY, SYSTEM. */
enum symm_status symm_pinned_take(const struct symm_cuda_scope *scope, int device, size_t size,
                                  struct symm_pinned **block);

/* All blocks of a list: no stream and no graph has work with them any more. */
void symm_pinned_give(struct symm_pinned *blocks);

#endif /* SYMM_KERNELS_CUDA_STREAM_PINNED_H */
