/*
 * relay_array.h - how an array that is reduced is cut into pieces for a relay, alike on all ranks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_RELAY_ARRAY_H
#define SYMM_KERNELS_CUDA_RELAY_ARRAY_H

#include "kernels/cuda/relay.h"

struct symm_relay_array {
    size_t extent;
    size_t row;      /* bytes of a part of the scratch */
    size_t elements; /* of a piece */
    uint64_t pieces;
    unsigned parts;  /* of the scratch, which pieces take in turn */
};

/* Bytes of scratch for an array of so many bytes, with `fill` more stages than pieces. */
size_t symm_relay_array_wanted(size_t bytes, unsigned fill);

/* The array of this call.  A small one is one piece, where the scratch has room for it. */
struct symm_relay_array symm_relay_array_cut(const struct symm_work *work, unsigned fill);

/* The first element of a piece. */
static inline size_t symm_relay_array_begin(const struct symm_relay_array *array, uint64_t piece)
{
    return (size_t)piece * array->elements;
}

/* How many elements a piece has. */
static inline size_t symm_relay_array_count(const struct symm_work *work,
                                            const struct symm_relay_array *array, uint64_t piece)
{
    return symm_least(work->count - symm_relay_array_begin(array, piece), array->elements);
}

/* Where a piece is in a rank's scratch. */
static inline unsigned char *symm_relay_array_part(const struct symm_work *work,
                                                   const struct symm_relay_array *array, int rank,
                                                   uint64_t piece)
{
    return (unsigned char *)work->scratches[rank] + piece % array->parts * array->row;
}

/* The copy of a piece of this rank's input to its scratch. */
static inline struct symm_cuda_push symm_relay_array_copy_in(const struct symm_work *work,
                                                             const struct symm_relay_array *array,
                                                             uint64_t piece)
{
    return (struct symm_cuda_push){
        .input = (const unsigned char *)work->input +
                 symm_relay_array_begin(array, piece) * array->extent,
        .output = symm_relay_array_part(work, array, work->team->rank, piece),
        .bytes = symm_relay_array_count(work, array, piece) * array->extent,
    };
}

/* A kernel that reduces a piece of the first `ranks` ranks, from their scratch to the output. */
struct symm_kernel *symm_relay_array_reduce(const struct symm_work *work,
                                            const struct symm_relay_array *array, int ranks,
                                            uint64_t piece, struct symm_kernel *kernel);

#endif /* SYMM_KERNELS_CUDA_RELAY_ARRAY_H */
