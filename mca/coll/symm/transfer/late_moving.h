/*
 * transfer/late_moving.h - blocks of any length that ranks bring to the root of a late
 * MPI_Gatherv (transfer/late.h), piece by piece through their staging buffers, or straight to
 * their places.
 *
 * These are the blocks that did not come with their lines: they are too long, or on a device.  The
 * ranks cannot vote about anything, as others have left.  So what they need is the control memory,
 * which all have.  A block that is not plain host memory goes by way of a packed copy.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_LATE_MOVING_H
#define MCA_COLL_SYMM_TRANSFER_LATE_MOVING_H

#include "mca/coll/symm/base/operation.h"

/*
 * A block on its way to the root: this rank's, or one that the root takes.  operation->late has
 * room for one; zero: nothing is to be given back.
 */
struct symm_moving {
    unsigned stage;
    int rank;              /* at the root: whose block; elsewhere: whose pieces are counted next */
    size_t bytes;          /* that are sent */
    size_t length;         /* of a piece */
    size_t room;           /* at the root: bytes of the block's place */
    uint64_t before;       /* elsewhere: pieces that the root takes of other ranks first */
    uint64_t taken;        /* at the root: pieces of all ranks so far */
    unsigned char *at;     /* where pieces come from or go to; NULL: straight from the one buffer */
    void *packed;          /* that is a copy, to be given back; NULL: it is the program's memory */
    unsigned char *place;  /* elsewhere: where the rank stores its block; NULL: nowhere */
    uint64_t maps_from;    /* elsewhere: from this call of the lane on the rank maps places */
};

/* The run starts. */
void mca_coll_symm_moving_start(struct symm_operation *operation);

/*
 * A step of a rank that brings its block, and of the root, which takes those of all ranks whose
 * lines have none.  Such ranks and the root have read all lines, but for a rank without a block.
 * SYMM_OK: it is over, with run->failure and operation->error as in transfer/late.h.
 */
enum symm_status mca_coll_symm_moving_bring(struct symm_operation *operation);
enum symm_status mca_coll_symm_moving_take(struct symm_operation *operation);

/* Give back what the steps have allocated, if anything; also of a call that is given up. */
void mca_coll_symm_moving_end(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_LATE_MOVING_H */
