/*
 * plan.c - see plan.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/device_code/stream_arguments.h"
#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/stream/plan.h"

enum {
    PACKET_DATA = 8,         /* bytes; a packet has twice as many */
    UNITS_FEW = 2048,        /* up to so many units, blocks of so many threads */
    THREADS_FEW = 128,
    UNITS_SOME = 8192,
    THREADS_SOME = 256,
    BLOCKS_BEFORE_UNITS = 64, /* more blocks only once threads have two units */
    UNITS_MOST = 2,          /* of a thread: 4 and 8 are slower than twice the blocks */
    WORD = 16,               /* bytes that a thread moves at a time */
    LINE = 128,              /* pieces are whole lines, where there is room for one */
};

/*
 * What a block sends in a step, by what a rank sends in the call: measured between two H100.  Fewer
 * blocks have fewer flags to tell, and more of them more words under way.
 */
static const struct {
    uint64_t bytes; /* of a call, up to */
    unsigned threads, words; /* of each thread */
} steps[] = {
    {128 << 10, 128, 2},
    {512 << 10, 128, 4},
    {2 << 20, 256, 4},
    {16 << 20, 512, 4},
    {UINT64_MAX, 512, 8},
};

struct symm_stream_limits symm_stream_limits_default(int ranks)
{
    /*
     * Of two ranks each sends its array to one other, whichever way: one shot is one trip less, and
     * packets are measured to be quicker up to 256 KiB.  Of more ranks nothing is measured: packets
     * go as far as they have room, of slices as well.
     */
    return (struct symm_stream_limits){
        .one_shot = ranks <= 2 ? UINT64_MAX : ranks <= 4 ? 16 << 10 : 8 << 10,
        .packets = ranks <= 2 ? 256 << 10 : ranks <= 4 ? 256 << 10 : 128 << 10,
        .region = 64 << 10,
        .blocks = SYMM_STREAM_BLOCKS,
    };
}

_Static_assert(sizeof(struct symm_stream_memory) % 256 == 0, "pieces begin at a line");

size_t symm_stream_memory_bytes(const struct symm_stream_limits *limits)
{
    return sizeof(struct symm_stream_memory) +
           (size_t)SYMM_STREAM_PIECE_SLOTS * SYMM_STREAM_BLOCKS * limits->region;
}

bool symm_stream_limits_fit(struct symm_stream_limits *limits, size_t bytes)
{
    const struct symm_stream_limits none = {.region = 0};
    const size_t fixed = symm_stream_memory_bytes(&none);
    const size_t room = bytes < fixed ? 0 : (bytes - fixed) / SYMM_STREAM_PIECE_SLOTS /
                                                SYMM_STREAM_BLOCKS;
    if (room < limits->region) {
        limits->region = (uint32_t)(room / SYMM_STREAM_REGION_STEP * SYMM_STREAM_REGION_STEP);
    }
    return limits->region > 0;
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

/* ---- packets --------------------------------------------------------------------------------- */

/*
 * A grid of up to `most_blocks`, in which threads have `most` units each, if it takes that.  False:
 * there is no room.
 */
static bool packets_choose(struct symm_stream_plan *plan, uint32_t unit, unsigned most,
                           unsigned most_blocks)
{
    const uint64_t units = quotient_up(plan->bytes, unit);
    const unsigned before = most_blocks < BLOCKS_BEFORE_UNITS ? most_blocks : BLOCKS_BEFORE_UNITS;
    const unsigned room = plan->row / 2 / unit; /* units of a block */
    plan->threads = units <= UNITS_FEW ? THREADS_FEW : units <= UNITS_SOME ? THREADS_SOME
                                                                          : SYMM_STREAM_THREADS;
    plan->threads = plan->threads < room ? plan->threads : room;
    plan->units = 1;
    while (quotient_up(units, (uint64_t)plan->threads * plan->units) > before &&
           plan->units < most && 2 * plan->threads * plan->units <= room) {
        plan->units *= 2;
    }
    const uint64_t blocks = quotient_up(units, (uint64_t)plan->threads * plan->units);
    plan->blocks = (unsigned)blocks;
    return blocks <= most_blocks;
}

/* Slices are whole units, and all alike: the last ones may have fewer data. */
static uint64_t slice_of(const struct symm_stream_demand *demand, uint32_t unit)
{
    return quotient_up(quotient_up(demand->bytes, unit), (uint64_t)demand->ranks) * unit;
}

/* False: it is too long for packets.  A barrier, which is one packet, never is. */
static bool packets_plan(const struct symm_stream_demand *demand,
                         const struct symm_stream_limits *limits, struct symm_stream_plan *plan)
{
    const uint32_t unit = unit_of(demand->extent);
    const bool is_cut = demand->is_reduced && demand->bytes > limits->one_shot;
    *plan = (struct symm_stream_plan){
        .way = is_cut ? SYMM_STREAM_TWO_SHOT : SYMM_STREAM_ONE_SHOT, .row = row_of(demand->ranks),
        .bytes = is_cut ? slice_of(demand, unit) : demand->bytes,
    };
    return (plan->bytes <= limits->packets || demand->bytes <= PACKET_DATA) &&
           packets_choose(plan, unit, is_cut ? 1 : UNITS_MOST, limits->blocks);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t bytes, uint64_t step)
{
    return quotient_up(bytes, step) * step;
}

/* Bytes of a region for the piece of one rank.  Of three ranks and more, results have one half. */
static uint64_t row_room(int ranks, uint32_t region)
{
    const uint64_t room = (ranks == 2 ? region : region / 2) / (uint64_t)(ranks - 1);
    return room / (room < LINE ? WORD : LINE) * (room < LINE ? WORD : LINE);
}

static struct symm_stream_plan push_plan(const struct symm_stream_demand *demand,
                                         const struct symm_stream_limits *limits)
{
    const bool is_cut =
        demand->is_reduced && demand->ranks > 2 && demand->bytes > limits->one_shot;
    const uint64_t peers = (uint64_t)demand->ranks - 1;
    const uint64_t room = row_room(demand->ranks, limits->region);
    const uint64_t line = room < LINE ? WORD : LINE;
    struct symm_stream_plan plan = {
        .way = is_cut ? SYMM_STREAM_PUSH_TWO_LEGS : SYMM_STREAM_PUSH, .units = 1,
        .bytes = is_cut ? slice_of(demand, WORD) : demand->bytes,
    };
    int step = 0;
    while (plan.bytes > steps[step].bytes / peers) {
        step++;
    }
    uint64_t row = round_up(quotient_up(steps[step].threads * steps[step].words * WORD, peers),
                            line);
    row = row < room ? row : room;
    /* All blocks have as many pieces, but for the last ones. */
    const uint64_t turns = quotient_up(plan.bytes, row * limits->blocks);
    if (turns > 1) {
        row = round_up(quotient_up(plan.bytes, turns * limits->blocks), line);
    }
    const uint64_t pieces = quotient_up(plan.bytes, row), threads = symm_device_warps(row / WORD);
    plan.row = (uint32_t)row;
    plan.blocks = (unsigned)(pieces < limits->blocks ? pieces : limits->blocks);
    plan.threads = (unsigned)(threads < steps[step].threads ? threads : steps[step].threads);
    return plan;
}

struct symm_stream_plan symm_stream_plan(const struct symm_stream_demand *demand,
                                         const struct symm_stream_limits *limits)
{
    struct symm_stream_plan plan = {.way = SYMM_STREAM_NOTHING};
    if (demand->bytes > 0 && !packets_plan(demand, limits, &plan)) {
        return push_plan(demand, limits);
    }
    return plan;
}
