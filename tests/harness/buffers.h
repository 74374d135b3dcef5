/*
 * Buffers for the mpirun tests: memory from MPI_Alloc_mem or malloc, at the start or in the
 * middle of a block, with guard zones around and poison inside.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_BUFFERS_H
#define SYMM_TESTS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum test_place {
    TEST_HEAP,         /* where MPI_Alloc_mem put it; guard only behind */
    TEST_HEAP_INNER,   /* inside a block of MPI_Alloc_mem, at an odd multiple of the unit */
    TEST_MALLOC,       /* malloc memory, 64-byte aligned, in the middle of a block */
    TEST_MALLOC_INNER, /* malloc memory at an odd multiple of the unit */
    TEST_PLACES
};

enum { TEST_GUARD = 512 }; /* bytes of a guard zone */

struct test_buffer {
    unsigned char *data; /* what goes to MPI; never NULL */
    size_t bytes;        /* usable size of data */
    enum test_place place;
    unsigned char *block; /* what was allocated */
    size_t before;        /* guard bytes in front of data */
};

/* The memory is poisoned and guarded. `unit` is the alignment the type needs: inner places are
 * odd multiples of it, so 1 gives truly odd addresses. */
struct test_buffer test_buffer_new(enum test_place place, size_t bytes, size_t unit);

/* A buffer with guards and poison in memory that stays the caller's; TEST_GUARD bytes in front of
 * data and behind its end belong to it. Such a buffer is checked, not freed. */
struct test_buffer test_buffer_within(enum test_place place, unsigned char *data, size_t bytes);
/* Likewise, from MPI_Alloc_mem or malloc, with data at `offset` bytes behind a multiple of 64. */
struct test_buffer test_buffer_new_at(bool heap, size_t bytes, size_t offset);

enum { TEST_POISON = 0xdb }; /* each byte of a new buffer: unlikely as a result */

/* Checks the guards and frees; `what` names the buffer in a report. */
void test_buffer_free(struct test_buffer *buffer, const char *what);

/* Fills data as in a new buffer. */
void test_buffer_poison(struct test_buffer *buffer);

/* Reports the first byte of the guards that has changed. */
void test_buffer_check(const struct test_buffer *buffer, const char *what);

/* Reports the first byte in which data differs from the copy: a send buffer must stay as it was. */
void test_buffer_unchanged(const struct test_buffer *buffer, const void *copy, size_t bytes,
                           const char *what);

const char *test_place_name(enum test_place place);

/* How the buffers of one call are spread over memories and ranks. */
enum test_spread {
    SPREAD_HEAP,         /* everything in MPI_Alloc_mem memory */
    SPREAD_MALLOC,       /* everything in malloc memory */
    SPREAD_RANKS,        /* heap on even ranks, malloc on odd ones */
    SPREAD_SEND_HEAP,    /* send buffer in the heap, receive buffer elsewhere */
    SPREAD_RECEIVE_HEAP, /* the other way round */
    SPREAD_INNER,        /* heap, in the middle of blocks, poorly aligned */
    SPREAD_RANDOM,       /* each buffer of each rank anywhere */
    SPREADS
};

enum test_role { TEST_SEND, TEST_RECEIVE };

enum test_place test_spread_place(enum test_spread spread, enum test_role role, int rank,
                                  uint64_t number);

const char *test_spread_name(enum test_spread spread);

#endif
