/*
 * device/bounce.h - a buffer argument of a collective and, if the buffer is on a device, its
 * copy in host memory.
 *
 * The copy has the buffer's layout, so counts, displacements and types stay the same.  Only what
 * the call reads is copied to the host, and only what it writes is copied back.  Gaps are not
 * touched.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_BOUNCE_H
#define MCA_COLL_SYMM_DEVICE_BOUNCE_H

#include "mca/ompi_compat.h"

#include "kernels/cuda/launch/host_memory.h"
#include "mca/coll/symm/data/recognise.h"
#include "mca/coll/symm/data/sides.h"

/* Pieces begin, begin + 1, ... end - 1. */
struct symm_pieces {
    size_t begin, end;
};

struct symm_host_copy {
    /* What the caller describes. */
    struct symm_side side;            /* EVEN, SPREAD, TYPED, FAR or NONE; not measured */
    size_t pieces;                    /* blocks of it */
    struct symm_pieces read, written; /* by the call */
    enum symm_kinds kinds;            /* which memory the buffer may be in */

    /* What find() and room_make() find and make. */
    int device;               /* -1: host memory, which needs no copy */
    void *address;            /* passed on instead of the buffer's */
    ptrdiff_t *moved;         /* TYPED, in a copy: where its pieces are, in bytes from `address` */
    symm_disps_t moved_disps; /* passed on instead of `disps` */
    size_t copied;            /* bytes, in both directions */
    uintptr_t first;          /* address of the data on the device */
    struct symm_host_block block;

    int storing;  /* copies back are under way on this device; -1: none */
    void *arrays; /* of keep.h */
};

/*
 * Whether the buffer is known to be in host memory: then there is nothing to open, and `device` and
 * `address` are set.  False: open() has to find out.  This takes less time than open().
 */
static inline bool mca_coll_symm_host_copy_is_needless(struct symm_host_copy *copy)
{
    bool host = copy->side.shape == SYMM_SIDE_NONE || copy->side.buffer == MPI_IN_PLACE ||
                copy->kinds == SYMM_KINDS_SYSTEM ||
                (copy->side.shape == SYMM_SIDE_EVEN &&
                 (mca_coll_symm_bytes(copy->side.dtype, copy->side.count) == 0 ||
                  mca_coll_symm_is_known_host(mca_coll_symm_at(copy->side.buffer,
                                                               copy->side.dtype->super.true_lb))));
    copy->device = -1;
    copy->address = symm_ompi_unconst(copy->side.buffer);
    return host;
}

/* The buffer gets no copy, wherever it is. */
void mca_coll_symm_host_copy_leave(struct symm_host_copy *copy);

/*
 * Find out where the buffer is.  True: it is on a device and needs a copy, which room_make() makes
 * and close() gives back.
 */
bool mca_coll_symm_host_copy_find(struct symm_host_copy *copy);

/* Make a copy without contents.  Errors: OUT_OF_RESOURCE. */
int mca_coll_symm_host_copy_room_make(struct symm_host_copy *copy);

/*
 * Copy what the call reads, and wait until it is there.  Errors: ERROR (the driver has failed, and
 * the contents are worth nothing).
 */
int mca_coll_symm_host_copy_fill(struct symm_host_copy *copy);

/* All three.  close() has to follow in each case. */
int mca_coll_symm_host_copy_open(struct symm_host_copy *copy);

/* Copy back what the call has written. */
int mca_coll_symm_host_copy_store(struct symm_host_copy *copy);

/*
 * The same in two steps: queue the copies, and ask whether they are done, which returns
 * OMPI_ERR_WOULD_BLOCK until they are.  After an error nothing is under way.
 */
int mca_coll_symm_host_copy_store_begin(struct symm_host_copy *copy);
int mca_coll_symm_host_copy_store_test(struct symm_host_copy *copy);

void mca_coll_symm_host_copy_close(struct symm_host_copy *copy);

/* Whether the call has such a buffer. */
static inline bool mca_coll_symm_host_copy_is_used(const struct symm_host_copy *copy)
{
    return copy->side.shape != SYMM_SIDE_NONE && copy->side.buffer != MPI_IN_PLACE;
}

#endif /* MCA_COLL_SYMM_DEVICE_BOUNCE_H */
