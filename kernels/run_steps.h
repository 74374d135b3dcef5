/*
 * run_steps.h - what the step functions of several algorithms have in common.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_RUN_STEPS_H
#define SYMM_KERNELS_RUN_STEPS_H

#include "kernels/run.h"

/* Tell the others that this rank has got to `step`. */
static inline void symm_run_raise(struct symm_run *run, uint64_t step)
{
    symm_phase_raise(&run->team->control, run->sequence, run->team->rank, step);
    run->seen = 0;
}

/* Whether all ranks have got to `step`; the next question is about a later one. */
static inline bool symm_run_reached(struct symm_run *run, uint64_t step)
{
    if (!symm_phase_reached(&run->team->control, run->sequence, step, &run->seen)) {
        return false;
    }
    run->seen = 0;
    return true;
}

/* Ranks in the order me, me + 1, ... so that not all begin with the same one. */
static inline int symm_run_rotate(const struct symm_run *run, int turn)
{
    int rank = run->team->rank + turn;
    return rank < run->team->size ? rank : rank - run->team->size;
}

static inline size_t symm_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* To return from a step that has more to do. */
static inline enum symm_status symm_run_more(struct symm_run *run)
{
    run->worked = true;
    return SYMM_PENDING;
}

/* Bytes a step moves before it returns, so that a driver can look after other things. */
enum { SYMM_STEP_BYTES = 256 * 1024 };

#endif /* SYMM_KERNELS_RUN_STEPS_H */
