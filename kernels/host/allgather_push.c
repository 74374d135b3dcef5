/*
 * allgather_push.c - every rank stores its block to all outputs.
 *
 * The input may lie anywhere, since only its owner reads it.  Stores go block by block, each to all
 * ranks, so that the source is read from memory once.  One phase at the end: my output is complete when
 * all have stored.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { COPYING, DEPARTING };
enum { STEP_DEPART = 1 };

static void store_block(struct symm_run *run, size_t bytes)
{
    const struct symm_team *team = run->team;
    const unsigned char *source = (const unsigned char *)run->input + run->position;
    for (int turn = 0; turn < team->size; turn++) {
        unsigned char *output = run->outputs[symm_run_rotate(run, turn)];
        unsigned char *target = output + (size_t)team->rank * run->count + run->position;
        if (target != source) { /* in place: my own block is there */
            memcpy(target, source, bytes);
        }
    }
}

enum symm_status symm_allgather_push_step(struct symm_run *run)
{
    if (run->stage == COPYING) {
        size_t bytes = symm_least(run->count - run->position, SYMM_SCRATCH_SIZE);
        store_block(run, bytes);
        run->position += bytes;
        if (run->position < run->count) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}
