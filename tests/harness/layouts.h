/*
 * Datatypes for the all-gather tests, with their layout spelt out byte by byte, so that a test
 * can fill and check buffers without asking MPI where the data lies.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_LAYOUTS_H
#define SYMM_TESTS_LAYOUTS_H

#include "tests/harness/elements.h"

#include <mpi.h>

#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_BLOCKS = 6 };

struct test_layout {
    const char *name;
    MPI_Datatype type;
    size_t extent; /* distance of two elements */
    size_t unit;   /* alignment that the type needs */
    size_t blocks; /* runs of data in one element, in the order of the type map */
    size_t offset[LAYOUT_BLOCKS];
    size_t length[LAYOUT_BLOCKS];
    ptrdiff_t origin; /* from where an element's data may begin to where MPI has its address */
    int derived;      /* not predefined: its gaps are the program's */
};

enum { LAYOUT_PREDEFINED = 6, LAYOUT_INTS = 16, LAYOUT_DENSE = 7 };

/* Creates the types. The first table holds predefined types of several sizes; all types of the
 * second are made of 6 int32 an element, so any of them can be received as any other. The first
 * LAYOUT_DENSE of them fill their memory, in order. */
void test_layouts_create(struct test_layout predefined[LAYOUT_PREDEFINED],
                         struct test_layout ints[LAYOUT_INTS]);
void test_layouts_free(struct test_layout predefined[LAYOUT_PREDEFINED],
                       struct test_layout ints[LAYOUT_INTS]);

/* The layout of a predefined type: a pair has padding, perhaps. */
struct test_layout test_layout_of(const struct test_element *element);

/* Bytes of data in one element. */
size_t test_layout_size(const struct test_layout *layout);

/* Writes `count` elements of the stream's data; gaps keep what they hold. */
void test_layout_fill(const struct test_layout *layout, uint64_t stream, unsigned char *buffer,
                      size_t count);

/* Reports the first wrong byte in `count` elements: data must be the stream's, gaps must hold the
 * poison byte. `from` is the rank that sent the data. */
void test_layout_check(const struct test_layout *layout, uint64_t stream,
                       const unsigned char *buffer, size_t count, unsigned char poison, int from);

#endif
