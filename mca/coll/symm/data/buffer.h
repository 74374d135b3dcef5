/*
 * data/buffer.h - one of the two buffers that a rank has in a call: where its data are, and how the
 * program has described them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_BUFFER_H
#define MCA_COLL_SYMM_DATA_BUFFER_H

#include "heap/gpu/cuda_device.h"
#include "mca/coll/symm/data/pack.h"
#include "mca/coll/symm/data/sides.h"

struct symm_buffer {
    void *at;      /* the first byte of data; with gaps, of some data */
    size_t bytes;  /* from there on: what must lie within one segment; not known with gaps */
    void *address; /* as the program has it, unless the buffer is a side; not for plain elements */
    struct symm_layout layout; /* of the elements there, or of one rank's */
    struct symm_side side;     /* blocks of any length, or for an exchange */
    size_t data, largest;      /* of a side: bytes of data in all blocks, and in the largest */
    /* What the driver says of device memory that is not ours; host memory where it is ours. */
    struct symm_memory memory;
};

static inline void mca_coll_symm_buffer_place(struct symm_buffer *buffer, const void *address)
{
    buffer->address = symm_ompi_unconst(address);
    buffer->at = mca_coll_symm_at(address, buffer->layout.start);
    buffer->bytes = buffer->layout.bytes;
}

/* The buffer has so many elements, from `address` on. */
static inline void mca_coll_symm_buffer_describe(struct symm_buffer *buffer, const void *address,
                                                 struct ompi_datatype_t *dtype, size_t count)
{
    mca_coll_symm_layout_describe(&buffer->layout, dtype, count);
    mca_coll_symm_buffer_place(buffer, address);
}

/* The block of `rank` in a buffer that has one of each rank, as the program addresses it. */
static inline void *mca_coll_symm_buffer_block(const struct symm_buffer *buffer, int rank)
{
    return mca_coll_symm_layout_block(&buffer->layout, buffer->address, rank);
}

/* The buffer is the block of `rank` in `all`. */
static inline void mca_coll_symm_buffer_within(struct symm_buffer *buffer,
                                               const struct symm_buffer *all, int rank)
{
    buffer->layout = all->layout;
    mca_coll_symm_buffer_place(buffer, mca_coll_symm_buffer_block(all, rank));
}

/* Copy the data of the buffer's elements into layout.bytes bytes in a row. */
static inline void mca_coll_symm_buffer_pack(const struct symm_buffer *buffer, void *packed)
{
    mca_coll_symm_pack(&buffer->layout, buffer->address, packed);
}

/* Gaps within the elements. */
static inline bool mca_coll_symm_buffer_has_gaps(const struct symm_buffer *buffer)
{
    return !buffer->layout.dense;
}

/* Also between the blocks of ranks, if the layout is that of one. */
static inline bool mca_coll_symm_buffer_blocks_have_gaps(const struct symm_buffer *buffer)
{
    return !buffer->layout.dense || !buffer->layout.repeats;
}

#endif /* MCA_COLL_SYMM_DATA_BUFFER_H */
