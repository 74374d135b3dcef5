/*
 * Drawing calls. Sizes crowd around the borders at which the component changes its ways.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_call.h"
#include "tests/harness/harness.h"
#include "tests/results/random/random_draw.h"
#include "tests/results/random/random_exchange.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROLE_CALL = 1, ROLE_LATE = 2, ROLE_WORLD = 3, ROLE_SCATTER = 4, ROLE_SCAN = 5, ROLE_ROOT = 6,
       COLORS = 64 };
enum { MOST_BY_USER = 100000 }; /* elements: user functions are slow */

/* ---- what the whole world knows -------------------------------------------------------------- */

enum size_class { TINY, VECTOR, SLOT, MIDDLE, PIECE, LARGE };

static enum size_class draw_size_class(struct draw *draw)
{
    static const unsigned upto[] = {390, 545, 750, 976, 996, 1000};
    uint64_t random = below(draw, 1000);
    enum size_class size = TINY;
    while (random >= upto[size]) {
        size++;
    }
    return size;
}

static int draw_place(struct draw *draw)
{
    static const unsigned upto[RANDOM_COMMS] = {38, 40, 52, 64, 77, 87, 100};
    uint64_t random = below(draw, 100);
    int place = 0;
    while (random >= upto[place]) {
        place++;
    }
    return place;
}

static void draw_lateness(struct random_call *call)
{
    struct draw draw = {test_stream(call->index, (uint64_t)test_rank, ROLE_LATE), 0};
    call->late_us = one_in(&draw, 3) ? 5 + (unsigned)below(&draw, 300) : 0;
    call->late_asleep = one_in(&draw, 3);
}

static struct draw world_draw(uint64_t index)
{
    return (struct draw){test_stream(index, 0, ROLE_WORLD), 0};
}

void random_call_draw_place(struct random_call *call, uint64_t index)
{
    struct draw draw = world_draw(index);
    *call = (struct random_call){.index = index};
    enum size_class size = draw_size_class(&draw);
    call->place = draw_place(&draw);
    if (one_in(&draw, 12)) {
        draw_lateness(call);
    }
    /* Results of large calls are not kept for long. */
    call->settle = one_in(&draw, 4) || size >= PIECE;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* 2^low to 2^high, as many between any two powers. */
static size_t between_powers(struct draw *draw, unsigned low, unsigned high)
{
    size_t power = (size_t)1 << (low + below(draw, high - low));
    return power + below(draw, power);
}

/* Thresholds of several settings, so that runs with different ones draw the same calls. */
static size_t slot_border(struct draw *draw, int ranks)
{
    const size_t borders[] = {4096, 4096, 4096, 4096, 64,   1000, 65536 / (size_t)ranks,
                              8192, 1024, 4096, 4096, 2048, 64,   65536};
    return borders[below(draw, sizeof borders / sizeof borders[0])];
}

static size_t piece_border(struct draw *draw)
{
    static const size_t borders[] = {262144, 262144, 262144, 65536, 100000, 524288, 131072};
    return borders[below(draw, sizeof borders / sizeof borders[0])];
}

static size_t around(struct draw *draw, size_t bytes, size_t extent)
{
    size_t count = bytes / extent + below(draw, 3);
    return count > 0 ? count - 1 : 0;
}

static size_t draw_count(struct draw *draw, enum size_class size, size_t extent, int ranks)
{
    size_t count;
    switch (size) {
    case TINY:
        count = one_in(draw, 3) ? 1 : below(draw, 41);
        break;
    case VECTOR:
        count = around(draw, (size_t)16 << below(draw, 7), extent);
        break;
    case SLOT:
        count = around(draw, slot_border(draw, ranks), extent);
        break;
    case MIDDLE:
        count = between_powers(draw, 6, 16) / extent;
        break;
    case PIECE:
        count = around(draw, piece_border(draw), extent);
        break;
    default:
        count = between_powers(draw, 17, 22) / extent;
        break;
    }
    /* Calls of no elements never reach a component. A few are enough. */
    return count == 0 && !one_in(draw, 8) ? 1 : count;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* Sums and products of floating point. */
static bool may_round(const struct random_call *call)
{
    return call->element->form.scalar >= SCALAR_FLOAT && call->op <= OP_PROD;
}

static void draw_type_and_operation(struct random_call *call, struct draw *draw,
                                    const struct random_types *types)
{
    do {
        call->element = &types->elements[below(draw, types->element_count)];
        call->op = (enum test_op)below(draw, OPS);
    } while (!test_op_is_allowed(call->op, &call->element->form));
}

static void draw_predefined(struct random_call *call, struct draw *draw,
                            const struct random_types *types)
{
    if (one_in(draw, 4)) {
        /* Where the order of additions shows, and what programs use most. */
        call->element = test_element(one_in(draw, 2) ? "float" : "double");
        call->op = OP_SUM;
    } else {
        draw_type_and_operation(call, draw, types);
    }
    call->exact = one_in(draw, 2) || !may_round(call);
    call->receive = random_types_layout(call->element);
    if ((call->number + (uint64_t)call->comm->rank) % 2 == 0) {
        call->receive.type = call->element->same; /* MPI_INT here, MPI_INT32_T there */
    }
    call->send = call->receive;
}

static void draw_allreduce(struct random_call *call, struct draw *draw,
                           const struct random_types *types)
{
    if (one_in(draw, 6)) {
        call->operation = &types->operations[below(draw, types->operation_count)];
        call->receive = call->operation->layout;
        call->send = call->receive;
    } else {
        draw_predefined(call, draw, types);
    }
}

/* Contiguous ones more often, because others are served in small amounts only. */
static struct test_layout draw_ints(struct draw *draw, const struct random_types *types)
{
    return types->ints[below(draw, one_in(draw, 2) ? LAYOUT_DENSE : LAYOUT_INTS)];
}

/* The ints are made of six int32 each: any can be sent as any other, or as plain int32. */
static void draw_allgather(struct random_call *call, struct draw *draw,
                           const struct random_types *types)
{
    uint64_t kind = below(draw, 10);
    if (kind < 3) {
        call->receive = types->plain[below(draw, LAYOUT_PREDEFINED)];
        call->send = call->receive;
    } else if (kind < 7) {
        call->receive = random_types_layout(&types->elements[below(draw, types->element_count)]);
        call->send = call->receive;
    } else {
        /* Ranks choose for themselves every other time, so that some can be served and some not. */
        struct draw own = {test_stream(call->number, (uint64_t)call->comm->rank, ROLE_CALL), 100};
        struct draw *from = one_in(draw, 2) ? &own : draw;
        call->receive = draw_ints(from, types);
        call->send = draw_ints(from, types);
    }
}

bool random_call_is_lost_below(const struct test_layout *send, const struct test_layout *receive,
                               size_t send_count)
{
    size_t size = test_layout_size(send);
    size_t beyond = send_count * size % 65536;
    return send->blocks == 1 && send->extent != size && send->type != receive->type && beyond > 0 &&
           beyond < size;
}

/* The same data as six times as many int32. */
static void draw_other_count(struct random_call *call, struct draw *draw,
                             const struct random_types *types)
{
    call->send_count = call->count;
    if (random_call_is_lost_below(&call->send, &call->receive, call->count)) {
        call->send = call->receive;
    }
    if (call->collective == TEST_ALLGATHER && call->receive.derived && one_in(draw, 4)) {
        call->send = types->plain[2];
        call->send_count = call->count * 6;
    }
}

/* Of the ints each rank may have another one. */
static size_t common_extent(const struct random_call *call)
{
    bool is_ints = call->collective == TEST_ALLGATHER && call->receive.derived;
    return is_ints ? test_layout_size(&call->receive) : call->receive.extent;
}

static void draw_traffic(struct random_call *call, struct draw *draw)
{
    if (one_in(draw, 10)) {
        call->before = (enum random_before)(1 + below(draw, BEFORE_MESSAGE));
    }
    if (one_in(draw, 10)) {
        call->meanwhile = (enum random_meanwhile)(1 + below(draw, MEANWHILE_IBARRIER));
    }
}

/*
 * One all-reduce in four is a reduce-scatter instead.  Numbers come from a stream of their own, so
 * that the other calls are what they are without it.
 */
static void draw_scatter(struct random_call *call)
{
    struct draw draw = {test_stream(call->number, 0, ROLE_SCATTER), 0};
    size_t size = (size_t)call->comm->size, each = call->count / size, total = 0;
    if (call->collective != TEST_ALLREDUCE || size > RANDOM_RANKS_MAX || !one_in(&draw, 4)) {
        return;
    }
    bool is_block = one_in(&draw, 2), is_even = one_in(&draw, 4);
    call->collective = is_block ? TEST_REDUCE_SCATTER_BLOCK : TEST_REDUCE_SCATTER;
    each += call->count > 0 && each == 0;
    for (int rank = 0; rank < (int)size; rank++) {
        size_t some = is_block || is_even ? each : below(&draw, 2 * each + 1);
        some = is_block || is_even || !one_in(&draw, 4) ? some : 0;
        call->counts[rank] = (int)some;
        call->begin += rank < call->comm->rank ? some : 0;
        total += some;
    }
    call->results = (size_t)call->counts[call->comm->rank];
    call->count = call->send_count = total;
}

/* One in five of those that are left is a scan. */
static void draw_scan(struct random_call *call)
{
    struct draw draw = {test_stream(call->number, 0, ROLE_SCAN), 0};
    if (call->collective == TEST_ALLREDUCE && one_in(&draw, 5)) {
        call->collective = one_in(&draw, 2) ? TEST_SCAN : TEST_EXSCAN;
        call->results = random_call_sources(call) > 0 ? call->count : 0;
    }
}

/* One call in four is made by its parts: to a root and from it. */
static void draw_root(struct random_call *call)
{
    struct draw draw = {test_stream(call->number, 0, ROLE_ROOT), 0};
    bool may_have = call->collective == TEST_ALLREDUCE || call->collective == TEST_ALLGATHER ||
                    call->collective == TEST_REDUCE_SCATTER_BLOCK;
    bool has_root = one_in(&draw, 4) && may_have;
    if (!random_call_exchanges(call)) {
        call->root = has_root ? (int)below(&draw, (uint64_t)call->comm->size) : -1;
    }
}

void random_call_draw(struct random_call *call, const struct random_types *types)
{
    struct draw world = world_draw(call->index);
    enum size_class size = draw_size_class(&world);
    call->comm = random_comms_get(call->place);
    call->number = call->index * COLORS + (uint64_t)call->comm->color;
    struct draw draw = {test_stream(call->number, 0, ROLE_CALL), 0};
    call->collective = one_in(&draw, 3) ? TEST_ALLGATHER : TEST_ALLREDUCE;
    if (call->collective == TEST_ALLREDUCE) {
        draw_allreduce(call, &draw, types);
    } else {
        draw_allgather(call, &draw, types);
    }
    call->count = draw_count(&draw, size, common_extent(call), call->comm->size);
    if (call->operation != NULL && call->count > MOST_BY_USER) {
        call->count = MOST_BY_USER + call->count % 64;
    }
    call->spread = (enum test_spread)below(&draw, SPREADS);
    call->in_place = one_in(&draw, 3);
    draw_other_count(call, &draw, types);
    call->results = call->count;
    draw_scatter(call);
    draw_scan(call);
    draw_traffic(call, &draw);
    if (call->in_place) {
        call->send = call->receive;
        call->send_count = call->count;
    }
    random_exchange_draw(call, types);
    draw_root(call);
}

size_t random_call_input_bytes(const struct random_call *call)
{
    return random_call_exchanges(call) ? call->sending.bytes : call->send_count * call->send.extent;
}

size_t random_call_output_bytes(const struct random_call *call)
{
    size_t blocks = call->collective == TEST_ALLGATHER ? (size_t)call->comm->size : 1;
    size_t elements = random_call_scatters(call) && !call->in_place ? call->results : call->count;
    return random_call_exchanges(call) ? call->receiving.bytes
                                       : blocks * elements * call->receive.extent;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void describe_data(const struct random_call *call, char *text, size_t size)
{
    const char *name = test_collective_names[call->collective];
    if (random_call_exchanges(call)) {
        random_exchange_describe(call, text, size);
    } else if (call->collective == TEST_ALLGATHER) {
        snprintf(text, size, "allgather %zu %s -> %zu %s", call->send_count, call->send.name,
                 call->count, call->receive.name);
    } else if (call->operation != NULL) {
        snprintf(text, size, "%s %zu %s%s", name, call->count,
                 call->operation->monoid->name,
                 call->operation->commutes ? ", commutative" : "");
    } else {
        const char *rounding = call->exact ? ", exact" : ", rounded";
        snprintf(text, size, "%s %zu %s %s%s", name, call->count,
                 call->element->name, test_op_name(call->op), may_round(call) ? rounding : "");
    }
}

static const char *lateness(const struct random_call *call)
{
    return call->late_us == 0 ? "" : call->late_asleep ? ", slept before" : ", computed before";
}

static void describe_source(const struct random_call *call, char *text, size_t size)
{
    const char *send = call->source[TEST_SEND];
    const char *receive = call->source[TEST_RECEIVE];
    if (receive == NULL) {
        *text = '\0';
    } else if (call->in_place) {
        snprintf(text, size, ": %s+%u", receive, call->offset[TEST_RECEIVE]);
    } else {
        snprintf(text, size, ": %s+%u -> %s+%u", send, call->offset[TEST_SEND], receive,
                 call->offset[TEST_RECEIVE]);
    }
}

void random_call_describe(const struct random_call *call, char *text, size_t size)
{
    static const char *const before[] = {"", ", after a barrier", ", after a broadcast",
                                         ", after a message"};
    static const char *const meanwhile[] = {"",
                                            ", amid a message",
                                            ", amid a long message",
                                            ", amid an iallreduce",
                                            ", amid an ibcast",
                                            ", amid an ibarrier"};
    const struct random_comm *comm = call->comm;
    char data[128];
    char source[100];
    describe_data(call, data, sizeof data);
    describe_source(call, source, sizeof source);
    snprintf(text, size,
             "call %" PRIu64 ": %s, %zu bytes, %s, %s%s, rank %d of %d in %s #%d.%" PRIu64 "%s%s%s",
             call->index, data, random_call_output_bytes(call),
             call->in_place ? "in place" : "two buffers", test_spread_name(call->spread), source,
             comm->rank, comm->size, comm->shape, call->place, comm->generation,
             before[call->before], meanwhile[call->meanwhile], lateness(call));
}
