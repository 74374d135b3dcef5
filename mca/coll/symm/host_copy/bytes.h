/*
 * host_copy/bytes.h - the buffers of a call that moves data, as the component below gets them: rows
 * of elements of one predefined type, alike on all ranks.
 *
 * MPI wants ranks to have one signature, not one type.  Components below go by counts and by sizes
 * of types all the same: coll/tuned takes an algorithm for MPI_Allgatherv by them, and cuts
 * MPI_Bcast and MPI_Gather into segments.  Then ranks with different types wait for each other for
 * ever.  So all ranks of a communicator that we serve hand over bytes.  Those with contiguous data
 * do as well, because they do not know of the others' types.  They hand over the buffer itself.
 * Others pack what the call reads, and unpack what it has written.
 *
 * This is for collectives whose algorithms below depend on bytes.  The others that move data
 * (MPI_Gatherv, MPI_Scatterv, MPI_Alltoallv, MPI_Alltoallw, neighbourhood collectives) send each
 * block as one message, whatever its bytes, and two ranks alone know its size.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_BYTES_H
#define MCA_COLL_SYMM_HOST_COPY_BYTES_H

#include "mca/coll/symm/base/layer.h"
#include "mca/coll/symm/device/bounce.h"

/* What is handed over instead of a buffer. */
struct symm_bytes {
    void *address;
    symm_count_t count;
    symm_counts_t counts; /* of a buffer with counts */
    symm_disps_t disps;
    struct ompi_datatype_t *dtype;
    unsigned char *packed; /* the row that stands for the buffer; NULL: the buffer is one */
    size_t *arrays;        /* what counts and disps are made of */
};

struct symm_host_copy_buffers;

/* Whether the data of a function's calls are handed over like this. */
static inline bool mca_coll_symm_has_bytes(enum symm_mpi_function function)
{
    const struct symm_collective_row *row = mca_coll_symm_function_row(function);
    return row != NULL && row->reads_inputs && !row->reduces && !row->has_tables;
}

/*
 * Whether one of the buffers, as they are described, is no row and has to be packed by the host:
 * its elements have gaps, or its pieces lie where no displacement of an int says it.
 */
bool mca_coll_symm_bytes_are_apart(const struct symm_host_copy_buffers *buffers,
                                   const struct symm_host_copy *copy);

/*
 * Set what is handed over for both buffers, after their copies have been made, if they are on
 * devices.  Contents are packed later.  Errors: OUT_OF_RESOURCE.  close() has to follow in each
 * case.
 */
int mca_coll_symm_bytes_open(struct symm_host_copy_buffers *buffers);

/*
 * Describe a receive buffer with counts anew, as `ranks` pieces of MPI_BYTE, by arrays in `room`,
 * which has SYMM_BYTES_ARRAYS * 8 bytes for each.  open() then needs no arrays of its own, and a
 * request that has the room no second request beside it, which takes up to a tenth of a call.
 * Nothing is done where pieces are no row, or too large.
 */
enum { SYMM_BYTES_ARRAYS = 3 };
void mca_coll_symm_bytes_spread(struct symm_arguments *a, size_t ranks, void *room);

/* Whether there is something for close() to give back. */
bool mca_coll_symm_bytes_are_held(const struct symm_host_copy_buffers *buffers);

/* Copy the bytes that the call reads into rows, and those that it has written from there. */
void mca_coll_symm_bytes_pack(const struct symm_host_copy_buffers *buffers);
void mca_coll_symm_bytes_unpack(const struct symm_host_copy_buffers *buffers);
void mca_coll_symm_bytes_close(struct symm_host_copy_buffers *buffers);

#endif /* MCA_COLL_SYMM_HOST_COPY_BYTES_H */
