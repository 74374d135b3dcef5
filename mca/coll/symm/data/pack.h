/*
 * data/pack.h - data that does not lie in one piece.
 *
 * Elements of a derived datatype, or of a predefined pair, may have gaps, or an order that is not that of
 * their addresses.  Lines and staging buffers hold their packed form, the bytes of the type map one
 * after the other, which is alike on all ranks whatever layouts they have chosen.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_PACK_H
#define MCA_COLL_SYMM_DATA_PACK_H

#include "mca/ompi_compat.h"

#include <stdbool.h>
#include <stddef.h>

/* How the elements of a call lie in memory. */
struct symm_layout {
    struct ompi_datatype_t *dtype;
    size_t count;    /* elements; of one rank */
    size_t bytes;    /* of data in them; 0: they are nowhere, dense, and start at 0 */
    ptrdiff_t start; /* of the first data byte, seen from the buffer's address */
    bool dense;      /* they are `bytes` bytes in a row, ... */
    bool repeats;    /* ... and so are the next ones, right behind them */
};

/*
 * Bytes of data in `count` elements.  To be asked before any extent or displacement of theirs: Open MPI
 * gives types without data true extents that mean nothing (4.1.4: 1 byte, from 2^63-1 on, for a vector
 * of resized vectors of nothing), and programs give them any bounds, and no buffer.
 *
 * A call of ours without data ends at once, without a line.  Another rank may pass a count of 0, for
 * which MPI's binding returns before it calls us: a line would meet that of the other's next call.
 */
static inline size_t mca_coll_symm_bytes(const struct ompi_datatype_t *dtype, size_t count)
{
    return dtype->super.size * count;
}

void mca_coll_symm_layout_describe(struct symm_layout *layout, struct ompi_datatype_t *dtype,
                                   size_t count);

/* An address that may lie outside of what it is counted from: MPI_BOTTOM plus an absolute address. */
static inline void *mca_coll_symm_at(const void *buffer, ptrdiff_t offset)
{
    return (void *)((uintptr_t)buffer + (uintptr_t)offset);
}

/*
 * Bytes from the first data byte of `count` elements to the last, gaps included; 0 without data;
 * SIZE_MAX where the elements do not follow each other in memory.
 */
size_t mca_coll_symm_layout_span(const struct symm_layout *layout);

/* Copy the data of a rank's elements, which begin at `buffer`, into `bytes` bytes in a row; and back. */
void mca_coll_symm_pack(const struct symm_layout *layout, const void *buffer, void *packed);
void mca_coll_symm_unpack(const struct symm_layout *layout, const void *packed, void *buffer);

/* The block of `rank` in a buffer that holds one of each rank, as the program addresses it. */
void *mca_coll_symm_layout_block(const struct symm_layout *layout, void *buffer, int rank);

#endif /* MCA_COLL_SYMM_DATA_PACK_H */
