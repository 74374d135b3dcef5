/*
 * serve/leave.h - calls on communicators that have failed or been revoked (Open MPI 5.0, ULFM).
 *
 * Once a process of a communicator has died, or the communicator has been revoked, its collectives
 * can only fail, on all ranks.  opal_progress() learns of it.  A rank whose call is under way then
 * leaves for good: the call returns an error, and so do all that follow on the communicator.  The
 * communicator that the program makes from it by MPIX_Comm_shrink is like any other.
 *
 * This is safe because a rank returns only when nobody uses its buffers any more, though ranks
 * learn of the failure at different times.  The rank waits for all ranks that are within the run of
 * the same call (symm_control_enter()) and have neither left, nor ended, nor died.  Each of them
 * does one of these, as no run ends without this rank.  A rank that has yet to start the run finds
 * that another has left, and leaves as well.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_LEAVE_H
#define MCA_COLL_SYMM_SERVE_LEAVE_H

#include "mca/coll/symm/base/operation.h"

/* The communicator has failed or been revoked, or somebody has left: leave, in any state. */
void mca_coll_symm_leave(struct symm_operation *operation);

/*
 * A vote of the operation has failed.  True: the communicator has failed or been revoked, and the
 * operation leaves.
 */
bool mca_coll_symm_leave_vote(struct symm_operation *operation);

/*
 * The run is about to start, on peers' memory.  False: it must not start, and the operation leaves.
 */
bool mca_coll_symm_leave_or_enter(struct symm_operation *operation);

/* Go on with leaving.  SYMM_OK: leaving is over, and *error is for MPI.  Needs opal_progress(). */
enum symm_status mca_coll_symm_leave_step(struct symm_operation *operation, int *error);

#endif /* MCA_COLL_SYMM_SERVE_LEAVE_H */
