/*
 * blocking_calls.h - every blocking collective as a call on two buffers of a fixed size, for
 * comparing what it does in one memory with what it does in another; and its nonblocking and
 * persistent forms.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_BLOCKING_CALLS_H
#define SYMM_TESTS_BLOCKING_CALLS_H

#include "tests/harness/calls.h"

#include <mpi.h>

#include <stdbool.h>

enum {
    BLOCKING_BYTES = 16384, /* of a buffer */
    BLOCKING_MIDDLE = 8192, /* from where on MPI addresses it: there are negative displacements */
    BLOCKING_RANKS_MAX = 8,
    BLOCKING_COUNT = 3, /* elements of a piece */
};

/* Arrays of arguments, which are left alone while a request needs them. */
struct blocking_arrays {
    int counts[BLOCKING_RANKS_MAX], displacements[BLOCKING_RANKS_MAX];
    MPI_Datatype types[BLOCKING_RANKS_MAX];
    MPI_Aint bytes[2];
};

/* What varies. */
struct blocking_case {
    MPI_Comm comm;
    bool inter;
    int rank, size, others; /* others: of the remote group, if there is one */
    int root;               /* in a communicator of one group; in two: of the group with `roots` */
    bool roots;
    bool in_place;          /* where the call allows it */
    MPI_Datatype type;
    MPI_Op op;
    enum test_call_form form;
    MPI_Request *request;           /* of forms that are not blocking */
    struct blocking_arrays *arrays; /* NULL: some that the next call uses again */
};

struct blocking_call {
    const char *name;
    enum test_collective collective;
    void (*arrays_make)(const struct blocking_case *kase, struct blocking_arrays *arrays);
    bool rooted;
    bool may_be_in_place;
    bool intra_only;
    bool neighbors; /* needs a communicator with a topology */
    bool local;     /* has no communicator, and no other form */
};

extern const struct blocking_call blocking_calls[];
extern const int blocking_call_count;

/* As test_call. */
int blocking_call_make(const struct blocking_call *call, const struct blocking_case *kase,
                       void *send, void *receive);

/* The types to use, and the operation for them; freed at the end. */
enum { BLOCKING_TYPES = 5 };
extern const char *const blocking_type_names[BLOCKING_TYPES];
void blocking_types_make(MPI_Datatype types[BLOCKING_TYPES], MPI_Op *op);
void blocking_types_free(MPI_Datatype types[BLOCKING_TYPES], MPI_Op *op);

#endif
