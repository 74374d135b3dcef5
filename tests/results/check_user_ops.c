/*
 * MPI_Allreduce with user-defined operations, commutative and not, on predefined and derived
 * types: contributions must be combined in rank order, and gaps in a type must stay untouched.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/harness.h"
#include "tests/harness/monoids.h"
#include "tests/harness/sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    const struct test_monoid *monoid;
    MPI_Datatype type;
    MPI_Op op;
    size_t count;
    enum test_spread spread;
    bool in_place;
};

static uint64_t number;


static struct test_buffer new_buffer(const struct call *call, enum test_role role)
{
    enum test_place place = test_spread_place(call->spread, role, test_rank, number);
    return test_buffer_new(place, call->count * call->monoid->extent, call->monoid->unit);
}

static void generate(const struct call *call, int rank, size_t i, void *element)
{
    call->monoid->generate(test_random(test_stream(number, (uint64_t)rank, 0), i), element);
}

/* x0 * x1 * ... * xN-1, from the right. */
static void reference(const struct call *call, size_t i, void *product)
{
    unsigned char left[64];
    generate(call, test_size - 1, i, product);
    for (int rank = test_size - 2; rank >= 0; rank--) {
        generate(call, rank, i, left);
        call->monoid->combine(left, product);
    }
}

static void report(const struct call *call, size_t i, const unsigned char *expected,
                   const unsigned char *found)
{
    char want[3 * 64 + 1] = "";
    char got[3 * 64 + 1] = "";
    for (size_t b = 0; b < call->monoid->extent; b++) {
        snprintf(want + 3 * b, 4, "%02x ", expected[b]);
        snprintf(got + 3 * b, 4, "%02x ", found[b]);
    }
    test_fail("element %zu of %zu: expected bytes %sfound %s", i, call->count, want, got);
}

static void check_result(const struct call *call, const struct test_buffer *result)
{
    for (size_t i = 0; i < call->count; i++) {
        unsigned char expected[64];
        const unsigned char *found = result->data + i * call->monoid->extent;
        memset(expected, TEST_POISON, sizeof expected);
        reference(call, i, expected);
        if (memcmp(found, expected, call->monoid->extent) != 0) {
            report(call, i, expected, found);
            return;
        }
    }
}

static void fill(const struct call *call, const struct test_buffer *buffer)
{
    for (size_t i = 0; i < call->count; i++) {
        generate(call, test_rank, i, buffer->data + i * call->monoid->extent);
    }
}

static void run_in_place(const struct call *call)
{
    struct test_buffer buffer = new_buffer(call, TEST_RECEIVE);
    fill(call, &buffer);
    MPI_Allreduce(MPI_IN_PLACE, buffer.data, (int)call->count, call->type, call->op,
                  test_comm);
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
    fill(call, &send);
    memcpy(copy, send.data, send.bytes);
    MPI_Allreduce(send.data, receive.data, (int)call->count, call->type, call->op,
                  test_comm);
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
    test_case("call %" PRIu64 ", %s, %zu elements of %zu bytes, %s, %s", number,
              call.monoid->name, call.count, call.monoid->extent, test_spread_name(call.spread),
              call.in_place ? "in place" : "two buffers");
    if (call.in_place) {
        run_in_place(&call);
    } else {
        run_out_of_place(&call);
    }
}

static void run_sizes(struct call call)
{
    const size_t slot = test_parameter("coll_symm_slot_size", 17408);
    const size_t piece = test_parameter("coll_symm_piece_size", 262144);
    const size_t sizes[] = {1,     5 * call.monoid->extent, slot,
                            65536, piece + 32,              3 * piece + 96};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] - (test_quick ? 1 : 0); i++) {
        call.count = sizes[i] / call.monoid->extent > 0 ? sizes[i] / call.monoid->extent : 1;
        for (call.spread = 0; call.spread < SPREADS; call.spread++) {
            if (sizes[i] < 100000 || (i + call.spread) % 3 == 0) {
                call.in_place = false;
                run(call);
                call.in_place = true;
                run(call);
            }
        }
    }
}

/* Each monoid twice if it commutes: declaring it non-commutative as well is legal. */
static void every_monoid(void)
{
    size_t count;
    const struct test_monoid *monoids = test_monoids(&count);
    for (size_t i = 0; i < count; i++) {
        for (int commutes = 0; commutes <= monoids[i].commutes; commutes++) {
            struct call call = {.monoid = &monoids[i], .type = monoids[i].new_type()};
            MPI_Op_create(monoids[i].function, commutes, &call.op);
            run_sizes(call);
            MPI_Op_free(&call.op);
            int integers;
            int addresses;
            int types;
            int combiner;
            MPI_Type_get_envelope(call.type, &integers, &addresses, &types, &combiner);
            if (combiner != MPI_COMBINER_NAMED) {
                MPI_Type_free(&call.type);
            }
        }
    }
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        ((int *)inout)[i] += ((const int *)in)[i];
    }
}

static void largest(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        int other = ((const int *)in)[i];
        ((int *)inout)[i] = other > ((int *)inout)[i] ? other : ((int *)inout)[i];
    }
}

/* An operation that is freed and made anew, often with the same handle, must not be mistaken for
 * the one before. */
static void recreated_operation(void)
{
    for (int i = 0; i < 10; i++) {
        MPI_Op op;
        int value = test_rank + i;
        int sum = test_size * (test_size - 1) / 2 + i * test_size;
        int expected = i % 2 == 0 ? sum : test_size - 1 + i;
        int result = -1;
        test_case("operation made anew, time %d", i);
        MPI_Op_create(i % 2 == 0 ? add : largest, 1, &op);
        MPI_Allreduce(&value, &result, 1, MPI_INT, op, test_comm);
        if (result != expected) {
            test_fail("expected %d, found %d", expected, result);
        }
        MPI_Op_free(&op);
    }
}

static void add_ints(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length * (size / (int)sizeof(int)); i++) {
        ((int *)inout)[i] += ((const int *)in)[i];
    }
}

/*
 * Rank 0 passes as many ints as the other one in elements of three, of which slices are cut
 * elsewhere. MPI does not allow that, but Open MPI without us gives the right sums with two ranks.
 */
static void elements_that_differ(void)
{
    static const int counts[] = {1, 100, 5000, 100000};
    MPI_Datatype three;
    MPI_Op op;
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    MPI_Op_create(add_ints, 1, &op);
    for (int i = 0; i < 8; i++) {
        int count = counts[i / 2];
        size_t ints = 3 * (size_t)count;
        enum test_place place = i % 2 == 0 ? TEST_MALLOC : TEST_HEAP;
        struct test_buffer send = test_buffer_new(place, ints * sizeof(int), sizeof(int));
        struct test_buffer receive = test_buffer_new(place, ints * sizeof(int), sizeof(int));
        const int *sums = (const int *)(void *)receive.data;
        test_case("%zu ints on rank 0, %d elements of three on rank 1", ints, count);
        for (size_t k = 0; k < ints; k++) {
            ((int *)(void *)send.data)[k] = (int)k + test_rank;
        }
        MPI_Allreduce(send.data, receive.data, test_rank == 0 ? (int)ints : count,
                      test_rank == 0 ? MPI_INT : three, op, test_comm);
        for (size_t k = 0; k < ints; k++) {
            int expected = (int)k * test_size + test_size * (test_size - 1) / 2;
            if (sums[k] != expected) {
                test_fail("int %zu: expected %d, found %d", k, expected, sums[k]);
                break;
            }
        }
        test_buffer_free(&send, "send");
        test_buffer_free(&receive, "receive");
    }
    MPI_Op_free(&op);
    MPI_Type_free(&three);
}

/* Elements that are all gap: there is nothing to reduce, and nothing to touch. */
static void elements_without_data(void)
{
    static const int counts[] = {1, 4, 1000, 200000};
    MPI_Datatype nothing;
    MPI_Datatype gap;
    MPI_Op op;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_create_resized(nothing, 0, 16, &gap);
    MPI_Type_commit(&gap);
    MPI_Op_create(add_ints, 1, &op);
    for (int i = 0; i < 8; i++) {
        size_t bytes = (size_t)counts[i / 2] * 16;
        enum test_place place = i % 2 == 0 ? TEST_MALLOC : TEST_HEAP;
        struct test_buffer send = test_buffer_new(place, bytes, sizeof(int));
        struct test_buffer receive = test_buffer_new(place, bytes, sizeof(int));
        unsigned char *copy = malloc(bytes);
        test_case("%d elements of no data", counts[i / 2]);
        if (copy == NULL) {
            MPI_Abort(MPI_COMM_WORLD, 2);
            return;
        }
        memcpy(copy, receive.data, bytes);
        MPI_Allreduce(send.data, receive.data, counts[i / 2], gap, op, test_comm);
        test_buffer_unchanged(&receive, copy, bytes, "receive");
        free(copy);
        test_buffer_free(&send, "send");
        test_buffer_free(&receive, "receive");
    }
    MPI_Op_free(&op);
    MPI_Type_free(&gap);
    MPI_Type_free(&nothing);
}

static void all(void)
{
    every_monoid();
    recreated_operation();
    if (test_size == 2) {
        elements_that_differ();
    }
    elements_without_data();
    test_case("arguments of the user functions");
    test_check(test_monoids_misuses() == 0, "lengths above 0 and the datatype of the call");
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_user_ops", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
