/*
 * Datatypes with a known byte layout, from plain to scattered.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/layouts.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { INTS = 6 };

static struct test_layout plain(const char *name, MPI_Datatype type, size_t size)
{
    return (struct test_layout){name, type, size, size, 1, {0}, {size}, 0, 0};
}

static void create_predefined(struct test_layout *table)
{
    table[0] = plain("byte", MPI_BYTE, 1);
    table[1] = plain("int16", MPI_INT16_T, 2);
    table[2] = plain("int32", MPI_INT32_T, 4);
    table[3] = plain("double", MPI_DOUBLE, 8);
    table[4] = plain("double complex", MPI_C_DOUBLE_COMPLEX, 16);
    table[4].unit = 8;
    /* The pair has a gap behind its index. */
    table[5] = plain("double+int", MPI_DOUBLE_INT, 16);
    table[5].unit = 8;
    table[5].length[0] = 12;
}

/* An int layout from runs of ints; extent 0 means that of the type. */
static struct test_layout runs(const char *name, MPI_Datatype type, size_t extent, size_t count,
                               const int *at, const int *length)
{
    struct test_layout layout = {name, type, extent, 4, count, {0}, {0}, 0, 1};
    for (size_t i = 0; i < count; i++) {
        layout.offset[i] = (size_t)at[i] * 4;
        layout.length[i] = (size_t)length[i] * 4;
    }
    MPI_Type_commit(&layout.type);
    return layout;
}

static MPI_Datatype resized(MPI_Datatype inner, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype type;
    MPI_Type_create_resized(inner, lower, extent, &type);
    MPI_Type_free(&inner);
    return type;
}

static MPI_Datatype indexed(int count, const int *length, const int *at)
{
    MPI_Datatype type;
    MPI_Type_indexed(count, length, at, MPI_INT32_T, &type);
    return type;
}

static MPI_Datatype contiguous(int count, MPI_Datatype inner)
{
    MPI_Datatype type;
    MPI_Type_contiguous(count, inner, &type);
    return type;
}

static MPI_Datatype vector(int blocks, int length, int stride)
{
    MPI_Datatype type;
    MPI_Type_vector(blocks, length, stride, MPI_INT32_T, &type);
    return type;
}

/* Two contiguous triples, as a program with nested structures would build it. */
static MPI_Datatype nested(void)
{
    MPI_Datatype triple = contiguous(3, MPI_INT32_T);
    MPI_Datatype type = contiguous(2, triple);
    MPI_Type_free(&triple);
    return type;
}

/* A structure of one, two and three ints, with room between its members or not. */
static MPI_Datatype structure(int room)
{
    const int length[] = {1, 1, 3};
    const MPI_Aint at[] = {0, 4 + 4 * room, 12 + 8 * room};
    MPI_Datatype type;
    MPI_Datatype two = contiguous(2, MPI_INT32_T);
    MPI_Datatype copy;
    MPI_Type_dup(MPI_INT32_T, &copy);
    const MPI_Datatype types[] = {MPI_INT32_T, two, copy};
    MPI_Type_create_struct(3, length, at, types, &type);
    MPI_Type_free(&two);
    MPI_Type_free(&copy);
    return type;
}

/* Elements that fill their memory. The last two begin in front of their address and behind it. */
static void create_dense(struct test_layout *table)
{
    static const int start[] = {0};
    static const int all[] = {INTS};
    static const int early_at[] = {-2};
    static const int late_at[] = {2};
    table[0] = runs("contiguous", contiguous(INTS, MPI_INT32_T), 24, 1, start, all);
    table[1] = runs("nested contiguous", nested(), 24, 1, start, all);
    table[2] = runs("vector 2x3/3", vector(2, 3, 3), 24, 1, start, all);
    table[3] = runs("dense structure", structure(0), 24, 1, start, all);
    table[4] = runs("low bound -8, dense", resized(contiguous(INTS, MPI_INT32_T), -8, 24), 24, 1,
                    start, all);
    table[5] = runs("early", indexed(1, all, early_at), 24, 1, start, all);
    table[5].origin = 8;
    table[6] = runs("late", resized(indexed(1, all, late_at), 4, 24), 24, 1, start, all);
    table[6].origin = -8;
}

static void create_with_gaps(struct test_layout *table)
{
    static const int start[] = {0};
    static const int all[] = {INTS};
    static const int halves_at[] = {0, 4};
    static const int swapped_at[] = {3, 0};
    static const int halves[] = {3, 3};
    static const int thirds_at[] = {0, 3, 6};
    static const int thirds[] = {2, 2, 2};
    static const int singles_at[] = {0, 2, 4, 6, 8, 10};
    static const int singles[] = {1, 1, 1, 1, 1, 1};
    static const int mixed_at[] = {4, 0, 2};
    static const int mixed[] = {2, 2, 2};
    static const int late_at[] = {2};
    static const int members_at[] = {0, 2, 5};
    static const int members[] = {1, 2, 3};

    table[0] = runs("vector 2x3/4", vector(2, 3, 4), 28, 2, halves_at, halves);
    table[1] = runs("vector 3x2/3", vector(3, 2, 3), 32, 3, thirds_at, thirds);
    table[2] = runs("vector 6x1/2", vector(6, 1, 2), 44, 6, singles_at, singles);
    table[3] = runs("padded", resized(contiguous(INTS, MPI_INT32_T), 0, 32), 32, 1, start, all);
    table[4] = runs("out of order", indexed(3, mixed, mixed_at), 24, 3, mixed_at, mixed);
    table[5] = runs("offset", resized(indexed(1, all, late_at), 0, 40), 40, 1, late_at, all);
    table[6] = runs("low bound -8", resized(contiguous(INTS, MPI_INT32_T), -8, 40), 40, 1, start,
                    all);
    table[7] = runs("structure", structure(1), 32, 3, members_at, members);
    table[8] = runs("swapped halves", indexed(2, halves, swapped_at), 24, 2, swapped_at, halves);
}

void test_layouts_create(struct test_layout predefined[LAYOUT_PREDEFINED],
                         struct test_layout ints[LAYOUT_INTS])
{
    create_predefined(predefined);
    create_dense(ints);
    create_with_gaps(ints + LAYOUT_DENSE);
}

void test_layouts_free(struct test_layout predefined[LAYOUT_PREDEFINED],
                       struct test_layout ints[LAYOUT_INTS])
{
    for (int i = 0; i < LAYOUT_INTS; i++) {
        MPI_Type_free(&ints[i].type);
    }
    memset(predefined, 0, LAYOUT_PREDEFINED * sizeof *predefined);
}

struct test_layout test_layout_of(const struct test_element *element)
{
    struct test_layout layout = plain(element->name, element->type, element->form.extent);
    layout.unit = test_form_unit(&element->form);
    if (element->form.family == FAMILY_PAIR) {
        layout.blocks = 2;
        layout.length[0] = test_scalar_size(element->form.scalar);
        layout.offset[1] = element->form.second;
        layout.length[1] = test_scalar_size(element->form.index);
    }
    return layout;
}

size_t test_layout_size(const struct test_layout *layout)
{
    size_t size = 0;
    for (size_t i = 0; i < layout->blocks; i++) {
        size += layout->length[i];
    }
    return size;
}

static unsigned char stream_byte(uint64_t stream, size_t i)
{
    static _Thread_local uint64_t last_stream;
    static _Thread_local size_t last_index = (size_t)-1;
    static _Thread_local uint64_t word;
    if (last_stream != stream || last_index != i / 8) {
        last_stream = stream;
        last_index = i / 8;
        word = test_random(stream, last_index);
    }
    return (unsigned char)(word >> 8 * (i % 8));
}

/* Without gaps, elements are one run of bytes. */
static bool is_dense(const struct test_layout *layout)
{
    return layout->blocks == 1 && layout->length[0] == layout->extent;
}

static void fill_dense(uint64_t stream, unsigned char *buffer, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = test_random(stream, i / 8);
        for (size_t b = 0; b < 8 && i + b < bytes; b++) {
            buffer[i + b] = (unsigned char)(word >> 8 * b);
        }
    }
}

/* The first byte that is not the stream's, or `bytes`. */
static size_t first_wrong_byte(uint64_t stream, const unsigned char *buffer, size_t bytes)
{
    unsigned char expected[8];
    for (size_t i = 0; i < bytes; i += 8) {
        size_t length = bytes - i < 8 ? bytes - i : 8;
        uint64_t word = test_random(stream, i / 8);
        for (size_t b = 0; b < 8; b++) {
            expected[b] = (unsigned char)(word >> 8 * b);
        }
        /* eight bytes without a call, as nearly all are */
        bool same = length == 8 ? memcmp(buffer + i, expected, 8) == 0
                                : memcmp(buffer + i, expected, length) == 0;
        if (!same) {
            size_t b = 0;
            while (buffer[i + b] == expected[b]) {
                b++;
            }
            return i + b;
        }
    }
    return bytes;
}

void test_layout_fill(const struct test_layout *layout, uint64_t stream, unsigned char *buffer,
                      size_t count)
{
    size_t next = 0;
    if (is_dense(layout)) {
        fill_dense(stream, buffer, count * layout->extent);
        return;
    }
    for (size_t e = 0; e < count; e++) {
        for (size_t b = 0; b < layout->blocks; b++) {
            unsigned char *at = buffer + e * layout->extent + layout->offset[b];
            for (size_t i = 0; i < layout->length[b]; i++) {
                at[i] = stream_byte(stream, next++);
            }
        }
    }
}

/* One element as it must be: poison, then data over it. Returns the next byte of the stream. */
static size_t expect_element(const struct test_layout *layout, uint64_t stream, size_t next,
                             unsigned char poison, unsigned char *expected)
{
    memset(expected, poison, layout->extent);
    for (size_t b = 0; b < layout->blocks; b++) {
        for (size_t i = 0; i < layout->length[b]; i++) {
            expected[layout->offset[b] + i] = stream_byte(stream, next++);
        }
    }
    return next;
}

static void report(const struct test_layout *layout, size_t byte, int from, unsigned expected,
                   unsigned found)
{
    test_fail("data of rank %d, element %zu, byte %zu of %s: expected %#04x, found %#04x", from,
              byte / layout->extent, byte % layout->extent, layout->name, expected, found);
}

void test_layout_check(const struct test_layout *layout, uint64_t stream,
                       const unsigned char *buffer, size_t count, unsigned char poison, int from)
{
    unsigned char expected[64];
    size_t next = 0;
    size_t bytes = count * layout->extent;
    if (is_dense(layout)) {
        size_t i = first_wrong_byte(stream, buffer, bytes);
        if (i < bytes) {
            report(layout, i, from, stream_byte(stream, i), buffer[i]);
        }
        return;
    }
    for (size_t e = 0; e < count; e++) {
        next = expect_element(layout, stream, next, poison, expected);
        for (size_t i = 0; i < layout->extent; i++) {
            size_t at = e * layout->extent + i;
            if (buffer[at] != expected[i]) {
                report(layout, at, from, expected[i], buffer[at]);
                return;
            }
        }
    }
}
