/*
 * empty_types.h - datatypes without data, as programs come to make them: of no elements, of
 * elements without data, and resized.  Open MPI gives some of them extents that mean nothing.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_EMPTY_TYPES_H
#define SYMM_TESTS_EMPTY_TYPES_H

#include <mpi.h>

enum { EMPTY_TYPES = 8 };

extern const char *const empty_type_names[EMPTY_TYPES];
void empty_types_make(MPI_Datatype types[EMPTY_TYPES]);
void empty_types_free(MPI_Datatype types[EMPTY_TYPES]);

#endif
