/*
 * later_data.h - elements, types and operations of random calls, and the memory of their buffers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_LATER_DATA_H
#define SYMM_TESTS_LATER_DATA_H

#include "tests/processes/later/later_call.h"

enum {
    LATER_ROOM = 1 << 19, /* bytes of a buffer that are used */
    LATER_AROUND = 64,    /* bytes before and behind, which nobody touches */
    LATER_OFFSETS = 4096, /* where in the memory a buffer begins */
    LATER_WIDE_INTS = 17000
};
enum { LATER_SUM, LATER_MAX, LATER_BXOR }; /* of predefined elements; doubles have no BXOR */

size_t later_extent(enum later_elements elements);

/* Where the data of the first element are, seen from the address of the buffer. */
ptrdiff_t later_lower(enum later_elements elements);

static inline bool later_scatters(const struct later_call *call)
{
    return call->collective == TEST_REDUCE_SCATTER ||
           call->collective == TEST_REDUCE_SCATTER_BLOCK;
}

static inline bool later_exchanges(const struct later_call *call)
{
    return call->collective > TEST_ALLTOALL;
}

static inline bool later_scatters_blocks(const struct later_call *call)
{
    return call->collective == TEST_SCATTER || call->collective == TEST_SCATTERV;
}

/* Each rank has one block, whoever receives it. */
static inline bool later_gathers_blocks(const struct later_call *call)
{
    return call->collective == TEST_ALLGATHERV || call->collective == TEST_GATHERV;
}

/* How many blocks of a rank's data the receive buffer holds. */
size_t later_blocks(const struct later_call *call);

/* The driver is loaded if SYMM_TEST_CUDA_LIBRARY names one. */
void later_memory_open(void);
bool later_has_device(void);
void later_memory_write(enum later_memory kind, void *to, const void *from, size_t bytes);
void later_memory_read(enum later_memory kind, void *to, const void *from, size_t bytes);

/* Of the process's own; nothing else is left to do if there is none. */
unsigned char *later_bytes(size_t bytes);

/* Where buffers begin, surroundings included. */
static inline unsigned char *later_send_area(const struct later_call *call)
{
    return call->buffers->send[call->send_memory] + call->offset;
}

static inline unsigned char *later_receive_area(const struct later_call *call)
{
    return call->buffers->receive[call->receive_memory] + call->offset;
}

#endif
