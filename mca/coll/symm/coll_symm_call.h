/*
 * coll_symm_call.h - one collective call as its caller described it, in our own terms.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_CALL_H
#define MCA_COLL_SYMM_CALL_H

#include "mca/ompi_compat.h"

#include "kernels/reduction.h"

enum symm_collective { SYMM_ALLREDUCE, SYMM_ALLGATHER, SYMM_COLLECTIVE_COUNT };

/* Why a call is not served by us.  The words for them are in coll_symm_report.c. */
enum symm_reason {
    SYMM_REASON_NONE,
    SYMM_REASON_GAPS,     /* the datatype leaves gaps between the bytes of an element */
    SYMM_REASON_ELEMENT,  /* one element is larger than the blocks we work in */
    SYMM_REASON_PEER,     /* another rank said that its part of the call cannot be served */
    SYMM_REASON_SLOWER,   /* staging would take longer than the component below */
    SYMM_REASON_DISABLED, /* the ranks of the communicator cannot share memory */
    SYMM_REASON_COUNT
};

struct symm_call {
    enum symm_collective collective;
    enum symm_reason veto; /* SYMM_REASON_NONE: this rank can be served */
    const void *input;     /* of this rank; as in struct symm_run */
    void *output;
    bool in_place;
    size_t count;          /* elements, or bytes of a block */
    size_t extent;         /* bytes of an element; 1 for all-gather */
    size_t output_bytes;   /* of this rank's output: what must lie within one segment */
    uint64_t signature;    /* what must be alike on all ranks; see mca_coll_symm_signature() */
    uint64_t agreed_count; /* likewise: elements, or bytes where elements cannot be compared */
    struct symm_reduction reduction; /* all-reduce */
    struct ompi_op_t *op;
    struct ompi_datatype_t *dtype;
};

/*
 * Pack what ranks must have alike beside the count.  `element` is the class of element (0: any), `op`
 * the predefined operation, `extent` the bytes of an element.  User-defined operations cannot be
 * compared between processes, nor can the types they work on: one rank may call eight bytes MPI_INT64_T
 * and another a contiguous type of one.  Then `element` is 0, `extent` 1, and bytes are counted.
 */
static inline uint64_t mca_coll_symm_signature(enum symm_collective collective, uint8_t op,
                                               uint16_t element, uint32_t extent)
{
    return (uint64_t)collective << 56 | (uint64_t)op << 48 | (uint64_t)element << 32 | extent;
}

enum { MCA_COLL_SYMM_USER_OP = 0xff };

#endif /* MCA_COLL_SYMM_CALL_H */
