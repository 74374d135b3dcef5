/*
 * choose/model.c - see choose/model.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/model.h"

/* An algorithm that has not been measured must promise to be quicker by this factor. */
static const double guess_margin = 1.05;

/* ---- times ----------------------------------------------------------------------------------- */

static bool is_known(const struct symm_algorithm_cost *cost)
{
    return cost->rate > 0;
}

double mca_coll_symm_model_time(enum symm_algorithm algorithm, int ranks, uint64_t bytes,
                                bool in_place)
{
    const struct symm_algorithm_cost *cost = &symm_algorithm_get(algorithm)->cost;
    if (!is_known(cost)) {
        return -1;
    }
    double rate = ranks == 2 ? cost->rate_two : cost->rate;
    double least = cost->floor + cost->floor_rank * ranks + (in_place ? 0 : cost->own);
    double time = cost->start + cost->start_rank * ranks +
                  cost->link_bytes(ranks, (double)bytes) / rate;
    return time > least ? time : least;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { SHIFT_LEAST = 10, SHIFT_MOST = 32 }; /* sizes from 1 KiB to 4 GiB */

/*
 * Which algorithms take part.  Each field has rows of its own, and the rows of an earlier field
 * stand before those of a later one: one-shot by multicast is not for all types, and multicast not
 * for all calls.
 */
enum field { FIELD_ALL, FIELD_BUT_ONE_SHOT, FIELD_UNICAST, FIELDS };

/*
 * Whether a winner gets a row in this field.  It gets none if it also is a winner of a later field,
 * or of the measured rows.
 */
static bool is_told(enum symm_algorithm winner, enum field field)
{
    switch (field) {
    case FIELD_ALL:
        return symm_algorithm_has((int)winner, SYMM_NEEDS_EXACT_REDUCTION);
    case FIELD_BUT_ONE_SHOT:
        return symm_algorithm_is_multimem(winner);
    default:
        return true;
    }
}

static bool takes_part(const struct symm_algorithm_row *row, enum symm_collective collective,
                       enum field field, bool in_place)
{
    if (row->collective != collective || row->memory != SYMM_ALGORITHM_DEVICE ||
        !is_known(&row->cost) || (in_place && (row->needs & SYMM_NEEDS_OUT_OF_PLACE) != 0)) {
        return false;
    }
    if ((row->needs & SYMM_NEEDS_EXACT_REDUCTION) != 0) {
        return field == FIELD_ALL;
    }
    return field != FIELD_UNICAST || !symm_algorithm_is_multimem(row->number);
}

static enum symm_algorithm quickest(enum symm_collective collective, enum field field, int ranks,
                                    uint64_t bytes, bool in_place)
{
    enum symm_algorithm best = SYMM_ALGORITHM_COUNT;
    double best_time = 0;
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        if (takes_part(row, collective, field, in_place)) {
            double time = mca_coll_symm_model_time(row->number, ranks, bytes, in_place) *
                          (row->cost.is_guess ? guess_margin : 1);
            if (best == SYMM_ALGORITHM_COUNT || time < best_time) {
                best = row->number;
                best_time = time;
            }
        }
    }
    return best;
}

/*
 * Make one row for each range of sizes that has the same winner, if the winner gets one.  Returns
 * their number.
 */
static size_t rows_make(struct symm_row *rows, size_t room, enum symm_collective collective,
                        enum field field, int ranks, bool in_place)
{
    enum symm_algorithm before = SYMM_ALGORITHM_COUNT;
    size_t count = 0;
    for (int shift = SHIFT_LEAST; shift <= SHIFT_MOST && count < room; shift++) {
        uint64_t bytes = UINT64_C(1) << shift;
        enum symm_algorithm best = quickest(collective, field, ranks, bytes, in_place);
        if (best == before) {
            continue;
        }
        if (count > 0 && rows[count - 1].to == UINT64_MAX) {
            rows[count - 1].to = bytes;
        }
        if (is_told(best, field)) {
            rows[count++] = (struct symm_row){
                .collective = (uint8_t)collective,
                .memory = SYMM_ALGORITHM_DEVICE,
                .ranks_least = (uint16_t)ranks,
                .ranks_most = (uint16_t)ranks,
                .place = in_place ? SYMM_ROW_IN : SYMM_ROW_OUT,
                .multicast = field == FIELD_UNICAST ? SYMM_ROW_EITHER : SYMM_ROW_WITH,
                .from = shift == SHIFT_LEAST ? 0 : bytes,
                .to = UINT64_MAX,
                .algorithm = (uint8_t)best,
                .origin = SYMM_ROW_MODEL,
            };
        }
        before = best;
    }
    return count;
}

static bool are_alike(const struct symm_row *out, const struct symm_row *in, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out[i].from != in[i].from || out[i].to != in[i].to ||
            out[i].algorithm != in[i].algorithm) {
            return false;
        }
    }
    return true;
}

/* The rows out of place and in place, or one list where these do not differ. */
static size_t field_rows(struct symm_row *rows, size_t room, enum symm_collective collective,
                         enum field field, int ranks)
{
    size_t out = rows_make(rows, room, collective, field, ranks, false);
    size_t in = rows_make(rows + out, room - out, collective, field, ranks, true);
    if (in != out || !are_alike(rows, rows + out, out)) {
        return out + in;
    }
    for (size_t i = 0; i < out; i++) {
        rows[i].place = SYMM_ROW_ANYWHERE;
    }
    return out;
}

size_t mca_coll_symm_model_rows(enum symm_collective collective, int ranks, bool measured,
                                struct symm_row rows[SYMM_MODEL_ROWS])
{
    size_t count = 0;
    for (int i = 0; i < FIELDS - measured; i++) {
        count += field_rows(rows + count, SYMM_MODEL_ROWS - count, collective, (enum field)i,
                            ranks);
    }
    return count;
}
