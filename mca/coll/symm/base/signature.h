/*
 * base/signature.h - what ranks must have alike in a call, beside the count: packed into one word
 * of a line.
 *
 * User-defined operations cannot be compared between processes, nor can the types they work on: one
 * rank may call eight bytes MPI_INT64_T and another a contiguous type of one.  For such an
 * operation `element` is 0, `extent` is 1, and bytes are counted.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_SIGNATURE_H
#define MCA_COLL_SYMM_BASE_SIGNATURE_H

#include <stdint.h>

#include "heap/team/team.h"
#include "kernels/collective.h"

struct symm_signature {
    enum symm_collective collective;
    unsigned op;      /* OMPI_OP_MAX and so on, or SYMM_SIGNATURE_USER_OP; 0 without a reduction */
    unsigned element; /* class of element; 0: any */
    unsigned root;    /* rank of the root, or a checksum of the ranks' counts; 0 without either */
    size_t extent;    /* bytes of an element */
};

/* The fields of the word, from the lowest bit on. */
enum {
    SYMM_SIGNATURE_EXTENT_BITS = 22, /* longer elements are not served; the lowest bits are here */
    SYMM_SIGNATURE_ROOT_BITS = 24,
    SYMM_SIGNATURE_ELEMENT_BITS = 4,
    SYMM_SIGNATURE_OP_BITS = 8,
    SYMM_SIGNATURE_COLLECTIVE_BITS = 6,
    SYMM_SIGNATURE_ROOT_SHIFT = SYMM_SIGNATURE_EXTENT_BITS,
    SYMM_SIGNATURE_ELEMENT_SHIFT = SYMM_SIGNATURE_ROOT_SHIFT + SYMM_SIGNATURE_ROOT_BITS,
    SYMM_SIGNATURE_OP_SHIFT = SYMM_SIGNATURE_ELEMENT_SHIFT + SYMM_SIGNATURE_ELEMENT_BITS,
    SYMM_SIGNATURE_COLLECTIVE_SHIFT = SYMM_SIGNATURE_OP_SHIFT + SYMM_SIGNATURE_OP_BITS,
    SYMM_SIGNATURE_BITS = SYMM_SIGNATURE_COLLECTIVE_SHIFT + SYMM_SIGNATURE_COLLECTIVE_BITS,
    SYMM_SIGNATURE_EXTENT_MOST = (1 << SYMM_SIGNATURE_EXTENT_BITS) - 1,
    SYMM_SIGNATURE_USER_OP = (1 << SYMM_SIGNATURE_OP_BITS) - 1,
};

_Static_assert(SYMM_SIGNATURE_BITS == 64, "a signature fills a word of a line");
_Static_assert((int)SYMM_COLLECTIVE_COUNT <= 1 << SYMM_SIGNATURE_COLLECTIVE_BITS,
               "a signature has room for every collective");
_Static_assert((size_t)SYMM_SCRATCH_SIZE < (size_t)SYMM_SIGNATURE_EXTENT_MOST,
               "extents of elements that are served can be told apart");

static inline uint64_t symm_signature_field(uint64_t packed, unsigned shift, unsigned bits)
{
    return packed >> shift & ((UINT64_C(1) << bits) - 1);
}

static inline uint64_t symm_signature_pack(struct symm_signature signature)
{
    return (uint64_t)signature.collective << SYMM_SIGNATURE_COLLECTIVE_SHIFT |
           (uint64_t)signature.op << SYMM_SIGNATURE_OP_SHIFT |
           (uint64_t)signature.element << SYMM_SIGNATURE_ELEMENT_SHIFT |
           (uint64_t)signature.root << SYMM_SIGNATURE_ROOT_SHIFT |
           (signature.extent & SYMM_SIGNATURE_EXTENT_MOST);
}

/* Of a call that moves bytes from or to a root. */
static inline uint64_t symm_signature_rooted(enum symm_collective collective, int root)
{
    return symm_signature_pack((struct symm_signature){
        .collective = collective, .root = (unsigned)root, .extent = 1});
}

static inline struct symm_signature symm_signature_unpack(uint64_t packed)
{
    return (struct symm_signature){
        .collective = (enum symm_collective)symm_signature_field(
            packed, SYMM_SIGNATURE_COLLECTIVE_SHIFT, SYMM_SIGNATURE_COLLECTIVE_BITS),
        .op = (unsigned)symm_signature_field(packed, SYMM_SIGNATURE_OP_SHIFT,
                                             SYMM_SIGNATURE_OP_BITS),
        .element = (unsigned)symm_signature_field(packed, SYMM_SIGNATURE_ELEMENT_SHIFT,
                                                  SYMM_SIGNATURE_ELEMENT_BITS),
        .root = (unsigned)symm_signature_field(packed, SYMM_SIGNATURE_ROOT_SHIFT,
                                               SYMM_SIGNATURE_ROOT_BITS),
        .extent = (size_t)symm_signature_field(packed, 0, SYMM_SIGNATURE_EXTENT_BITS),
    };
}

#endif /* MCA_COLL_SYMM_BASE_SIGNATURE_H */
