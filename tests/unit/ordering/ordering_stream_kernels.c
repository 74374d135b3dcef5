/*
 * ordering_stream_kernels.c - see ordering_stream_kernels.h.
 *
 * The order of steps is that of stream.cuh.  A packet's value is the number of its turn from the
 * first kernel on, so that turns of one epoch are told apart; its flag is the epoch.  A tile's
 * value is its number in the same way.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_stream_kernels.h"

#include <string.h>

#include "tests/unit/harness/unit.h"
#include "tests/unit/ordering/ordering_stream_lanes.h"
#include "tests/unit/ordering/ordering_stream_push.h"

struct turn {
    int epoch, slot, value;
};

static bool is_wiped(int epoch)
{
    return epoch >= STREAM_EPOCH_LAST - 1;
}

/*
 * Packets that come again as the first ones of the next lap: they lie where no later turn of this
 * lap has had data.
 */
static int packet_before(const struct stream_shape *shape, int slot)
{
    bool is_gone = is_wiped(shape->epoch - 1) && (shape->epoch - 1) % LANES_SLOTS == slot;
    int epoch = STREAM_EPOCH_AGAIN + (STREAM_EPOCH_AGAIN + slot) % LANES_SLOTS;
    return shape->epoch > STREAM_EPOCH_AGAIN + 1 && !is_gone ? LANES_OLD + epoch : 0;
}

/* ---- hellos ---------------------------------------------------------------------------------- */

static bool is_rooted(const struct lanes *lanes)
{
    return lanes->letter == 'b' || lanes->letter == 'r';
}

static int turns_of(const struct lanes *lanes)
{
    return lanes->letter == 't' ? 2 : 1;
}

/* Whether ranks that send in the kernel behind this one have to ask first. */
static bool counts_as_rooted(const struct lanes *lanes)
{
    bool has_last = lanes->epoch + turns_of(lanes) > STREAM_EPOCH_LAST;
    return is_rooted(lanes) || (has_last && lanes->shape->fault != STREAM_LAST_IS_FULL);
}

static void hellos_store(struct lanes *lanes, int rank, int number)
{
    bool only_root = is_rooted(lanes) && (lanes->shape->fault == STREAM_HELLO_TO_ROOT ||
                                          lanes->shape->fault == STREAM_HELLO_OF_ROOT);
    for (int to = 0; to < lanes->programs->ranks; to++) {
        if (to != rank && (!only_root || to == lanes->digit)) {
            lanes_store(lanes, lanes_place(lanes, LANES_HELLO, to, rank, 0, 0),
                        lanes_count(number), false);
        }
    }
}

/* Whether a rank asks for hellos before it sends. */
static bool asks(const struct lanes *lanes, int rank)
{
    bool is_asked = lanes->is_after_root && lanes->shape->fault != STREAM_NO_HELLO;
    bool only_root = lanes->shape->fault == STREAM_HELLO_OF_ROOT && lanes->root >= 0;
    return is_asked && (!only_root || lanes->root == rank);
}

static void hellos_await(struct lanes *lanes, int rank)
{
    int units = lanes->programs->units;
    for (int thread = rank * units; thread < (rank + 1) * units; thread++) {
        struct stream_step *step = lanes_step(lanes, thread, STREAM_AWAIT);
        for (int to = 0; to < lanes->programs->ranks; to++) {
            if (lanes_sends(lanes, rank, to)) {
                lanes_look(step, lanes_place(lanes, LANES_HELLO, rank, to, 0, 0),
                           lanes_count(lanes->number - 1));
            }
        }
    }
}

/* ---- kernels of packets ---------------------------------------------------------------------- */

static struct turn turn_begin(struct lanes *lanes, int epoch)
{
    struct turn turn = {.epoch = epoch, .value = ++lanes->turn};
    turn.slot = lanes->shape->fault == STREAM_ONE_SLOT ? 0 : epoch % LANES_SLOTS;
    assert_true(turn.value < LANES_OLD);
    lanes->programs->flags[turn.value] = (uint8_t)turn.epoch;
    return turn;
}

static int epoch_behind(int epoch)
{
    return epoch == STREAM_EPOCH_LAST ? STREAM_EPOCH_AGAIN : epoch + 1;
}

static void slot_wipe(struct lanes *lanes, int rank, struct turn turn)
{
    struct stream_programs *programs = lanes->programs;
    int slot = lanes->shape->fault == STREAM_WIPED_OTHER_SLOT ? 1 - turn.slot : turn.slot;
    if (!is_wiped(turn.epoch) || lanes->shape->fault == STREAM_NOT_WIPED) {
        return;
    }
    for (int from = 0; from < programs->ranks; from++) {
        for (int unit = 0; unit < programs->units && from != rank; unit++) {
            struct stream_place *at =
                &programs->places[lanes_place(lanes, LANES_PACKET, rank, from, slot, unit)];
            assert_true(at->wipes_count < STREAM_STORES);
            at->wipes[at->wipes_count++] =
                (uint8_t)programs->steps_count[rank * programs->units];
        }
    }
}

/* Behind a turn that another one of the same kernel follows. */
static void between_turns(struct lanes *lanes, int rank, struct turn turn)
{
    if (!is_wiped(turn.epoch) || lanes->shape->fault == STREAM_WIPED_TOO_LATE) {
        return;
    }
    if (lanes->shape->fault != STREAM_WIPED_WITHOUT_BARRIER) {
        lanes_barrier(lanes, rank);
    }
    slot_wipe(lanes, rank, turn);
    if (lanes->shape->fault != STREAM_WIPED_WITHOUT_FENCE) {
        lanes_fence(lanes, rank);
    }
    lanes_barrier(lanes, rank);
}

static void turn_run(struct lanes *lanes, int rank, struct turn turn)
{
    lanes_send(lanes, LANES_PACKET, rank, turn.slot, turn.value);
    if (lanes->shape->fault == STREAM_WIPED_TOO_EARLY && is_wiped(turn.epoch)) {
        slot_wipe(lanes, rank, turn);
        lanes_fence(lanes, rank);
    }
    lanes_receive(lanes, LANES_PACKET, rank, turn.slot, turn.value);
}

/* The end of a kernel orders all that it has stored to its own memory. */
static void kernel_end(struct lanes *lanes, int rank, const struct turn *turns)
{
    int count = turns_of(lanes);
    enum stream_fault fault = lanes->shape->fault;
    lanes_barrier(lanes, rank);
    for (int i = fault == STREAM_WIPED_TOO_LATE ? 0 : count - 1; i < count; i++) {
        if (fault != STREAM_WIPED_TOO_EARLY) {
            slot_wipe(lanes, rank, turns[i]);
        }
    }
    lanes_fence(lanes, rank);
    if (fault == STREAM_HELLO_AT_END && counts_as_rooted(lanes)) {
        hellos_store(lanes, rank, lanes->number);
    }
    lanes_barrier(lanes, rank);
}

static void packets_run(struct lanes *lanes)
{
    enum stream_fault fault = lanes->shape->fault;
    bool one_epoch = fault == STREAM_ONE_EPOCH, is_early = fault == STREAM_HELLO_TOO_EARLY;
    bool says_hello = counts_as_rooted(lanes) && fault != STREAM_HELLO_AT_END &&
                      fault != STREAM_NO_HELLO;
    int count = turns_of(lanes);
    struct turn turns[2] = {turn_begin(lanes, lanes->epoch)};
    if (count == 2) {
        turns[1] = turn_begin(lanes, one_epoch ? lanes->epoch : epoch_behind(lanes->epoch));
    }
    lanes->number++;
    for (int rank = 0; rank < lanes->programs->ranks; rank++) {
        if (says_hello) {
            hellos_store(lanes, rank, lanes->number + (is_early ? 1 : 0));
        }
        if (asks(lanes, rank)) {
            hellos_await(lanes, rank);
        }
        turn_run(lanes, rank, turns[0]);
        if (count == 2) {
            between_turns(lanes, rank, turns[0]);
            turn_run(lanes, rank, turns[1]);
        }
        kernel_end(lanes, rank, turns);
    }
    lanes->is_after_root = counts_as_rooted(lanes);
    lanes->root = is_rooted(lanes) ? lanes->digit : -1;
    lanes->epoch = epoch_behind(turns[count - 1].epoch);
}

/* ---- mixtures -------------------------------------------------------------------------------- */

/* Find out who reads what has been stored. */
static void reader_note(struct stream_programs *programs, int thread, int step,
                        const struct stream_look *look)
{
    struct stream_place *at = &programs->places[look->place];
    bool is_found = false;
    for (int i = 0; i < at->stores_count; i++) {
        if (at->stores[i].value == look->value) {
            at->stores[i].reader = (uint8_t)thread;
            at->stores[i].read_at = (uint8_t)step;
            is_found = true;
        }
    }
    assert_true(is_found);
}

static void readers_note(struct stream_programs *programs)
{
    for (int thread = 0; thread < programs->ranks * programs->units; thread++) {
        for (int i = 0; i < programs->steps_count[thread]; i++) {
            const struct stream_step *step = &programs->steps[thread][i];
            bool has_data = step->action == STREAM_TAKE || step->action == STREAM_READ;
            for (int look = 0; look < step->count && has_data; look++) {
                reader_note(programs, thread, i, &step->looks[look]);
            }
        }
    }
}

static void memory_begin(struct lanes *lanes)
{
    struct stream_programs *programs = lanes->programs;
    for (int owner = 0; owner < programs->ranks; owner++) {
        for (int source = 0; source < programs->ranks; source++) {
            for (int i = 0; i < LANES_SLOTS * programs->units && source != owner; i++) {
                int slot = i % LANES_SLOTS;
                int place = lanes_place(lanes, LANES_PACKET, owner, source, slot, i / LANES_SLOTS);
                programs->places[place].value = (uint8_t)packet_before(lanes->shape, slot);
            }
            if (source != owner) {
                int flag = lanes_place(lanes, LANES_FLAG, owner, source, 0, 0);
                programs->places[flag].value = (uint8_t)lanes_count(lanes->push);
            }
        }
    }
    for (int epoch = 1; epoch <= STREAM_EPOCH_LAST; epoch++) {
        programs->flags[LANES_OLD + epoch] = (uint8_t)epoch;
    }
}

void stream_build(const struct stream_shape *shape, struct stream_programs *programs)
{
    struct lanes lanes = {.programs = programs, .shape = shape, .root = -1,
                          .epoch = shape->epoch, .number = shape->epoch - 1,
                          .push = LANES_PUSH_BEFORE};
    memset(lanes.places, STREAM_NOBODY, sizeof(lanes.places));
    memset(programs->steps_count, 0, sizeof(programs->steps_count));
    memset(programs->flags, 0, sizeof(programs->flags));
    programs->places_count = 0;
    programs->ranks = shape->ranks;
    programs->units = shape->units;
    memory_begin(&lanes);
    for (const char *at = shape->mixture; *at != '\0'; at += 2) {
        assert_true(strchr("ftbrpqBR", at[0]) != NULL && at[1] >= '0' && at[1] <= '9');
        lanes.letter = at[0];
        lanes.digit = at[1] - '0';
        if (strchr("ftbr", at[0]) != NULL) {
            packets_run(&lanes);
        } else {
            push_run(&lanes, strchr("pq", at[0]) != NULL ? lanes.digit : 2,
                     at[0] == 'q' ? 2 : 1);
        }
        lanes.kernel++;
    }
    readers_note(programs);
}
