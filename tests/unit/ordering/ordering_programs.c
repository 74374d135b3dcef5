/*
 * ordering_programs.c - see ordering_programs.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_programs.h"

#include <stdlib.h>
#include <string.h>

static bool is_plain(const struct record *record)
{
    return record->action == MODEL_READ || record->action == MODEL_WRITE;
}

static int address_compare(const void *left, const void *right)
{
    uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
    return (a > b) - (a < b);
}

/* The pieces into which the accesses' ends cut shared memory, and the cell that each belongs to. */
struct pieces {
    uintptr_t *begins;
    uint64_t *histories; /* equal for pieces that are always accessed together */
    int *cells;
    size_t count;
    int cell_count;
};

static size_t piece_find(const struct pieces *pieces, uintptr_t address)
{
    const uintptr_t *found = bsearch(&address, pieces->begins, pieces->count, sizeof(address),
                                     address_compare);
    assert_non_null(found);
    return (size_t)(found - pieces->begins);
}

static void pieces_cut(struct pieces *pieces, const struct recording *recording)
{
    size_t count = 0;
    pieces->begins = calloc(2 * recording->count + 1, sizeof(uintptr_t));
    pieces->histories = calloc(2 * recording->count + 1, sizeof(uint64_t));
    pieces->cells = calloc(2 * recording->count + 1, sizeof(int));
    assert_true(pieces->begins != NULL && pieces->histories != NULL && pieces->cells != NULL);
    for (size_t i = 0; i < recording->count; i++) {
        pieces->begins[count++] = recording->records[i].begin;
        pieces->begins[count++] = recording->records[i].end;
    }
    qsort(pieces->begins, count, sizeof(uintptr_t), address_compare);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || pieces->begins[i] != pieces->begins[pieces->count - 1]) {
            pieces->begins[pieces->count++] = pieces->begins[i];
        }
    }
}

static void pieces_merge(struct pieces *pieces, const struct recording *recording)
{
    for (size_t i = 0; i < recording->count; i++) {
        const struct record *record = &recording->records[i];
        size_t end = piece_find(pieces, record->end);
        for (size_t piece = piece_find(pieces, record->begin); piece < end; piece++) {
            struct unit_random mix = {.state = pieces->histories[piece] + i + 1};
            pieces->histories[piece] = unit_random_next(&mix);
        }
    }
    for (size_t i = 0; i < pieces->count; i++) {
        pieces->cells[i] = -1;
        for (size_t j = 0; j < i && pieces->cells[i] < 0; j++) {
            if (pieces->histories[j] == pieces->histories[i]) {
                pieces->cells[i] = pieces->cells[j];
            }
        }
        if (pieces->cells[i] < 0) {
            pieces->cells[i] = pieces->cell_count++;
        }
    }
}

static struct model_event *event_add(struct model_programs *programs, int rank)
{
    int count = programs->counts[rank]++;
    if ((count & (count - 1)) == 0) {
        size_t room = count == 0 ? 1 : 2 * (size_t)count;
        programs->events[rank] = realloc(programs->events[rank],
                                         room * sizeof(struct model_event));
        assert_non_null(programs->events[rank]);
    }
    programs->events[rank][count] = (struct model_event){.action = MODEL_READ};
    return &programs->events[rank][count];
}

/* `writes`: the newest by cell and rank, so far. */
static void access_compile(struct model_programs *programs, const struct record *record,
                           const struct pieces *pieces, int *writes)
{
    size_t begin = piece_find(pieces, record->begin), end = piece_find(pieces, record->end);
    for (size_t piece = begin; piece < end; piece++) {
        int cell = pieces->cells[piece];
        bool is_repeated = false;
        for (size_t i = begin; i < piece; i++) {
            is_repeated |= pieces->cells[i] == cell;
        }
        if (is_repeated) {
            continue;
        }
        struct model_event *event = event_add(programs, record->rank);
        event->action = record->action;
        event->place = cell;
        if (record->action == MODEL_WRITE) {
            writes[cell * MODEL_RANKS_MAX + record->rank] = programs->counts[record->rank] - 1;
        }
        memcpy(event->sources, &writes[cell * MODEL_RANKS_MAX], sizeof(event->sources));
    }
}

/* `changes`: how many there are of each word, so far. */
static void word_compile(struct model_programs *programs, const struct record *record,
                         int *changes)
{
    struct model_event *event = event_add(programs, record->rank);
    event->action = record->action;
    event->is_ordered = record->is_ordered;
    event->place = recorder_word_number(record->begin);
    event->low = record->value;
    event->high = record->high;
    if (record->action != MODEL_AWAIT && record->action != MODEL_EXPECT) {
        event->number = ++changes[event->place];
    }
}

void recording_compile(const struct recording *recording, int ranks,
                       struct model_programs *programs)
{
    struct pieces pieces = {.count = 0};
    pieces_cut(&pieces, recording);
    pieces_merge(&pieces, recording);
    *programs = (struct model_programs){
        .ranks = ranks, .words = recorder_word_count(), .cells = pieces.cell_count};
    int *writes = calloc((size_t)pieces.cell_count * MODEL_RANKS_MAX + 1, sizeof(int));
    int *changes = calloc((size_t)programs->words + 1, sizeof(int));
    assert_true(writes != NULL && changes != NULL);
    for (int i = 0; i < pieces.cell_count * MODEL_RANKS_MAX; i++) {
        writes[i] = -1;
    }
    for (size_t i = 0; i < recording->count; i++) {
        if (is_plain(&recording->records[i])) {
            assert_false(recorder_has_word(recording->records[i].begin, recording->records[i].end));
            access_compile(programs, &recording->records[i], &pieces, writes);
        } else {
            word_compile(programs, &recording->records[i], changes);
        }
    }
    free(changes);
    free(writes);
    free(pieces.begins);
    free(pieces.histories);
    free(pieces.cells);
}

void programs_free(struct model_programs *programs)
{
    for (int rank = 0; rank < programs->ranks; rank++) {
        free(programs->events[rank]);
    }
}
