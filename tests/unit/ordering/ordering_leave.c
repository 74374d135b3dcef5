/*
 * ordering_leave.c - in the place of what concerns processes that die: in test_ordering none does.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/serve/leave.h"

#include <stdlib.h>

bool mca_coll_symm_leave_vote(struct symm_operation *operation)
{
    (void)operation;
    return false;
}

enum symm_status mca_coll_symm_leave_step(struct symm_operation *operation, int *error)
{
    (void)operation, (void)error;
    abort();
}
