/*
 * serve/set_up.h - set-up of a communicator: the ranks share memory, or agree that they cannot.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_SET_UP_H
#define MCA_COLL_SYMM_SERVE_SET_UP_H

#include "mca/coll/symm/base/operation.h"

/*
 * SETTING_UP: get what this rank needs for its first call, and vote.  A failure is this rank's own.
 * VOTING_ON_SET_UP: find out whether all ranks can share memory.  If not, calls go below for some
 * time.
 */
void mca_coll_symm_step_set_up(struct symm_operation *operation);
void mca_coll_symm_step_vote_on_set_up(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_SERVE_SET_UP_H */
