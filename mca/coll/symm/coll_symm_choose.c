/*
 * coll_symm_choose.c - see coll_symm_choose.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_choose.h"

#include "mca/coll/symm/coll_symm.h"

/* In the slot every rank reads everything: more ranks, smaller payloads. */
static const size_t slot_bytes_in_all = 64 * 1024;

/* 16 bits a collective; AUTO is -1, hence the 1. */
uint64_t mca_coll_symm_choose_options(void)
{
    return (uint64_t)(mca_coll_symm_component.allreduce_algorithm + 1) |
           (uint64_t)(mca_coll_symm_component.allgather_algorithm + 1) << 16;
}

int mca_coll_symm_choose_forced(enum symm_collective collective, const struct symm_team *team)
{
    unsigned shift = collective == SYMM_ALLREDUCE ? 0 : 16;
    return (int)(team->control.options >> shift & 0xffff) - 1;
}

bool mca_coll_symm_choose_slot(enum symm_collective collective, const struct symm_team *team,
                               size_t bytes)
{
    int forced = mca_coll_symm_choose_forced(collective, team);
    if (bytes == 0) {
        return true; /* nothing to move, but the ranks have to meet */
    }
    return bytes <= team->control.payload_size &&
           bytes * (size_t)team->size <= slot_bytes_in_all &&
           (forced == MCA_COLL_SYMM_AUTO || forced == SYMM_ALLREDUCE_SLOT ||
            forced == SYMM_ALLGATHER_SLOT);
}

static bool is_eligible(int algorithm, const struct symm_facts *facts)
{
    switch (algorithm) {
    case SYMM_ALLREDUCE_STAGED:
    case SYMM_ALLREDUCE_STAGED_ONE_SHOT:
    case SYMM_ALLGATHER_STAGED:
        return true;
    case SYMM_ALLREDUCE_ONE_SHOT:
        return facts->inputs_reachable && facts->out_of_place;
    case SYMM_ALLREDUCE_TWO_SHOT:
        return facts->inputs_reachable && facts->outputs_reachable;
    case SYMM_ALLGATHER_PULL:
        return facts->inputs_reachable;
    case SYMM_ALLGATHER_PUSH:
        return facts->outputs_reachable;
    default:
        return false;
    }
}

enum symm_algorithm mca_coll_symm_choose(const struct symm_facts *facts)
{
    /* In order of preference; the last is always eligible. */
    static const enum symm_algorithm allreduce[] = {
        SYMM_ALLREDUCE_TWO_SHOT, SYMM_ALLREDUCE_STAGED};
    static const enum symm_algorithm allreduce_two_ranks[] = {
        SYMM_ALLREDUCE_TWO_SHOT, SYMM_ALLREDUCE_ONE_SHOT, SYMM_ALLREDUCE_STAGED_ONE_SHOT};
    static const enum symm_algorithm allgather[] = {
        SYMM_ALLGATHER_PUSH, SYMM_ALLGATHER_PULL, SYMM_ALLGATHER_STAGED};
    const enum symm_algorithm *candidate = allgather;
    if (facts->collective == SYMM_ALLREDUCE) {
        /* With more than two ranks one-shot reduces more than staging copies. */
        candidate = facts->ranks == 2 ? allreduce_two_ranks : allreduce;
    }
    if (is_eligible(facts->forced, facts)) {
        return (enum symm_algorithm)facts->forced;
    }
    while (!is_eligible((int)*candidate, facts)) {
        candidate++;
    }
    return *candidate;
}
