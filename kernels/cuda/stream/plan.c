/*
 * plan.c - see plan.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/device_code/stream_arguments.h"
#include "kernels/cuda/stream/plan.h"

enum {
    PACKET_DATA = 8,         /* bytes; a packet has twice as many */
    UNITS_FEW = 2048,        /* up to so many units, blocks of so many threads */
    THREADS_FEW = 128,
    UNITS_SOME = 8192,
    THREADS_SOME = 256,
    BLOCKS_BEFORE_UNITS = 64, /* more blocks only once threads have two units */
    UNITS_MOST = 2,          /* of a thread: 4 and 8 are slower than twice the blocks */
};

struct symm_stream_limits symm_stream_limits_default(int ranks)
{
    /* Of two ranks each sends its array to one other, whichever way: one shot is one trip less. */
    return (struct symm_stream_limits){
        .one_shot = ranks <= 2 ? UINT64_MAX : ranks <= 4 ? 16 << 10 : 8 << 10,
    };
}

/* Regions are cut alike for 3 and 4 ranks, and for 5 to 8. */
static uint32_t row_of(int ranks)
{
    uint32_t rows = 2;
    while (rows < (uint32_t)ranks) {
        rows *= 2;
    }
    return SYMM_STREAM_REGION / rows;
}

static uint32_t unit_of(size_t extent)
{
    return extent > PACKET_DATA ? 2 * PACKET_DATA : PACKET_DATA;
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* A grid in which threads have `most` units each, if it takes that. */
static void grid_choose(struct symm_stream_plan *plan, uint32_t unit, unsigned most)
{
    const uint64_t units = quotient_up(plan->bytes, unit);
    const unsigned room = plan->row / 2 / unit; /* units of a block */
    plan->threads = units <= UNITS_FEW ? THREADS_FEW : units <= UNITS_SOME ? THREADS_SOME
                                                                          : SYMM_STREAM_THREADS;
    plan->threads = plan->threads < room ? plan->threads : room;
    plan->units = 1;
    while (quotient_up(units, (uint64_t)plan->threads * plan->units) > BLOCKS_BEFORE_UNITS &&
           plan->units < most && 2 * plan->threads * plan->units <= room) {
        plan->units *= 2;
    }
    const uint64_t blocks = quotient_up(units, (uint64_t)plan->threads * plan->units);
    plan->way = blocks > SYMM_STREAM_BLOCKS ? SYMM_STREAM_TOO_LONG : plan->way;
    plan->blocks = (unsigned)(blocks > SYMM_STREAM_BLOCKS ? SYMM_STREAM_BLOCKS : blocks);
}

struct symm_stream_plan symm_stream_plan(const struct symm_stream_demand *demand,
                                         const struct symm_stream_limits *limits)
{
    const uint32_t unit = unit_of(demand->extent);
    struct symm_stream_plan plan = {.row = row_of(demand->ranks), .bytes = demand->bytes};
    if (demand->bytes == 0) {
        return plan;
    }
    if (!demand->is_reduced || demand->bytes <= limits->one_shot) {
        plan.way = SYMM_STREAM_ONE_SHOT;
        grid_choose(&plan, unit, UNITS_MOST);
    } else {
        /* Slices are whole units, and all alike: the last ones may have less data than packets. */
        plan.way = SYMM_STREAM_TWO_SHOT;
        plan.bytes = quotient_up(quotient_up(demand->bytes, unit), (uint64_t)demand->ranks) * unit;
        grid_choose(&plan, unit, 1);
    }
    return plan;
}
