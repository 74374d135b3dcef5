/*
 * steps.h - what algorithms on host memory have in common that work on all ranks' outputs block by
 * block: each rank does its part, and one phase at the end says that all outputs are complete.
 *
 * The algorithm gives what is done with a block at run->position.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_HOST_STEPS_H
#define SYMM_KERNELS_HOST_STEPS_H

#include "kernels/run_steps.h"

enum { SYMM_HOST_STARTING, SYMM_HOST_WORKING, SYMM_HOST_DEPARTING };

enum { SYMM_HOST_STEP_DEPART = 1 };

/* This rank's part is over once `position` has come to `end`. */
static inline enum symm_status symm_host_depart(struct symm_run *run, size_t end)
{
    if (run->stage != SYMM_HOST_DEPARTING) {
        if (run->position < end) {
            return symm_run_more(run);
        }
        symm_run_raise(run, SYMM_HOST_STEP_DEPART);
        run->stage = SYMM_HOST_DEPARTING;
    }
    return symm_run_reached(run, SYMM_HOST_STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}

/* All-reduce: `reduce` reduces so many elements of this rank's slice. */
static inline enum symm_status symm_host_slice_step(struct symm_run *run,
                                                    void (*reduce)(struct symm_run *, size_t))
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent, begin, end = 0;
    if (run->stage != SYMM_HOST_DEPARTING) {
        symm_slice(run->work->count, extent, team->rank, team->size, &begin, &end);
        if (run->stage == SYMM_HOST_STARTING) {
            run->position = begin;
            run->stage = SYMM_HOST_WORKING;
        }
        size_t stop = symm_least(end, run->position + SYMM_STEP_BYTES / extent + 1);
        while (run->position < stop) {
            size_t block = symm_least(end - run->position, symm_block_bytes(extent) / extent);
            reduce(run, block);
            run->position += block;
        }
    }
    return symm_host_depart(run, end);
}

/* All-gather: `store` stores so many bytes of this rank's block. */
static inline enum symm_status symm_host_block_step(struct symm_run *run,
                                                    void (*store)(struct symm_run *, size_t))
{
    if (run->stage != SYMM_HOST_DEPARTING) {
        size_t end = symm_least(run->work->count, run->position + SYMM_STEP_BYTES);
        while (run->position < end) {
            size_t bytes = symm_least(end - run->position, SYMM_BLOCK_SIZE);
            store(run, bytes);
            run->position += bytes;
        }
    }
    return symm_host_depart(run, run->work->count);
}

#endif /* SYMM_KERNELS_HOST_STEPS_H */
