/*
 * serve/operation.h - an operation (base/operation.h) carried through its states.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_SERVE_OPERATION_H
#define MCA_COLL_SYMM_SERVE_OPERATION_H

#include "mca/coll/symm/base/operation.h"

/*
 * Begin the operation for operation->call, which is described; module and comm are set.
 * Local: it posts nothing and waits for nobody.
 */
void mca_coll_symm_operation_start(struct symm_operation *operation);

/* Do a step of the operation.  Returns SYMM_PENDING, or SYMM_OK when `outcome` is known. */
enum symm_status mca_coll_symm_operation_step(struct symm_operation *operation);

/*
 * Whether this rank waits for messages of the PML, or for a thread.  Then only opal_progress()
 * helps.
 */
bool mca_coll_symm_operation_needs_progress(const struct symm_operation *operation);

#endif /* MCA_COLL_SYMM_SERVE_OPERATION_H */
