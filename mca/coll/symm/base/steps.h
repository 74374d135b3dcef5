/*
 * base/steps.h - the ways in which an operation runs, as tables of functions.
 *
 * The folder `serve` steps an operation by the table that operation->steps points to, and knows of
 * none what it does.  The tables are in transfer/steps.c, which is in a folder that knows `serve`
 * as little.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_STEPS_H
#define MCA_COLL_SYMM_BASE_STEPS_H

#include "mca/coll/symm/base/operation.h"

struct symm_steps {
    const char *name; /* for whoever debugs */

    /* Set up the run.  NULL: whoever has chosen an algorithm has done that. */
    void (*begin)(struct symm_operation *operation);

    /* A step of the run.  SYMM_OK: the run is over, on this rank; run.failure says how. */
    enum symm_status (*step)(struct symm_operation *operation);

    /* The run has failed: the user is told if need be.  Returns the error for MPI. */
    int (*failure)(const struct symm_operation *operation);

    /* The operation is over, also if it has been given up: free memory.  NULL: there is none. */
    void (*end)(struct symm_operation *operation);

    size_t memory; /* bytes of operation->late: zero at first, and kept from call to call */

    /* The same steps where a block is longer than its place: the run is made, and fails. */
    const struct symm_steps *truncated;
};

extern const struct symm_steps
    mca_coll_symm_steps_plain,  /* symm_run_step() of the algorithm that has been chosen */
    mca_coll_symm_steps_packed, /* data with gaps: transfer/packed.h */
    mca_coll_symm_steps_late;   /* ranks have left a loose call: transfer/late.h */

#endif /* MCA_COLL_SYMM_BASE_STEPS_H */
