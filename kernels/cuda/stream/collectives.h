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
#include "kernels/cuda/device_code/arguments.h"
#include "kernels/cuda/device_code/stream_arguments.h"
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
};

/* The kernel for it. */
struct symm_stream_kernel {
    enum symm_stream_form form;
    bool reduces;
    bool any; /* addresses or lengths are such that only kernels for all can do it */
};

/*
 * Set everything of `arguments` but lanes and words, for rank `rank` of a lane that was made
 * with these limits.  Errors: ARGUMENT (no such collective, or no kernel for the type and
 * operation).
 */
enum symm_status symm_stream_describe(const struct symm_stream_call *call, int rank,
                                      int ranks,
                                      const struct symm_stream_limits *limits,
                                      struct symm_stream_plan *plan,
                                      struct symm_stream_kernel *kernel,
                                      struct symm_cuda_stream *arguments);

#endif /* SYMM_KERNELS_CUDA_STREAM_COLLECTIVES_H */
