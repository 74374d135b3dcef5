/*
 * Datatypes that are drawn at random from MPI's constructors, nested in each other.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_DRAWN_TYPES_H
#define SYMM_TESTS_DRAWN_TYPES_H

#include <mpi.h>

#include <stdint.h>

struct drawn_type {
    MPI_Datatype type;    /* committed */
    MPI_Datatype element; /* all its data are so many of these */
    int elements;
    MPI_Aint extent;      /* elements of the type do not overlap at this distance */
    MPI_Aint first, end;  /* of its data, in bytes from an element's address */
};

/*
 * The type of this number: the same on all ranks.  No byte is in it twice.  `long_list`: it has
 * this many blocks at irregular distances instead of what is drawn; 0: it is drawn.
 */
struct drawn_type drawn_type_make(uint64_t number, int long_list);

void drawn_type_free(struct drawn_type *drawn);

#endif
