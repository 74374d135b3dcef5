/*
 * agree/mismatch.h - what the user is told when ranks have made different calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_MISMATCH_H
#define MCA_COLL_SYMM_AGREE_MISMATCH_H

#include "mca/coll/symm/base/operation.h"

/* Tell the user about a mismatch, on rank 0.  Returns the error for MPI. */
int mca_coll_symm_mismatch_report(const struct symm_operation *operation);

/* The run is over, and a block was longer than its place on this rank: tell the user, likewise. */
int mca_coll_symm_truncated_report(const struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_AGREE_MISMATCH_H */
