/*
 * MPI_Scan and MPI_Exscan against an independent reference: blocking, nonblocking and persistent,
 * predefined and user-defined operations, types with gaps and bounds that are not 0, sizes around
 * every threshold, memory of every sort, in place or not, communicators with other ranks.
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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct team {
    MPI_Comm comm;
    int rank, size;
    const char *name;
};

struct call {
    const struct test_operand *kind;
    const struct team *team;
    bool exclusive;
    enum test_call_form form;
    enum test_spread spread;
    bool in_place;
    size_t count;
};

static struct team world, reversed; /* reversed: two communicators, the last rank is the first */

static uint64_t number; /* of the call: what makes its random data and places unique */

/* ---- contributions and results --------------------------------------------------------------- */

/* Ranks of whose contributions a result consists. */
static int length_of(const struct call *call)
{
    return call->exclusive ? call->team->rank : call->team->rank + 1;
}

/* `before` is what the receive buffer held.  The first rank of an exclusive scan gets nothing. */
static void check_result(const struct call *call, const unsigned char *data,
                         const unsigned char *before)
{
    if (length_of(call) == 0) {
        test_check(memcmp(data, before, call->count * call->kind->extent) == 0,
                   "the first rank's receive buffer is untouched");
        return;
    }
    test_operand_check(call->kind, number, call->team->size, length_of(call), 0, call->count, data);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct test_buffer new_buffer(const struct call *call, enum test_role role, size_t elements)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    return test_buffer_new(place, elements * call->kind->extent, call->kind->unit);
}

static void rounds_run(const struct call *call, struct test_buffer *send,
                       struct test_buffer *receive, unsigned char *copy, unsigned char *before)
{
    struct test_buffer *input = call->in_place ? receive : send;
    /* The first rank of an exclusive scan may pass anything that receives nothing. */
    bool passes_nothing = length_of(call) == 0 && !call->in_place && number % 2 == 0;
    const struct test_arguments arguments = {
        .send = call->in_place ? MPI_IN_PLACE : send->data - call->kind->lower,
        .receive = passes_nothing ? NULL : receive->data - call->kind->lower,
        .count = (int)call->count, .type = call->kind->type, .op = call->kind->handle,
        .comm = call->team->comm,
    };
    MPI_Request request = MPI_REQUEST_NULL;
    for (int round = 0; round < test_rounds(call->form); round++) {
        test_buffer_poison(receive);
        test_operand_fill(call->kind, number, call->team->rank, call->team->size, input->data,
                          call->count);
        memcpy(copy, input->data, input->bytes);
        memcpy(before, receive->data, receive->bytes);
        test_call_round(call->exclusive ? TEST_EXSCAN : TEST_SCAN, call->form, &arguments, round,
                        &request);
        check_result(call, receive->data, before);
        if (!call->in_place) {
            test_buffer_unchanged(send, copy, send->bytes, "send");
        }
    }
}

static void run(const struct test_operand *kind, const struct team *team, bool exclusive,
                enum test_spread spread, bool in_place, enum test_call_form form, size_t count)
{
    const struct call call = {kind, team, exclusive, form, spread, in_place, count};
    if (test_leaves_out(++number)) {
        return;
    }
    test_case("call %" PRIu64 ", %s, %s, %s, %zu elements of %zu bytes, %s, %s, %s", number,
              exclusive ? "exscan" : "scan", team->name, kind->name, count, kind->extent,
              test_form_names[form], test_spread_name(spread),
              in_place ? "in place" : "two buffers");
    struct test_buffer send = new_buffer(&call, TEST_SEND, in_place ? 0 : count);
    struct test_buffer receive = new_buffer(&call, TEST_RECEIVE, count);
    unsigned char *copy = malloc(count * kind->extent + 1);
    unsigned char *before = malloc(count * kind->extent + 1);
    if (copy == NULL || before == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    } else {
        int word = 0; /* a scan has no root, whatever the call before had */
        MPI_Bcast(&word, 1, MPI_INT, team->size > 1, team->comm);
        rounds_run(&call, &send, &receive, copy, before);
    }
    free(copy);
    free(before);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* All memories and forms of small calls; of large ones every so many, others each time. */
static void run_size(const struct test_operand *kind, size_t bytes)
{
    static unsigned combination;
    size_t count = bytes / kind->extent > 0 ? bytes / kind->extent : 1;
    unsigned every = bytes < 20000 ? 7 : bytes < 100000 ? 17 : 23;
    for (int spread = 0; spread < SPREADS; spread++) {
        for (int form = 0; form < test_forms(); form++) {
            for (int which = 0; which < 8; which++) {
                if (combination++ % (test_quick ? 5 * every : every) == 0) {
                    run(kind, which / 4 == 0 ? &world : &reversed, which % 2 == 1,
                        (enum test_spread)spread, which / 2 % 2 == 1,
                        (enum test_call_form)form, count);
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
    const size_t sizes[] = {1, 5 * kind->extent, 8192, 8192 + kind->extent, slot - kind->extent,
                            slot, slot + kind->extent, 65536 + 48, piece - kind->extent,
                            piece + kind->extent, 5 * piece + 96};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run_size(kind, sizes[i]);
    }
}

static void one_type_and_operation(const struct test_operand *kind, size_t index)
{
    run(kind, &world, index % 2 == 1, SPREAD_RANDOM, kind->op % 3 == 0, TEST_BLOCKING,
        test_quick ? 37 : 1037);
}

/*
 * The same values in any memory and in calls of any size have the same bits in their results: sums
 * that round, and minima of numbers that compare as equal.
 */
static void same_bits(bool exclusive, MPI_Op op)
{
    enum { COUNT = 20000, SMALL = 16 };
    struct test_buffer send[2], receive[3];
    const enum test_place places[3] = {TEST_HEAP, TEST_MALLOC, TEST_MALLOC};
    test_sum *call = exclusive ? MPI_Exscan : MPI_Scan;
    if (!test_expects_symm() || getenv("SYMM_TEST_CUDA_LIBRARY") != NULL) {
        return; /* nobody promises that */
    }
    test_case("same bits, %s, %s", exclusive ? "exscan" : "scan",
              op == MPI_SUM ? "sum" : op == MPI_MIN ? "min" : "max");
    number++;
    for (int i = 0; i < 3; i++) {
        receive[i] = test_buffer_new(places[i], COUNT * sizeof(float), sizeof(float));
    }
    for (int i = 0; i < 2; i++) {
        send[i] = test_buffer_new(places[i], COUNT * sizeof(float), sizeof(float));
        float *values = (float *)(void *)send[i].data;
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t random = test_random(test_stream(number, (uint64_t)test_rank, 5), k);
            values[k] = op == MPI_SUM ? ldexpf((float)(random % 999983), (int)(random >> 60))
                                      : random % 2 == 0 ? 0.0f : -0.0f;
        }
        call(send[i].data, receive[i].data, COUNT, MPI_FLOAT, op, test_comm);
    }
    for (int k = 0; k < 2048; k += SMALL) { /* a part of it in small calls */
        call((float *)(void *)send[1].data + k, (float *)(void *)receive[2].data + k, SMALL,
             MPI_FLOAT, op, test_comm);
    }
    if (!exclusive || test_rank > 0) {
        test_check(memcmp(receive[0].data, receive[1].data, COUNT * sizeof(float)) == 0,
                   "the heap and other memory have the same bits");
        test_check(memcmp(receive[1].data, receive[2].data, 2048 * sizeof(float)) == 0,
                   "small and large calls have the same bits");
    }
    for (int i = 0; i < 3; i++) {
        test_buffer_free(&receive[i], "receive");
    }
    test_buffer_free(&send[0], "send");
    test_buffer_free(&send[1], "send");
}

/* One rank comes late, another one each time; those before it are calls ahead of it. */
static void some_late(void)
{
    enum { CALLS = 36, PART = 12, ELEMENTS = 90000 };
    static int send[ELEMENTS], receive[ELEMENTS], turn;
    int first = test_whole ? 0 : turn++ * PART % CALLS, end = test_whole ? CALLS : first + PART;
    for (int call = first; call < end; call++) {
        int count = call % 3 == 0 ? 1 : call % 3 == 1 ? 3000 : ELEMENTS;
        bool exclusive = call / 3 % 2 == 1;
        int ranks = exclusive ? test_rank : test_rank + 1;
        test_case("one rank comes late, call %d", call);
        for (int i = 0; i < count; i++) {
            send[i] = call * i + test_rank;
            receive[i] = -1;
        }
        if (call % PART == 0 && test_rank == call / PART % test_size) {
            test_delay(50000);
        }
        (exclusive ? MPI_Exscan : MPI_Scan)(send, receive, count, MPI_INT, MPI_SUM,
                                            test_comm);
        for (int i = 0; i < count; i++) {
            int expected = ranks == 0 ? -1 : ranks * call * i + ranks * (ranks - 1) / 2;
            if (receive[i] != expected) {
                test_fail("element %d: expected %d, found %d", i, expected, receive[i]);
                break;
            }
        }
    }
}

/*
 * Open MPI's scans let a rank leave before those behind it come.  Where calls fall back, it must
 * not get so far ahead that what it has told them is gone.
 */
static void some_ahead(void)
{
    test_sum_late(MPI_Scan, 40, test_size - 1, test_rank + 1);
}

/* No data: nothing is touched, and the next call is as it would have been. */
static void nothing_to_do(void)
{
    struct test_operand kind = test_operand_of_element("int32", OP_SUM);
    for (int i = 0; i < 2 * TEST_FORMS; i++) {
        run(&kind, &world, i % 2 == 1, SPREAD_HEAP, i % 4 > 1, (enum test_call_form)(i / 2), 1);
        MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, test_comm);
        MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, test_comm);
        run(&kind, &world, i % 2 == 1, SPREAD_RANDOM, i % 4 > 1, (enum test_call_form)(i / 2), 9);
    }
}

static void teams_make(void)
{
    world = (struct team){test_comm, test_rank, test_size, "world"};
    reversed.name = "reversed half";
    MPI_Comm_split(test_comm, test_size > 3 ? test_rank % 2 : 0, -test_rank, &reversed.comm);
    MPI_Comm_rank(reversed.comm, &reversed.rank);
    MPI_Comm_size(reversed.comm, &reversed.size);
}

static void all(void)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
    static int turn;
    teams_make();
    test_operands_each_predefined(one_type_and_operation);
    test_operands_each(sizes_around_thresholds);
    turn++;
    for (int i = 0; i < 6; i++) {
        bool exclusive = i / 2 % 2 == 1;
        if (!test_whole && (turn + i) % 4 != 1) {
            continue;
        }
        /* Elements that no two of go through a block of scratch. */
        test_sum_long(exclusive ? MPI_Exscan : MPI_Scan, i < 2 ? 3000 : i < 4 ? 11000 : 35000, 9,
                      i % 2 == 0, exclusive ? test_rank : test_rank + 1);
        same_bits(i % 2 == 1, ops[i / 2]);
    }
    some_late();
    some_ahead();
    nothing_to_do();
    MPI_Comm_free(&reversed.comm);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_scan", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
