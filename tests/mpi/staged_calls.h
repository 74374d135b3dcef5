/*
 * staged_calls.h - every blocking collective as a call on two buffers of a fixed size, for comparing what it
 * does in one memory with what it does in another.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STAGED_CALLS_H
#define SYMM_TESTS_STAGED_CALLS_H

#include <mpi.h>

#include <stdbool.h>

enum {
    STAGED_BYTES = 16384,  /* of a buffer */
    STAGED_MIDDLE = 8192,  /* from where on MPI addresses it: there are negative displacements */
    STAGED_RANKS_MAX = 8,
    STAGED_COUNT = 3,      /* elements of a piece */
};

/* What varies. */
struct staged_case {
    MPI_Comm comm;
    bool inter;
    int rank, size, others; /* others: of the remote group, if there is one */
    int root;               /* in a communicator of one group; in two: of the group with `roots` */
    bool roots;
    bool in_place;          /* where the call allows it */
    MPI_Datatype type;
    MPI_Op op;
};

struct staged_call {
    const char *name;
    int (*make)(const struct staged_case *kase, void *send, void *receive);
    bool rooted;
    bool may_be_in_place;
    bool intra_only;
    bool neighbors; /* needs a communicator with a topology */
};

extern const struct staged_call staged_calls[];
extern const int staged_call_count;

/* The types to use, and the operation for them; freed at the end. */
enum { STAGED_TYPES = 5 };
extern const char *const staged_type_names[STAGED_TYPES];
void staged_types_make(MPI_Datatype types[STAGED_TYPES], MPI_Op *op);
void staged_types_free(MPI_Datatype types[STAGED_TYPES], MPI_Op *op);

#endif
