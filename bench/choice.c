/*
 * choice.c - the automatic choice beside all forced algorithms: measured, and shown.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "choice.h"

#include "report.h"
#include "table.h"
#include "validate.h"

#include <stdio.h>
#include <string.h>

/* A choice is good that takes so much longer than the best at most. */
static const double good_ratio = 1.05;

/*
 * The sides of a size; side i is by candidate of[i], or, if that is negative, the automatic choice.
 */
struct contest {
    struct sides sides;
    int of[SIDES_MOST];
};

static void side_add(struct contest *contest, const struct choice_origin *origin, int candidate,
                     MPI_Comm comm, const char *words)
{
    struct side *side = &contest->sides.side[contest->sides.count];
    contest->of[contest->sides.count++] = candidate;
    side->head = "";
    side->words = words;
    side->comm = comm;
    side->rival = NULL;
    side->buffers = origin->buffers;
}

/* Who is possible. */
static void contest_open(struct contest *contest, const struct choice_origin *origin,
                         const struct forcing *forcing, const struct call *call)
{
    for (int i = 0; i < forcing->count; i++) {
        const struct candidate *candidate = &forcing->candidate[i];
        char word[FORCING_WORD];
        forcing_probe(forcing, call, candidate->comm, word);
        if (strcmp(word, candidate->word) == 0) {
            side_add(contest, origin, i, candidate->comm, " with a forced algorithm");
        }
    }
}

/* The state of the machine in which most blocks were measured; -1: none has enough. */
static int row_pick(const struct measure_result *result)
{
    int best = -1;
    for (int i = 0; i < CACHELINE_STATES; i++) {
        if (result->row[i].enough &&
            (best < 0 || result->row[i].blocks > result->row[best].blocks)) {
            best = i;
        }
    }
    return best;
}

static void times_fill(struct choice_times *times, const struct contest *contest,
                       const struct measure_result *result)
{
    int row = row_pick(result);
    times->measured = row >= 0;
    for (int i = 0; i < contest->sides.count && times->measured; i++) {
        double us = result->row[row].times[i].most;
        if (contest->of[i] < 0) {
            times->automatic_us = us;
        } else {
            times->us[contest->of[i]] = us;
        }
    }
}

bool choice_time(const struct choice_origin *origin, const struct forcing *forcing, size_t bytes,
                 bool in_place, bool with_automatic, struct choice_times *times)
{
    const struct options *options = origin->options;
    struct call call = {forcing->collective, bytes, origin->rank, origin->ranks, in_place,
                        options->element, origin->buffers, false};
    struct contest contest = {.sides = {.count = 0}};
    struct measure_plan plan = {
        .sides = &contest.sides,
        .control = origin->control,
        .cacheline = origin->cacheline,
        .access = options->access,
        .iterations = options_iterations(options, bytes),
        .warmup = options_warmup(options, bytes),
        .blocks = options->blocks
    };
    struct measure_result result;
    bool right = true;
    *times = (struct choice_times){.bytes = bytes, .automatic_us = -1};
    for (int i = 0; i < FORCING_MOST; i++) {
        times->us[i] = -1;
    }
    if (with_automatic) {
        forcing_probe(forcing, &call, origin->with, times->automatic);
        side_add(&contest, origin, -1, origin->with, "");
    }
    contest_open(&contest, origin, forcing, &call);
    times->possible = contest.sides.count > (with_automatic ? 1 : 0);
    if (!times->possible) {
        return true;
    }
    for (int i = 0; options->validate && i < contest.sides.count; i++) {
        right &= validate_call(&call, &contest.sides.side[i], origin->control, options->seed);
    }
    if (plan.blocks > plan.iterations) {
        plan.blocks = plan.iterations;
    }
    measure_run(&plan, &call, &result);
    times_fill(times, &contest, &result);
    return right;
}

/* ---- --chosen -------------------------------------------------------------------------------- */

static void show_begin(struct table *table, const struct choice_origin *origin,
                       enum collective collective)
{
    const struct options *options = origin->options;
    printf("\n# %s: the automatic choice beside the best forced algorithm, slowest rank\n",
           call_name(collective));
    report_calls(options, collective);
    table_begin(table, options->csv);
    table_add(table, "# Size", 11);
    table_add(table, "chosen(us)", 12);
    table_add(table, "chosen", 18);
    table_add(table, "best(us)", 12);
    table_add(table, "best", 18);
    table_add(table, "ratio", 7);
    table_print_head(table);
}

/* The quickest candidate; -1: none. */
static int best_of(const struct forcing *forcing, const struct choice_times *times)
{
    int best = -1;
    for (int i = 0; i < forcing->count; i++) {
        if (times->us[i] > 0 && (best < 0 || times->us[i] < times->us[best])) {
            best = i;
        }
    }
    return best;
}

/* Returns whether the choice was good: the best, whatever its two times are, or about as quick. */
static bool show_size(struct table *table, const struct forcing *forcing,
                      const struct choice_times *times)
{
    int best = best_of(forcing, times);
    if (!times->possible) {
        printf("# %zu: no algorithm is possible\n", times->bytes);
        return false;
    }
    if (!times->measured || best < 0) {
        printf("# %zu: no state of the machine has blocks enough\n", times->bytes);
        return false;
    }
    double ratio = times->automatic_us / times->us[best];
    table_size(table, times->bytes);
    table_number(table, times->automatic_us);
    table_text(table, times->automatic);
    table_number(table, times->us[best]);
    table_text(table, forcing->candidate[best].word);
    table_ratio(table, ratio);
    return ratio <= good_ratio || strcmp(times->automatic, forcing->candidate[best].word) == 0;
}

bool choice_show(const struct choice_origin *origin, const struct forcing *forcing)
{
    const struct options *options = origin->options;
    size_t least = call_round(forcing->collective, options->min_bytes > 0 ? options->min_bytes : 1,
                              origin->ranks);
    size_t most = call_round(forcing->collective, options->max_bytes, origin->ranks);
    struct table table;
    int sizes = 0, good = 0;
    bool right = true;
    if (origin->rank == 0) {
        show_begin(&table, origin, forcing->collective);
    }
    for (size_t bytes = least; bytes <= most; bytes *= 2) {
        struct choice_times times;
        right &= choice_time(origin, forcing, bytes, options->in_place, true, &times);
        sizes++;
        if (origin->rank == 0) {
            good += show_size(&table, forcing, &times);
        }
    }
    if (origin->rank == 0) {
        printf("# %d of %d sizes: the best, or within %.0f %% of it%s\n", good, sizes,
               100 * (good_ratio - 1), right ? "" : "; some results WRONG");
    }
    return right;
}
