/*
 * ordering_recorded.c - see ordering_recorded.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/unit/ordering/ordering_recorded.h"

void ordering_control_leave(const struct symm_control *control, int rank)
{
    symm_control_leave(control, rank);
}

bool ordering_control_enter(const struct symm_control *control, uint64_t sequence, int rank)
{
    return symm_control_enter(control, sequence, rank);
}
