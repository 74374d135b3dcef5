/*
 * choose/choose.c - see choose/choose.h.
 *
 * Tables say which algorithm is preferred (choose/table.h).  An algorithm's row says what the
 * algorithm needs (kernels/algorithm.h).  This file decides whether a call has what it needs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/choose.h"

#include "kernels/cuda/launch/device.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/single_copy.h"
#include "mca/coll/symm/choose/table.h"

/* ---- what rank 0's parameters say ------------------------------------------------------------ */

/*
 * All-to-alls of so many ranks, and of so many bytes of a rank, take longer by two copies, in and
 * out, than by one of the kernel: bench/results/host-many-ranks-alltoall.txt.
 */
enum { MANY_RANKS = 9 };
static const size_t staged_max_of_many = 1024 * 1024 - 1024;

/*
 * The same of two ranks, by the bytes to one rank, and twice as many with more ranks: see
 * choose/single_copy.c.
 */
static const size_t staged_share_max = 128 * 1024 - 1024;

/* The user's limit, or ours. */
static uint64_t staged_max(uint64_t ours)
{
    size_t bytes = mca_coll_symm_component.allgather_staged_max;
    return bytes == 0 ? ours : bytes / 1024 * 1024;
}

/* Whether the number is an algorithm.  A program can set any number by MPI_T. */
static bool is_algorithm(int forced, enum symm_collective collective)
{
    return symm_algorithm_is_for(forced, collective, SYMM_ALGORITHM_HOST) ||
           symm_algorithm_is_for(forced, collective, SYMM_ALGORITHM_DEVICE);
}

void mca_coll_symm_choose_settle(struct symm_table *table)
{
    table->staged_max = staged_max(UINT64_MAX);
    table->staged_max_of_many =
        staged_max(mca_coll_symm_single_copy() ? staged_max_of_many : UINT64_MAX);
    table->staged_share_max =
        staged_max(mca_coll_symm_single_copy_is_quicker() ? staged_share_max : UINT64_MAX);
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        int forced = mca_coll_symm_component.forced[i];
        bool is_forced = is_algorithm(forced, (enum symm_collective)i);
        table->forced[i] = (uint8_t)(is_forced ? forced + 1 : 0);
    }
}

int mca_coll_symm_choose_forced_in(int forced, enum symm_collective collective,
                                   enum symm_algorithm_memory memory)
{
    if (forced != MCA_COLL_SYMM_AUTO && memory == SYMM_ALGORITHM_DEVICE) {
        enum symm_algorithm like = symm_algorithm_get((enum symm_algorithm)forced)->on_device;
        forced = like != 0 ? (int)like : forced;
    }
    return symm_algorithm_is_for(forced, collective, memory) ? forced : MCA_COLL_SYMM_AUTO;
}

/* ---- what is possible ------------------------------------------------------------------------ */

/* The obstacle that comes from gaps, which need packed data.  NULL: there is none. */
static const char *obstacle_by_gaps(const struct symm_algorithm_row *row,
                                    const struct symm_facts *facts)
{
    if (!facts->gaps || facts->device || row->packing == SYMM_PACKS_ALL ||
        row->packing == SYMM_PACKS_SHIFTED) {
        return NULL;
    }
    if (row->packing == SYMM_PACKS_NOT) {
        return "some rank's data have gaps";
    }
    return facts->packed <= facts->piece_size ? NULL : "packed blocks do not fit a staging buffer";
}

static bool has_slice_scratch(const struct symm_algorithm_row *row, const struct symm_facts *facts,
                              bool is_forced)
{
    return facts->slices &&
           facts->scratch_size >= (is_forced ? row->scratch_least(facts->ranks)
                                             : row->scratch_fair(facts->ranks));
}

/*
 * The obstacle that comes from buffers that other ranks do not reach, or from missing scratch.
 * NULL: there is none.
 */
static const char *obstacle_by_reach(const struct symm_algorithm_row *row,
                                     const struct symm_facts *facts, bool is_forced)
{
    if ((row->needs & SYMM_NEEDS_INPUTS) != 0 && !facts->inputs_reachable) {
        return "some rank does not reach all inputs";
    }
    if ((row->needs & SYMM_NEEDS_OUTPUTS) != 0 && !facts->outputs_reachable) {
        return "some rank does not reach all outputs";
    }
    if ((row->needs & SYMM_NEEDS_SLICE_SCRATCH) != 0 && !has_slice_scratch(row, facts, is_forced)) {
        return "some rank has no scratch for it";
    }
    if ((row->needs & SYMM_NEEDS_PADS) != 0 && !facts->pads) {
        return "some rank has no pad for packets, or data of this size do not fit it";
    }
    return (row->needs & SYMM_NEEDS_RELAY_SCRATCH) != 0 && facts->scratch_size == 0
               ? "some rank has no scratch" : NULL;
}

static const char *obstacle_by_multicast(const struct symm_algorithm_row *row,
                                         const struct symm_facts *facts)
{
    bool inputs = (row->needs & SYMM_NEEDS_INPUT_MULTICAST) != 0;
    bool outputs = (row->needs & SYMM_NEEDS_OUTPUT_MULTICAST) != 0;
    bool exact = (row->needs & SYMM_NEEDS_EXACT_REDUCTION) != 0;
    if (inputs && !(exact ? facts->multimem_one_shot : facts->multimem)) {
        return "multicast has no such reduction";
    }
    return (inputs && !facts->multicast_inputs) || (outputs && !facts->multicast_outputs)
               ? "no multicast for these buffers" : NULL;
}

/* Whether copies in and out of staging buffers take longer than the component below. */
static bool copies_are_slow(const struct symm_algorithm_row *row, const struct symm_facts *facts)
{
    bool of_many = (row->slow & SYMM_SLOW_LARGE_BLOCKS_OF_MANY) != 0 && facts->ranks >= MANY_RANKS;
    uint64_t most = of_many ? facts->table->staged_max_of_many : facts->table->staged_max;
    uint64_t share = facts->bytes / (uint64_t)facts->ranks / (facts->ranks > 2 ? 2 : 1);
    if ((row->slow & SYMM_SLOW_TWO_COPIES) != 0 && facts->out_of_place && !facts->gaps &&
        share > facts->table->staged_share_max) {
        return true;
    }
    return (row->slow & SYMM_SLOW_LARGE_BLOCKS) != 0 && facts->bytes > most;
}

static bool pages_are_slow(const struct symm_algorithm_row *row, const struct symm_facts *facts)
{
    /* Beside a computation kernels are no better: they would take its multiprocessors. */
    bool of_more = facts->ranks > 2 && row->small_pages_most_of_more > 0 && !facts->beside;
    return (row->slow & SYMM_SLOW_SMALL_PAGES) != 0 && facts->small_pages &&
           facts->bytes > (of_more ? row->small_pages_most_of_more : row->small_pages_most);
}

/*
 * Whether scratch is a detour: it is in the table before what is quicker where others are reached.
 */
static bool scratch_is_slow(const struct symm_algorithm_row *row, const struct symm_facts *facts)
{
    return row->small_pages_least > 0 && facts->outputs_reachable &&
           !(facts->small_pages && facts->ranks > 2 && facts->bytes >= row->small_pages_least);
}

static const char *obstacle_by_slowness(const struct symm_algorithm_row *row,
                                        const struct symm_facts *facts)
{
    if (pages_are_slow(row, facts)) {
        return "some output is in small pages";
    }
    if (scratch_is_slow(row, facts)) {
        return "no output is in small pages";
    }
    if ((row->slow & SYMM_SLOW_SHARED_DEVICES) != 0 && facts->shared_devices) {
        return "ranks share a device";
    }
    if (row->packing == SYMM_PACKS_SHIFTED && facts->gaps && !facts->shifted) {
        return "the component below is quicker than packing";
    }
    return copies_are_slow(row, facts) ? "the component below is quicker than staging" : NULL;
}

/* The obstacle to an algorithm.  NULL: there is none. */
static const char *obstacle_to(const struct symm_algorithm_row *row, const struct symm_facts *facts,
                               bool is_forced)
{
    const char *obstacle = obstacle_by_gaps(row, facts);
    if (obstacle == NULL && row->in_slot) {
        obstacle = "not for data of this size"; /* data of other sizes travels in the slot */
    }
    if (obstacle == NULL) {
        obstacle = obstacle_by_reach(row, facts, is_forced);
    }
    if (obstacle == NULL) {
        obstacle = obstacle_by_multicast(row, facts);
    }
    if (obstacle == NULL && (row->needs & SYMM_NEEDS_OUT_OF_PLACE) != 0 && !facts->out_of_place) {
        obstacle = "some rank is in place";
    }
    return obstacle == NULL && !is_forced ? obstacle_by_slowness(row, facts) : obstacle;
}

const char *mca_coll_symm_choose_obstacle(int algorithm, const struct symm_facts *facts)
{
    return algorithm == SYMM_ALGORITHM_BELOW
               ? NULL
               : obstacle_to(symm_algorithm_get((enum symm_algorithm)algorithm), facts,
                             algorithm == mca_coll_symm_choose_wanted(facts));
}

/* ---- the choice ------------------------------------------------------------------------------ */

static enum symm_algorithm_memory memory_of(const struct symm_facts *facts)
{
    return facts->device ? SYMM_ALGORITHM_DEVICE : SYMM_ALGORITHM_HOST;
}

/* An algorithm on devices is forced by the name of its counterpart in host memory. */
int mca_coll_symm_choose_wanted(const struct symm_facts *facts)
{
    return mca_coll_symm_choose_forced_in(facts->forced, facts->collective, memory_of(facts));
}

/* Whether some algorithm by multicast is possible. */
static bool has_multicast(const struct symm_facts *facts)
{
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        if (row->collective == facts->collective && row->memory == memory_of(facts) &&
            symm_algorithm_is_multimem(row->number) && obstacle_to(row, facts, false) == NULL) {
            return true;
        }
    }
    return false;
}

static bool row_has_multicast(const struct symm_row *row, const struct symm_facts *facts)
{
    return row->multicast == SYMM_ROW_EITHER ||
           (row->multicast == SYMM_ROW_WITH) == has_multicast(facts);
}

const struct symm_row *mca_coll_symm_choose_row(const struct symm_facts *facts,
                                                const struct symm_row *after)
{
    int count;
    const struct symm_row *rows = mca_coll_symm_table_rows(facts->table, facts->collective,
                                                           memory_of(facts), &count);
    uint8_t other_place = facts->out_of_place ? SYMM_ROW_IN : SYMM_ROW_OUT;
    uint64_t bytes = symm_collective_result(symm_collective_get(facts->collective), facts->bytes,
                                            facts->ranks);
    for (const struct symm_row *row = after == NULL ? rows : after + 1; row < rows + count; row++) {
        if (mca_coll_symm_row_has(row, bytes) && row->place != other_place &&
            row_has_multicast(row, facts)) {
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

/*
 * Beside a product a kernel waits for free multiprocessors, and then keeps them from the product.
 * Copy engines start at once.  Alone they take a few microseconds longer, so results of fewer bytes
 * go as in blocking calls.
 */
static const uint64_t beside_least = 1024 * 1024;

static bool row_spares_multiprocessors(const struct symm_row *row)
{
    return row->algorithm != SYMM_ALGORITHM_BELOW &&
           symm_algorithm_get((enum symm_algorithm)row->algorithm)->spares_multiprocessors;
}

/*
 * The algorithm that leaves the multiprocessors to the program, where it is wanted and possible.
 * NULL: the one of `row` is as good.
 */
static const struct symm_algorithm_row *beside_choose(const struct symm_facts *facts,
                                                      const struct symm_row *row)
{
    if (!facts->beside || !facts->device || row->origin == SYMM_ROW_FILE ||
        row_spares_multiprocessors(row) ||
        symm_collective_result(symm_collective_get(facts->collective), facts->bytes,
                               facts->ranks) < beside_least) {
        return NULL;
    }
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *other = symm_algorithm_get((enum symm_algorithm)i);
        if (other->spares_multiprocessors && other->collective == facts->collective &&
            obstacle_to(other, facts, false) == NULL) {
            return other;
        }
    }
    return NULL;
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
    if (row == NULL) {
        return SYMM_ALGORITHM_COUNT;
    }
    const struct symm_algorithm_row *beside = beside_choose(facts, row);
    return beside != NULL ? beside->number : (enum symm_algorithm)row->algorithm;
}

bool mca_coll_symm_choose_again(const struct symm_facts *facts)
{
    bool swaps = facts->device && !facts->out_of_place &&
                 symm_collective_swaps(symm_collective_get(facts->collective));
    return (facts->withheld || facts->closed || swaps) && !facts->asked && has_any(facts) &&
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
    bool is_packed = !symm_collective_get(facts->collective)->reduces &&
                     facts->packed <= facts->piece_size;
    return facts->gaps && !is_packed ? SYMM_REASON_GAPS : SYMM_REASON_SLOWER;
}
