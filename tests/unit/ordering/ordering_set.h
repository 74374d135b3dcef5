/*
 * ordering_set.h - which pieces of memory have been met before, told by 128 bits of hash.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ORDERING_SET_H
#define SYMM_TESTS_ORDERING_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordering_set {
    uint64_t (*sums)[2];
    size_t room, count; /* room: a power of two */
};

void ordering_set_open(struct ordering_set *set);
void ordering_set_close(struct ordering_set *set);

/* Whether these `size` bytes (a multiple of 8) are new; they are not from then on. */
bool ordering_set_insert(struct ordering_set *set, const void *bytes, size_t size);

#endif /* SYMM_TESTS_ORDERING_SET_H */
