/*
 * progress_thread/safe_steps.h - the steps of an operation that a thread outside of MPI may make.
 *
 * Open MPI expects one thread at a time in MPI below MPI_THREAD_MULTIPLE, where OPAL's locks and
 * reference counts do nothing.  A thread of ours is one more.  So it may touch
 *   - what belongs to the operation's lane, since one thread at a time walks along the queues;
 *   - libsymm, whose locks are real ones, because it knows nothing of Open MPI;
 *   - what does not change: parameters, predefined operations and types of Open MPI.
 * It makes these steps: to post the line, to read the lines and to choose, to run.  It leaves all
 * others to the program: votes (messages), mapping, set-up, whatever prints, whatever ends in a
 * call below, and the end of the request.  It also leaves these operations alone:
 *   - on devices: mapping and failures are told to the user, scratch is shared with other calls;
 *   - with a user-defined reduction function, which is the program's code;
 *   - on data with gaps, for which Open MPI's convertor retains types.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_PROGRESS_THREAD_SAFE_STEPS_H
#define MCA_COLL_SYMM_PROGRESS_THREAD_SAFE_STEPS_H

#include "mca/coll/symm/base/lane.h"

/* Whether such a thread may make steps of this call at all. */
bool mca_coll_symm_safe_to_step(const struct symm_call *call);

/* Whether it may start the next operation of a lane. */
bool mca_coll_symm_safe_to_start(const struct mca_coll_symm_lane *lane);

/*
 * Make the steps that such a thread may make, until one has to wait.  Returns whether there was
 * anything to do.  An operation may have come to its end then.
 */
bool mca_coll_symm_safe_step(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_PROGRESS_THREAD_SAFE_STEPS_H */
