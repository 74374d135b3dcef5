/*
 * serve/slot.h - a slot for the call, and this rank's line in it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_SLOT_H
#define MCA_COLL_SYMM_SERVE_SLOT_H

#include "heap/team/team.h"
#include "mca/coll/symm/base/operation.h"

/* Whether all ranks have finished the call that had the slot of call `sequence` before. */
bool mca_coll_symm_slot_is_free(struct symm_team *team, uint64_t sequence);

/*
 * WAITING_FOR_SLOT: once all ranks have finished the call that had the slot before, decide what the
 * size of the call decides, and post this rank's line.
 */
void mca_coll_symm_step_wait_for_slot(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_SERVE_SLOT_H */
