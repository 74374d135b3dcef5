/*
 * choose/choose.c - see choose/choose.h.
 *
 * What is preferred stands in tables (choose/table.h); here is what is possible.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/choose.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/single_copy.h"
#include "mca/coll/symm/choose/table.h"

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

const struct symm_table *mca_coll_symm_choose_table(const struct symm_team *team)
{
    return team->control.extra;
}

/* ---- before the ranks know of each other ---------------------------------------------------------- */

bool mca_coll_symm_choose_slot(enum symm_collective collective, const struct symm_team *team,
                               size_t bytes)
{
    int forced = mca_coll_symm_choose_forced(collective, team);
    if (bytes > team->control.payload_size) {
        return false;
    }
    return forced == SYMM_ALLREDUCE_SLOT || forced == SYMM_ALLGATHER_SLOT ||
           (forced == MCA_COLL_SYMM_AUTO &&
            mca_coll_symm_table_slot(mca_coll_symm_choose_table(team), collective, team->size,
                                     bytes));
}

/*
 * A line costs next to nothing while somebody reads it.  In a run of calls whose lines nobody reads each rank
 * has to look now and then whether the others have finished: 3 to 7 % of such a call with 32 ranks.  So none is
 * posted where no rank needs one: kernels do not serve teams of more than SYMM_CUDA_RANKS_MAX ranks, and small
 * calls of MUTE_RANKS ranks, which share devices and have their kernels in turn, may as well go by host copies.
 */
enum { MUTE_RANKS = 25, MUTE_BYTES = 4096 };

enum symm_left mca_coll_symm_choose_left(const struct symm_call *call,
                                           const struct symm_team *team)
{
    if (!mca_coll_symm_table_below(mca_coll_symm_choose_table(team), call->collective, team->size,
                                   call->payload_bytes) ||
        mca_coll_symm_choose_forced(call->collective, team) != MCA_COLL_SYMM_AUTO) {
        return SYMM_LEFT_NOT;
    }
    if (team->size > SYMM_CUDA_RANKS_MAX ||
        (team->size >= MUTE_RANKS && call->payload_bytes < MUTE_BYTES)) {
        return SYMM_LEFT_MUTE;
    }
    return call->device < 0 ? SYMM_LEFT_VETO : SYMM_LEFT_NOT;
}

static bool moves_slices(int algorithm)
{
    return algorithm == SYMM_ALLREDUCE_CUDA_PUSH || algorithm == SYMM_ALLREDUCE_CUDA_COPY_ENGINE;
}

/* The preferred algorithm if all ranks' buffers are reached, by unicast or not, and in place or not. */
static int preferred(const struct symm_table *table, uint64_t bytes, bool multicast,
                     enum symm_row_place place)
{
    int count;
    const struct symm_row *rows =
        mca_coll_symm_table_rows(table, SYMM_ALLREDUCE, SYMM_ROW_DEVICE, &count);
    for (int i = 0; i < count; i++) {
        if (mca_coll_symm_row_has(&rows[i], bytes) &&
            rows[i].multicast != (multicast ? SYMM_ROW_WITHOUT : SYMM_ROW_WITH) &&
            (rows[i].place == SYMM_ROW_ANYWHERE || rows[i].place == place)) {
            return rows[i].algorithm;
        }
    }
    return SYMM_ALGORITHM_BELOW;
}

/* What moves slices, if that is wanted; whether another rank is in place is not known yet. */
static int slices_wanted(const struct symm_call *call, const struct symm_team *team,
                         bool multicast)
{
    int forced = mca_coll_symm_choose_forced(SYMM_ALLREDUCE, team);
    const struct symm_table *table = mca_coll_symm_choose_table(team);
    if (forced != MCA_COLL_SYMM_AUTO) {
        return forced;
    }
    int out = preferred(table, call->payload_bytes, multicast, SYMM_ROW_OUT);
    return moves_slices(out) ? out
                             : preferred(table, call->payload_bytes, multicast, SYMM_ROW_IN);
}

size_t mca_coll_symm_choose_scratch(const struct symm_call *call, const struct symm_team *team,
                                    bool multicast)
{
    if (call->collective != SYMM_ALLREDUCE || call->device < 0 ||
        team->size > SYMM_CUDA_RANKS_MAX ||
        symm_cuda_type_is_padded((enum symm_cuda_type)call->cuda_type)) { /* engines copy bytes */
        return 0;
    }
    switch (slices_wanted(call, team, multicast)) {
    case SYMM_ALLREDUCE_CUDA_PUSH:
        return symm_allreduce_cuda_push_scratch(call->payload_bytes, team->size);
    case SYMM_ALLREDUCE_CUDA_COPY_ENGINE:
        return symm_allreduce_cuda_copy_engine_scratch(call->payload_bytes, team->size);
    default:
        return 0;
    }
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

/* ---- what is possible ------------------------------------------------------------------------------ */

static const char no_inputs[] = "some rank does not reach all inputs";
static const char no_outputs[] = "some rank does not reach all outputs";
static const char some_in_place[] = "some rank is in place";

/* Up to this size of a block copy engines are as quick with small pages as with large ones. */
static const size_t small_pages_most = (size_t)16 << 20;

/* Packed data: the algorithms in serve/packed.c. */
static const char *obstacle_with_gaps(int algorithm, const struct symm_facts *facts)
{
    switch (algorithm) {
    case SYMM_ALLGATHER_PULL:
        return facts->inputs_reachable ? NULL : no_inputs;
    case SYMM_ALLGATHER_STAGED:
        return facts->bytes <= facts->piece_size ? NULL
                                                 : "packed blocks do not fit a staging buffer";
    default:
        return "some rank's data have gaps";
    }
}

static const char *obstacle_on_host(int algorithm, const struct symm_facts *facts, bool is_forced)
{
    const char *obstacle = facts->gaps ? obstacle_with_gaps(algorithm, facts) : NULL;
    if (obstacle != NULL) {
        return obstacle;
    }
    switch (algorithm) {
    case SYMM_ALLREDUCE_STAGED:
    case SYMM_ALLREDUCE_STAGED_ONE_SHOT:
        return NULL;
    case SYMM_ALLGATHER_STAGED:
        return is_forced || facts->bytes <= facts->staged_max
                   ? NULL : "the component below is quicker than staging";
    case SYMM_ALLREDUCE_ONE_SHOT:
        return !facts->inputs_reachable ? no_inputs : facts->out_of_place ? NULL : some_in_place;
    case SYMM_ALLREDUCE_TWO_SHOT:
        return !facts->inputs_reachable ? no_inputs : facts->outputs_reachable ? NULL : no_outputs;
    case SYMM_ALLGATHER_PULL:
        return facts->inputs_reachable ? NULL : no_inputs;
    case SYMM_ALLGATHER_PUSH:
        return facts->outputs_reachable ? NULL : no_outputs;
    default:
        return "not for data of this size"; /* that travel in the slot */
    }
}

/* All-reduces whose slices move through scratch. */
static const char *obstacle_to_slices(int algorithm, const struct symm_facts *facts, bool is_forced)
{
    size_t least = is_forced ? symm_allreduce_cuda_scratch_least(facts->ranks)
                             : symm_allreduce_cuda_scratch_fair(facts->ranks);
    if (!facts->outputs_reachable) {
        return no_outputs;
    }
    if (!facts->slices || facts->scratch_size < least) {
        return "some rank has no scratch for it";
    }
    return algorithm == SYMM_ALLREDUCE_CUDA_COPY_ENGINE && facts->small_pages && !is_forced
               ? "some output is in small pages" : NULL;
}

static const char *obstacle_on_device(int algorithm, const struct symm_facts *facts,
                                      bool is_forced)
{
    switch (algorithm) {
    case SYMM_ALLREDUCE_CUDA_ONE_SHOT:
        return !facts->inputs_reachable ? no_inputs : facts->out_of_place ? NULL : some_in_place;
    case SYMM_ALLREDUCE_CUDA_TWO_SHOT:
        return !facts->inputs_reachable ? no_inputs : facts->outputs_reachable ? NULL : no_outputs;
    case SYMM_ALLREDUCE_CUDA_PUSH:
    case SYMM_ALLREDUCE_CUDA_COPY_ENGINE:
        return obstacle_to_slices(algorithm, facts, is_forced);
    case SYMM_ALLREDUCE_CUDA_SCRATCH:
    case SYMM_ALLGATHER_CUDA_SCRATCH:
        return facts->scratch_size > 0 ? NULL : "some rank has no scratch";
    case SYMM_ALLGATHER_CUDA_KERNEL:
        return facts->outputs_reachable ? NULL : no_outputs;
    case SYMM_ALLGATHER_CUDA_COPY_ENGINE:
        if (facts->outputs_reachable && facts->small_pages && !is_forced &&
            facts->bytes > small_pages_most) {
            return "some output is in small pages";
        }
        return facts->outputs_reachable ? NULL : no_outputs;
    default:
        return "not for device memory";
    }
}

static const char *obstacle_to_multimem(enum symm_algorithm algorithm,
                                        const struct symm_facts *facts)
{
    bool one_shot = algorithm == SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT;
    if (facts->gaps && !facts->device) {
        return "some rank's data have gaps";
    }
    if (symm_algorithm_multicasts_inputs(algorithm) &&
        !(one_shot ? facts->multimem_one_shot : facts->multimem)) {
        return "multicast has no such reduction";
    }
    if ((symm_algorithm_multicasts_inputs(algorithm) && !facts->multicast_inputs) ||
        (symm_algorithm_multicasts_outputs(algorithm) && !facts->multicast_outputs)) {
        return "no multicast for these buffers";
    }
    return one_shot && !facts->out_of_place ? some_in_place : NULL;
}

const char *mca_coll_symm_choose_obstacle(int algorithm, const struct symm_facts *facts)
{
    bool is_forced = algorithm == mca_coll_symm_choose_wanted(facts);
    if (algorithm == SYMM_ALGORITHM_BELOW) {
        return NULL;
    }
    if (symm_algorithm_is_multimem((enum symm_algorithm)algorithm)) {
        return obstacle_to_multimem((enum symm_algorithm)algorithm, facts);
    }
    return facts->device ? obstacle_on_device(algorithm, facts, is_forced)
                         : obstacle_on_host(algorithm, facts, is_forced);
}

/* ---- the choice ------------------------------------------------------------------------------------ */

static enum symm_row_memory memory_of(const struct symm_facts *facts)
{
    return facts->device ? SYMM_ROW_DEVICE : SYMM_ROW_HOST;
}

/* What is forced for devices has the names of its like on the host. */
static int forced_on_device(int forced)
{
    switch (forced) {
    case SYMM_ALLREDUCE_ONE_SHOT:
        return SYMM_ALLREDUCE_CUDA_ONE_SHOT;
    case SYMM_ALLREDUCE_TWO_SHOT:
        return SYMM_ALLREDUCE_CUDA_TWO_SHOT;
    case SYMM_ALLREDUCE_MULTIMEM:
        return SYMM_ALLREDUCE_CUDA_MULTIMEM;
    case SYMM_ALLGATHER_MULTIMEM:
        return SYMM_ALLGATHER_CUDA_MULTIMEM;
    default:
        return forced;
    }
}

int mca_coll_symm_choose_wanted(const struct symm_facts *facts)
{
    int forced = facts->device ? forced_on_device(facts->forced) : facts->forced;
    bool is_for = forced != MCA_COLL_SYMM_AUTO &&
                  mca_coll_symm_table_is_for(forced, facts->collective, memory_of(facts));
    return is_for ? forced : MCA_COLL_SYMM_AUTO;
}

/* Whether some algorithm by multicast is possible. */
static bool has_multicast(const struct symm_facts *facts)
{
    if (facts->collective == SYMM_ALLGATHER) {
        return obstacle_to_multimem(SYMM_ALLGATHER_CUDA_MULTIMEM, facts) == NULL;
    }
    return obstacle_to_multimem(SYMM_ALLREDUCE_CUDA_MULTIMEM, facts) == NULL ||
           (facts->device &&
            obstacle_to_multimem(SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT, facts) == NULL);
}

static uint64_t result_bytes(const struct symm_facts *facts)
{
    return facts->collective == SYMM_ALLREDUCE
               ? facts->bytes : (uint64_t)facts->bytes * (uint64_t)facts->ranks;
}

const struct symm_row *mca_coll_symm_choose_row(const struct symm_facts *facts,
                                                const struct symm_row *after)
{
    int count;
    const struct symm_row *rows = mca_coll_symm_table_rows(facts->table, facts->collective,
                                                           memory_of(facts), &count);
    uint8_t other_place = facts->out_of_place ? SYMM_ROW_IN : SYMM_ROW_OUT;
    uint8_t other_multicast = has_multicast(facts) ? SYMM_ROW_WITHOUT : SYMM_ROW_WITH;
    uint64_t bytes = result_bytes(facts);
    for (const struct symm_row *row = after == NULL ? rows : after + 1; row < rows + count; row++) {
        if (mca_coll_symm_row_has(row, bytes) && row->place != other_place &&
            row->multicast != other_multicast) {
            return row;
        }
    }
    return NULL;
}

/* The first row whose algorithm is possible. */
static const struct symm_row *row_choose(const struct symm_facts *facts)
{
    const struct symm_row *row = mca_coll_symm_choose_row(facts, NULL);
    while (row != NULL && mca_coll_symm_choose_obstacle(row->algorithm, facts) != NULL) {
        row = mca_coll_symm_choose_row(facts, row);
    }
    return row;
}

static bool has_any(const struct symm_facts *facts)
{
    return !facts->extents_differ && (!facts->device || facts->ranks <= SYMM_CUDA_RANKS_MAX);
}

enum symm_algorithm mca_coll_symm_choose(const struct symm_facts *facts)
{
    if (!has_any(facts)) {
        return SYMM_ALGORITHM_COUNT;
    }
    int wanted = mca_coll_symm_choose_wanted(facts);
    if (wanted != MCA_COLL_SYMM_AUTO && mca_coll_symm_choose_obstacle(wanted, facts) == NULL) {
        return (enum symm_algorithm)wanted;
    }
    const struct symm_row *row = row_choose(facts);
    return row != NULL ? (enum symm_algorithm)row->algorithm : SYMM_ALGORITHM_COUNT;
}

bool mca_coll_symm_choose_again(const struct symm_facts *facts)
{
    return (facts->withheld || facts->closed) && !facts->asked && has_any(facts) &&
           facts->ranks <= SYMM_CUDA_RANKS_MAX && row_choose(facts) == NULL;
}

enum symm_reason mca_coll_symm_choose_not(const struct symm_facts *facts)
{
    if (facts->extents_differ) {
        return SYMM_REASON_UNEQUAL;
    }
    if (facts->device && (!has_any(facts) || row_choose(facts) == NULL)) {
        return facts->withheld || facts->closed ? SYMM_REASON_ELSEWHERE : SYMM_REASON_REACH;
    }
    return facts->gaps && facts->bytes > facts->piece_size ? SYMM_REASON_GAPS : SYMM_REASON_SLOWER;
}
