/*
 * Where the buffers of random calls lie: new blocks, blocks that live for some calls, the middle
 * of large ones, static memory and the stack; from MPI_Alloc_mem or not, at any alignment.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * As with communicators, the number of the call says which block lives when.
 */
#ifndef SYMM_TESTS_RANDOM_BUFFERS_H
#define SYMM_TESTS_RANDOM_BUFFERS_H

#include "tests/harness/buffers.h"
#include "tests/results/random/random_call.h"

enum { RANDOM_STACK = 128 * 1024 };

/* The memory is the caller's stack, RANDOM_STACK bytes, and stays in use until the end. */
void random_buffers_create(unsigned char *stack);
void random_buffers_free(void);

/* Frees blocks that end before this call and allocates their successors. */
void random_buffers_renew(uint64_t index);

/* A poisoned and guarded buffer for this rank, one of each role at a time; the call remembers where
 * it comes from. */
struct test_buffer random_buffers_new(struct random_call *call, enum test_role role);
void random_buffers_release(struct test_buffer *buffer);

#endif
