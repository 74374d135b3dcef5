/*
 * algorithm_plan.h - calls of every algorithm on host memory, whose results are computed anew.
 *
 * As soon as a call returns on a rank, that rank scribbles over its input and, once it has been
 * compared, its output: who still reads the one or writes the other is found out.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ALGORITHM_PLAN_H
#define SYMM_TESTS_ALGORITHM_PLAN_H

#include "tests/unit/harness/collective.h"
#include "tests/unit/harness/elements.h"

enum { PLAN_PAYLOAD = 4096 }; /* bytes of a slot */

/* One rank's view of the test. */
struct stage {
    struct fork_rank *self;
    struct symm_team *team;
    struct symm_heap *heap;
    struct unit_random delays; /* of this rank alone */
    uint64_t calls;
    size_t begins[6]; /* of blocks in a reduce-scatter of up to five ranks */
};

/* What all ranks know alike of a call. */
struct plan {
    enum symm_algorithm algorithm;
    enum element_type type;
    size_t count;
    uint64_t stream;  /* of the random inputs */
    unsigned in_place; /* a bit for each rank */
    bool is_late;
    bool others_in_heap; /* also buffers that need not be */
};

bool plan_is_for(const struct plan *plan, enum symm_collective collective);
size_t plan_extent(const struct plan *plan);

/* Whether these tests can make it: on data in host memory, which is mapped as it is. */
bool plan_takes(enum symm_algorithm algorithm);
bool plan_is_possible(const struct plan *plan);

/* Makes the call and checks what it has done.  Returns the flags of all ranks together. */
uint32_t plan_make(struct stage *stage, const struct plan *plan, uint32_t flags);

#endif
