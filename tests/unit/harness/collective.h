/*
 * collective.h - one collective call among forked ranks: what a component does around
 * symm_run_step().
 *
 * Post the line, wait for all lines, map what they name, run, leave the slot.  The ranks are late
 * at random, before the line and between the steps.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_COLLECTIVE_H
#define SYMM_TESTS_COLLECTIVE_H

#include "tests/unit/harness/fork_team.h"

#include "kernels/run.h"

struct collective {
    enum symm_algorithm algorithm; /* the same on all ranks, like the next three */
    size_t count;                  /* elements, or bytes of a block */
    size_t *begins;                /* reduce-scatter: of the ranks' blocks, and the end */
    const struct symm_reduction *reduction; /* NULL: an all-gather */
    bool is_late;                  /* ranks dawdle in this call */
    const void *input;             /* this rank's; in the heap where the algorithm wants it */
    void *output;
    uint32_t flags;                /* for the others to see */
    bool is_rooted;
    int root;                      /* where there is one, like the next two */
    size_t input_bytes, output_bytes; /* of this rank's buffers; 0: it has none */
};

/* Which buffers the peers must be able to reach. */
bool collective_reaches_inputs(enum symm_algorithm algorithm);
bool collective_reaches_outputs(enum symm_algorithm algorithm);

/* Make the call.  Returns the flags of all ranks, taken together. */
uint32_t collective_make(struct fork_rank *self, struct symm_team *team,
                         const struct collective *call, struct unit_random *delays);

#endif /* SYMM_TESTS_COLLECTIVE_H */
