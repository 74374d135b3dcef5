/*
 * Every predefined type with every operation that the standard allows on it, all-gathers of every
 * type, and every alignment: one by one, and only with calls that the algorithms forced by
 * coll_symm_allreduce_algorithm and coll_symm_allgather_algorithm can serve. types.tap reads in the
 * component's report whether they have.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/elements.h"
#include "tests/harness/forced.h"
#include "tests/harness/harness.h"
#include "tests/harness/layouts.h"
#include "tests/harness/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>


static uint64_t number;
static unsigned long pairs; /* of type and operation */

static struct test_forced forced;

static struct test_buffer new_buffer(size_t bytes, size_t unit, enum test_role role)
{
    return test_forced_buffer(&forced, number, bytes, unit, role);
}

/* ---- all-reduce ------------------------------------------------------------------------------ */

static void reduce_in_place(const struct test_element *element, enum test_op op, size_t count)
{
    struct test_buffer buffer = new_buffer(count * element->form.extent,
                                           test_form_unit(&element->form), TEST_RECEIVE);
    test_generate(element, op, number, test_rank, test_size, buffer.data, count);
    MPI_Allreduce(MPI_IN_PLACE, buffer.data, (int)count, element->type, test_op_handle(op),
                  test_comm);
    test_check_reduction(element, op, number, buffer.data, count);
    test_buffer_free(&buffer, "receive");
}

static void reduce_out_of_place(const struct test_element *element, enum test_op op, size_t count)
{
    size_t bytes = count * element->form.extent;
    struct test_buffer send = new_buffer(bytes, test_form_unit(&element->form), TEST_SEND);
    struct test_buffer receive = new_buffer(bytes, test_form_unit(&element->form), TEST_RECEIVE);
    unsigned char *copy = malloc(bytes);
    if (copy == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    test_generate(element, op, number, test_rank, test_size, send.data, count);
    memcpy(copy, send.data, bytes);
    MPI_Allreduce(send.data, receive.data, (int)count, element->type, test_op_handle(op),
                  test_comm);
    test_check_reduction(element, op, number, receive.data, count);
    test_buffer_unchanged(&send, copy, bytes, "send");
    free(copy);
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

static void reduce(const struct test_element *element, enum test_op op, size_t count)
{
    size_t bytes = count * element->form.extent;
    if (bytes > forced.reduced) {
        return;
    }
    if (test_leaves_out(++number)) {
        return;
    }
    test_case("call %llu, %s %s, %zu elements", (unsigned long long)number, element->name,
              test_op_name(op), count);
    reduce_out_of_place(element, op, count);
    if (forced.in_place) {
        number++;
        test_case("call %llu, %s %s, %zu elements in place", (unsigned long long)number,
                  element->name, test_op_name(op), count);
        reduce_in_place(element, op, count);
    }
}

/* Open MPI leaves out some of what the standard allows. A communicator that no component of ours
 * serves tells. */
static bool is_available(const struct test_element *element, enum test_op op)
{
    unsigned char in[64] = {0}, out[64];
    return MPI_Allreduce(in, out, 1, element->type, test_op_handle(op), MPI_COMM_SELF) ==
           MPI_SUCCESS;
}

static void reduce_everything(void)
{
    static const size_t counts[] = {1, 13, 121, 1100};
    size_t types;
    const struct test_element *elements = test_elements_every(&types);
    for (size_t t = 0; t < types; t++) {
        for (enum test_op op = 0; op < OPS; op++) {
            if (test_op_is_allowed(op, &elements[t].form) && is_available(&elements[t], op)) {
                pairs++;
                for (size_t c = 0; c < 4; c++) {
                    reduce(&elements[t], op, counts[c]);
                }
            }
        }
    }
}

/* All offsets of each type, with its first operation; one call more where it has no second. */
static void reduce_at_every_offset(void)
{
    size_t types;
    const struct test_element *elements = test_elements_every(&types);
    for (size_t t = 0; t < types; t++) {
        size_t places = FORCED_LINE / test_form_unit(&elements[t].form);
        enum test_op op = 0;
        while (op < OPS && (!test_op_is_allowed(op, &elements[t].form) ||
                            !is_available(&elements[t], op))) {
            op++;
        }
        if (op == OPS) { /* Fortran's types, where Open MPI was built without Fortran */
            continue;
        }
        for (size_t place = 0; place < places; place += forced.in_place ? 2 : 1) {
            reduce(&elements[t], op, 29);
        }
    }
}

/* ---- all-gather ------------------------------------------------------------------------------ */

static void gather(const struct test_layout *from, const struct test_layout *to, size_t count,
                   bool in_place)
{
    size_t block = count * to->extent;
    if (count * test_layout_size(to) > forced.gathered) {
        return;
    }
    if (test_leaves_out(++number)) {
        return;
    }
    test_case("call %llu, all-gather of %zu %s as %s%s", (unsigned long long)number, count,
              from->name, to->name, in_place ? " in place" : "");
    struct test_buffer send = new_buffer(count * from->extent, from->unit, TEST_SEND);
    struct test_buffer receive = new_buffer(block * (size_t)test_size, to->unit, TEST_RECEIVE);
    unsigned char *own = in_place ? receive.data + block * (size_t)test_rank : send.data;
    test_layout_fill(in_place ? to : from, test_stream(number, (uint64_t)test_rank, 0), own, count);
    MPI_Allgather(in_place ? MPI_IN_PLACE : send.data + from->origin, (int)count, from->type,
                  receive.data + to->origin, (int)count, to->type, test_comm);
    for (int rank = 0; rank < test_size; rank++) {
        test_layout_check(to, test_stream(number, (uint64_t)rank, 0),
                          receive.data + block * (size_t)rank, count, TEST_POISON, rank);
    }
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* Counts, and for one of them the alignments. */
static void gather_type(const struct test_layout *layout)
{
    static const size_t counts[] = {1, 13, 121, 1100};
    for (size_t c = 0; c < 4; c++) {
        gather(layout, layout, counts[c], false);
        gather(layout, layout, counts[c], true);
    }
    for (size_t place = 0; place < FORCED_LINE / layout->unit; place++) {
        gather(layout, layout, 29, false);
    }
}

static void gather_everything(void)
{
    const struct test_layout others[] = {
        {"CHAR", MPI_CHAR, 1, 1, 1, {0}, {1}, 0, 0},
        {"WCHAR", MPI_WCHAR, sizeof(wchar_t), sizeof(wchar_t), 1, {0}, {sizeof(wchar_t)}, 0, 0},
        {"PACKED", MPI_PACKED, 1, 1, 1, {0}, {1}, 0, 0},
        {"CHARACTER", MPI_CHARACTER, 1, 1, 1, {0}, {1}, 0, 0},
    };
    size_t types;
    const struct test_element *elements = test_elements_every(&types);
    for (size_t t = 0; t < types; t++) {
        struct test_layout layout = test_layout_of(&elements[t]);
        if (test_layout_size(&layout) == layout.extent || forced.gathers_gaps) {
            gather_type(&layout);
        }
    }
    for (size_t t = 0; t < sizeof others / sizeof others[0]; t++) {
        int size;
        MPI_Type_size(others[t].type, &size);
        if (size == (int)others[t].extent) {
            gather_type(&others[t]);
        }
    }
}

/*
 * Derived types, other ones on each rank and for sending and receiving. Those without gaps are
 * served like predefined ones, by every algorithm.
 */
static void gather_derived(void)
{
    static const size_t counts[] = {1, 2, 41, 1100};
    struct test_layout plain[LAYOUT_PREDEFINED];
    struct test_layout ints[LAYOUT_INTS];
    int types = forced.gathers_gaps ? LAYOUT_INTS : LAYOUT_DENSE;
    test_layouts_create(plain, ints);
    for (int from = 0; from < types; from++) {
        for (int to = 0; to < types; to++) {
            for (size_t c = 0; c < 4; c++) {
                gather(&ints[(from + test_rank) % types], &ints[(to + 2 * test_rank) % types],
                       counts[c], (from + to) % 5 == 0);
            }
        }
    }
    test_layouts_free(plain, ints);
}

static void all(void)
{
    pairs = 0;
    forced = test_forced_find();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    reduce_everything();
    reduce_at_every_offset();
    gather_everything();
    gather_derived();
    test_case("pairs of type and operation");
    test_check(pairs >= 200, "as many pairs as there are for the types of C alone");
    if (test_rank == 0) {
        size_t types;
        (void)test_elements_every(&types);
        printf("check_types: %zu types, %lu pairs of type and operation\n", types, pairs);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_types", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
