/*
 * serve/start.h - from the ranks' lines to the run: agreement, the choice, resources.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_START_H
#define MCA_COLL_SYMM_SERVE_START_H

#include "mca/coll/symm/base/operation.h"
#include "mca/coll/symm/choose/choose.h"

/* AGREEING: read the lines, and start the run, or first do what the run needs. */
void mca_coll_symm_step_agree(struct symm_operation *operation);

/* AWAITING_REPORT: ranks have made different calls, and rank 0 has yet to tell the user. */
void mca_coll_symm_step_await_report(struct symm_operation *operation);

/* ACQUIRING: set up what the ranks need together; then choose. */
void mca_coll_symm_step_acquire(struct symm_operation *operation);

/* What the choice of the algorithm depends on, from the lines of all ranks, which are alike. */
struct symm_facts mca_coll_symm_facts_gather(struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_SERVE_START_H */
