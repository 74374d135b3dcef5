/*
 * MPI_Allreduce with predefined types and operations against an independent reference: every
 * type with every operation (SYMM_TEST_SIZES leaves these out), sizes around every threshold,
 * memory of every sort, in place or not.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/elements.h"
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    const struct test_element *element;
    enum test_op op;
    size_t count;
    enum test_spread spread;
    bool in_place;
};

static uint64_t number; /* of the call: what makes its random data and places unique */

/* Ranks may name the same type by different handles, MPI_INT and MPI_INT32_T for instance. */
static MPI_Datatype type_on_this_rank(const struct test_element *element)
{
    return (number + (uint64_t)test_rank) % 2 == 0 ? element->type : element->same;
}

static struct test_buffer new_buffer(const struct call *call, enum test_role role)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    size_t unit = test_scalar_size(call->element->form.scalar);
    return test_buffer_new(place, call->count * call->element->form.extent, unit);
}

static void check_result(const struct call *call, const struct test_buffer *result)
{
    test_check_reduction(call->element, call->op, number, result->data, call->count);
    bool has_padding = call->element->form.family == FAMILY_PAIR;
    if (!has_padding && (call->element->form.scalar == SCALAR_FLOAT ||
                         call->element->form.scalar == SCALAR_DOUBLE)) {
        test_digest(result->data, result->bytes);
    }
}

static void run_in_place(const struct call *call)
{
    struct test_buffer buffer = new_buffer(call, TEST_RECEIVE);
    test_generate(call->element, call->op, number, test_rank, test_size, buffer.data,
                  call->count);
    MPI_Allreduce(MPI_IN_PLACE, buffer.data, (int)call->count, type_on_this_rank(call->element),
                  test_op_handle(call->op), test_comm);
    check_result(call, &buffer);
    test_buffer_free(&buffer, "receive");
}

static void run_out_of_place(const struct call *call)
{
    struct test_buffer send = new_buffer(call, TEST_SEND);
    struct test_buffer receive = new_buffer(call, TEST_RECEIVE);
    unsigned char *copy = malloc(send.bytes + 1);
    if (copy == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    test_generate(call->element, call->op, number, test_rank, test_size, send.data, call->count);
    memcpy(copy, send.data, send.bytes);
    MPI_Allreduce(send.data, receive.data, (int)call->count, type_on_this_rank(call->element),
                  test_op_handle(call->op), test_comm);
    check_result(call, &receive);
    test_buffer_unchanged(&send, copy, send.bytes, "send");
    free(copy);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

static void run(struct call call)
{
    if (test_leaves_out(++number)) {
        return;
    }
    test_case("call %llu, %s %s, %zu elements of %zu bytes, %s, %s", (unsigned long long)number,
              call.element->name, test_op_name(call.op), call.count, call.element->form.extent,
              test_spread_name(call.spread), call.in_place ? "in place" : "two buffers");
    if (call.in_place) {
        run_in_place(&call);
    } else {
        run_out_of_place(&call);
    }
}

static void every_type_and_operation(void)
{
    static const size_t counts[] = {1, 7, 1037};
    size_t types;
    const struct test_element *elements = test_elements(&types);
    for (size_t t = 0; t < types; t++) {
        for (enum test_op op = 0; op < OPS; op++) {
            for (size_t c = 0; c < 3 && test_op_is_allowed(op, &elements[t].form); c++) {
                run((struct call){&elements[t], op, counts[c], SPREAD_RANDOM, false});
                run((struct call){&elements[t], op, counts[c], SPREAD_RANDOM, true});
            }
        }
    }
}

/* One size in all memories, in place and not. A large one gets every third combination, other ones
 * for other sizes. */
static void one_size(const struct test_element *element, enum test_op op, size_t bytes)
{
    static int combination;
    size_t count = bytes / element->form.extent;
    for (enum test_spread spread = 0; spread < SPREADS && count > 0; spread++) {
        for (int in_place = 0; in_place < 2; in_place++, combination++) {
            if (bytes < 100000 || combination % 3 == 0) {
                run((struct call){element, op, count, spread, in_place == 1});
            }
        }
    }
    combination++;
}

static void sizes_around_thresholds(void)
{
    const size_t slot = test_parameter("coll_symm_slot_size", 17408);
    const size_t piece = test_parameter("coll_symm_piece_size", 262144);
    const size_t sizes[] = {16,         1024 + 16,  4096,           4096 + 16,
                            8192,       8192 + 16,  slot - 16,      slot,
                            slot + 16,  2 * slot,   65536 + 48,     piece - 16,
                            piece,      piece + 16, 2 * piece + 48, 1048576 + 16};
    const struct test_element *int64 = test_element("int64");
    const struct test_element *real = test_element("float");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - (test_quick ? 1 : 0); i++) {
        one_size(i % 2 == 0 ? int64 : real, OP_SUM, sizes[i]);
    }
    one_size(test_element("uint8"), OP_MAX, slot + 1);
    one_size(test_element("uint8"), OP_BXOR, piece + 1);
    one_size(test_element("long double"), OP_SUM, slot + 16);
    one_size(test_element("double+int"), OP_MINLOC, 65536 + 16);
    one_size(test_element("double complex"), OP_PROD, piece / 2 + 16);
}

static void several_mebibytes(void)
{
    const size_t bytes = (4u << 20) + 40;
    const struct test_element *real = test_element("double");
    const struct test_element *int64 = test_element("int64");
    run((struct call){int64, OP_SUM, bytes / 8, SPREAD_HEAP, false});
    run((struct call){real, OP_SUM, bytes / 8, SPREAD_HEAP, true});
    run((struct call){real, OP_SUM, bytes / 8, SPREAD_MALLOC, false});
    run((struct call){int64, OP_SUM, bytes / 8, SPREAD_RANKS, true});
}

/* A count of 0 is legal, touches nothing, and leaves the next call as it would have been. */
static void nothing_to_do(void)
{
    struct test_buffer buffer = test_buffer_new(TEST_HEAP, 64, 8);
    unsigned char copy[64];
    memcpy(copy, buffer.data, sizeof copy);
    for (int i = 0; i < 3; i++) {
        test_case("count 0, call %d", i);
        MPI_Allreduce(MPI_IN_PLACE, buffer.data, 0, MPI_DOUBLE, MPI_SUM, test_comm);
        MPI_Allreduce(buffer.data, buffer.data + 32, 0, MPI_INT, MPI_MAX, test_comm);
        test_buffer_unchanged(&buffer, copy, sizeof copy, "receive");
        run((struct call){test_element("int32"), OP_SUM, 3, SPREAD_RANDOM, i == 1});
    }
    test_buffer_free(&buffer, "receive");
}

/* With NaN the standard promises no value; we promise that all ranks have the same one. */
static void not_a_number(void)
{
    const MPI_Op ops[] = {MPI_MIN, MPI_MAX, MPI_SUM};
    double send[37];
    double receive[37];
    for (int op = 0; op < 3 && test_expects_symm(); op++) {
        test_case("NaN, operation %d", op);
        for (int i = 0; i < 37; i++) {
            uint64_t random = test_random(test_stream(++number, (uint64_t)test_rank, 1), 0);
            send[i] = random % 3 == 0 ? NAN : (double)(random % 100);
        }
        MPI_Allreduce(send, receive, 37, MPI_DOUBLE, ops[op], test_comm);
        for (int i = 0; i < 37; i++) {
            /* The sign and payload of a NaN are the processor's business. */
            receive[i] = isnan(receive[i]) ? -1.0 : receive[i];
        }
        test_same_on_all(receive, 37, sizeof(double), sizeof(double));
    }
}

/* A message under way must neither disturb a reduction nor wait for it. */
static void amid_messages(void)
{
    int to = (test_rank + 1) % test_size;
    int from = (test_rank + test_size - 1) % test_size;
    size_t length = 200000;
    struct test_buffer out = test_buffer_new(TEST_HEAP_INNER, length, 1);
    struct test_buffer in = test_buffer_new(TEST_HEAP_INNER, length, 1);
    for (int i = 0; i < 6; i++) {
        MPI_Request requests[2];
        memset(out.data, test_rank + i, length);
        MPI_Irecv(in.data, (int)length, MPI_BYTE, from, i, test_comm, &requests[0]);
        MPI_Isend(out.data, (int)length, MPI_BYTE, to, i, test_comm, &requests[1]);
        run((struct call){test_element("int32"), OP_SUM, i % 2 == 0 ? 5 : 30011, SPREAD_RANDOM,
                          false});
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        test_check(in.data[0] == from + i && in.data[length - 1] == from + i,
                   "the message sent before the reduction");
    }
    test_buffer_free(&out, "send");
    test_buffer_free(&in, "receive");
}

static void all(void)
{
    number = 0; /* the same data for each algorithm */
    if (getenv("SYMM_TEST_SIZES") == NULL) {
        every_type_and_operation();
    }
    sizes_around_thresholds();
    if (!test_quick) {
        several_mebibytes();
    }
    nothing_to_do();
    not_a_number();
    amid_messages();
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_allreduce", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
