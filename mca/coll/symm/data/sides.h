/*
 * data/sides.h - the blocks of a buffer that a rank exchanges with the others: one for each rank,
 * described by counts, displacements and types as MPI has them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DATA_SIDES_H
#define MCA_COLL_SYMM_DATA_SIDES_H

#include "mca/coll/symm/data/pack.h"

enum symm_side_shape {
    SYMM_SIDE_EVEN,   /* blocks of `count` elements one after the other */
    SYMM_SIDE_SAME,   /* one block of `count` elements, for all ranks */
    SYMM_SIDE_SPREAD, /* counts[i] elements, disps[i] extents from the start */
    SYMM_SIDE_OTHERS, /* the same, but no block for rank `one` */
    SYMM_SIDE_ONE,    /* `count` elements for rank `one`, and nothing for others */
    SYMM_SIDE_TYPED,  /* counts[i] elements of dtypes[i], disps[i] bytes from the start */
    SYMM_SIDE_PACKED, /* packed[i].bytes bytes, packed[i].at from the start; plain, of size 1 */
    /* Of calls on host copies alone (device/bounce.h): */
    SYMM_SIDE_FAR,  /* as TYPED, byte_disps[i] from the start */
    SYMM_SIDE_NONE, /* there is no buffer, or the call ignores it */
};

struct symm_packed_block {
    size_t at, bytes;
};

/* The program's arrays are borrowed. */
struct symm_side {
    enum symm_side_shape shape;
    const void *buffer;
    size_t count;
    size_t one;
    symm_counts_t counts;
    union {
        symm_disps_t disps;
        symm_byte_disps_t byte_disps; /* FAR */
    };
    struct ompi_datatype_t *dtype;
    struct ompi_datatype_t *const *dtypes;
    const struct symm_packed_block *packed;
    /*
     * The following is known once the side has been measured, unless blocks have their own types.
     */
    bool is_measured;
    bool plain;      /* elements without gaps, one after the other */
    size_t size;     /* bytes of an element; its extent, too, if it is plain */
    ptrdiff_t start; /* from an element's address to its first byte, if it is plain */
};

/* Of all blocks of a side. */
struct symm_side_measure {
    uintptr_t first; /* the lowest byte of all; with gaps, the first byte of some block */
    size_t span;     /* bytes from there to the end of the last; 0 with gaps */
    size_t bytes;    /* of data */
    size_t largest;  /* bytes of data in the largest block */
    bool gaps;       /* some block has gaps, or blocks that should follow each other do not */
};

/*
 * Find out what all elements have alike.  Most often both sides of a call have one type, so `other`
 * is one that knows it, or NULL.
 */
void mca_coll_symm_side_elements(struct symm_side *side, const struct symm_side *other);

/* Measure the blocks of so many ranks.  `other`: a side that has been measured, or NULL. */
void mca_coll_symm_side_measure(struct symm_side *side, const struct symm_side *other,
                                size_t ranks, struct symm_side_measure *measure);

/* A side without any data; the type may be any. */
static inline struct symm_side mca_coll_symm_side_empty(struct ompi_datatype_t *dtype)
{
    return (struct symm_side){.shape = SYMM_SIDE_ONE, .dtype = dtype};
}

static inline bool mca_coll_symm_side_has_counts(const struct symm_side *side)
{
    return side->shape == SYMM_SIDE_SPREAD || side->shape == SYMM_SIDE_OTHERS ||
           side->shape == SYMM_SIDE_TYPED || side->shape == SYMM_SIDE_FAR;
}

/* The elements of the block for a rank. */
static inline size_t mca_coll_symm_side_count(const struct symm_side *side, size_t rank)
{
    if ((side->shape == SYMM_SIDE_ONE && rank != side->one) ||
        (side->shape == SYMM_SIDE_OTHERS && rank == side->one)) {
        return 0;
    }
    if (side->shape == SYMM_SIDE_PACKED) {
        return side->packed[rank].bytes;
    }
    return mca_coll_symm_side_has_counts(side) ? symm_count_at(side->counts, rank) : side->count;
}

/*
 * The block for a rank on a plain side: its bytes, and at *first, if there are any, the address of
 * the first one.  Small calls spend much of their time on finding their blocks, so the commonest
 * shape comes first.
 */
static inline size_t mca_coll_symm_side_plain_block(const struct symm_side *side, size_t rank,
                                                    uintptr_t *first)
{
    size_t count;
    ptrdiff_t index = 0;
    if (side->shape == SYMM_SIDE_SPREAD) {
        count = symm_count_at(side->counts, rank);
        index = symm_disp_at(side->disps, rank);
    } else {
        count = mca_coll_symm_side_count(side, rank);
        if (mca_coll_symm_side_has_counts(side)) {
            index = symm_disp_at(side->disps, rank);
        } else if (side->shape == SYMM_SIDE_EVEN) {
            index = (ptrdiff_t)(rank * count);
        } else if (side->shape == SYMM_SIDE_PACKED) {
            index = (ptrdiff_t)side->packed[rank].at;
        }
    }
    *first = (uintptr_t)side->buffer + (uintptr_t)index * side->size + (uintptr_t)side->start;
    return count * side->size;
}

/* The same on any side.  *dense: the block has no gaps. */
size_t mca_coll_symm_side_any_block(const struct symm_side *side, size_t rank, uintptr_t *first,
                                    bool *dense);

/* Whether each block has a type of its own. */
static inline bool mca_coll_symm_side_is_typed(const struct symm_side *side)
{
    return side->shape == SYMM_SIDE_TYPED || side->shape == SYMM_SIDE_FAR;
}

/* Elements as the program has them. */
struct symm_elements {
    const void *buffer;
    size_t count;
    struct ompi_datatype_t *dtype;
};

/*
 * The elements of the block for a rank.  Those without data count as none: their displacement may
 * be anything, and where there are none, so may the type.
 */
struct symm_elements mca_coll_symm_side_elements_of(const struct symm_side *side, size_t rank);

/* The block for a rank: how its elements lie, and their address as the program has it. */
void mca_coll_symm_side_block(const struct symm_side *side, size_t rank,
                              struct symm_layout *layout, void **address);

#endif /* MCA_COLL_SYMM_DATA_SIDES_H */
