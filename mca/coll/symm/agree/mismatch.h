/*
 * agree/mismatch.h - what the user is told when ranks have made different calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_AGREE_MISMATCH_H
#define MCA_COLL_SYMM_AGREE_MISMATCH_H

#include "mca/coll/symm/base/operation.h"

/*
 * Tell the user about a mismatch, if that is this rank's part, which is returned: otherwise rank 0
 * does.  *error is for MPI.
 */
bool mca_coll_symm_mismatch_report(const struct symm_operation *operation, int *error);

/*
 * Tell the user that the block of `sender` for this rank is longer than the room for it.  Returns
 * the error for MPI.
 */
int mca_coll_symm_truncated_report(const struct symm_operation *operation, int sender,
                                   size_t bytes, size_t room);

#endif /* MCA_COLL_SYMM_AGREE_MISMATCH_H */
