/*
 * coll_symm_choose.c - see coll_symm_choose.h.
 *
 * The limits come from measurements with 2 to 16 ranks on 2 and 16 cores; bench/results has the tables.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_choose.h"

#include "mca/coll/symm/coll_symm.h"
#include "mca/coll/symm/coll_symm_single_copy.h"

/* ---- options: what rank 0 decides for all ----------------------------------------------------- */

/* 16 bits for each collective's algorithm (AUTO is -1, hence the 1), 32 for a number of KiB. */
enum { ALLGATHER_SHIFT = 16, STAGED_MAX_SHIFT = 32 };

/* From here on two copies, in and out, take longer than one by the kernel. */
static const size_t staged_max_beside_single_copy = 1024 * 1024 - 1024;

static uint64_t staged_max_kib(void)
{
    size_t bytes = mca_coll_symm_component.allgather_staged_max;
    if (bytes == 0) {
        bytes = mca_coll_symm_single_copy() ? staged_max_beside_single_copy : SIZE_MAX;
    }
    return bytes / 1024 < UINT32_MAX ? bytes / 1024 : UINT32_MAX;
}

uint64_t mca_coll_symm_choose_options(void)
{
    return (uint64_t)(mca_coll_symm_component.allreduce_algorithm + 1) |
           (uint64_t)(mca_coll_symm_component.allgather_algorithm + 1) << ALLGATHER_SHIFT |
           staged_max_kib() << STAGED_MAX_SHIFT;
}

int mca_coll_symm_choose_forced(enum symm_collective collective, const struct symm_team *team)
{
    unsigned shift = collective == SYMM_ALLREDUCE ? 0 : ALLGATHER_SHIFT;
    return (int)(team->control.options >> shift & 0xffff) - 1;
}

size_t mca_coll_symm_choose_staged_max(const struct symm_team *team)
{
    uint64_t kib = team->control.options >> STAGED_MAX_SHIFT;
    return kib == UINT32_MAX ? SIZE_MAX : (size_t)kib * 1024;
}

/* ---- choices ------------------------------------------------------------------------------------ */

/*
 * Bytes of all ranks together that travel in the slot.  There every rank reads everything, and in an
 * all-reduce reduces everything: the more ranks, the sooner dividing the work pays.
 */
static size_t slot_bytes_in_all(enum symm_collective collective, int ranks)
{
    if (collective == SYMM_ALLGATHER) {
        return 32 * 1024;
    }
    return ranks <= 4 ? 16 * 1024 : 8 * 1024;
}

/* Two ranks reducing everything each is quicker than waiting once more, up to this size. */
static const size_t staged_one_shot_most = 32 * 1024;

/* Up to this size of the result reading is quicker than writing, if there are more than two ranks. */
static const size_t pull_most = 1024 * 1024 - 1;

/* Bytes from which on scratch is worth its further launch and meeting, for an all-reduce on devices. */
static size_t device_scratch_least(int ranks)
{
    return ranks == 2 ? (size_t)256 << 20 : (size_t)48 << 20;
}

/* What moves slices best then. */
static enum symm_algorithm device_through_scratch(int forced, int ranks, bool small_pages)
{
    if (forced == SYMM_ALLREDUCE_CUDA_PUSH || forced == SYMM_ALLREDUCE_CUDA_COPY_ENGINE) {
        return (enum symm_algorithm)forced;
    }
    return ranks == 2 && !small_pages ? SYMM_ALLREDUCE_CUDA_COPY_ENGINE : SYMM_ALLREDUCE_CUDA_PUSH;
}

/* Up to this size of a block copy engines are as quick with small pages as with large ones. */
static const size_t small_pages_most = (size_t)16 << 20;

/* Bytes of an all-gather's result up to which a kernel is quicker than copy engines. */
static size_t device_kernel_most(const struct symm_facts *facts)
{
    if (facts->small_pages && facts->bytes > small_pages_most) {
        return SIZE_MAX;
    }
    if (facts->ranks > 2) {
        return (size_t)8 << 20;
    }
    /* In place an engine does it all; otherwise a kernel has to copy a rank's own block. */
    return facts->out_of_place ? (size_t)2 << 20 : 0;
}

bool mca_coll_symm_choose_slot(enum symm_collective collective, const struct symm_team *team,
                               size_t bytes)
{
    int forced = mca_coll_symm_choose_forced(collective, team);
    if (bytes == 0) {
        return true; /* nothing to move, but the ranks have to meet */
    }
    if (bytes > team->control.payload_size) {
        return false;
    }
    return forced == SYMM_ALLREDUCE_SLOT || forced == SYMM_ALLGATHER_SLOT ||
           (forced == MCA_COLL_SYMM_AUTO &&
            bytes * (size_t)team->size <= slot_bytes_in_all(collective, team->size));
}

/* Of the algorithms in coll_symm_packed.c. */
static bool is_eligible_with_gaps(int algorithm, const struct symm_facts *facts)
{
    return (algorithm == SYMM_ALLGATHER_PULL && facts->inputs_reachable) ||
           (algorithm == SYMM_ALLGATHER_STAGED && facts->bytes <= facts->piece_size);
}

static bool is_eligible(int algorithm, const struct symm_facts *facts)
{
    if (facts->gaps) {
        return is_eligible_with_gaps(algorithm, facts);
    }
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
    case SYMM_ALLREDUCE_MULTIMEM:
    case SYMM_ALLREDUCE_CUDA_MULTIMEM:
        return facts->multicast_inputs && facts->multicast_outputs && facts->multimem;
    case SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT:
        return facts->device && facts->multicast_inputs && facts->multimem_one_shot &&
               facts->out_of_place;
    case SYMM_ALLGATHER_MULTIMEM:
    case SYMM_ALLGATHER_CUDA_MULTIMEM:
        return facts->multicast_outputs;
    default:
        return false;
    }
}

/* With more than two ranks one-shot reduces more than staging copies. */
static enum symm_algorithm allreduce_choose(const struct symm_facts *facts)
{
    if (is_eligible(SYMM_ALLREDUCE_TWO_SHOT, facts)) {
        return SYMM_ALLREDUCE_TWO_SHOT;
    }
    if (facts->ranks == 2 && is_eligible(SYMM_ALLREDUCE_ONE_SHOT, facts)) {
        return SYMM_ALLREDUCE_ONE_SHOT;
    }
    return facts->ranks == 2 && facts->bytes <= staged_one_shot_most
               ? SYMM_ALLREDUCE_STAGED_ONE_SHOT : SYMM_ALLREDUCE_STAGED;
}

size_t mca_coll_symm_choose_scratch(const struct symm_call *call, const struct symm_team *team)
{
    int forced = mca_coll_symm_choose_forced(call->collective, team);
    bool is_forced = forced == SYMM_ALLREDUCE_CUDA_PUSH || forced == SYMM_ALLREDUCE_CUDA_COPY_ENGINE;
    bool is_large = forced == MCA_COLL_SYMM_AUTO &&
                    call->payload_bytes >= device_scratch_least(team->size);
    if (call->collective != SYMM_ALLREDUCE || call->device < 0 || !(is_forced || is_large) ||
        team->size > SYMM_CUDA_RANKS_MAX ||
        symm_cuda_type_is_padded((enum symm_cuda_type)call->cuda_type)) { /* engines copy bytes */
        return 0;
    }
    return device_through_scratch(forced, team->size, false) == SYMM_ALLREDUCE_CUDA_PUSH
               ? symm_allreduce_cuda_push_scratch(call->payload_bytes, team->size)
               : symm_allreduce_cuda_copy_engine_scratch(call->payload_bytes, team->size);
}

bool mca_coll_symm_choose_stages_forced(enum symm_collective collective,
                                        const struct symm_team *team)
{
    int forced = mca_coll_symm_choose_forced(collective, team);
    return forced == SYMM_ALLREDUCE_CUDA_SCRATCH || forced == SYMM_ALLGATHER_CUDA_SCRATCH;
}

size_t mca_coll_symm_choose_stages_scratch(const struct symm_call *call,
                                           const struct symm_team *team)
{
    if (team->size > SYMM_CUDA_RANKS_MAX) {
        return 0;
    }
    return call->collective == SYMM_ALLREDUCE
               ? symm_allreduce_cuda_scratch_wanted(call->payload_bytes, team->size)
               : symm_allgather_cuda_scratch_wanted(call->payload_bytes, team->size);
}

bool mca_coll_symm_choose_again(const struct symm_facts *facts)
{
    return (facts->kept || facts->closed) && !facts->asked && !facts->extents_differ &&
           facts->ranks <= SYMM_CUDA_RANKS_MAX;
}

/* In stages: needs nothing but scratch. */
static enum symm_algorithm stages_choose(const struct symm_facts *facts)
{
    if (facts->scratch_size == 0) {
        return SYMM_ALGORITHM_COUNT;
    }
    return facts->collective == SYMM_ALLREDUCE ? SYMM_ALLREDUCE_CUDA_SCRATCH
                                               : SYMM_ALLGATHER_CUDA_SCRATCH;
}

/*
 * On devices.  What is forced has the names of its like on the host.  One-shot is for outputs that the
 * others cannot reach: two-shot is as quick for small arrays, and moves less.
 */
static enum symm_algorithm device_allreduce_choose(const struct symm_facts *facts)
{
    bool one_shot = facts->inputs_reachable && facts->out_of_place;
    bool two_shot = facts->inputs_reachable && facts->outputs_reachable;
    bool auto_chosen = facts->forced == MCA_COLL_SYMM_AUTO;
    size_t least = auto_chosen ? symm_allreduce_cuda_scratch_fair(facts->ranks)
                               : symm_allreduce_cuda_scratch_least(facts->ranks);
    if (facts->outputs_reachable && facts->slices && facts->scratch_size >= least) {
        return device_through_scratch(facts->forced, facts->ranks, facts->small_pages);
    }
    if (one_shot && (facts->forced == SYMM_ALLREDUCE_ONE_SHOT || !two_shot)) {
        return SYMM_ALLREDUCE_CUDA_ONE_SHOT;
    }
    return two_shot ? SYMM_ALLREDUCE_CUDA_TWO_SHOT : stages_choose(facts);
}

static enum symm_algorithm device_allgather_choose(const struct symm_facts *facts)
{
    if (!facts->outputs_reachable) {
        return stages_choose(facts);
    }
    if (facts->forced == SYMM_ALLGATHER_CUDA_KERNEL ||
        facts->forced == SYMM_ALLGATHER_CUDA_COPY_ENGINE) {
        return (enum symm_algorithm)facts->forced;
    }
    return facts->bytes * (size_t)facts->ranks <= device_kernel_most(facts)
               ? SYMM_ALLGATHER_CUDA_KERNEL : SYMM_ALLGATHER_CUDA_COPY_ENGINE;
}

/* What is forced has the names of its like on the host. */
static enum symm_algorithm multimem_on_device(int forced)
{
    switch (forced) {
    case SYMM_ALLREDUCE_MULTIMEM:
        return SYMM_ALLREDUCE_CUDA_MULTIMEM;
    case SYMM_ALLGATHER_MULTIMEM:
        return SYMM_ALLGATHER_CUDA_MULTIMEM;
    default:
        return (enum symm_algorithm)forced;
    }
}

static enum symm_algorithm allgather_choose(const struct symm_facts *facts)
{
    bool small = facts->ranks > 2 && facts->bytes <= pull_most / (size_t)facts->ranks;
    if (is_eligible(SYMM_ALLGATHER_PULL, facts) &&
        (small || !is_eligible(SYMM_ALLGATHER_PUSH, facts))) {
        return SYMM_ALLGATHER_PULL;
    }
    if (is_eligible(SYMM_ALLGATHER_PUSH, facts)) {
        return SYMM_ALLGATHER_PUSH;
    }
    return is_eligible(SYMM_ALLGATHER_STAGED, facts) && facts->bytes <= facts->staged_max
               ? SYMM_ALLGATHER_STAGED : SYMM_ALGORITHM_COUNT;
}

enum symm_algorithm mca_coll_symm_choose(const struct symm_facts *facts)
{
    if (facts->extents_differ) {
        return SYMM_ALGORITHM_COUNT;
    }
    if (facts->device && facts->ranks > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ALGORITHM_COUNT;
    }
    if (facts->device && facts->scratch_size > 0 &&
        (facts->forced == SYMM_ALLREDUCE_CUDA_SCRATCH ||
         facts->forced == SYMM_ALLGATHER_CUDA_SCRATCH)) {
        return stages_choose(facts);
    }
    if (facts->device && symm_algorithm_is_multimem((enum symm_algorithm)facts->forced) &&
        is_eligible(facts->forced, facts)) {
        return multimem_on_device(facts->forced);
    }
    if (facts->device) {
        return facts->collective == SYMM_ALLREDUCE ? device_allreduce_choose(facts)
                                                   : device_allgather_choose(facts);
    }
    if (is_eligible(facts->forced, facts)) {
        return (enum symm_algorithm)facts->forced;
    }
    return facts->collective == SYMM_ALLREDUCE ? allreduce_choose(facts) : allgather_choose(facts);
}

enum symm_reason mca_coll_symm_choose_not(const struct symm_facts *facts)
{
    if (facts->extents_differ) {
        return SYMM_REASON_UNEQUAL;
    }
    if (facts->device) {
        return facts->kept || facts->closed ? SYMM_REASON_FOREIGN : SYMM_REASON_REACH;
    }
    return facts->gaps && facts->bytes > facts->piece_size ? SYMM_REASON_GAPS : SYMM_REASON_SLOWER;
}
