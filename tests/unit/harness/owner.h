/*
 * owner.h - a forked rank that owns a heap and does with it what the parent says.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_OWNER_H
#define SYMM_TESTS_OWNER_H

#include "tests/unit/harness/fork_ranks.h"

#include "heap/server/socket.h"

enum { OWNER_BLOCKS = 32, OWNER_SEGMENT_SIZE = 2 << 20, OWNER_WINDOW_SIZE = 1 << 30 };

struct owner {
    struct fork_ranks ranks;
    char name[SYMM_NAME_SIZE]; /* of its server */
};

void owner_start(struct owner *owner);

/* Let it end in peace; fails the test if something was wrong there. */
void owner_stop(struct owner *owner);

/* End it at once. */
void owner_kill(struct owner *owner);

/* Allocate block number `block`.  Returns where it lies. */
struct symm_location owner_alloc(struct owner *owner, unsigned block, size_t size);

/* Returns the number of segments it has given back so far. */
uint32_t owner_free(struct owner *owner, unsigned block);

/* Fill a block, or find out whether it is filled, with sequence (1000, number) of random bytes. */
void owner_fill(struct owner *owner, unsigned block, uint64_t number);
bool owner_sees(struct owner *owner, unsigned block, uint64_t number);

#endif /* SYMM_TESTS_OWNER_H */
