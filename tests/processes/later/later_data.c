/*
 * later_data.c - see later_data.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/later/later_data.h"

#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { POISON = 0xdb };

/* ---- elements: what they are made of, units, are 4 bytes or 8 -------------------------------- */

static size_t units_of(enum later_elements elements)
{
    return elements == LATER_WIDE ? LATER_WIDE_INTS : elements == LATER_PAIRS ? 2 : 1;
}

size_t later_extent(enum later_elements elements)
{
    static const size_t extents[LATER_ELEMENTS] = {4, 8, 4, 8, 12, 4 * LATER_WIDE_INTS, 8, 12};
    return extents[elements];
}

ptrdiff_t later_lower(enum later_elements elements)
{
    return elements == LATER_BEHIND ? 12 : elements == LATER_BEFORE ? -16 : 0;
}

static ptrdiff_t unit_at(enum later_elements elements, size_t unit)
{
    size_t distance = later_extent(elements) / units_of(elements);
    return later_lower(elements) + (ptrdiff_t)(distance * unit);
}

/* Doubles are small integers, whose sums are exact. */
static void unit_put(enum later_elements elements, unsigned char *at, size_t unit, uint32_t value)
{
    double number = value % 65536;
    if (elements == LATER_DOUBLES) {
        memcpy(at + unit_at(elements, unit), &number, sizeof number);
    } else {
        memcpy(at + unit_at(elements, unit), &value, sizeof value);
    }
}

static void number_put(unsigned char *at, size_t unit, double number)
{
    memcpy(at + unit_at(LATER_DOUBLES, unit), &number, sizeof number);
}

/* What a rank sends. */
struct source {
    uint32_t base, step;
};

static struct source source_of(const struct later_call *call, int rank)
{
    uint64_t random = test_random(test_stream(call->number, (uint64_t)rank, 5), 0);
    return (struct source){(uint32_t)random, (uint32_t)(random >> 32) | 1};
}

static uint32_t value_of(struct source source, size_t unit)
{
    return source.base + (uint32_t)unit * source.step;
}

/* ---- data ------------------------------------------------------------------------------------ */

static size_t send_bytes(const struct later_call *call)
{
    bool many = call->collective >= TEST_ALLTOALL && !later_gathers_blocks(call);
    size_t blocks = many ? (size_t)call->comm.size : 1;
    return blocks * call->count * later_extent(call->elements);
}

/* Of a reduce-scatter: of the elements that are this rank's, or of those before. */
static size_t scattered_bytes(const struct later_call *call, bool before)
{
    int rank = call->comm.rank;
    size_t elements = before ? 0 : (size_t)call->counts[rank];
    for (int other = 0; before && other < rank; other++) {
        elements += (size_t)call->counts[other];
    }
    return elements * later_extent(call->elements);
}

static size_t receive_bytes(const struct later_call *call)
{
    if (later_scatters(call) && !call->in_place) {
        return scattered_bytes(call, false);
    }
    return later_blocks(call) * call->count * later_extent(call->elements);
}

/* So many elements of one rank from `first` on. */
static void some_put(const struct later_call *call, enum later_elements elements, unsigned char *at,
                     int rank, size_t first, size_t count)
{
    size_t each = units_of(elements);
    struct source source = source_of(call, rank);
    for (size_t unit = 0; unit < count * each; unit++) {
        unit_put(elements, at, unit, value_of(source, first * each + unit));
    }
}

static void elements_put(const struct later_call *call, unsigned char *at, int rank, size_t first)
{
    some_put(call, call->elements, at, rank, first, call->count);
}

/* Blocks of a buffer that this rank sends, or receives. */
static void block_put(const struct later_call *call, unsigned char *at, bool sends, int block)
{
    const struct later_side *side = sends ? &call->sending : &call->receiving;
    int source = sends ? call->comm.rank : later_scatters_blocks(call) ? call->root : block;
    int target = sends ? block : call->comm.rank;
    size_t first = later_gathers_blocks(call) ? 0 : (size_t)target * call->count;
    some_put(call, side->elements[block], at + side->at[block], source, first, side->number[block]);
}

static void blocks_put(const struct later_call *call, unsigned char *at, bool sends)
{
    const struct later_side *side = sends ? &call->sending : &call->receiving;
    for (int block = 0; block < side->blocks; block++) {
        block_put(call, at, sends, block);
    }
}

static uint32_t combined(unsigned operation, uint32_t a, uint32_t b)
{
    return operation == LATER_SUM ? a + b : operation == LATER_MAX ? (a > b ? a : b) : a ^ b;
}

static void pairs_reduce(const struct later_call *call, const struct source *sources,
                         int ranks, unsigned char *at)
{
    for (size_t unit = 0; unit < 2 * call->count; unit += 2) {
        uint32_t a = value_of(sources[0], unit), b = value_of(sources[0], unit + 1);
        for (int rank = 1; rank < ranks; rank++) {
            b = a * value_of(sources[rank], unit + 1) + b;
            a = a * value_of(sources[rank], unit);
        }
        unit_put(LATER_PAIRS, at, unit, a);
        unit_put(LATER_PAIRS, at, unit + 1, b);
    }
}

static void doubles_reduce(const struct later_call *call, const struct source *sources,
                           int ranks, unsigned char *at)
{
    for (size_t unit = 0; unit < call->count; unit++) {
        double result = value_of(sources[0], unit) % 65536;
        for (int rank = 1; rank < ranks; rank++) {
            double next = value_of(sources[rank], unit) % 65536;
            result = call->operation == LATER_SUM ? result + next : result > next ? result : next;
        }
        number_put(at, unit, result);
    }
}

/* What so many ranks' elements reduce to; nothing for none. */
static void elements_reduce(const struct later_call *call, int ranks, unsigned char *at)
{
    enum { MOST = 64 };
    struct source sources[MOST];
    if (ranks == 0) {
        return;
    }
    unsigned operation = call->elements == LATER_INTS ? call->operation : LATER_SUM;
    for (int rank = 0; rank < ranks && rank < MOST; rank++) {
        sources[rank] = source_of(call, rank);
    }
    if (call->elements == LATER_PAIRS) {
        pairs_reduce(call, sources, ranks, at);
        return;
    }
    if (call->elements == LATER_DOUBLES) {
        doubles_reduce(call, sources, ranks, at);
        return;
    }
    for (size_t unit = 0; unit < call->count * units_of(call->elements); unit++) {
        uint32_t result = value_of(sources[0], unit);
        for (int rank = 1; rank < ranks; rank++) {
            result = combined(operation, result, value_of(sources[rank], unit));
        }
        unit_put(call->elements, at, unit, result);
    }
}

static void elements_scatter(const struct later_call *call, unsigned char *at)
{
    size_t bytes = call->count * later_extent(call->elements) + 2 * LATER_AROUND;
    ptrdiff_t lower = later_lower(call->elements);
    unsigned char *whole = later_bytes(bytes), *vector = whole + LATER_AROUND;
    memset(whole, POISON, bytes);
    elements_reduce(call, call->comm.size, vector);
    memcpy(at + lower, vector + lower + scattered_bytes(call, true), scattered_bytes(call, false));
    free(whole);
}

/* Of a gather only the root's buffer is written to. */
static bool receives(const struct later_call *call)
{
    return call->collective != TEST_GATHER || call->comm.rank == call->root;
}

/* What is to be received. */
static void expect(const struct later_call *call, unsigned char *at)
{
    size_t block = call->count * later_extent(call->elements);
    switch (call->collective) {
    case TEST_ALLREDUCE:
        elements_reduce(call, call->comm.size, at);
        break;
    case TEST_SCAN:
    case TEST_EXSCAN:
        elements_reduce(call, call->comm.rank + (call->collective == TEST_SCAN), at);
        break;
    case TEST_REDUCE:
        if (call->comm.rank == call->root) {
            elements_reduce(call, call->comm.size, at);
        }
        break;
    case TEST_REDUCE_SCATTER:
    case TEST_REDUCE_SCATTER_BLOCK:
        elements_scatter(call, at);
        break;
    case TEST_ALLGATHER:
    case TEST_GATHER:
    case TEST_ALLTOALL:
        for (int rank = 0; receives(call) && rank < call->comm.size; rank++) {
            size_t first = call->collective == TEST_ALLTOALL
                               ? (size_t)call->comm.rank * call->count : 0;
            elements_put(call, at + (size_t)rank * block, rank, first);
        }
        break;
    case TEST_ALLTOALLV:
    case TEST_ALLTOALLW:
    case TEST_ALLGATHERV:
    case TEST_GATHERV:
    case TEST_SCATTERV:
    case TEST_SCATTER:
        blocks_put(call, at, false);
        break;
    case TEST_BCAST:
        elements_put(call, at, call->root, 0);
        break;
    default:
        break;
    }
}

/* What is in the receive buffer before the call, apart from poison. */
static void receive_prepare(const struct later_call *call, unsigned char *at)
{
    size_t block = call->count * later_extent(call->elements);
    if (call->collective == TEST_BCAST && call->comm.rank == call->root) {
        elements_put(call, at, call->root, 0);
    } else if (call->in_place && call->collective == TEST_GATHERV) {
        block_put(call, at, false, call->comm.rank);
    } else if (call->in_place && call->collective < TEST_ALLGATHER) {
        elements_put(call, at, call->comm.rank, 0);
    } else if (call->in_place && (call->collective == TEST_ALLGATHER ||
                                  call->collective == TEST_GATHER)) {
        elements_put(call, at + (size_t)call->comm.rank * block, call->comm.rank, 0);
    }
}

/* What is in the send buffer: with its surroundings, in memory that the caller frees. */
static unsigned char *send_image(const struct later_call *call)
{
    size_t bytes = send_bytes(call);
    size_t block = call->count * later_extent(call->elements);
    unsigned char *image = later_bytes(bytes + 2 * LATER_AROUND);
    memset(image, POISON, bytes + 2 * LATER_AROUND);
    if (later_exchanges(call)) {
        blocks_put(call, image + LATER_AROUND, true);
        return image;
    }
    for (size_t i = 0; block > 0 && i < bytes / block; i++) {
        elements_put(call, image + LATER_AROUND + i * block, call->comm.rank, i * call->count);
    }
    return image;
}

static bool sends_apart(const struct later_call *call)
{
    return !call->in_place && call->collective != TEST_BCAST && call->collective != TEST_BARRIER;
}

void later_fill(struct later_call *call, uint64_t number)
{
    size_t bytes = receive_bytes(call) + 2 * LATER_AROUND;
    call->number = number;
    call->image = later_bytes(bytes);
    if (call->collective == TEST_BARRIER) {
        return;
    }
    memset(call->image, POISON, bytes);
    receive_prepare(call, call->image + LATER_AROUND);
    later_memory_write(call->receive_memory, later_receive_area(call), call->image, bytes);
    expect(call, call->image + LATER_AROUND);
    if (sends_apart(call)) {
        unsigned char *image = send_image(call);
        later_memory_write(call->send_memory, later_send_area(call), image,
                           send_bytes(call) + 2 * LATER_AROUND);
        free(image);
    }
}

static void compare(const struct later_call *call, const char *what, const unsigned char *found,
                    const unsigned char *image, size_t bytes)
{
    char text[320];
    size_t at = 0;
    if (memcmp(found, image, bytes) == 0) {
        return;
    }
    while (found[at] == image[at]) {
        at++;
    }
    later_describe(call, text, sizeof text);
    test_fail("%s: %s buffer, byte %zd of %zu: expected %#04x, found %#04x", text, what,
              (ssize_t)at - LATER_AROUND, bytes - 2 * LATER_AROUND, image[at], found[at]);
}

void later_check(struct later_call *call)
{
    size_t bytes = receive_bytes(call) + 2 * LATER_AROUND;
    if (call->collective != TEST_BARRIER) {
        unsigned char *found = later_bytes(bytes);
        later_memory_read(call->receive_memory, found, later_receive_area(call), bytes);
        if (later_scatters(call) && call->in_place) { /* Open MPI may use the rest */
            size_t some = scattered_bytes(call, false);
            ptrdiff_t rest = LATER_AROUND + later_lower(call->elements) + (ptrdiff_t)some;
            memcpy(call->image + rest, found + rest, bytes - 2 * LATER_AROUND - some);
        }
        compare(call, "receive", found, call->image, bytes);
        free(found);
    }
    if (sends_apart(call)) {
        unsigned char *image = send_image(call);
        bytes = send_bytes(call) + 2 * LATER_AROUND;
        unsigned char *found = later_bytes(bytes);
        later_memory_read(call->send_memory, found, later_send_area(call), bytes);
        compare(call, "send", found, image, bytes);
        free(found);
        free(image);
    }
    free(call->image);
    call->image = NULL;
}
