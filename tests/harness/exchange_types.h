/*
 * Types for exchanges of blocks: where each byte of an element lies.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_EXCHANGE_TYPES_H
#define SYMM_TESTS_EXCHANGE_TYPES_H

#include <mpi.h>

#include <stddef.h>

enum {
    EXCHANGE_DENSE = 3,      /* so many have no gaps; the first one is bytes */
    EXCHANGE_TYPES = 7,
    EXCHANGE_QUANTUM = 24,   /* bytes: a multiple of each type's size */
    EXCHANGE_ALIGNMENT = 8,
};

struct exchange_type {
    MPI_Datatype handle;
    size_t size;            /* bytes of data of an element */
    ptrdiff_t extent;
    ptrdiff_t lower, upper; /* the first byte of data, and the one behind the last */
    ptrdiff_t at[EXCHANGE_QUANTUM]; /* where the bytes are, in their order */
};

void exchange_types_open(void);
void exchange_types_close(void);
const struct exchange_type *exchange_type(int index);

#endif
