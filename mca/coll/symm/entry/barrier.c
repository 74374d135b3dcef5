/*
 * entry/barrier.c - MPI_Barrier: a description of the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/entry/entry.h"

/* The bytes of which none are copied: there is no copying from nowhere. */
static unsigned char no_data[1];

/* A call without data, in host memory. */
__attribute__((always_inline))
static inline void describe(struct symm_call *call, enum symm_kinds kinds,
                            const struct symm_arguments *a)
{
    (void)kinds;
    (void)a;
    *call = (struct symm_call){
        .collective = SYMM_BARRIER,
        .input = no_data,
        .output = no_data,
        .device = -1,
        .extent = 1,
        .signature = symm_signature_pack(
            (struct symm_signature){.collective = SYMM_BARRIER, .extent = 1}),
    };
}

static const struct symm_entry_row row = {.collective = SYMM_BARRIER, .describe = describe};
SYMM_ENTRY_DEFINE(barrier, row)
