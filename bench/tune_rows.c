/*
 * tune_rows.c - from times to rows: who wins, and for which sizes.
 *
 * Inline data travel before the ranks know of each other. So inline wins or loses for both
 * places together, and has rows of its own. What is possible by multicast has rows in front of the
 * others, which then are for calls where multicast is not possible. One-shot by multicast, which is
 * not for all types, has rows in front of those.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tune_rows.h"

#include <inttypes.h>
#include <string.h>

/* What was best at the size before stays so if it loses less than this. */
static const double tolerance = 1.02;

enum { NOBODY = -1 };

/* Who takes part. */
enum field { FIELD_ALL, FIELD_BUT_ONE_SHOT, FIELD_UNICAST };

static const char one_shot_word[] = "multimem_one_shot";

/* By size, the winner's number; NOBODY if that size was not measured. */
struct winners {
    int by[TUNE_SIZES];
};

static bool is_inline(const struct tune_part *part, int candidate)
{
    return strcmp(part->forcing.candidate[candidate].word, "inline") == 0;
}

static bool is_multicast(const struct tune_part *part, int candidate)
{
    return strncmp(part->forcing.candidate[candidate].word, "multimem", 8) == 0;
}

static bool is_one_shot(const struct tune_part *part, int candidate)
{
    return strcmp(part->forcing.candidate[candidate].word, one_shot_word) == 0;
}

static bool takes_part(const struct tune_part *part, int candidate, enum field field)
{
    switch (field) {
    case FIELD_UNICAST:
        return !is_multicast(part, candidate);
    case FIELD_BUT_ONE_SHOT:
        return !is_one_shot(part, candidate);
    default:
        return true;
    }
}

/* The quickest but inline; NOBODY. */
static int quickest(const struct tune_part *part, int place, int size, enum field field, int before)
{
    const struct choice_times *times = &part->times[place][size];
    int best = NOBODY;
    for (int i = 0; times->measured && i < part->forcing.count; i++) {
        if (times->us[i] > 0 && !is_inline(part, i) && takes_part(part, i, field) &&
            (best == NOBODY || times->us[i] < times->us[best])) {
            best = i;
        }
    }
    bool stays = best != NOBODY && before != NOBODY && times->us[before] > 0 &&
                 times->us[before] <= tolerance * times->us[best];
    return stays ? before : best;
}

static int inline_candidate(const struct tune_part *part)
{
    for (int i = 0; i < part->forcing.count; i++) {
        if (is_inline(part, i)) {
            return i;
        }
    }
    return NOBODY;
}

/* Whether inline is better, in and out of place taken together. */
static bool inline_wins(const struct tune_part *part, int size)
{
    int in_slot = inline_candidate(part);
    double with = 0, without = 0;
    for (int place = 0; in_slot != NOBODY && place < 2; place++) {
        const struct choice_times *times = &part->times[place][size];
        int best = quickest(part, place, size, FIELD_ALL, NOBODY);
        if (best == NOBODY || times->us[in_slot] <= 0) {
            return false;
        }
        with += times->us[in_slot];
        without += times->us[best];
    }
    return with > 0 && with <= without;
}

static void winners_find(const struct tune_part *part, int place, enum field field,
                         struct winners *winners)
{
    int before = NOBODY;
    for (int size = 0; size < part->sizes; size++) {
        int best = inline_wins(part, size) ? inline_candidate(part)
                                         : quickest(part, place, size, field, before);
        winners->by[size] = best;
        before = best == NOBODY ? before : is_inline(part, best) ? NOBODY : best;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What the rows of a list have in common. */
struct heading {
    const struct tune_part *part;
    int ranks;
    bool on_device;
    int first_place, last_place; /* 0: out of place, 1: in place */
    const char *multicast;
    bool of_inline; /* rows of inline; otherwise all others */
};

/*
 * As tables count: of a result; of a reduce-scatter or scatter, of the vector; of a gatherv or
 * scatterv, what a rank sends on average, which is a block.  (Where the root's own block does not
 * travel the average is a little less.)  The inline row of a scatterv goes by what the root sends.
 */
static uint64_t result_bytes(const struct heading *heading, int size)
{
    uint64_t bytes = heading->part->times[0][size].bytes;
    enum collective collective = heading->part->forcing.collective;
    bool counts_once = call_reduces(collective) || collective == COLLECTIVE_BCAST ||
                       collective == COLLECTIVE_GATHERV ||
                       (collective == COLLECTIVE_SCATTERV && !heading->of_inline);
    return counts_once ? bytes : bytes * (uint64_t)heading->ranks;
}

static void bytes_write(FILE *file, uint64_t bytes)
{
    static const char suffixes[] = "GMK";
    for (int i = 0; i < 3 && bytes > 0; i++) {
        int shift = 30 - 10 * i;
        if (bytes % (UINT64_C(1) << shift) == 0) {
            fprintf(file, "%" PRIu64 "%c", bytes >> shift, suffixes[i]);
            return;
        }
    }
    fprintf(file, "%" PRIu64, bytes);
}

/*
 * By how many microseconds the second candidate is slower than the first (negative: quicker);
 * false: one of them was not timed.
 */
static bool lag(const struct heading *heading, int size, int first, int second, double *us)
{
    *us = 0;
    for (int place = heading->first_place; place <= heading->last_place; place++) {
        const struct choice_times *times = &heading->part->times[place][size];
        if (!times->measured || times->us[first] <= 0 || times->us[second] <= 0) {
            return false;
        }
        *us += times->us[second] - times->us[first];
    }
    return true;
}

/*
 * From how many bytes on `next`, which wins at this size, comes after `before`, which has won at
 * the size before. Between the two sizes a copy's time is about a straight line: where the lines
 * cross, in steps of an eighth. If `before` was not the quickest there any more, only not worth a
 * change: a step behind that size.
 */
static uint64_t hand_over(const struct heading *heading, int size, int before, int next)
{
    const struct tune_part *part = heading->part;
    uint64_t bytes = result_bytes(heading, size);
    double earlier, now;
    if (size == 0 || before == NOBODY || is_inline(part, before) || is_inline(part, next) ||
        !lag(heading, size - 1, before, next, &earlier) ||
        !lag(heading, size, before, next, &now) || now >= 0) {
        return bytes;
    }
    uint64_t eighth = (bytes - result_bytes(heading, size - 1)) / 8;
    double eighths = earlier > 0 ? 8 * earlier / (earlier - now) : 0;
    return bytes - eighth * (uint64_t)(8 - (eighths < 1 ? 1 : (int)(eighths + 0.5)));
}

/* The places that rows are for, as words of a table. */
static const char *place_word(const struct heading *heading)
{
    if (heading->first_place != heading->last_place) {
        return "any";
    }
    return heading->first_place == 0 ? "out" : "in";
}

enum { ENDLESS = 0 }; /* in the place of the bytes where a row ends: the last one does not */

static void row_write(FILE *file, const struct heading *heading, uint64_t from, uint64_t to,
                      int winner)
{
    const struct tune_part *part = heading->part;
    bool is_in_slot = is_inline(part, winner);
    fprintf(file, "%s %s %d %s %s ", options_collective_name(part->forcing.collective),
            heading->on_device ? "device" : "host", heading->ranks,
            is_in_slot ? "any" : place_word(heading), is_in_slot ? "any" : heading->multicast);
    bytes_write(file, from);
    if (to != ENDLESS) {
        fprintf(file, "-");
        bytes_write(file, to);
    }
    fprintf(file, " %s\n", part->forcing.candidate[winner].word);
}

static void list_write(FILE *file, const struct heading *heading, const struct winners *winners)
{
    const struct tune_part *part = heading->part;
    int before = NOBODY;
    int first = 0;
    while (first < part->sizes) {
        int winner = winners->by[first];
        int end = first + 1;
        while (end < part->sizes && (winners->by[end] == winner || winners->by[end] == NOBODY)) {
            end++;
        }
        if (winner != NOBODY && is_inline(part, winner) == heading->of_inline) {
            uint64_t to = end == part->sizes
                              ? ENDLESS : hand_over(heading, end, winner, winners->by[end]);
            row_write(file, heading, hand_over(heading, first, before, winner), to, winner);
        }
        before = winner;
        first = end;
    }
}

static void lists_write(FILE *file, struct heading heading, enum field field)
{
    struct winners winners[2];
    for (int place = 0; place < 2; place++) {
        winners_find(heading.part, place, field, &winners[place]);
    }
    size_t length = (size_t)heading.part->sizes * sizeof(winners[0].by[0]);
    bool alike = memcmp(winners[0].by, winners[1].by, length) == 0;
    heading.multicast = field == FIELD_UNICAST ? "any" : "yes";
    heading.last_place = alike ? 1 : 0;
    if (field == FIELD_UNICAST) {
        heading.of_inline = true;
        list_write(file, &heading, &winners[0]);
        heading.of_inline = false;
    }
    list_write(file, &heading, &winners[0]);
    if (!alike) {
        heading.first_place = heading.last_place = 1;
        list_write(file, &heading, &winners[1]);
    }
}

static bool has_multicast(const struct tune_part *part)
{
    for (int size = 0; size < part->sizes; size++) {
        for (int i = 0; i < part->forcing.count; i++) {
            if (is_multicast(part, i) &&
                (part->times[0][size].us[i] > 0 || part->times[1][size].us[i] > 0)) {
                return true;
            }
        }
    }
    return false;
}

static bool one_shot_wins(const struct tune_part *part)
{
    struct winners winners;
    for (int place = 0; place < 2; place++) {
        winners_find(part, place, FIELD_ALL, &winners);
        for (int size = 0; size < part->sizes; size++) {
            if (winners.by[size] != NOBODY && is_one_shot(part, winners.by[size])) {
                return true;
            }
        }
    }
    return false;
}

static void times_write(FILE *file, const struct tune_part *part, int place, int size)
{
    const struct choice_times *times = &part->times[place][size];
    fprintf(file, "#   %zu %s:", times->bytes, place == 0 ? "out" : "in");
    for (int i = 0; i < part->forcing.count; i++) {
        if (times->us[i] > 0) {
            fprintf(file, " %s %.2f", part->forcing.candidate[i].word, times->us[i]);
        }
    }
    fprintf(file, "%s\n", times->measured   ? ""
                         : times->possible ? " not measured, the machine changed too often"
                                           : " no algorithm is possible");
}

void tune_rows_write(FILE *file, const struct tune_part *part, int ranks, bool on_device)
{
    struct heading heading = {.part = part, .ranks = ranks, .on_device = on_device};
    fprintf(file, "\n# %s\n", call_name(part->forcing.collective));
    if (has_multicast(part)) {
        lists_write(file, heading, FIELD_ALL);
    }
    if (one_shot_wins(part)) {
        lists_write(file, heading, FIELD_BUT_ONE_SHOT);
    }
    lists_write(file, heading, FIELD_UNICAST);
    for (int size = 0; size < part->sizes; size++) {
        for (int place = 0; place < 2; place++) {
            times_write(file, part, place, size);
        }
    }
}
