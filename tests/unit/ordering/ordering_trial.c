/*
 * ordering_trial.c - see ordering_trial.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_trial.h"

#include <stdlib.h>
#include <string.h>

#include "heap/team/control.h"
#include "tests/unit/ordering/ordering_programs.h"
#include "tests/unit/ordering/ordering_ranks.h"

const char *const ordering_breakage_names[] = {
    "whole", "relaxed store", "relaxed load", "early store", "late load", "no load", "no reset",
    "same values", "half",
};
const char *const ordering_class_names[] = {
    "lines", "phases", "finished words", "serial numbers", "newest calls", "counts of ranks",
    "messages", "stages",
};
const char *const ordering_verdict_names[] = {
    "sound", "a race", "a misread", "a rank is stuck", "too many states",
};
uint64_t ordering_recordings, ordering_states;

/* ---- ways to break it ------------------------------------------------------------------------ */

static bool is_plain(const struct record *record)
{
    return record->action == MODEL_READ || record->action == MODEL_WRITE;
}

/* Of words. */
static bool is_look(const struct record *record)
{
    return record->action == MODEL_AWAIT || record->action == MODEL_EXPECT;
}

static bool looks_at(const struct record *record, enum word_class class)
{
    return is_look(record) && recorder_class(record->begin) == class;
}

static bool changes(const struct record *record, enum word_class class)
{
    return !is_plain(record) && !is_look(record) && recorder_class(record->begin) == class;
}

/* Put record `from` where `to` is. */
static void move(struct record *records, size_t from, size_t to)
{
    struct record record = records[from];
    if (to < from) {
        memmove(&records[to + 1], &records[to], (from - to) * sizeof(record));
    } else {
        memmove(&records[from], &records[from + 1], (to - from) * sizeof(record));
    }
    records[to] = record;
}

/*
 * The farthest record in a row of plain accesses of the same rank; `at` itself if there are none.
 */
static size_t plain_end(const struct recording *recording, size_t at, int direction)
{
    const struct record *records = recording->records;
    size_t end = at;
    for (size_t i = at + (size_t)direction; i < recording->count; i += (size_t)direction) {
        if (records[i].rank == records[at].rank) {
            if (!is_plain(&records[i])) {
                break;
            }
            end = i;
        }
    }
    return end;
}

/* The farthest record before that of the same rank, without a look in between. */
static size_t look_end(const struct recording *recording, size_t at)
{
    const struct record *records = recording->records;
    size_t end = at;
    for (size_t i = at; i-- > 0;) {
        if (records[i].rank == records[at].rank) {
            if (is_look(&records[i])) {
                break;
            }
            end = i;
        }
    }
    return end;
}

/* Words of a block's header come after changes of other words. */
static void make_early(struct recording *recording, enum word_class class)
{
    for (size_t i = 0; i < recording->count; i++) {
        const struct record *record = &recording->records[i];
        bool is_reset = class == WORD_LEFT && record->action == MODEL_STORE;
        if (changes(record, class) && !is_reset) {
            move(recording->records, i,
                 class == WORD_LEFT || class == WORD_SERIAL ? look_end(recording, i)
                                                            : plain_end(recording, i, -1));
        }
    }
}

/* The farthest record behind that of the same rank, before it waits for something again. */
static size_t wait_end(const struct recording *recording, size_t at)
{
    const struct record *records = recording->records;
    size_t end = at;
    for (size_t i = at + 1; i < recording->count; i++) {
        if (records[i].rank == records[at].rank) {
            if (records[i].action == MODEL_AWAIT) {
                break;
            }
            end = i;
        }
    }
    return end;
}

static void make_late(struct recording *recording, enum word_class class)
{
    for (size_t i = recording->count; i-- > 0;) {
        if (looks_at(&recording->records[i], class)) {
            move(recording->records, i, class == WORD_LEFT ? wait_end(recording, i)
                                                           : plain_end(recording, i, 1));
        }
    }
}

static void drop_loads(struct recording *recording, enum word_class class)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->count; i++) {
        if (!looks_at(&recording->records[i], class)) {
            recording->records[kept++] = recording->records[i];
        }
    }
    recording->count = kept;
}

/* Whether another rank than 0 changes the word. */
static bool is_shared(const struct recording *recording, uintptr_t word)
{
    for (size_t i = 0; i < recording->count; i++) {
        const struct record *record = &recording->records[i];
        if (record->rank != 0 && record->begin == word && !is_plain(record) && !is_look(record)) {
            return true;
        }
    }
    return false;
}

/* Rank 0 resets words of others by stores. */
static void drop_resets(struct recording *recording, enum word_class class)
{
    size_t kept = 0;
    for (size_t i = 0; i < recording->count; i++) {
        struct record record = recording->records[i];
        bool is_reset = record.rank == 0 && record.action == MODEL_STORE &&
                        recorder_class(record.begin) == class &&
                        is_shared(recording, record.begin);
        if (!is_reset) {
            recording->records[kept++] = record;
        }
    }
    recording->count = kept;
}

static void relax_looks(struct recording *recording, enum word_class class)
{
    for (size_t i = 0; i < recording->count; i++) {
        struct record *record = &recording->records[i];
        record->is_ordered = record->is_ordered && !looks_at(record, class);
    }
}

static void relax_changes(struct recording *recording, enum word_class class)
{
    for (size_t i = 0; i < recording->count; i++) {
        struct record *record = &recording->records[i];
        record->is_ordered = record->is_ordered && !changes(record, class);
    }
}

static void make_same(struct recording *recording, enum word_class class)
{
    for (size_t i = 0; i < recording->count; i++) {
        struct record *record = &recording->records[i];
        if (looks_at(record, class) || changes(record, class)) {
            record->value = 1;
            record->high = 1;
        }
    }
}

static bool is_in_header(const struct record *record)
{
    for (int i = 0; i < recorder_word_count(); i++) {
        uintptr_t begin = recorder_word_at(i);
        if (recorder_class(begin) == WORD_SERIAL && record->begin >= begin &&
            record->begin < begin + sizeof(struct symm_control_header)) {
            return true;
        }
    }
    return false;
}

void ordering_drop_headers(struct recording *recording)
{
    size_t kept = 0;
    drop_loads(recording, WORD_LAST);
    for (size_t i = 0; i < recording->count; i++) {
        struct record record = recording->records[i];
        if (!is_plain(&record) || !is_in_header(&record)) {
            recording->records[kept++] = record;
        }
    }
    recording->count = kept;
}

void ordering_relax_messages(struct recording *recording)
{
    relax_looks(recording, WORD_MESSAGE);
    relax_changes(recording, WORD_MESSAGE);
    for (size_t i = 0; i < recording->count; i++) {
        if (looks_at(&recording->records[i], WORD_SERIAL)) {
            recording->records[i].action = MODEL_AWAIT;
        }
    }
}

void ordering_break(struct recording *recording, enum breakage how, enum word_class class)
{
    switch (how) {
    case WHOLE:
        break;
    case HALF_STAGES:
        ordering_merge_stages(recording);
        break;
    case RELAXED_STORE:
        relax_changes(recording, class);
        break;
    case RELAXED_LOAD:
        relax_looks(recording, class);
        break;
    case EARLY_STORE:
        make_early(recording, class);
        break;
    case LATE_LOAD:
        make_late(recording, class);
        break;
    case NO_LOAD:
        drop_loads(recording, class);
        break;
    case NO_RESET:
        drop_resets(recording, class);
        break;
    case SAME_VALUES:
        make_same(recording, class);
        break;
    }
}

/* ---- exploring ------------------------------------------------------------------------------- */

struct model_result ordering_explore(struct recording *recording, int ranks,
                                     enum model_search search)
{
    struct model_programs programs;
    struct model_result result;
    recording_compile(recording, ranks, &programs);
    model_explore(&programs, search, &result);
    programs_free(&programs);
    free(recording->records);
    ordering_recordings++;
    ordering_states += result.states;
    return result;
}

bool ordering_is_noticed(enum model_verdict verdict)
{
    return verdict != MODEL_SOUND && verdict != MODEL_TOO_LARGE;
}
