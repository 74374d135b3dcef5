/*
 * host_copy/copy.h - a buffer argument of a collective and, if the buffer is on a device, its copy
 * in host memory.
 *
 * The copy has the buffer's layout, so counts, displacements and types stay the same.  Only what
 * the call reads is copied to the host, and only what it writes is copied back.  Gaps are not
 * touched.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_COPY_H
#define MCA_COLL_SYMM_HOST_COPY_COPY_H

#include "mca/ompi_compat.h"

#include "kernels/cuda/host_memory.h"
#include "mca/coll/symm/data/pack.h"
#include "mca/coll/symm/data/recognise.h"

enum symm_shape {
    SYMM_SHAPE_NONE,   /* there is no buffer, or the call ignores it */
    SYMM_SHAPE_EVEN,   /* pieces of `count` elements each, one behind the other */
    SYMM_SHAPE_SPREAD, /* pieces of counts[i] elements, disps[i] extents from the start */
    SYMM_SHAPE_TYPED,  /* pieces of a type each, disps[i] bytes from the start */
};

/* Pieces begin, begin + 1, ... end - 1. */
struct symm_pieces {
    size_t begin, end;
};

struct symm_host_copy {
    /* What the caller describes. */
    enum symm_shape shape;
    const void *buffer;
    size_t pieces;
    size_t count;
    struct ompi_datatype_t *dtype;
    struct ompi_datatype_t *const *dtypes; /* TYPED */
    symm_counts_t counts;                  /* SPREAD, TYPED */
    symm_disps_t disps;                    /* SPREAD; TYPED without byte_disps */
    symm_byte_disps_t byte_disps;
    bool has_byte_disps;
    struct symm_pieces read, written; /* by the call */
    enum symm_kinds kinds;            /* which memory the buffer may be in */

    /* What mca_coll_symm_host_copy_open() finds and makes. */
    int device;               /* -1: host memory, which needs no copy */
    void *address;            /* passed on instead of the buffer's */
    ptrdiff_t *moved;         /* TYPED, in a copy: where its pieces are, in bytes from `address` */
    symm_disps_t moved_disps; /* passed on instead of `disps` */
    size_t copied;            /* bytes, in both directions */
    uintptr_t first;          /* address of the data on the device */
    struct symm_host_block block;
};

/*
 * Whether the buffer is known to be in host memory: then there is nothing to open, and `device` and
 * `address` are set.  False: open() has to find out.  This takes less time than open().
 */
static inline bool mca_coll_symm_host_copy_is_needless(struct symm_host_copy *copy)
{
    bool host = copy->shape == SYMM_SHAPE_NONE || copy->buffer == MPI_IN_PLACE ||
                copy->kinds == SYMM_KINDS_SYSTEM ||
                (copy->shape == SYMM_SHAPE_EVEN &&
                 (mca_coll_symm_bytes(copy->dtype, copy->count) == 0 ||
                  mca_coll_symm_is_known_host(mca_coll_symm_at(copy->buffer,
                                                               copy->dtype->super.true_lb))));
    copy->device = -1;
    copy->address = symm_ompi_unconst(copy->buffer);
    return host;
}

/*
 * Find out where the buffer is.  If it is on a device, make the copy and fill in what the call
 * reads.  Errors: OUT_OF_RESOURCE (there is no copy, and `address` is the buffer's), ERROR (the
 * driver has failed: there is a copy, but its contents are worth nothing).  close() has to follow
 * in each case.
 */
int mca_coll_symm_host_copy_open(struct symm_host_copy *copy);

/* Copy back what the call has written. */
int mca_coll_symm_host_copy_store(struct symm_host_copy *copy);
void mca_coll_symm_host_copy_close(struct symm_host_copy *copy);

/* ---- describing buffers ---------------------------------------------------------------------- */

/* The call reads all pieces, or writes them. */
static inline void mca_coll_symm_host_copy_all_read(struct symm_host_copy *copy)
{
    copy->read = (struct symm_pieces){0, copy->pieces};
}

static inline void mca_coll_symm_host_copy_all_written(struct symm_host_copy *copy)
{
    copy->written = (struct symm_pieces){0, copy->pieces};
}

/*
 * A buffer of `pieces` pieces with `count` elements each.  The call neither reads nor writes it
 * yet.
 */
static inline void mca_coll_symm_host_copy_even(struct symm_host_copy *copy, const void *buffer,
                                                size_t pieces, size_t count,
                                                struct ompi_datatype_t *dtype)
{
    copy->shape = SYMM_SHAPE_EVEN;
    copy->buffer = buffer;
    copy->pieces = pieces;
    copy->count = count;
    copy->dtype = dtype;
    copy->has_byte_disps = false;
    copy->read = copy->written = (struct symm_pieces){0, 0};
}

/* A buffer of `pieces` pieces with counts[i] elements each, disps[i] extents from its start. */
static inline void mca_coll_symm_host_copy_spread(struct symm_host_copy *copy, const void *buffer,
                                                  size_t pieces, symm_counts_t counts,
                                                  symm_disps_t disps, struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, 0, dtype);
    copy->shape = SYMM_SHAPE_SPREAD;
    copy->counts = counts;
    copy->disps = disps;
}

/* A buffer of pieces with counts[i] elements of dtypes[i] each, disps[i] bytes from its start. */
static inline void mca_coll_symm_host_copy_typed(struct symm_host_copy *copy, const void *buffer,
                                                 size_t pieces, symm_counts_t counts,
                                                 symm_disps_t disps,
                                                 struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_host_copy_spread(copy, buffer, pieces, counts, disps, MPI_DATATYPE_NULL);
    copy->shape = SYMM_SHAPE_TYPED;
    copy->dtypes = dtypes;
}

/* A buffer that the call reads as a whole; it may be MPI_IN_PLACE. */
static inline void mca_coll_symm_host_copy_sent(struct symm_host_copy *copy, const void *buffer,
                                                size_t pieces, size_t count,
                                                struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_host_copy_all_read(copy);
}

/* A buffer that the call writes as a whole. */
static inline void mca_coll_symm_host_copy_received(struct symm_host_copy *copy, void *buffer,
                                                    size_t pieces, size_t count,
                                                    struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_host_copy_all_written(copy);
}

#endif /* MCA_COLL_SYMM_HOST_COPY_COPY_H */
