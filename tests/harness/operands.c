/*
 * Elements with an operation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/operands.h"

#include "tests/harness/buffers.h"
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <inttypes.h>
#include <string.h>

enum { ELEMENT_MAX = 64 };

/* Affine maps, whose data have eight bytes. */
static const struct test_monoid *affine(void)
{
    size_t count;
    return &test_monoids(&count)[2];
}

static void affine_apply(const char *in, char *inout, int length, MPI_Datatype type,
                         ptrdiff_t displacement)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(type, &lower, &extent);
    for (int i = 0; i < length; i++) {
        ptrdiff_t at = i * extent + displacement;
        affine()->combine(in + at, inout + at);
    }
}

static void affine_here(void *in, void *inout, int *length, MPI_Datatype *type)
{
    affine_apply(in, inout, *length, *type, 0);
}

static void affine_behind(void *in, void *inout, int *length, MPI_Datatype *type)
{
    affine_apply(in, inout, *length, *type, 8);
}

static MPI_Datatype pair_type(MPI_Aint displacement, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype pair, type;
    int blocks = 2;
    MPI_Datatype ints = MPI_INT32_T;
    MPI_Type_create_struct(1, &blocks, &displacement, &ints, &pair);
    MPI_Type_create_resized(pair, lower, extent, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&pair);
    return type;
}

struct test_operand test_operand_of_monoid(const struct test_monoid *monoid)
{
    struct test_operand kind = {.name = monoid->name, .monoid = monoid, .type = monoid->new_type(),
                                   .extent = monoid->extent, .unit = monoid->unit};
    MPI_Op_create(monoid->function, monoid->commutes, &kind.handle);
    return kind;
}

struct test_operand test_operand_of_pairs(const char *name, ptrdiff_t displacement, ptrdiff_t lower,
                                    size_t extent)
{
    struct test_operand kind = {
        .name = name, .monoid = affine(), .extent = extent, .unit = 4, .lower = lower,
        .type = pair_type(displacement, lower, (MPI_Aint)extent),
        .datum = (size_t)(displacement - lower)};
    MPI_Op_create(displacement == 0 ? affine_here : affine_behind, 0, &kind.handle);
    return kind;
}

struct test_operand test_operand_of_element(const char *name, enum test_op op)
{
    const struct test_element *element = test_element(name);
    return (struct test_operand){
        .name = name, .element = element, .op = op, .type = element->type,
        .handle = test_op_handle(op), .extent = element->form.extent,
        .unit = test_scalar_size(element->form.scalar)};
}

void test_operand_free(struct test_operand *kind)
{
    int integers, addresses, types, combiner;
    if (kind->element == NULL) {
        MPI_Op_free(&kind->handle);
        MPI_Type_get_envelope(kind->type, &integers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED) {
            MPI_Type_free(&kind->type);
        }
    }
}

/* ---- contributions and results --------------------------------------------------------------- */

static void datum_generate(const struct test_operand *kind, uint64_t number, int rank, size_t i,
                           void *datum)
{
    kind->monoid->generate(test_random(test_stream(number, (uint64_t)rank, 0), i), datum);
}

void test_operand_fill(const struct test_operand *kind, uint64_t number, int rank, int ranks,
                       unsigned char *data, size_t count)
{
    if (kind->element != NULL) {
        test_generate(kind->element, kind->op, number, rank, ranks, data, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        datum_generate(kind, number, rank, i, data + i * kind->extent + kind->datum);
    }
}

/* x0 * x1 * ... * xN-1, from the right. */
static bool is_combined(const struct test_operand *kind, uint64_t number, int length, size_t i,
                        const unsigned char *found)
{
    unsigned char left[ELEMENT_MAX], expected[ELEMENT_MAX];
    memset(expected, TEST_POISON, sizeof expected);
    datum_generate(kind, number, length - 1, i, expected + kind->datum);
    for (int rank = length - 2; rank >= 0; rank--) {
        datum_generate(kind, number, rank, i, left);
        kind->monoid->combine(left, expected + kind->datum);
    }
    if (memcmp(found, expected, kind->extent) == 0) {
        return true;
    }
    test_fail("element %zu: it or its gap is wrong", i);
    return false;
}

void test_operand_check(const struct test_operand *kind, uint64_t number, int ranks, int length,
                        size_t first, size_t count, const unsigned char *found)
{
    bool good = true;
    for (size_t i = first; i < first + count && good; i++, found += kind->extent) {
        good = kind->element != NULL ? test_check_prefix(kind->element, kind->op, number, ranks,
                                                         length, i, found)
                                     : is_combined(kind, number, length, i, found);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void test_operands_each(void (*visit)(const struct test_operand *kind))
{
    size_t count;
    const struct test_monoid *monoids = test_monoids(&count);
    struct test_operand kinds[16];
    size_t number_of = 0;
    for (size_t i = 0; i < count && !test_sweep_repeats(); i++) {
        kinds[number_of++] = test_operand_of_monoid(&monoids[i]);
    }
    if (!test_sweep_repeats()) {
        kinds[number_of++] = test_operand_of_pairs("pairs behind their bound", 8, 8, 8);
        kinds[number_of++] =
            test_operand_of_pairs("pairs before a gap, behind their bound", 8, 8, 16);
        kinds[number_of++] = test_operand_of_pairs("pairs behind a gap", 0, -8, 24);
    }
    kinds[number_of++] = test_operand_of_element("int64", OP_SUM);
    kinds[number_of++] = test_operand_of_element("uint8", OP_BXOR);
    kinds[number_of++] = test_operand_of_element("float", OP_SUM);
    kinds[number_of++] = test_operand_of_element("double", OP_PROD);
    kinds[number_of++] = test_operand_of_element("double+int", OP_MINLOC);
    for (size_t i = 0; i < number_of; i++) {
        visit(&kinds[i]);
        test_operand_free(&kinds[i]);
    }
}

void test_operands_each_predefined(void (*visit)(const struct test_operand *kind, size_t index))
{
    size_t types;
    const struct test_element *elements = test_elements(&types);
    for (size_t t = 0; t < types; t++) {
        for (enum test_op op = 0; op < OPS; op++) {
            if (test_op_is_allowed(op, &elements[t].form)) {
                const struct test_operand kind = test_operand_of_element(elements[t].name, op);
                visit(&kind, t + op);
            }
        }
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void ints_add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length * (size / 4); i++) {
        ((uint32_t *)inout)[i] += ((const uint32_t *)in)[i];
    }
}

void test_sum_long(test_sum *sum, int ints, int count, bool heap, int ranks)
{
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes = (size_t)count * (size_t)ints * 4;
    enum test_place place = heap ? TEST_HEAP : TEST_MALLOC;
    struct test_buffer send = test_buffer_new(place, bytes, 4);
    struct test_buffer receive = test_buffer_new(place, bytes, 4);
    uint32_t *from = (uint32_t *)(void *)send.data, *to = (uint32_t *)(void *)receive.data;
    test_case("elements of %d ints, %s", ints, test_place_name(place));
    MPI_Type_contiguous(ints, MPI_UINT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(ints_add, 1, &op);
    for (size_t i = 0; i < bytes / 4; i++) {
        from[i] = (uint32_t)i * (uint32_t)(test_rank + 1);
    }
    sum(from, to, count, type, op, test_comm);
    for (size_t i = 0; i < bytes / 4; i++) {
        uint32_t expected = ranks == 0 ? TEST_POISON * 0x01010101u
                                       : (uint32_t)i * (uint32_t)(ranks * (ranks + 1) / 2);
        if (to[i] != expected) {
            test_fail("int %zu: expected %" PRIu32 ", found %" PRIu32, i, expected, to[i]);
            break;
        }
    }
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

void test_sum_late(test_sum *sum, int calls, int late, int ranks)
{
    enum { ELEMENTS = 400 };
    static int send[4 * ELEMENTS], receive[4 * ELEMENTS], times;
    MPI_Datatype type;
    MPI_Op op;
    if (times++ > 0 && !test_whole) {
        return; /* at each place of a sweep such calls fall back in the same way */
    }
    MPI_Type_create_resized(MPI_INT, 0, 16, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(gaps_add, 1, &op);
    for (int call = 0; call < calls; call++) {
        test_case("rank %d comes late, call %d", late, call);
        for (int i = 0; i < ELEMENTS; i++) {
            send[4 * i] = call * i + test_rank;
        }
        if (call % (calls / 2) == 0 && test_rank == late) {
            test_delay(200000);
        }
        sum(send, receive, ELEMENTS, type, op, test_comm);
        for (int i = 0; i < ELEMENTS && ranks > 0; i++) {
            int expected = ranks * call * i + ranks * (ranks - 1) / 2;
            if (receive[4 * i] != expected) {
                test_fail("element %d: expected %d, found %d", i, expected, receive[4 * i]);
                break;
            }
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}
