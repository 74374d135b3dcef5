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

enum { RANKS_MAX = 64 };

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
    size_t count = (size_t)call->counts[test_rank], result = count * call->kind->extent;
    test_operand_check(call->kind, number, test_size, test_size, call->first, count, receive->data);
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
    if (test_leaves_out(++number)) {
        return;
    }
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

/* All results are one rank's. */
static int owner;

static int sum_for_owner(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm)
{
    int counts[RANKS_MAX] = {0};
    counts[owner] = count;
    return MPI_Reduce_scatter(send, receive, counts, type, op, comm);
}

/* Elements that no row of a staging buffer has room for. */
static void long_elements(void)
{
    owner = test_size - 1;
    for (int i = 0; i < 4; i++) {
        test_sum_long(sum_for_owner, i < 2 ? 11000 : 35000, 3, i % 2 == 0,
                      test_rank == owner ? test_size : 0);
    }
}

/*
 * With five ranks Open MPI's reduce-scatter lets the last one, which gets nothing, leave before
 * rank 1 comes.  Where calls fall back, it must not get so far ahead that what it has told rank 1
 * is gone.
 */
static void some_ahead(void)
{
    owner = test_size > 1;
    test_sum_late(sum_for_owner, 60, owner, test_rank == owner ? test_size : 0);
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
    long_elements();
    some_ahead();
    nothing_to_do();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_reduce_scatter", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
