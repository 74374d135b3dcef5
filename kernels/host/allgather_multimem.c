/*
 * allgather_multimem.c - every rank stores its block, which goes to all outputs, by multicast.
 *
 * The input may lie anywhere, since only its owner reads it.  One phase at the end: my output is complete
 * when all have stored.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/multimem.h"

enum { COPYING, DEPARTING };
enum { STEP_DEPART = 1 };

enum symm_status symm_allgather_multimem_step(struct symm_run *run)
{
    if (run->stage == COPYING) {
        size_t end = symm_least(run->count, run->position + SYMM_STEP_BYTES);
        while (run->position < end) {
            size_t bytes = symm_least(end - run->position, SYMM_BLOCK_SIZE);
            symm_multimem_store(run, (size_t)run->team->rank * run->count + run->position,
                                (const unsigned char *)run->input + run->position, bytes);
            run->position += bytes;
        }
        if (run->position < run->count) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}
