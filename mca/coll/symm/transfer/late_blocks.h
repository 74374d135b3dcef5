/*
 * transfer/late_blocks.h - loose calls of MPI_Scatterv, and of MPI_Gatherv once ranks have left.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_LATE_BLOCKS_H
#define MCA_COLL_SYMM_TRANSFER_LATE_BLOCKS_H

#include "mca/coll/symm/base/operation.h"

/* A step of the run, for transfer/late.c. */
enum symm_status mca_coll_symm_late_blocks_step(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_LATE_BLOCKS_H */
