/*
 * collectives.h - what a collective asks of the kernels of a stream lane: who sends which of its
 * data to whom.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_COLLECTIVES_H
#define SYMM_KERNELS_CUDA_STREAM_COLLECTIVES_H

#include "heap/symm.h"
#include "kernels/collective.h"
#include "kernels/cuda/launch/kernel.h"
#include "kernels/cuda/stream/plan.h"

/*
 * A call as a rank makes it.  In place, input and output are where the data lie: of an all-gather
 * the input is its block of the output, and of a gather's root or a scatter's likewise.
 */
struct symm_stream_call {
    enum symm_collective collective;
    const void *input;
    void *output;
    size_t count; /* elements of an array that is reduced, or of a block of a reduce-scatter;
                     otherwise bytes of an array, or of a block */
    enum symm_cuda_type type; /* of a reduction */
    enum symm_cuda_op op;
    int root;
    double factor; /* of a sum of floats: the result is multiplied by it; 0: it is not */
};

/*
 * The kernel for a call (kernels/cuda/launch/kernel.h), for rank `rank` of a lane that was made
 * with these limits; lanes and words in its arguments are the caller's to set.  It has no function
 * if there is no such collective, or no kernel for the type and operation, or for a factor of it.
 */
struct symm_kernel *symm_kernel_stream(struct symm_kernel *kernel,
                                       const struct symm_stream_call *call, int rank, int ranks,
                                       const struct symm_stream_limits *limits);

/* Whether a reduction can have a factor. */
static inline bool symm_stream_can_scale(enum symm_cuda_type type, enum symm_cuda_op op)
{
    return op == SYMM_CUDA_SUM && (type == SYMM_CUDA_FLOAT || type == SYMM_CUDA_DOUBLE ||
                                   type == SYMM_CUDA_HALF || type == SYMM_CUDA_BFLOAT16);
}

#endif /* SYMM_KERNELS_CUDA_STREAM_COLLECTIVES_H */
