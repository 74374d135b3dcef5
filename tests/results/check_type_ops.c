/*
 * User-defined operations on every type, predefined and derived, with the algorithms that are
 * forced for all-reduces. With SYMM_TEST_KINDS in the environment there are also little and much of
 * types with gaps, in all collectives that reduce.
 * types.tap reads in the component's report whether they have served the calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The operations know nothing but bytes, so they are defined on every type:
 *   first      x * y = x: does not commute, and rank 0's contribution is the result
 *   exclusive  exclusive or of the data bytes: commutes
 */
#include "tests/harness/elements.h"
#include "tests/harness/forced.h"
#include "tests/harness/harness.h"
#include "tests/harness/layouts.h"
#include "tests/harness/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number;
static struct test_forced forced;


/* ---- the operations -------------------------------------------------------------------------- */

static const struct test_layout *current; /* of the call under way */
static bool commutes;

static void combine(const unsigned char *left, unsigned char *right, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        right[i] = commutes ? left[i] ^ right[i] : left[i];
    }
}

/* Data bytes only; the addresses are those that MPI hands around. */
static void combine_elements(const unsigned char *left, unsigned char *right, size_t count)
{
    for (size_t e = 0; e < count; e++) {
        for (size_t b = 0; b < current->blocks; b++) {
            ptrdiff_t at = (ptrdiff_t)(e * current->extent + current->offset[b]) - current->origin;
            combine(left + at, right + at, current->length[b]);
        }
    }
}

static void operation(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    int size;
    MPI_Type_get_extent(*type, &lower, &extent);
    MPI_Type_size(*type, &size);
    if (*length <= 0 || (size_t)extent != current->extent ||
        (size_t)size != test_layout_size(current)) {
        test_fail("the operation was called for %d elements of extent %ld and size %d", *length,
                  (long)extent, size);
        return;
    }
    if ((uintptr_t)((unsigned char *)in - current->origin) % current->unit != 0 ||
        (uintptr_t)((unsigned char *)inout - current->origin) % current->unit != 0) {
        test_fail("the operation was called for elements at %p and %p, which want multiples of %zu",
                  in, inout, current->unit);
    }
    combine_elements(in, inout, (size_t)*length);
}

/* ---- one call -------------------------------------------------------------------------------- */

static unsigned char *new_bytes(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 1);
    if (memory == NULL) {
        fprintf(stderr, "check_type_ops: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    memset(memory, TEST_POISON, bytes);
    return memory;
}

/* The collectives that reduce; `count` elements of each rank, or of each rank's block. */
enum kind { ALLREDUCE, REDUCE, SCAN, EXSCAN, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, KINDS };
static const char *const kind_names[KINDS] = {"all-reduce", "reduce", "scan", "exscan",
                                              "reduce-scatter", "reduce-scatter of blocks"};

struct call {
    enum kind kind;
    size_t count, total; /* elements of a result, and of what a rank contributes */
    bool in_place;
};

static bool scatters(const struct call *call)
{
    return call->kind == REDUCE_SCATTER || call->kind == REDUCE_SCATTER_BLOCK;
}

/* The ranks that this rank's result comes from: 0 to the number before this; 0: it has none. */
static int contributors(const struct call *call)
{
    switch (call->kind) {
    case REDUCE:
        return test_rank == 0 ? test_size : 0;
    case SCAN:
        return test_rank + 1;
    case EXSCAN:
        return test_rank;
    default:
        return test_size;
    }
}

/* x0 * x1 * ..., from the right, gaps as they were. */
static unsigned char *reference(const struct call *call)
{
    size_t bytes = call->total * current->extent;
    unsigned char *product = new_bytes(bytes), *left = new_bytes(bytes);
    int ranks = contributors(call);
    for (int rank = ranks - 1; rank >= 0; rank--) {
        uint64_t stream = test_stream(number, (uint64_t)rank, 0);
        test_layout_fill(current, stream, rank == ranks - 1 ? product : left, call->total);
        if (rank < ranks - 1) {
            combine_elements(left + current->origin, product + current->origin, call->total);
        }
    }
    free(left);
    return product;
}

static void make(const struct call *call, const void *send, void *receive, MPI_Op op)
{
    int count = (int)call->count;
    int *counts = malloc((size_t)test_size * sizeof(*counts));
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = count;
    }
    switch (call->kind) {
    case ALLREDUCE:
        MPI_Allreduce(send, receive, count, current->type, op, test_comm);
        break;
    case REDUCE:
        MPI_Reduce(test_rank > 0 && call->in_place ? receive : send, receive, count, current->type,
                   op, 0, test_comm);
        break;
    case SCAN:
        MPI_Scan(send, receive, count, current->type, op, test_comm);
        break;
    case EXSCAN:
        MPI_Exscan(send, receive, count, current->type, op, test_comm);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(send, receive, counts, current->type, op, test_comm);
        break;
    default:
        MPI_Reduce_scatter_block(send, receive, count, current->type, op, test_comm);
        break;
    }
    free(counts);
}

static void result_check(const struct call *call, const unsigned char *found)
{
    unsigned char *product = reference(call);
    const unsigned char *expected =
        product + (scatters(call) ? (size_t)test_rank * call->count * current->extent : 0);
    for (size_t i = 0; contributors(call) > 0 && i < call->count * current->extent; i++) {
        if (found[i] != expected[i]) {
            test_fail("element %zu, byte %zu: expected %#04x, found %#04x", i / current->extent,
                      i % current->extent, expected[i], found[i]);
            break;
        }
    }
    free(product);
}

static void reduce(MPI_Op op, const struct call *call)
{
    size_t bytes = call->total * current->extent;
    struct test_buffer send = test_forced_buffer(&forced, number, bytes, current->unit, TEST_SEND);
    struct test_buffer receive =
        test_forced_buffer(&forced, number, bytes, current->unit, TEST_RECEIVE);
    unsigned char *copy = new_bytes(bytes);
    test_layout_fill(current, test_stream(number, (uint64_t)test_rank, 0),
                     call->in_place ? receive.data : send.data, call->total);
    memcpy(copy, send.data, bytes);
    make(call, call->in_place ? MPI_IN_PLACE : send.data + current->origin,
         receive.data + current->origin, op);
    result_check(call, receive.data);
    test_buffer_unchanged(&send, copy, bytes, "send");
    free(copy);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void every_place(MPI_Op op, struct call call)
{
    call.total = scatters(&call) ? call.count * (size_t)test_size : call.count;
    for (int in_place = 0; in_place <= (forced.in_place ? 1 : 0); in_place++) {
        call.in_place = in_place == 1;
        if (test_leaves_out(++number)) {
            continue;
        }
        test_case("call %llu, %s, %s of %zu %s%s", (unsigned long long)number,
                  kind_names[call.kind], commutes ? "exclusive or" : "first", call.count,
                  current->name, in_place == 1 ? " in place" : "");
        reduce(op, &call);
    }
}

static void every_count(MPI_Op op, const struct test_layout *layout)
{
    static const size_t counts[] = {1, 13, 81, 1100};
    current = layout;
    for (size_t c = 0; c < 4; c++) {
        if (counts[c] * test_layout_size(layout) <= forced.reduced) {
            every_place(op, (struct call){.kind = ALLREDUCE, .count = counts[c]});
        }
    }
}

/* Little and much of types with gaps, also of those whose data begin elsewhere. */
static void every_kind(MPI_Op op, const struct test_layout *layout)
{
    static const size_t counts[] = {13, 1100, 25000}; /* in the slot, a piece, several */
    current = layout;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        for (size_t c = 0; c < 3; c++) {
            every_place(op, (struct call){.kind = kind, .count = counts[c]});
        }
    }
}

/* Whether no data byte of an element is where MPI has the element's address. */
static bool begins_elsewhere(const struct test_layout *layout)
{
    ptrdiff_t first = PTRDIFF_MAX;
    for (size_t b = 0; b < layout->blocks; b++) {
        ptrdiff_t at = (ptrdiff_t)layout->offset[b] - layout->origin;
        first = at < first ? at : first;
    }
    return first != 0;
}

/*
 * Data that begin so far behind the element's address that Open MPI's ring would write over what
 * malloc() keeps behind its blocks.
 */
static void far_away(MPI_Op op)
{
    enum { AWAY = 64 };
    const int lengths[] = {3, 3};
    const MPI_Aint places[] = {AWAY, AWAY + 16};
    struct test_layout far = {
        .name = "far ints", .extent = 32, .unit = sizeof(int), .blocks = 2, .offset = {0, 16},
        .length = {12, 12}, .origin = -AWAY, .derived = 1};
    MPI_Datatype ints;
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &ints);
    MPI_Type_create_resized(ints, AWAY, (MPI_Aint)far.extent, &far.type);
    MPI_Type_commit(&far.type);
    MPI_Type_free(&ints);
    every_kind(op, &far);
    MPI_Type_free(&far.type);
}

static void every_type(MPI_Op op, bool kinds)
{
    struct test_layout plain[LAYOUT_PREDEFINED];
    struct test_layout ints[LAYOUT_INTS];
    size_t types;
    const struct test_element *elements = test_elements_every(&types);
    for (size_t t = 0; t < types; t++) {
        struct test_layout layout = test_layout_of(&elements[t]);
        every_count(op, &layout);
    }
    test_layouts_create(plain, ints);
    for (int t = 0; t < (forced.reduces_gaps ? LAYOUT_INTS : LAYOUT_DENSE); t++) {
        every_count(op, &ints[t]);
    }
    /* Packed, elements of other layouts on other ranks are the same elements. */
    for (int t = 0; t < LAYOUT_INTS && forced.reduces_gaps; t++) {
        every_count(op, &ints[(t + 3 * test_rank) % LAYOUT_INTS]);
    }
    for (int t = LAYOUT_DENSE; t < LAYOUT_INTS && kinds; t++) {
        if (begins_elsewhere(&ints[t]) || t == LAYOUT_DENSE) { /* one of the others is enough */
            every_kind(op, &ints[t]);
            every_kind(op, &ints[(t + 3 * test_rank) % LAYOUT_INTS]);
        }
    }
    test_layouts_free(plain, ints);
    if (kinds) {
        far_away(op);
    }
}

static void all(void)
{
    MPI_Op op;
    forced = test_forced_find();
    for (int i = 0; i < 2; i++) {
        commutes = i == 1;
        MPI_Op_create(operation, commutes, &op);
        every_type(op, getenv("SYMM_TEST_KINDS") != NULL);
        MPI_Op_free(&op);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_type_ops", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
