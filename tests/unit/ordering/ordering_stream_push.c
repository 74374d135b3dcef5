/*
 * ordering_stream_push.c - see ordering_stream_push.h.
 *
 * In each step a rank stores its next tile, and behind that the tile's flag.  Then it awaits the
 * flags of this step's tile from all, and reads the tile.  Who stores tile t + 1 has the flags of
 * tile t - 1.  Their senders have ended step t - 3, and read its tile.  So four slots are needed.
 *
 * In two legs the results of a tile are stored once its slices have been read.  The flag that is
 * stored next is the one of the tile behind the next one, so results are read two steps later, and
 * a kernel has two steps without slices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_stream_push.h"

static int push_slot(const struct lanes *lanes, int step)
{
    int slots = lanes->shape->fault == STREAM_PUSH_TWO_SLOTS     ? 2
                : lanes->shape->fault == STREAM_PUSH_THREE_SLOTS ? 3
                                                                 : LANES_PUSH_SLOTS;
    return (lanes->push + 1 + step) % slots;
}

/* A step's tile, if it has one, and then its flag. */
static void tile_store(struct lanes *lanes, int rank, int step, int tiles)
{
    struct stream_programs *programs = lanes->programs;
    bool is_ordered = lanes->shape->fault != STREAM_PUSH_FLAG_WITHOUT_ORDER;
    if (step < tiles) {
        lanes_send(lanes, LANES_SLICE, rank, push_slot(lanes, step), lanes->tile + 1 + step);
    }
    lanes_barrier(lanes, rank);
    for (int to = 0; to < programs->ranks; to++) {
        if (to != rank) {
            lanes_store(lanes, lanes_place(lanes, LANES_FLAG, to, rank, 0, 0),
                        lanes_count(lanes->push + 1 + step), is_ordered);
        }
    }
}

static void flags_await(struct lanes *lanes, int rank, int step)
{
    int units = lanes->programs->units;
    for (int thread = rank * units; thread < (rank + 1) * units; thread++) {
        struct stream_step *await = lanes_step(lanes, thread, STREAM_AWAIT);
        for (int from = 0; from < lanes->programs->ranks; from++) {
            if (from != rank) {
                lanes_look(await, lanes_place(lanes, LANES_FLAG, rank, from, 0, 0),
                           lanes_count(lanes->push + 1 + step));
            }
        }
    }
}

/* In two legs: tell the results of a step's tile, and read those of two steps ago. */
static void results_run(struct lanes *lanes, int rank, int step, int tiles)
{
    bool is_early = lanes->shape->fault == STREAM_PUSH_RESULT_TOO_EARLY;
    int told = step - (is_early ? 1 : 2);
    if (step < tiles) {
        lanes_send(lanes, LANES_RESULT, rank, push_slot(lanes, step), lanes->tile + 1 + step);
    }
    if (told >= 0 && told < tiles) {
        lanes_receive(lanes, LANES_RESULT, rank, push_slot(lanes, told), lanes->tile + 1 + told);
    }
}

void push_run(struct lanes *lanes, int tiles, int legs)
{
    int steps = legs == 2 ? tiles + 2 : tiles;
    for (int rank = 0; rank < lanes->programs->ranks; rank++) {
        tile_store(lanes, rank, 0, tiles);
        for (int step = 0; step < steps; step++) {
            if (step + 1 < steps) {
                tile_store(lanes, rank, step + 1, tiles);
            }
            flags_await(lanes, rank, step);
            if (step < tiles) {
                lanes_receive(lanes, LANES_SLICE, rank, push_slot(lanes, step),
                              lanes->tile + 1 + step);
            }
            if (legs == 2) {
                results_run(lanes, rank, step, tiles);
            }
        }
        lanes_barrier(lanes, rank);
    }
    lanes->push += steps;
    lanes->tile += tiles;
    lanes->number += lanes->shape->fault == STREAM_PUSH_IS_COUNTED ? 1 : 0;
    lanes->is_after_root = false; /* all have heard of all */
}
