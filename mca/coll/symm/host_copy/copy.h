/*
 * host_copy/copy.h - a buffer argument of a collective, and the copy in host memory that stands in
 * for it where the buffer is on a device.
 *
 * The copy has the buffer's layout, so counts, displacements and types stay what they are.  Only
 * what the call reads is copied there, and only what it writes is copied back: gaps are not
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
    SYMM_SHAPE_NONE,   /* the call does not look at this argument, or there is none */
    SYMM_SHAPE_EVEN,   /* pieces of `count` elements each, one behind the other */
    SYMM_SHAPE_SPREAD, /* pieces of counts[i] elements, disps[i] extents from the start */
    SYMM_SHAPE_TYPED,  /* each piece of its own type, so many bytes from the start */
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

    /* What mca_coll_symm_host_copy_open() finds and makes. */
    int device;              /* -1: host memory, which needs no copy */
    void *address;           /* what to pass on in place of the buffer */
    ptrdiff_t *moved;        /* TYPED, if there is a copy: where its pieces are, from `address` on */
    symm_disps_t moved_disps; /* what to pass on in place of `disps` */
    size_t copied;           /* bytes, in both directions */
    uintptr_t first;         /* of the data, on the device */
    struct symm_host_block block;
};

/*
 * Whether the memory is known to be the host's, which is found out more quickly than by open():
 * then `device` and `address` are set, and there is nothing to open.  False: it may not be the
 * host's.
 */
static inline bool mca_coll_symm_host_copy_is_needless(struct symm_host_copy *copy)
{
    bool host = copy->shape == SYMM_SHAPE_NONE || copy->buffer == MPI_IN_PLACE ||
                (copy->shape == SYMM_SHAPE_EVEN &&
                 (mca_coll_symm_bytes(copy->dtype, copy->count) == 0 ||
                  mca_coll_symm_is_known_host(mca_coll_symm_at(copy->buffer,
                                                               copy->dtype->super.true_lb))));
    copy->device = -1;
    copy->address = symm_ompi_unconst(copy->buffer);
    return host;
}

/*
 * Find out where the buffer is; if on a device, make the copy, with what the call reads. Errors:
 * OUT_OF_RESOURCE (there is no copy; *address is the buffer), ERROR (the driver has failed: there
 * is one, but its contents are worth nothing).  To be closed in each case.
 */
int mca_coll_symm_host_copy_open(struct symm_host_copy *copy);

/* Bring back what the call has written. */
int mca_coll_symm_host_copy_store(struct symm_host_copy *copy);
void mca_coll_symm_host_copy_close(struct symm_host_copy *copy);

/* ---- describing buffers ---------------------------------------------------------------------- */

/* All pieces are read, or written. */
static inline void mca_coll_symm_host_copy_all_read(struct symm_host_copy *copy)
{
    copy->read = (struct symm_pieces){0, copy->pieces};
}

static inline void mca_coll_symm_host_copy_all_written(struct symm_host_copy *copy)
{
    copy->written = (struct symm_pieces){0, copy->pieces};
}

/* `pieces` times `count` elements; so far neither read nor written. */
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

static inline void mca_coll_symm_host_copy_spread(struct symm_host_copy *copy, const void *buffer,
                                                  size_t pieces, symm_counts_t counts,
                                                  symm_disps_t disps, struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, 0, dtype);
    copy->shape = SYMM_SHAPE_SPREAD;
    copy->counts = counts;
    copy->disps = disps;
}

static inline void mca_coll_symm_host_copy_typed(struct symm_host_copy *copy, const void *buffer,
                                                 size_t pieces, symm_counts_t counts,
                                                 symm_disps_t disps,
                                                 struct ompi_datatype_t *const *dtypes)
{
    mca_coll_symm_host_copy_spread(copy, buffer, pieces, counts, disps, MPI_DATATYPE_NULL);
    copy->shape = SYMM_SHAPE_TYPED;
    copy->dtypes = dtypes;
}

/* What is sent is read, all of it; the buffer may be MPI_IN_PLACE. */
static inline void mca_coll_symm_host_copy_sent(struct symm_host_copy *copy, const void *buffer,
                                                size_t pieces, size_t count,
                                                struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_host_copy_all_read(copy);
}

static inline void mca_coll_symm_host_copy_received(struct symm_host_copy *copy, void *buffer,
                                                    size_t pieces, size_t count,
                                                    struct ompi_datatype_t *dtype)
{
    mca_coll_symm_host_copy_even(copy, buffer, pieces, count, dtype);
    mca_coll_symm_host_copy_all_written(copy);
}

#endif /* MCA_COLL_SYMM_HOST_COPY_COPY_H */
