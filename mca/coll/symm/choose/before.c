/*
 * choose/before.c - see choose/before.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/before.h"

#include "heap/team/pads.h"
#include "kernels/cuda/launch/device.h"
#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/choose/table.h"

/* ---- whether data travel in the slot --------------------------------------------------------- */

#define KIB(n) ((uint64_t)(n) << 10)

/*
 * Bytes that travel in the slot: of a rank, and of all ranks together.  Every rank reads
 * everything, but in reduce-scatters, in all-to-all calls, in scans and in calls with a root
 * (bench/results/gpu-host-*.table, gpu-host-chosen.txt, gpu-host-slot.txt, gpu-host-slot-16K.txt).
 * At the upper end the heap's memory would be quicker than the slot by about as much as other
 * memory, which would be staged, is slower.  The ranks do not know yet which memory it is.  Runs
 * differ: from 16 to 64 KiB in all-gathers of eight ranks.
 */
struct slot_limits {
    uint64_t each, all;
};

static struct slot_limits slot_limits(const struct symm_collective_row *collective, int ranks)
{
    const bool is_many = ranks > 16;
    if (collective->has_tables) { /* bytes without the rank's own block, and with the table */
        uint64_t others = KIB(16) / (uint64_t)ranks * ((uint64_t)ranks - 1);
        return (struct slot_limits){.each = others + KIB(1), .all = UINT64_MAX};
    }
    if (collective->scatters || collective->from_root ||
        (collective->has_blocks && !collective->gathers)) {
        return (struct slot_limits){.each = KIB(16), .all = UINT64_MAX};
    }
    if (collective->to_root || collective->is_prefix) {
        return (struct slot_limits){.each = KIB(8), .all = KIB(64)};
    }
    if (collective->gathers) {
        return (struct slot_limits){.each = KIB(4), .all = is_many ? KIB(64) : KIB(16)};
    }
    return (struct slot_limits){.each = KIB(8), .all = is_many ? KIB(32) : KIB(16)};
}

/*
 * The first of so many rows of host memory that is for results of `bytes`, and for an algorithm
 * without the needs `unmet`; NULL: none.
 */
static const struct symm_row *first_for(const struct symm_table *table,
                                        const struct symm_table_part *part, int count,
                                        uint64_t bytes, unsigned unmet)
{
    for (int i = 0; i < count; i++) {
        const struct symm_row *row = &table->rows[part->begin + i];
        if (mca_coll_symm_row_has(row, bytes) && !symm_algorithm_has(row->algorithm, unmet)) {
            return row;
        }
    }
    return NULL;
}

static bool is_in_slot(const struct symm_row *row)
{
    return row->algorithm != SYMM_ALGORITHM_BELOW &&
           symm_algorithm_get((enum symm_algorithm)row->algorithm)->in_slot;
}

bool mca_coll_symm_table_inline(const struct symm_table *table, enum symm_collective collective,
                              int ranks, size_t bytes)
{
    const struct symm_collective_row *described = symm_collective_get(collective);
    const struct symm_table_part *part = &table->parts[collective][SYMM_ALGORITHM_HOST];
    const struct symm_row *row = first_for(table, part, part->from_file,
                                           symm_collective_result(described, bytes, ranks), 0);
    if (row != NULL) {
        return is_in_slot(row);
    }
    const struct slot_limits limits = slot_limits(described, ranks);
    return bytes <= limits.each && (uint64_t)bytes * (uint64_t)ranks <= limits.all;
}

/*
 * Whether payloads of so many bytes a rank in host memory are left to the component below, whatever
 * the ranks would say of their buffers.  This is so if the first row for the payloads says so, for
 * any place and multicast.  Rows of algorithms with one of the needs `unmet` do not count.
 */
static bool is_below(const struct symm_table *table, enum symm_collective collective, int ranks,
                     size_t bytes, unsigned unmet)
{
    const struct symm_table_part *part = &table->parts[collective][SYMM_ALGORITHM_HOST];
    const struct symm_row *row = first_for(
        table, part, part->count,
        symm_collective_result(symm_collective_get(collective), bytes, ranks), unmet);
    return row != NULL && row->algorithm == SYMM_ALGORITHM_BELOW &&
           row->place == SYMM_ROW_ANYWHERE && row->multicast == SYMM_ROW_EITHER;
}

bool mca_coll_symm_choose_inline(enum symm_collective collective, const struct symm_team *team,
                               size_t bytes)
{
    int forced = mca_coll_symm_choose_forced(collective, team);
    if (bytes > team->control.payload_size) {
        return false;
    }
    /* What is for devices only says nothing about data in host memory. */
    if (forced != MCA_COLL_SYMM_AUTO && !symm_algorithm_is_cuda((enum symm_algorithm)forced)) {
        return symm_algorithm_get((enum symm_algorithm)forced)->in_slot;
    }
    return mca_coll_symm_table_inline(mca_coll_symm_choose_table(team), collective, team->size,
                                    bytes);
}

/* What ranks send on average, as far as this rank can tell; 0: it cannot. */
static size_t bytes_expected(const struct symm_call *call, const struct symm_team *team)
{
    const struct symm_collective_row *row = symm_collective_get(call->collective);
    if (!row->has_tables) {
        return call->payload_bytes;
    }
    if (!row->is_rooted) {
        return (call->payload_bytes + call->output.bytes) / 2;
    }
    if (team->rank != call->root) {
        return 0;
    }
    return (row->from_root ? call->payload_bytes : call->output.bytes) / (size_t)team->size;
}

bool mca_coll_symm_choose_left_without(const struct symm_call *call, const struct symm_team *team,
                                       unsigned unmet)
{
    size_t bytes = bytes_expected(call, team);
    return bytes > 0 &&
           is_below(mca_coll_symm_choose_table(team), call->collective, team->size, bytes,
                    unmet) &&
           mca_coll_symm_choose_forced(call->collective, team) == MCA_COLL_SYMM_AUTO;
}

/*
 * A line costs next to nothing while somebody reads it.  In a row of calls whose lines nobody reads
 * each rank has to look now and then whether the others have finished, which takes 3 to 7 % of such
 * a call with 32 ranks.  So no line is posted where no rank needs one.  Kernels do not serve teams
 * of more than SYMM_CUDA_RANKS_MAX ranks.  Small calls of MUTE_RANKS ranks, which share devices and
 * have their kernels in turn, may as well go by host copies.
 */
enum { MUTE_RANKS = 25, MUTE_BYTES = 4096 };

enum symm_left mca_coll_symm_choose_left(const struct symm_call *call,
                                           const struct symm_team *team)
{
    const unsigned none = 0;
    if (symm_collective_get(call->collective)->has_tables || /* ranks' bytes differ */
        !mca_coll_symm_choose_left_without(call, team, none)) {
        return SYMM_LEFT_NOT;
    }
    if (team->size > SYMM_CUDA_RANKS_MAX ||
        (team->size >= MUTE_RANKS && call->payload_bytes < MUTE_BYTES)) {
        return SYMM_LEFT_MUTE;
    }
    return call->device < 0 ? SYMM_LEFT_VETO : SYMM_LEFT_NOT;
}

/*
 * The preferred algorithm of those with one of `needs` (0: of all) and with none of `needs_not`, if
 * all ranks' buffers are reached, by unicast or not, and in place or not.
 */
static int preferred(const struct symm_call *call, const struct symm_table *table, bool multicast,
                     enum symm_row_place place, unsigned needs, unsigned needs_not)
{
    int count;
    const struct symm_row *rows =
        mca_coll_symm_table_rows(table, call->collective, SYMM_ALGORITHM_DEVICE, &count);
    for (int i = 0; i < count; i++) {
        if (mca_coll_symm_row_has(&rows[i], call->payload_bytes) &&
            rows[i].multicast != (multicast ? SYMM_ROW_WITHOUT : SYMM_ROW_WITH) &&
            (rows[i].place == SYMM_ROW_ANYWHERE || rows[i].place == place) &&
            (needs == 0 || symm_algorithm_has(rows[i].algorithm, needs)) &&
            !symm_algorithm_has(rows[i].algorithm, needs_not)) {
            return rows[i].algorithm;
        }
    }
    return SYMM_ALGORITHM_BELOW;
}

/*
 * The algorithm that moves slices, if one is wanted.  It is not known yet whether another rank is
 * in place.  In a reduce-scatter all are or none is, and only such algorithms are for ranks in
 * place, and for inputs that peers do not reach, whatever is forced.
 */
static int slices_wanted(const struct symm_call *call, const struct symm_team *team,
                         bool multicast, bool in_reach)
{
    int forced = mca_coll_symm_choose_forced(call->collective, team);
    const struct symm_table *table = mca_coll_symm_choose_table(team);
    if (symm_collective_get(call->collective)->scatters &&
        !symm_algorithm_has(forced, SYMM_NEEDS_SLICE_SCRATCH) && (call->in_place || !in_reach)) {
        return preferred(call, table, multicast, call->in_place ? SYMM_ROW_IN : SYMM_ROW_OUT,
                         SYMM_NEEDS_SLICE_SCRATCH, in_reach ? 0 : SYMM_NEEDS_INPUTS);
    }
    if (forced != MCA_COLL_SYMM_AUTO) {
        return forced;
    }
    if (symm_collective_get(call->collective)->scatters) {
        return preferred(call, table, multicast, SYMM_ROW_OUT, 0, 0);
    }
    int out = preferred(call, table, multicast, SYMM_ROW_OUT, 0, 0);
    return symm_algorithm_has(out, SYMM_NEEDS_SLICE_SCRATCH)
               ? out : preferred(call, table, multicast, SYMM_ROW_IN, 0, 0);
}

size_t mca_coll_symm_choose_scratch(const struct symm_call *call, const struct symm_team *team,
                                    bool multicast, bool in_reach)
{
    if (!symm_collective_get(call->collective)->reduces || call->device < 0 ||
        team->size > SYMM_CUDA_RANKS_MAX ||
        symm_cuda_type_is_padded((enum symm_cuda_type)call->cuda_type)) { /* engines copy bytes */
        return 0;
    }
    int wanted = slices_wanted(call, team, multicast, in_reach);
    return symm_algorithm_has(wanted, SYMM_NEEDS_SLICE_SCRATCH)
               ? symm_algorithm_get((enum symm_algorithm)wanted)
                     ->scratch_wanted(call->payload_bytes, team->size)
               : 0;
}

bool mca_coll_symm_choose_pads(const struct symm_call *call, const struct symm_team *team)
{
    int forced = mca_coll_symm_choose_forced_in(
        mca_coll_symm_choose_forced(call->collective, team), call->collective,
        SYMM_ALGORITHM_DEVICE);
    int count;
    uint8_t other_place = call->in_place ? SYMM_ROW_OUT : SYMM_ROW_IN;
    const struct symm_row *rows = mca_coll_symm_table_rows(
        mca_coll_symm_choose_table(team), call->collective, SYMM_ALGORITHM_DEVICE, &count);
    uint64_t bytes = symm_collective_result(symm_collective_get(call->collective),
                                            call->payload_bytes, team->size);
    if (call->device < 0 || team->size > SYMM_CUDA_SMALL_RANKS ||
        symm_pad_row(mca_coll_symm_call_share(call, team->size)) == 0) {
        return false;
    }
    if (forced != MCA_COLL_SYMM_AUTO) {
        return symm_algorithm_has(forced, SYMM_NEEDS_PADS);
    }
    for (int i = 0; i < count; i++) {
        if (mca_coll_symm_row_has(&rows[i], bytes) && rows[i].place != other_place) {
            return symm_algorithm_has(rows[i].algorithm, SYMM_NEEDS_PADS);
        }
    }
    return false;
}

bool mca_coll_symm_choose_relay_forced(enum symm_collective collective,
                                        const struct symm_team *team)
{
    return symm_algorithm_has(mca_coll_symm_choose_forced(collective, team),
                              SYMM_NEEDS_RELAY_SCRATCH);
}

size_t mca_coll_symm_choose_relay_scratch(const struct symm_call *call,
                                           const struct symm_team *team)
{
    const struct symm_algorithm_row *relay = symm_algorithm_find(
        call->collective, SYMM_ALGORITHM_DEVICE, SYMM_NEEDS_RELAY_SCRATCH);
    return relay == NULL || team->size > SYMM_CUDA_RANKS_MAX
               ? 0 : relay->scratch_wanted(mca_coll_symm_call_relayed(call, team->rank, team->size),
                                           team->size);
}
