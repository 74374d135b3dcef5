/*
 * transfer/late.h - loose calls (agree/loose.h) in which some ranks have left, and others have
 * data on devices, or in an MPI_Gatherv long blocks.  Each loose MPI_Scatterv comes here, and each
 * rank that leaves an MPI_Gatherv.
 *
 * The call cannot go below.  Small data go by way of lines.  In a broadcast or scatter each rank
 * copies its data from the root's line to where they belong.  In a gather, reduce or scan the ranks
 * that are still there copy their data into their lines, and say so by a phase.  The root, or in a
 * scan the ranks behind, have only waited for them, so nobody reads anything else of their lines.
 * Blocks of a gatherv have any length, and go another way (transfer/late_moving.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_TRANSFER_LATE_H
#define MCA_COLL_SYMM_TRANSFER_LATE_H

#include "mca/coll/symm/base/operation.h"

/* Ranks have left: set up the run of this one. */
void mca_coll_symm_late_begin(struct symm_operation *operation);

/*
 * A step of the run.  It ends with run->failure.  operation->error then says what MPI gets, which
 * the second function returns.
 */
enum symm_status mca_coll_symm_late_step(struct symm_operation *operation);
int mca_coll_symm_late_failure(const struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_TRANSFER_LATE_H */
