/*
 * MPI_Reduce against an independent reference: blocking, nonblocking and persistent, every root,
 * predefined and user-defined operations, types with gaps and bounds that are not 0, sizes around
 * every threshold, memory of every sort, in place or not.  Ranks that are not the root pass
 * nonsense for the receive buffer.
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

struct call {
    const struct test_operand *kind;
    enum test_call_form form;
    enum test_spread spread;
    bool in_place;
    int root;
    size_t count;
};

static uint64_t number; /* of the call: what makes its random data and places unique */

/* ---- calls ----------------------------------------------------------------------------------- */

static struct test_buffer new_buffer(const struct call *call, enum test_role role, size_t elements)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    return test_buffer_new(place, elements * call->kind->extent, call->kind->unit);
}

static void rounds_run(const struct call *call, struct test_buffer *send,
                       struct test_buffer *receive, unsigned char *copy)
{
    bool is_root = test_rank == call->root, in_place = call->in_place && is_root;
    const struct test_arguments arguments = {
        .send = in_place ? MPI_IN_PLACE : send->data - call->kind->lower,
        .receive = is_root ? receive->data - call->kind->lower : (unsigned char *)(uintptr_t)24,
        .count = (int)call->count, .type = call->kind->type, .op = call->kind->handle,
        .root = call->root, .comm = test_comm,
    };
    struct test_buffer *input = in_place ? receive : send;
    MPI_Request request = MPI_REQUEST_NULL;
    for (int round = 0; round < test_rounds(call->form); round++) {
        test_buffer_poison(receive);
        test_operand_fill(call->kind, number, test_rank, test_size, input->data, call->count);
        memcpy(copy, input->data, input->bytes);
        if (test_random(test_stream(number, (uint64_t)test_rank, 1), 0) % 16 == 0) {
            test_delay(500);
        }
        test_call_round(TEST_REDUCE, call->form, &arguments, round, &request);
        if (is_root) {
            test_operand_check(call->kind, number, test_size, test_size, 0, call->count,
                               receive->data);
        }
        if (!in_place) {
            test_buffer_unchanged(send, copy, send->bytes, "send");
        }
    }
}

static void run(const struct test_operand *kind, enum test_spread spread, bool in_place,
                enum test_call_form form, size_t count)
{
    if (test_leaves_out(++number)) {
        return;
    }
    struct call call = {kind, form, spread, in_place,
                        (int)(test_mix(number) % (uint64_t)test_size), count};
    test_case("call %" PRIu64 ", %s, %zu elements of %zu bytes, root %d, %s, %s, %s", number,
              kind->name, count, kind->extent, call.root, test_form_names[form],
              test_spread_name(spread), in_place ? "in place" : "two buffers");
    bool is_root = test_rank == call.root;
    struct test_buffer send = new_buffer(&call, TEST_SEND, in_place && is_root ? 0 : count);
    struct test_buffer receive = new_buffer(&call, TEST_RECEIVE, is_root ? count : 0);
    unsigned char *copy = malloc(count * kind->extent + 1);
    if (copy == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    rounds_run(&call, &send, &receive, copy);
    test_buffer_poison(&send); /* nobody reads it any more */
    free(copy);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* All memories and forms; of large calls every so many, others each time. */
static void run_size(const struct test_operand *kind, size_t bytes)
{
    static unsigned combination;
    size_t count = bytes / kind->extent > 0 ? bytes / kind->extent : 1;
    unsigned every = bytes < 20000 ? 3 : bytes < 100000 ? 5 : 11;
    for (int spread = 0; spread < SPREADS; spread++) {
        for (int form = 0; form < test_forms(); form++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                if (combination++ % (test_quick ? 2 * every : every) == 0) {
                    run(kind, (enum test_spread)spread, in_place == 1,
                        (enum test_call_form)form, count);
                }
            }
        }
    }
    combination++;
}

static void sizes_around_thresholds(const struct test_operand *kind)
{
    const size_t slot = test_parameter("coll_symm_slot_size", 17408);
    const size_t piece = test_parameter("coll_symm_piece_size", 262144);
    const size_t sizes[] = {1, 16, 5 * kind->extent, 2048 + kind->extent, 8192,
                            8192 + kind->extent, slot - kind->extent, slot, slot + kind->extent,
                            65536 + 48, piece - kind->extent, piece, piece + kind->extent,
                            3 * piece + 96};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - (test_quick ? 1 : 0); i++) {
        run_size(kind, sizes[i]);
    }
}

static void one_type_and_operation(const struct test_operand *kind, size_t index)
{
    (void)index;
    run(kind, SPREAD_RANDOM, kind->op % 3 == 0, TEST_BLOCKING, test_quick ? 37 : 1037);
}

/* No data: nothing is touched, and the next call is as it would have been. */
static void nothing_to_do(void)
{
    struct test_operand kind = test_operand_of_element("int32", OP_SUM);
    for (int i = 0; i < 2 * TEST_FORMS; i++) {
        run(&kind, SPREAD_HEAP, i % 2 == 1, (enum test_call_form)(i % TEST_FORMS), 0);
        run(&kind, SPREAD_RANDOM, i % 2 == 1, (enum test_call_form)(i % TEST_FORMS), 9);
    }
}

static void all(void)
{
    test_operands_each_predefined(one_type_and_operation);
    test_operands_each(sizes_around_thresholds);
    nothing_to_do();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_reduce", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
