/*
 * barrier_inline.c - barrier: the ranks' lines, without data.
 *
 * A rank posts its line when it enters, and it has read the lines of all ranks when it comes here.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/run_steps.h"

static enum symm_status step(struct symm_run *run)
{
    (void)run;
    return SYMM_OK;
}

const struct symm_algorithm_row symm_barrier_inline = {
    .number = SYMM_BARRIER_INLINE,
    .name = "inline",
    .collective = SYMM_BARRIER,
    .memory = SYMM_ALGORITHM_HOST,
    .in_slot = true,
    .keeps_order = true,
    .step = step,
};
