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
