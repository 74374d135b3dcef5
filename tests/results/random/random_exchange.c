/*
 * Exchanges of blocks: drawing, making and checking them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_exchange.h"
#include "tests/results/random/random_blocks.h"
#include "tests/results/random/random_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Streams: of the pairs of ranks, of the ranks, of all.  Others have ranks below PAIRS. */
enum {
    PAIRS = 64,
    OWN = PAIRS + RANDOM_RANKS_MAX * RANDOM_RANKS_MAX,
    COMMON = OWN + RANDOM_RANKS_MAX
};
enum { ROLE_VALUES, ROLE_BLOCK, ROLE_SENT, ROLE_RECEIVED };

enum { SHAPE_EVEN, SHAPE_ANY, SHAPE_STEEP, SHAPE_ONE, SHAPES }; /* how long blocks are */
enum { FAR = 1 << 20 }; /* displacements of empty blocks, at which nobody looks */

/* What all ranks know of an exchange. */
struct plan {
    size_t bytes; /* the usual length of a block, without gaps */
    int shape;
    int source, target; /* of the only block of SHAPE_ONE */
    bool has_types;     /* each block has its own */
    bool is_packed;     /* blocks follow each other by rank */
};

/* A block of a gather is the same for every target. */
static uint64_t pair_stream(const struct random_call *call, int source, int target, uint64_t role)
{
    int pair = source * RANDOM_RANKS_MAX + (gathers(call) ? 0 : target);
    return test_stream(call->number, (uint64_t)(PAIRS + pair), role);
}

/* In place, two ranks send each other blocks of one length. */
static void pair_sort(const struct random_call *call, int *source, int *target)
{
    int lower = *source < *target ? *source : *target;
    if (call->in_place && !gathers(call) && !scatters(call)) {
        *target += *source - lower;
        *source = lower;
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct test_layout draw_layout(const struct random_call *call, const struct plan *plan,
                                      const struct random_types *types, int source, int target,
                                      bool sends)
{
    struct draw own = {pair_stream(call, source, target, sends ? ROLE_SENT : ROLE_RECEIVED), 0};
    if (!plan->has_types) {
        return sends ? call->send : call->receive;
    }
    pair_sort(call, &source, &target);
    struct draw draw = {pair_stream(call, source, target, ROLE_BLOCK), 100};
    switch (below(&draw, 4)) {
    case 0:
        return types->plain[below(&draw, LAYOUT_PREDEFINED)];
    case 1:
        return random_types_layout(&types->elements[below(&draw, types->element_count)]);
    default: /* the ends choose for themselves */
        return types->ints[below(&own, one_in(&own, 2) ? LAYOUT_DENSE : LAYOUT_INTS)];
    }
}

/* How many elements of so many bytes a block has. */
static size_t draw_elements(const struct random_call *call, const struct plan *plan, size_t size,
                            int source, int target)
{
    size_t each = plan->bytes / size;
    pair_sort(call, &source, &target);
    struct draw draw = {pair_stream(call, source, target, ROLE_BLOCK), 0};
    each += plan->bytes > 0 && each == 0;
    switch (plan->shape) {
    case SHAPE_ANY:
        return one_in(&draw, 3) ? 0 : below(&draw, 2 * each + 1);
    case SHAPE_STEEP:
        return each >> (source + (gathers(call) ? 0 : target));
    case SHAPE_ONE:
        return source == plan->source && (gathers(call) || target == plan->target) ? each : 0;
    default:
        return each;
    }
}

static void draw_block(const struct random_call *call, const struct plan *plan,
                       const struct random_types *types, struct random_side *side, int block)
{
    bool sends = side == &call->sending;
    int source = source_of(call, sends, block), target = target_of(call, sends, block);
    struct test_layout *layout = &side->layouts[block];
    *layout = draw_layout(call, plan, types, source, target, sends);
    size_t unit = test_layout_size(plan->has_types ? layout : &call->receive);
    size_t bytes = draw_elements(call, plan, unit, source, target) * unit;
    side->counts[block] = (int)(bytes / test_layout_size(layout));
    side->types[block] = layout->type;
}

/* ---- where they lie -------------------------------------------------------------------------- */

/* The distance that displacements count. */
static size_t step_of(const struct random_call *call, const struct random_side *side)
{
    return call->collective == TEST_ALLTOALLW ? 1 : side->layouts[0].extent;
}

static void shuffle(int *order, int count, struct draw *draw)
{
    for (int i = 0; i < count; i++) {
        int other = (int)below(draw, (uint64_t)i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

/* Blocks one after the other, with room for some elements before each or for none. */
static void place_blocks(const struct random_call *call, struct random_side *side, bool is_packed,
                         struct draw *draw)
{
    int order[RANDOM_RANKS_MAX];
    bool has_steps = call->collective != TEST_ALLTOALLW;
    for (int i = 0; i < side->blocks; i++) {
        order[i] = i;
    }
    if (!is_packed) {
        shuffle(order, side->blocks, draw);
    }
    side->bytes = 0;
    for (int i = 0; i < side->blocks; i++) {
        const struct test_layout *layout = &side->layouts[order[i]];
        size_t unit = has_steps ? 1 : layout->unit; /* extents differ */
        size_t at = (side->bytes + unit - 1) / unit * unit;
        at += is_packed ? 0 : below(draw, 3) * layout->extent;
        side->at[order[i]] = at;
        side->bytes = at + (size_t)side->counts[order[i]] * layout->extent;
    }
}

/*
 * Displacements are seen from the first byte or from some block, and may then be negative.  Of one
 * rank they are 0 in MPI_Alltoallw: coll/self counts them in extents (4.1.4).
 */
static void set_displacements(const struct random_call *call, struct random_side *side,
                              bool is_packed, struct draw *draw)
{
    size_t step = step_of(call, side);
    bool has_steps = call->collective != TEST_ALLTOALLW;
    int middle = (int)below(draw, (uint64_t)side->blocks);
    ptrdiff_t from = is_packed || !one_in(draw, 3) ? 0 : (ptrdiff_t)(side->at[middle] / step);
    side->origin = from * (ptrdiff_t)step + (has_steps ? side->layouts[0].origin : 0);
    if (!has_steps && side->blocks == 1) {
        side->origin = (ptrdiff_t)side->at[0] + side->layouts[0].origin;
        side->displacements[0] = 0;
        return;
    }
    for (int block = 0; block < side->blocks; block++) {
        ptrdiff_t displacement = (ptrdiff_t)(side->at[block] / step) - from;
        displacement += has_steps ? 0 : side->layouts[block].origin;
        side->displacements[block] = side->counts[block] > 0
                                         ? (int)displacement : (int)below(draw, 2 * FAR) - FAR;
    }
}

/* The alignment that all blocks need. */
static size_t unit_of(const struct random_side *side)
{
    size_t unit = 1;
    for (int block = 0; block < side->blocks; block++) {
        unit = side->layouts[block].unit > unit ? side->layouts[block].unit : unit;
    }
    return unit;
}

/*
 * Open MPI loses the end of a rank's own block in some types if it makes the call (see
 * random_call_is_lost_below()): the block is then sent as it is received.
 */
static void spare_own_block(struct random_call *call)
{
    int me = call->comm->rank, own = gathers(call) ? 0 : me, mine = scatters(call) ? 0 : me;
    struct random_side *sending = &call->sending, *receiving = &call->receiving;
    bool is_alone = call->collective == TEST_ALLTOALLW;
    if (call->in_place || (has_root(call) && !is_root(call)) ||
        !random_call_is_lost_below(&sending->layouts[own], &receiving->layouts[mine],
                                   (size_t)sending->counts[own])) {
        return;
    }
    for (int block = is_alone ? own : 0; block < (is_alone ? own + 1 : sending->blocks); block++) {
        sending->layouts[block] = receiving->layouts[mine];
        sending->types[block] = receiving->types[mine];
    }
}

static void draw_side(struct random_call *call, const struct plan *plan,
                      const struct random_types *types, bool sends)
{
    struct random_side *side = sends ? &call->sending : &call->receiving;
    side->blocks = blocks_of(call, sends);
    side->types[0] = MPI_DATATYPE_NULL; /* on a rank without blocks */
    for (int block = 0; block < side->blocks; block++) {
        draw_block(call, plan, types, side, block);
    }
}

static void place_side(const struct random_call *call, const struct plan *plan,
                       struct random_side *side)
{
    bool sends = side == &call->sending;
    struct draw draw = {test_stream(call->number, (uint64_t)(OWN + call->comm->rank),
                                    sends ? ROLE_SENT : ROLE_RECEIVED), 0};
    bool is_packed = plan->is_packed || call->collective == TEST_ALLTOALL ||
                     is_single(call, sends);
    if (side->blocks > 0) {
        place_blocks(call, side, is_packed, &draw);
        set_displacements(call, side, is_packed, &draw);
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

/*
 * Two all-gathers in three, and one all-reduce in five: those have the types of operations.
 * Numbers come from streams of their own, so that the other calls are what they are without it.
 */
static bool is_exchange(const struct random_call *call, struct draw *draw)
{
    bool is_chosen = (call->collective == TEST_ALLGATHER && !one_in(draw, 3)) ||
                     (call->collective == TEST_ALLREDUCE && one_in(draw, 5));
    return is_chosen && call->comm->size <= RANDOM_RANKS_MAX;
}

void random_exchange_draw(struct random_call *call, const struct random_types *types)
{
    static const enum test_collective collectives[] = {TEST_ALLTOALL, TEST_ALLTOALLV,
                                                         TEST_ALLTOALLW, TEST_ALLGATHERV,
                                                         TEST_GATHERV,   TEST_SCATTERV};
    static const char *const shapes[] = {"even blocks", "any blocks", "shorter and shorter blocks",
                                         "one block"};
    struct draw draw = {test_stream(call->number, COMMON, 0), 0};
    if (!is_exchange(call, &draw)) {
        return;
    }
    call->collective = collectives[below(&draw, 6)];
    call->root = (int)below(&draw, (uint64_t)call->comm->size);
    call->in_place = call->in_place && (!has_root(call) || is_root(call));
    struct plan plan = {.bytes = call->count * test_layout_size(&call->receive)};
    plan.shape = call->collective == TEST_ALLTOALL ? SHAPE_EVEN : (int)below(&draw, SHAPES);
    plan.source = scatters(call) ? call->root : (int)below(&draw, (uint64_t)call->comm->size);
    plan.target = (int)below(&draw, (uint64_t)call->comm->size);
    pair_sort(call, &plan.source, &plan.target);
    plan.has_types = call->collective == TEST_ALLTOALLW && !one_in(&draw, 3);
    plan.is_packed = one_in(&draw, 4);
    call->shape = shapes[plan.shape];
    draw_side(call, &plan, types, false);
    draw_side(call, &plan, types, true);
    spare_own_block(call);
    place_side(call, &plan, &call->receiving);
    place_side(call, &plan, &call->sending);
    if (call->in_place && scatters(call)) {
        call->receiving = call->sending;
    } else if (call->in_place) {
        call->sending = call->receiving;
    }
    call->send.unit = unit_of(&call->sending);
    call->receive.unit = unit_of(&call->receiving);
}

void random_exchange_make(const struct random_call *call, const unsigned char *send,
                          unsigned char *receive)
{
    const struct random_side *s = &call->sending, *r = &call->receiving;
    const void *from = call->in_place ? MPI_IN_PLACE : send + s->origin;
    void *to = receive + r->origin;
    /* The root's buffer is the other one in a scatterv. */
    bool keeps = call->in_place && scatters(call);
    int own = call->in_place && gathers(call) ? call->comm->rank : 0;
    bool has_arrays = !has_root(call) || is_root(call);
    const struct test_arguments arguments = {
        .send = keeps ? to : from, .send_count = s->counts[own], .send_type = s->types[own],
        .send_counts = has_arrays ? s->counts : NULL,
        .send_places = has_arrays ? s->displacements : NULL, .send_types = s->types,
        .receive = keeps ? MPI_IN_PLACE : to, .count = r->counts[0], .type = r->types[0],
        .counts = has_arrays ? r->counts : NULL, .places = has_arrays ? r->displacements : NULL,
        .types = r->types, .root = call->root, .comm = call->comm->comm,
    };
    (void)test_call(call->collective, TEST_BLOCKING, &arguments, NULL);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void put_block(const struct random_call *call, const struct random_side *side, int block,
                      int source, int target, unsigned char *buffer)
{
    test_layout_fill(&side->layouts[block], pair_stream(call, source, target, ROLE_VALUES),
                     buffer + side->at[block], (size_t)side->counts[block]);
}

void random_exchange_fill(const struct random_call *call, unsigned char *input)
{
    int me = call->comm->rank;
    for (int block = 0; block < call->sending.blocks; block++) {
        if (!gathers(call) || !call->in_place || block == me) {
            put_block(call, &call->sending, block, me, block, input);
        }
    }
}

/* Padding inside predefined types is nobody's. */
static void take_padding(const struct test_layout *layout, size_t count, const unsigned char *from,
                         unsigned char *to)
{
    size_t next = 0;
    if (layout->derived || test_layout_size(layout) == layout->extent) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t run = 0; run < layout->blocks; run++) {
            size_t at = i * layout->extent + layout->offset[run];
            memcpy(to + next, from + next, at - next);
            next = at + layout->length[run];
        }
    }
    memcpy(to + next, from + next, count * layout->extent - next);
}

/* The block that a byte belongs to, or -1. */
static int block_at(const struct random_side *side, size_t byte)
{
    for (int block = 0; block < side->blocks; block++) {
        size_t bytes = (size_t)side->counts[block] * side->layouts[block].extent;
        if (byte >= side->at[block] && byte - side->at[block] < bytes) {
            return block;
        }
    }
    return -1;
}

static void report(const struct random_side *side, size_t byte, unsigned expected, unsigned found)
{
    int block = block_at(side, byte);
    if (block < 0) {
        test_fail("byte %zu of %zu, between blocks: expected %#04x, found %#04x", byte, side->bytes,
                  expected, found);
        return;
    }
    const struct test_layout *layout = &side->layouts[block];
    size_t inside = byte - side->at[block];
    test_fail("block of rank %d, element %zu of %d, byte %zu of %s: expected %#04x, found %#04x",
              block, inside / layout->extent, side->counts[block], inside % layout->extent,
              layout->name, expected, found);
}

void random_exchange_check(const struct random_call *call, const unsigned char *result,
                           unsigned char poison)
{
    const struct random_side *side = &call->receiving;
    unsigned char *image = malloc(side->bytes + 1);
    if (image == NULL) {
        test_fail("no memory for an image of %zu bytes", side->bytes);
        return;
    }
    memset(image, poison, side->bytes);
    for (int block = 0; block < side->blocks; block++) {
        put_block(call, side, block, source_of(call, false, block), target_of(call, false, block),
                  image);
        take_padding(&side->layouts[block], (size_t)side->counts[block], result + side->at[block],
                     image + side->at[block]);
    }
    if (memcmp(image, result, side->bytes) != 0) {
        size_t byte = 0;
        while (image[byte] == result[byte]) {
            byte++;
        }
        report(side, byte, image[byte], result[byte]);
    }
    free(image);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *types_of(const struct random_side *side)
{
    bool differ = false;
    for (int block = 1; block < side->blocks; block++) {
        differ = differ || side->types[block] != side->types[0];
    }
    return differ ? "many types" : side->blocks > 0 ? side->layouts[0].name : "nothing";
}

void random_exchange_describe(const struct random_call *call, char *text, size_t size)
{
    static const char *const names[] = {"alltoall",   "alltoallv", "alltoallw",
                                        "allgatherv", "gatherv",   "scatterv"};
    snprintf(text, size, "%s of about %zu %s -> %s, %s",
             names[call->collective - TEST_ALLTOALL], call->count, types_of(&call->sending),
             types_of(&call->receiving), call->shape);
}
