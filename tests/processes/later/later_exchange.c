/*
 * later_exchange.c - see later_exchange.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/later/later_exchange.h"

#include "tests/harness/harness.h"
#include "tests/processes/later/later_data.h"

enum { SHAPE_EVEN, SHAPE_ANY, SHAPE_STEEP, SHAPE_ONE, SHAPES }; /* how long blocks are */

/* What all ranks know. */
struct plan {
    uint64_t random;
    int shape;
    bool has_types; /* each block has its own */
};

static bool gathers(const struct later_call *call)
{
    return later_gathers_blocks(call);
}

static bool scatters(const struct later_call *call)
{
    return later_scatters_blocks(call);
}

static int blocks_of(const struct later_call *call, bool sends)
{
    bool has_root = call->collective == TEST_GATHERV || scatters(call);
    bool is_root = call->comm.rank == call->root;
    if (call->keeps && !sends) {
        return 0;
    }
    return (sends ? gathers(call) : scatters(call)) ? 1
           : has_root && !is_root                   ? 0 : call->comm.size;
}

/* A number of a pair of ranks.  A block of a gather is the same for every target. */
static uint64_t pair_random(const struct later_call *call, const struct plan *plan, int source,
                            int target)
{
    int pair = source * LATER_RANKS_MAX + (gathers(call) ? 0 : target);
    return test_mix(plan->random + 1 + (uint64_t)pair);
}

static enum later_elements draw_elements(const struct later_call *call, const struct plan *plan,
                                         uint64_t pair)
{
    static const enum later_elements small[] = {LATER_INTS, LATER_DOUBLES, LATER_PAIRS,
                                                LATER_GAPS, LATER_BEHIND,  LATER_BEFORE};
    return plan->has_types ? small[pair % 6] : call->elements;
}

static size_t draw_number(const struct later_call *call, const struct plan *plan, size_t most,
                          int source, int target)
{
    uint64_t pair = pair_random(call, plan, source, target) / 6;
    switch (plan->shape) {
    case SHAPE_ANY:
        return pair % 3 == 0 ? 0 : pair / 3 % (most + 1);
    case SHAPE_STEEP:
        return most >> (source + (gathers(call) ? 0 : target)) % 32;
    case SHAPE_ONE:
        return (scatters(call) || source == (int)(plan->random % (uint64_t)call->comm.size)) &&
                       (gathers(call) || target == 0) ? most : 0;
    default:
        return most;
    }
}

/*
 * A block lies somewhere in a part of the buffer that has room for the longest one.  Parts are in
 * any order.
 */
static void place(const struct later_call *call, struct later_side *side, int block, int part,
                  uint64_t own)
{
    size_t extent = later_extent(side->elements[block]);
    size_t room = call->count * later_extent(call->elements);
    size_t step = call->collective == TEST_ALLTOALLW ? 8 : extent;
    ptrdiff_t lower = call->collective == TEST_ALLTOALLW ? later_lower(side->elements[block]) : 0;
    size_t begin = (size_t)part * (room / step), steps = room / step;
    size_t used = (side->number[block] * extent + step - 1) / step;
    size_t at = (begin + own % (steps - used + 1)) * step;
    side->at[block] = (ptrdiff_t)at - lower;
    side->displacements[block] = (int)(at / step);
    if (call->collective == TEST_ALLTOALLW) {
        side->displacements[block] = (int)side->at[block];
    }
}

static void draw_side(const struct later_call *call, const struct plan *plan,
                      struct later_side *side, bool sends)
{
    int size = call->comm.size, me = call->comm.rank;
    uint64_t own = test_mix(plan->random + 100000 + (uint64_t)(2 * me + sends));
    int turn = (int)(own % (uint64_t)size);
    bool backwards = own / 64 % 2 == 0;
    side->blocks = blocks_of(call, sends);
    side->types[0] = MPI_DATATYPE_NULL; /* of a rank without blocks */
    for (int block = 0; block < side->blocks; block++) {
        int source = sends ? me : scatters(call) ? call->root : block;
        int target = sends ? block : me;
        int part = (turn + (backwards ? size - block : block)) % size;
        size_t room = call->count * later_extent(call->elements);
        uint64_t pair = pair_random(call, plan, source, target);
        side->elements[block] = draw_elements(call, plan, pair);
        size_t extent = later_extent(side->elements[block]);
        size_t most = (call->collective == TEST_ALLTOALLW ? room / 8 * 8 : room) / extent;
        side->number[block] = draw_number(call, plan, most, source, target);
        side->counts[block] = (int)side->number[block];
        side->types[block] = later_type(side->elements[block]);
        if (sends ? gathers(call) : scatters(call)) {
            side->at[block] = side->displacements[block] = 0;
        } else if (call->collective == TEST_SCATTER) {
            side->at[block] = (ptrdiff_t)((size_t)block * room);
            side->displacements[block] = 0; /* unused, and not what an earlier call had */
        } else {
            place(call, side, block, part, test_mix(own + (uint64_t)block));
        }
    }
}

static void sent_as_bytes(struct later_call *call)
{
    struct later_side *side = &call->sending;
    for (int block = 0; block < side->blocks; block++) {
        int extent = (int)later_extent(side->elements[block]);
        side->counts[block] *= extent;
        side->displacements[block] *= call->collective == TEST_ALLTOALLW ? 1 : extent;
        side->types[block] = MPI_BYTE;
    }
}

/*
 * Three all-to-alls of four, and one all-gather of four: those of libnbc hang in place where blocks
 * are empty (4.1.4), so these are gathers then.  All ranks have the same types, because Open MPI
 * chooses an algorithm by a rank's own counts of elements.
 */
void later_exchange_draw(struct later_call *call, uint64_t random)
{
    static const enum test_collective all[] = {TEST_ALLTOALLV, TEST_ALLTOALLW, TEST_SCATTERV,
                                                TEST_SCATTER};
    bool is_all = call->collective == TEST_ALLTOALL && random % 4 > 0;
    bool is_gather = call->collective == TEST_ALLGATHER && random % 4 == 0;
    bool is_root = call->comm.rank == call->root;
    struct plan plan = {.random = test_mix(random), .shape = (int)(random / 8 % SHAPES)};
    call->keeps = false;
    if (call->comm.size > LATER_RANKS_MAX || (!is_all && !is_gather)) {
        return;
    }
    if (is_all) {
        call->collective = all[random / 1024 % 4];
    } else {
        call->collective = call->in_place || random / 1024 % 2 == 0 ? TEST_GATHERV
                                                                    : TEST_ALLGATHERV;
        call->in_place = call->in_place && is_root;
    }
    plan.shape = call->collective == TEST_SCATTER ? SHAPE_EVEN : plan.shape;
    call->keeps = scatters(call) && is_root && random / 4096 % 3 == 0;
    plan.has_types = call->collective == TEST_ALLTOALLW && random / 64 % 3 > 0;
    call->bytes = call->bytes && !plan.has_types;
    draw_side(call, &plan, &call->sending, true);
    draw_side(call, &plan, &call->receiving, false);
    if (call->bytes) {
        sent_as_bytes(call);
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

void later_exchange_describe(struct later_call *call, struct test_arguments *arguments)
{
    const struct later_side *s = &call->sending, *r = &call->receiving;
    if (call->keeps) {
        arguments->receive = MPI_IN_PLACE;
    }
    if (call->collective == TEST_ALLTOALL) {
        arguments->send_count = arguments->count;
        arguments->send_type = arguments->type;
        return;
    }
    arguments->send_count = s->counts[0];
    arguments->send_type = s->types[0];
    arguments->send_counts = s->counts;
    arguments->send_places = s->displacements;
    arguments->send_types = s->types;
    arguments->count = r->counts[0];
    arguments->type = r->types[0];
    arguments->counts = r->counts;
    arguments->places = r->displacements;
    arguments->types = r->types;
}
