/*
 * ordering_stream_lanes.c - see ordering_stream_lanes.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_stream_lanes.h"

#include "tests/unit/harness/unit.h"

static const enum stream_arrival arrivals[LANES_KINDS] = {
    [LANES_PACKET] = STREAM_AT_ANY_TIME,
    [LANES_HELLO] = STREAM_AT_ONCE,
    [LANES_FLAG] = STREAM_AT_ONCE,
    [LANES_SLICE] = STREAM_WHEN_TOLD,
    [LANES_RESULT] = STREAM_WHEN_TOLD,
};

int lanes_count(int number)
{
    return number & ((1 << STREAM_COUNT_BITS) - 1);
}

/* ---- places ---------------------------------------------------------------------------------- */

int lanes_place(struct lanes *lanes, enum lanes_kind kind, int owner, int source, int slot,
                int unit)
{
    uint8_t *known = &lanes->places[kind][owner][source][slot][unit];
    if (*known == STREAM_NOBODY) {
        struct stream_programs *programs = lanes->programs;
        assert_true(programs->places_count < STREAM_PLACES);
        *known = (uint8_t)programs->places_count++;
        struct stream_place *place = &programs->places[*known];
        place->owner = owner;
        place->source = source;
        place->arrival = lanes->shape->at_any_time ? STREAM_AT_ANY_TIME : arrivals[kind];
        place->value = 0;
        place->thread = (uint8_t)(source * programs->units + unit);
        place->stores_count = 0;
        place->wipes_count = 0;
    }
    return *known;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* All that `source` has stored to `owner` comes before an ordered store. */
static void earlier_note(const struct stream_programs *programs, const struct stream_place *flag,
                         struct stream_earlier *earlier)
{
    for (int place = 0; place < programs->places_count; place++) {
        const struct stream_place *other = &programs->places[place];
        if (other != flag && other->owner == flag->owner && other->source == flag->source &&
            other->stores_count > 0) {
            assert_true(earlier->count < STREAM_EARLIER);
            earlier->places[earlier->count] = (uint8_t)place;
            earlier->stores[earlier->count++] = (uint8_t)other->stores_count;
        }
    }
}

void lanes_store(struct lanes *lanes, int place, int value, bool is_ordered)
{
    struct stream_programs *programs = lanes->programs;
    struct stream_place *at = &programs->places[place];
    assert_true(at->stores_count < STREAM_STORES);
    struct stream_store *one = &at->stores[at->stores_count];
    *one = (struct stream_store){.value = (uint8_t)value,
                                 .after = (uint8_t)programs->steps_count[at->thread],
                                 .reader = STREAM_NOBODY};
    if (is_ordered) {
        earlier_note(programs, at, &one->earlier);
    }
    at->stores_count++;
}

struct stream_step *lanes_step(struct lanes *lanes, int thread, enum stream_action action)
{
    int number = lanes->programs->steps_count[thread]++;
    assert_true(number < STREAM_STEPS);
    struct stream_step *step = &lanes->programs->steps[thread][number];
    *step = (struct stream_step){.action = action, .kernel = lanes->kernel};
    return step;
}

void lanes_look(struct stream_step *step, int place, int value)
{
    assert_true(step->count < STREAM_LOOKS);
    step->looks[step->count++] =
        (struct stream_look){.place = (uint8_t)place, .value = (uint8_t)value};
}

static int units_of(const struct lanes *lanes)
{
    bool is_short = (lanes->letter == 'f' || lanes->letter == 't') && lanes->digit == 1;
    return is_short ? 1 : lanes->programs->units;
}

void lanes_barrier(struct lanes *lanes, int rank)
{
    int units = lanes->programs->units;
    for (int unit = 0; unit < units && units > 1; unit++) {
        (void)lanes_step(lanes, rank * units + unit, STREAM_BARRIER);
    }
}

void lanes_fence(struct lanes *lanes, int rank)
{
    (void)lanes_step(lanes, rank * lanes->programs->units, STREAM_FENCE);
}

bool lanes_sends(const struct lanes *lanes, int from, int to)
{
    switch (lanes->letter) {
    case 'b':
    case 'B':
        return from != to && from == lanes->digit;
    case 'r':
    case 'R':
        return from != to && to == lanes->digit;
    default:
        return from != to;
    }
}

void lanes_send(struct lanes *lanes, enum lanes_kind kind, int rank, int slot, int value)
{
    for (int to = 0; to < lanes->programs->ranks; to++) {
        for (int unit = 0; unit < units_of(lanes) && lanes_sends(lanes, rank, to); unit++) {
            lanes_store(lanes, lanes_place(lanes, kind, to, rank, slot, unit), value, false);
        }
    }
}

void lanes_receive(struct lanes *lanes, enum lanes_kind kind, int rank, int slot, int value)
{
    for (int unit = 0; unit < units_of(lanes); unit++) {
        struct stream_step *step = NULL;
        for (int from = 0; from < lanes->programs->ranks; from++) {
            if (!lanes_sends(lanes, from, rank)) {
                continue;
            }
            if (step == NULL) {
                step = lanes_step(lanes, rank * lanes->programs->units + unit,
                                  kind == LANES_PACKET ? STREAM_TAKE : STREAM_READ);
            }
            lanes_look(step, lanes_place(lanes, kind, rank, from, slot, unit), value);
        }
    }
}
