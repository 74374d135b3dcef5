/*
 * base/call.h - one collective call as its caller described it, in our own terms.
 *
 * The entry of the collective (entry/) describes the call, which is const from then on.  What
 * changes while the call is served is in the operation (base/operation.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_CALL_H
#define MCA_COLL_SYMM_BASE_CALL_H

#include "kernels/reduction.h"
#include "mca/coll/symm/base/collectives.h"
#include "mca/coll/symm/data/buffer.h"

/* Why a call is not served by us.  The words for the reasons are in report/words.c. */
enum symm_reason {
    SYMM_REASON_NONE,
    SYMM_REASON_GAPS,     /* the datatype leaves gaps, and the data is not packed */
    SYMM_REASON_UNEQUAL,  /* what is sent and received, or the ranks' elements, differ in length */
    SYMM_REASON_ELEMENT,  /* one element is larger than the blocks we work in */
    SYMM_REASON_USER,     /* device memory, and a user-defined operation: host code */
    SYMM_REASON_KERNEL,   /* device memory, and no kernel for the operation and datatype */
    SYMM_REASON_ELSEWHERE, /* device memory that is not from MPI_Alloc_mem */
    SYMM_REASON_SMALL,    /* such device memory, and too small to be worth scratch on the devices */
    SYMM_REASON_ASYMMETRIC, /* some of the call's buffers are in device memory, and some are not */
    SYMM_REASON_REACH,    /* device memory that some rank cannot reach */
    SYMM_REASON_OVERLAP,  /* device memory, in place, and a block overlaps its result */
    SYMM_REASON_TABLE,    /* a line has no room for a table of so many ranks' blocks */
    SYMM_REASON_PEER,     /* another rank said that its part of the call cannot be served */
    SYMM_REASON_SLOWER,   /* staging would take longer than the component below */
    SYMM_REASON_LEFT,     /* by number of ranks and bytes alone the component below is quicker */
    SYMM_REASON_EARLY,    /* the ranks share no memory yet, and few such calls are not worth it */
    SYMM_REASON_DISABLED, /* the ranks of the communicator cannot share memory */
    SYMM_REASON_COUNT
};

/* Which buffers of this rank have gaps. */
enum {
    SYMM_GAPS_INPUT = 1,
    SYMM_GAPS_OUTPUT = 2,
    SYMM_GAPS_ANY = SYMM_GAPS_INPUT | SYMM_GAPS_OUTPUT,
    SYMM_GAPS_BETWEEN = 4, /* blocks travel one by one: they need not lie in one row */
};

/* Which buffers this rank has not: it is no root, or all its blocks are empty. */
enum { SYMM_ABSENT_INPUT = 1, SYMM_ABSENT_OUTPUT = 2 };

struct symm_call {
    enum symm_collective collective;
    enum symm_call_form form;
    enum symm_reason veto; /* as far as the call itself says; SYMM_REASON_NONE: it can be served */
    unsigned gaps;         /* 0: input and output are plain memory */
    struct symm_buffer input, output; /* of this rank */
    bool in_place;
    size_t count;          /* elements, or bytes of a block */
    size_t extent;         /* bytes of an element; 1 for all-gather */
    symm_counts_t counts;  /* elements of each rank's block, where the collective has counts */
    unsigned absent;       /* buffers that this rank has not; their pointers are of the other one */
    int root;              /* of a rooted collective */
    size_t payload_bytes;  /* what a rank contributes, as it would travel in the slot */
    int device;            /* on which the buffers lie; -1: in host memory */
    bool asymmetric;       /* the buffers lie in different places */
    bool unusable;         /* one buffer is in device memory that not even our kernels can use */
    int cuda_type, cuda_op; /* all-reduce on a device: enum symm_cuda_type, enum symm_cuda_op */
    uint64_t signature;    /* what must be alike on all ranks; see base/signature.h */
    uint64_t agreed_count; /* also alike on all ranks: elements, or bytes of incomparable ones */
    struct symm_reduction reduction; /* all-reduce */
    struct ompi_op_t *op;
    struct ompi_datatype_t *dtype;
    ptrdiff_t shift;       /* all-reduce: from the start of an element's data to its address */
};

/* Whether this rank neither gives nor gets data. */
static inline bool mca_coll_symm_call_is_idle(const struct symm_call *call)
{
    return (call->absent & (SYMM_ABSENT_INPUT | SYMM_ABSENT_OUTPUT)) ==
           (SYMM_ABSENT_INPUT | SYMM_ABSENT_OUTPUT);
}

/* Bytes from one rank to another, in a call in which all send as much. */
static inline uint64_t mca_coll_symm_call_share(const struct symm_call *call, int ranks)
{
    return symm_collective_share(symm_collective_get(call->collective), call->payload_bytes, ranks);
}

/*
 * Bytes of a rank's blocks, as those take them who decide where data go that no other rank reaches.
 * Where ranks' blocks differ, a rank that sends less than it receives goes by what it receives, and
 * one with a single block of a root's as if all blocks were like that.
 */
static inline size_t mca_coll_symm_call_relayed(const struct symm_call *call, int rank, int ranks)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    if (!row->has_tables) {
        return call->payload_bytes;
    }
    size_t bytes = call->output.data > call->payload_bytes ? call->output.data
                                                           : call->payload_bytes;
    return row->is_rooted && rank != call->root ? bytes * (size_t)ranks : bytes;
}

#endif /* MCA_COLL_SYMM_BASE_CALL_H */
