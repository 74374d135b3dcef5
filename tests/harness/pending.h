/*
 * pending.h - a collective on device memory, under way if it does not block, whose result is
 * compared byte by byte with the one of the same blocking call on host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_PENDING_H
#define SYMM_TESTS_PENDING_H

#include "tests/harness/blocking_calls.h"
#include "tests/harness/cuda_memory.h"

/* Which of the buffers are on a device. */
enum pending_where {
    PENDING_BOTH, PENDING_SEND, PENDING_RECEIVE, PENDING_FIRST_RANK, PENDING_WHERES
};
extern const char *const pending_where_names[PENDING_WHERES];

struct pending {
    /* What the test sets. */
    const struct blocking_call *call;
    struct blocking_case kase;
    enum pending_where where;
    enum cuda_memory memory;

    MPI_Request request;
    struct blocking_arrays arrays;
    unsigned char *device_send[CUDA_MEMORY_KINDS], *device_receive[CUDA_MEMORY_KINDS];
    unsigned char send[BLOCKING_BYTES], receive[BLOCKING_BYTES];
    unsigned char expected_send[BLOCKING_BYTES], expected[BLOCKING_BYTES];
};

/* Buffers for a pending call in all kinds of memory. */
void pending_buffers_get(struct pending *pending);
void pending_buffers_put(struct pending *pending);

/*
 * Make the blocking call on host memory, and the one on device memory; false: it fails, and nothing
 * is under way.
 */
bool pending_make(struct pending *pending);

/* The same once more for a persistent request that is complete. */
void pending_start(struct pending *pending);

/* The request is complete: compare the buffers. */
void pending_check(struct pending *pending);

/* Complete `count` of them in one of several ways, each with its MPI function. */
enum { PENDING_WAYS = 8 };
extern const char *const pending_way_names[PENDING_WAYS];
bool pending_complete(struct pending *const *pendings, int count, int way);

#endif
