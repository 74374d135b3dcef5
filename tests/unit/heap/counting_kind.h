/*
 * counting_kind.h - a memory kind that is the host's with every call counted; any one call can be
 * made to fail.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_COUNTING_KIND_H
#define SYMM_TESTS_COUNTING_KIND_H

#include "heap/kind.h"

enum counting_call {
    COUNTING_RESERVE,
    COUNTING_CREATE,
    COUNTING_EXPORT,
    COUNTING_MAP,
    COUNTING_CALLS
};

extern struct counting {
    unsigned refuse_in[COUNTING_CALLS]; /* the n-th from now; 0: none */
    int reservations, handles;          /* made and not given back */
} counting;

/* Begins to count anew. */
struct symm_kind counting_kind(void);

#endif
