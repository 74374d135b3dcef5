/*
 * relay_array.c - see relay_array.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay_array.h"

size_t symm_relay_array_wanted(size_t bytes, unsigned fill)
{
    size_t piece = symm_relay_piece(bytes, fill);
    return piece == bytes ? piece + 256 : piece * (fill + 1);
}

struct symm_relay_array symm_relay_array_cut(const struct symm_work *work, unsigned fill)
{
    const size_t unit = 256; /* elements of which a piece is a multiple, so that slices are alike */
    size_t extent = symm_cuda_type_extent(work->cuda_type), bytes = work->count * extent;
    size_t piece = symm_relay_piece(bytes, fill);
    bool is_whole = piece == bytes && bytes <= symm_relay_row(work->scratch_size, 1);
    struct symm_relay_array array = {.extent = extent, .parts = is_whole ? 1 : fill + 1};
    array.row = symm_relay_row(work->scratch_size, array.parts);
    array.elements = symm_least(array.row, piece) / extent;
    if (!is_whole && array.elements > unit) {
        array.elements -= array.elements % unit;
    }
    array.pieces = work->count == 0 ? 1 : (work->count + array.elements - 1) / array.elements;
    return array;
}

struct symm_kernel *symm_relay_array_reduce(const struct symm_work *work,
                                            const struct symm_relay_array *array, int ranks,
                                            uint64_t piece, struct symm_kernel *kernel)
{
    struct symm_cuda_reduce arguments = {
        .end = symm_relay_array_count(work, array, piece), .ranks = ranks, .output_count = 1,
        .outputs = {(unsigned char *)work->output +
                    symm_relay_array_begin(array, piece) * array->extent},
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] = symm_relay_array_part(work, array, rank, piece);
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}
