/*
 * MPI_Reduce_scatter and MPI_Reduce_scatter_block against an independent reference: blocking,
 * nonblocking and persistent, predefined and user-defined operations, types with gaps and bounds
 * that are not 0, blocks of any lengths, sizes around every threshold, memory of every sort, in
 * place or not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/calls.h"
#include "tests/harness/elements.h"
#include "tests/harness/harness.h"
#include "tests/harness/operands.h"
#include "tests/harness/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 64, POISON = 0xdb };

/* How many elements the ranks have. */
enum shape {
    SHAPE_BLOCK,  /* MPI_Reduce_scatter_block */
    SHAPE_EQUAL,
    SHAPE_RANDOM, /* nothing for about every third rank */
    SHAPE_STEEP,  /* half as many as the rank before */
    SHAPE_ONE,    /* everything for one rank */
    SHAPES
};

struct call {
    const struct test_operand *kind;
    enum shape shape;
    enum test_call_form form;
    enum test_spread spread;
    bool in_place;
    size_t total, first; /* of all ranks' elements; the first one of this rank */
    int counts[RANKS_MAX];
};

static uint64_t number; /* of the call: what makes its random data and places unique */

/* ---- contributions and results --------------------------------------------------------------- */

static bool is_right(const struct call *call, size_t i, const unsigned char *found)
{
    const struct test_operand *kind = call->kind;
    return kind->element != NULL
               ? test_check_one(kind->element, kind->op, number, test_size, i, found)
               : test_operand_check(kind, number, test_size, i, found, POISON);
}

static void check_result(const struct call *call, const unsigned char *data)
{
    size_t count = (size_t)call->counts[test_rank];
    for (size_t i = 0; i < count; i++) {
        if (!is_right(call, call->first + i, data + i * call->kind->extent)) {
            return;
        }
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct test_buffer new_buffer(const struct call *call, enum test_role role, size_t elements)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    return test_buffer_new(place, elements * call->kind->extent, call->kind->unit);
}

/* Packed bytes that travel in the slot, by the table in docs/design/choosing.md. */
static size_t slot_bytes(void)
{
    const size_t most = 16384;
    size_t slot = test_parameter("coll_symm_slot_size", 17408);
    return slot < most ? slot : most;
}

/*
 * In place, what is behind the result stays as it was in calls that the component serves.  Open MPI
 * makes some others, with gaps or on devices, by a reduction to rank 0, which writes there.
 */
static bool keeps_rest(const struct call *call)
{
    const struct test_operand *kind = call->kind;
    bool has_gaps = kind->element == NULL && kind->extent > kind->monoid->used;
    return test_expects_symm() && getenv("SYMM_TEST_CUDA_LIBRARY") == NULL &&
           (!has_gaps || test_algorithm("reduce_scatter") == NULL) &&
           (!has_gaps || call->total * kind->monoid->used <= slot_bytes());
}

/* The data of a call have come: look at them.  `copy` is what was sent. */
static void check(const struct call *call, const struct test_buffer *send,
                  const struct test_buffer *receive, const unsigned char *copy)
{
    size_t result = (size_t)call->counts[test_rank] * call->kind->extent;
    check_result(call, receive->data);
    if (!call->in_place) {
        test_buffer_unchanged(send, copy, send->bytes, "send");
    } else if (keeps_rest(call) &&
               memcmp(receive->data + result, copy + result, receive->bytes - result) != 0) {
        test_fail("in place, what is behind the result was written to");
    }
}

static void rounds_run(const struct call *call, struct test_buffer *send,
                       struct test_buffer *receive, unsigned char *copy)
{
    struct test_buffer *input = call->in_place ? receive : send;
    bool is_block = call->shape == SHAPE_BLOCK;
    const struct test_arguments arguments = {
        .send = call->in_place ? MPI_IN_PLACE : send->data - call->kind->lower,
        .receive = receive->data - call->kind->lower, .count = call->counts[0],
        .counts = call->counts, .type = call->kind->type, .op = call->kind->handle,
        .comm = test_comm,
    };
    MPI_Request request = MPI_REQUEST_NULL;
    for (int round = 0; round < test_rounds(call->form); round++) {
        test_buffer_poison(receive);
        test_operand_fill(call->kind, number, test_rank, test_size, input->data,
                          call->total);
        memcpy(copy, input->data, input->bytes);
        test_call_round(is_block ? TEST_REDUCE_SCATTER_BLOCK : TEST_REDUCE_SCATTER, call->form,
                        &arguments, round, &request);
        check(call, send, receive, copy);
    }
}

/* The counts are of the kind's elements, about `count` in all. */
static void counts_draw(struct call *call, size_t count)
{
    size_t each = count / (size_t)test_size, left = count;
    uint64_t stream = test_stream(number, 0, 6);
    call->total = call->first = 0;
    for (int rank = 0; rank < test_size; rank++) {
        uint64_t random = test_random(stream, (uint64_t)rank);
        size_t some = each;
        if (call->shape == SHAPE_RANDOM) {
            some = random % 3 == 0 ? 0 : random / 3 % (2 * each + 2);
        } else if (call->shape == SHAPE_STEEP) {
            some = left - left / 2;
            left /= 2;
        } else if (call->shape == SHAPE_ONE) {
            some = (uint64_t)rank == number % (uint64_t)test_size ? count : 0;
        }
        call->counts[rank] = (int)some;
        call->first += rank < test_rank ? some : 0;
        call->total += some;
    }
}

static void run(const struct test_operand *kind, enum shape shape, enum test_spread spread,
                bool in_place, enum test_call_form form, size_t count)
{
    static const char *const shapes[] = {"block", "equal counts", "random counts", "halves",
                                         "one rank's"};
    struct call call = {kind, shape, form, spread, in_place, 0, 0, {0}};
    number++;
    counts_draw(&call, count);
    test_case("call %" PRIu64 ", %s, %s, %zu elements of %zu bytes, %s, %s, %s", number, kind->name,
              shapes[shape], call.total, kind->extent, test_form_names[form],
              test_spread_name(spread), in_place ? "in place" : "two buffers");
    size_t results = in_place ? call.total : (size_t)call.counts[test_rank];
    struct test_buffer send = new_buffer(&call, TEST_SEND, in_place ? 0 : call.total);
    struct test_buffer receive = new_buffer(&call, TEST_RECEIVE, results);
    unsigned char *copy = malloc(call.total * kind->extent + 1);
    if (copy == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    rounds_run(&call, &send, &receive, copy);
    free(copy);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* All shapes, memories and forms of small calls; of large ones every so many, others each time. */
static void run_size(const struct test_operand *kind, size_t bytes)
{
    static unsigned combination;
    size_t count = bytes / kind->extent > 0 ? bytes / kind->extent : 1;
    unsigned every = bytes < 20000 ? 5 : bytes < 100000 ? 11 : 23;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int spread = 0; spread < SPREADS; spread++) {
            for (int form = 0; form < test_forms(); form++) {
                for (int in_place = 0; in_place < 2; in_place++) {
                    if (combination++ % (test_quick ? 5 * every : every) == 0) {
                        run(kind, (enum shape)shape, (enum test_spread)spread, in_place == 1,
                            (enum test_call_form)form, count);
                    }
                }
            }
        }
    }
    combination += 3;
}

static void sizes_around_thresholds(const struct test_operand *kind)
{
    const size_t slot = test_parameter("coll_symm_slot_size", 17408);
    const size_t piece = test_parameter("coll_symm_piece_size", 262144);
    const size_t ranks = (size_t)test_size, row = piece / ranks / 64 * 64;
    const size_t sizes[] = {1, 16, 5 * kind->extent * ranks, slot - kind->extent, slot,
                            slot + kind->extent, 65536 + 48, row * ranks - kind->extent * ranks,
                            row * ranks, row * ranks + kind->extent * ranks, 3 * piece + 96};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - (test_quick ? 1 : 0); i++) {
        run_size(kind, sizes[i]);
    }
}

static void one_type_and_operation(const struct test_operand *kind, size_t index)
{
    run(kind, index % 2 == 1 ? SHAPE_BLOCK : SHAPE_RANDOM, SPREAD_RANDOM, kind->op % 3 == 0,
        TEST_BLOCKING, test_quick ? 37 : 1037);
}

/* Elements that no row of a staging buffer has room for. */
static void long_elements(int ints, bool heap)
{
    enum { ELEMENTS = 3 };
    MPI_Datatype type;
    MPI_Op op;
    int counts[RANKS_MAX] = {0};
    size_t bytes = ELEMENTS * (size_t)ints * 4;
    enum test_place place = heap ? TEST_HEAP : TEST_MALLOC;
    struct test_buffer send = test_buffer_new(place, bytes, 4);
    struct test_buffer receive = test_buffer_new(place, bytes, 4);
    uint32_t *from = (uint32_t *)(void *)send.data, *to = (uint32_t *)(void *)receive.data;
    int owner = test_size - 1;
    counts[owner] = ELEMENTS;
    test_case("elements of %d ints, %s", ints, test_place_name(place));
    MPI_Type_contiguous(ints, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(test_ints_add, 1, &op);
    for (size_t i = 0; i < bytes / 4; i++) {
        from[i] = (uint32_t)i * (uint32_t)(test_rank + 1);
    }
    MPI_Reduce_scatter(send.data, receive.data, counts, type, op, test_comm);
    for (size_t i = 0; i < bytes / 4 && test_rank == owner; i++) {
        uint32_t expected = (uint32_t)i * (uint32_t)(test_size * (test_size + 1) / 2);
        if (to[i] != expected) {
            test_fail("int %zu: expected %" PRIu32 ", found %" PRIu32, i, expected, to[i]);
            break;
        }
    }
    test_check(test_rank == owner || *to == POISON * 0x01010101u, "nothing for other ranks");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

static void gaps_add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 4 * *length; i += 4) {
        ((int *)inout)[i] += ((const int *)in)[i];
    }
}

/*
 * With five ranks Open MPI's reduce-scatter lets the last one, which gets nothing, leave before
 * rank 1 comes.  Where calls fall back, it must not get so far ahead that what it has told rank 1
 * is gone.
 */
static void some_ahead(void)
{
    enum { CALLS = 60, ELEMENTS = 400 };
    static int send[4 * ELEMENTS], receive[4 * ELEMENTS];
    int counts[RANKS_MAX] = {0}, late = test_size > 1;
    MPI_Datatype type;
    MPI_Op op;
    counts[late] = ELEMENTS;
    MPI_Type_create_resized(MPI_INT, 0, 16, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(gaps_add, 1, &op);
    for (int call = 0; call < CALLS; call++) {
        test_case("one rank comes late, call %d", call);
        for (int i = 0; i < ELEMENTS; i++) {
            send[4 * i] = call * i + test_rank;
        }
        if (call % 30 == 0 && test_rank == late) {
            test_delay(200000);
        }
        MPI_Reduce_scatter(send, receive, counts, type, op, test_comm);
        for (int i = 0; i < ELEMENTS && test_rank == late; i++) {
            int expected = test_size * call * i + test_size * (test_size - 1) / 2;
            if (receive[4 * i] != expected) {
                test_fail("element %d: expected %d, found %d", i, expected, receive[4 * i]);
                break;
            }
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* No data on any rank: nothing is touched, and the next call is as it would have been. */
static void nothing_to_do(void)
{
    struct test_operand kind = test_operand_of_element("int32", OP_SUM);
    for (int i = 0; i < SHAPES * TEST_FORMS; i++) {
        enum shape shape = (enum shape)(i % SHAPES);
        enum test_call_form form = (enum test_call_form)(i % TEST_FORMS);
        run(&kind, shape, SPREAD_HEAP, i % 2 == 1, form, 0);
        run(&kind, shape, SPREAD_RANDOM, i % 2 == 1, form, 9);
    }
}

static void all(void)
{
    if (getenv("SYMM_TEST_SIZES") == NULL) {
        test_operands_each_predefined(one_type_and_operation);
    }
    test_operands_each(sizes_around_thresholds);
    for (int i = 0; i < 4; i++) {
        long_elements(i < 2 ? 11000 : 35000, i % 2 == 0);
    }
    some_ahead();
    nothing_to_do();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_reduce_scatter", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
