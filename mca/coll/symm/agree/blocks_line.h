/*
 * agree/blocks_line.h - how lines describe blocks, and where blocks lie in memory; for blocks.c
 * and blocks_resolve.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_BLOCKS_LINE_H
#define MCA_COLL_SYMM_AGREE_BLOCKS_LINE_H

#include <string.h>

#include "mca/coll/symm/agree/blocks.h"
#include "mca/coll/symm/base/line.h"

/* This follows all that describes buffers, in a line of a collective with tables. */
struct line_table {
    uint64_t largest; /* bytes of the largest block that the rank sends */
    uint64_t bytes;   /* of all that it sends */
    uint64_t fill[6];
    struct line_entry {
        uint64_t send_at, send_bytes, receive_at, receive_bytes;
    } entries[]; /* one for each rank */
};

enum { TABLE_AT = SYMM_PAYLOAD_LEAST };

_Static_assert(2 * SYMM_CACHE_LINE + sizeof(struct line_handles) <= TABLE_AT, "they come before");
_Static_assert(sizeof(struct line_table) == SYMM_CACHE_LINE, "entries do not cross cache lines");

static inline struct line_table *table_of(const struct symm_line *line)
{
    return (struct line_table *)(void *)symm_ompi_unconst(line->payload + TABLE_AT);
}

/*
 * A line with its data, of a collective with tables: where the block for each rank begins behind
 * the head, and where the last one ends.
 */
struct line_along {
    uint32_t largest; /* of those that travel */
    uint32_t at[];    /* one more than ranks */
};

static inline struct line_along *along_of(const struct symm_line *line)
{
    return (struct line_along *)(void *)symm_ompi_unconst(line->payload);
}

static inline size_t along_head(int ranks)
{
    return sizeof(struct line_along) + ((size_t)ranks + 1) * sizeof(uint32_t);
}

/* The block for a rank in such a line of a team of so many ranks. */
static inline const unsigned char *along_block(const struct symm_line *line, int ranks, int rank,
                                               size_t *bytes)
{
    const struct line_along *along = along_of(line);
    *bytes = along->at[rank + 1] - along->at[rank];
    return line->payload + along_head(ranks) + along->at[rank];
}

/* Write a block, packed.  Returns its bytes. */
static inline size_t along_block_write(const struct symm_side *side, size_t rank,
                                       unsigned char *to)
{
    struct symm_layout layout;
    void *address;
    if (side->plain) {
        uintptr_t first;
        size_t bytes = mca_coll_symm_side_plain_block(side, rank, &first);
        if (bytes > 0) {
            memcpy(to, (const void *)first, bytes);
        }
        return bytes;
    }
    mca_coll_symm_side_block(side, rank, &layout, &address);
    if (layout.bytes > 0) {
        mca_coll_symm_pack(&layout, address, to);
    }
    return layout.bytes;
}

/*
 * Write blocks of any length, but that for rank `left_out`, behind the table that says where they
 * begin.  The side is a copy, which what is written cannot change, for all the compiler knows.
 */
__attribute__((always_inline))
static inline void along_write(struct symm_line *line, struct symm_side side, size_t ranks,
                               size_t left_out)
{
    struct line_along *along = along_of(line);
    unsigned char *to = line->payload + along_head((int)ranks);
    size_t written = 0, largest = 0;
    for (size_t rank = 0; rank < ranks; rank++) {
        along->at[rank] = (uint32_t)written;
        size_t bytes = rank == left_out ? 0 : along_block_write(&side, rank, to + written);
        largest = bytes > largest ? bytes : largest;
        written += bytes;
    }
    along->at[ranks] = (uint32_t)written;
    along->largest = (uint32_t)largest;
}

static inline const struct symm_collective_row *row_of(const struct symm_operation *operation)
{
    return symm_collective_get(operation->call->collective);
}

/*
 * Bytes of a block in this rank's memory; *at: from `base`.  Those with gaps have no offset.
 * Inlined where it is used: else a small MPI_Alltoallv takes 60 instructions more.
 */
__attribute__((always_inline))
static inline size_t block_locate(const struct symm_side *side, bool has_gaps, size_t rank,
                                  const void *base, size_t *at)
{
    uintptr_t first;
    bool dense; /* the caller knows it of all blocks together */
    size_t bytes = side->plain ? mca_coll_symm_side_plain_block(side, rank, &first)
                               : mca_coll_symm_side_any_block(side, rank, &first, &dense);
    *at = bytes == 0 || has_gaps ? 0 : first - (uintptr_t)base;
    return bytes;
}

/* Describe both ends of the blocks that lie in this rank's memory. */
void mca_coll_symm_blocks_own(const struct symm_operation *operation);

/* Bytes of the largest block that any rank sends.  All lines are there. */
size_t mca_coll_symm_blocks_largest(const struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_BLOCKS_LINE_H */
