/*
 * calls.h - the table of collectives: each in its three forms, from one description of arguments.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CALLS_H
#define SYMM_TESTS_CALLS_H

#include <mpi.h>

#include "tests/harness/sweep.h"

enum test_call_form { TEST_BLOCKING, TEST_NONBLOCKING, TEST_PERSISTENT, TEST_FORMS };

/* Tests rely on the order: reductions come first, blocks that are scattered before neighbours. */
enum test_collective {
    TEST_ALLREDUCE,
    TEST_REDUCE_SCATTER,
    TEST_REDUCE_SCATTER_BLOCK,
    TEST_SCAN,
    TEST_EXSCAN,
    TEST_REDUCE,
    TEST_ALLGATHER,
    TEST_GATHER,
    TEST_BARRIER,
    TEST_BCAST,
    TEST_ALLTOALL,
    TEST_ALLTOALLV,
    TEST_ALLTOALLW,
    TEST_ALLGATHERV,
    TEST_GATHERV,
    TEST_SCATTERV,
    TEST_SCATTER,
    TEST_NEIGHBOR_ALLGATHER,
    TEST_NEIGHBOR_ALLGATHERV,
    TEST_NEIGHBOR_ALLTOALL,
    TEST_NEIGHBOR_ALLTOALLV,
    TEST_NEIGHBOR_ALLTOALLW,
    TEST_COLLECTIVES
};

extern const char *const test_form_names[TEST_FORMS];
extern const char *const test_collective_names[TEST_COLLECTIVES];

/* Arguments, of which a collective takes those that it has.  Requests need the arrays. */
struct test_arguments {
    const void *send;
    int send_count;
    MPI_Datatype send_type;
    const int *send_counts, *send_places;
    const MPI_Datatype *send_types;
    void *receive;
    int count; /* with `type` also of reductions, and of broadcasts, which have `receive` alone */
    MPI_Datatype type;
    const int *counts, *places; /* reduce-scatter: `counts` */
    const MPI_Datatype *types;
    const MPI_Aint *bytes; /* neighbours' places, of both sides, in an all-to-all with types */
    MPI_Op op;
    int root;
    MPI_Comm comm;
};

/* Make a call, or begin one, or make a persistent operation. */
int test_call(enum test_collective collective, enum test_call_form form,
              const struct test_arguments *arguments, MPI_Request *request);

/* How many of the forms a run of a sweep tries: persistent operations come last. */
static inline int test_forms(void)
{
    return test_sweep_repeats() ? TEST_PERSISTENT : TEST_FORMS;
}

/* A call as often as its form has rounds: a persistent operation is started twice, then freed. */
static inline int test_rounds(enum test_call_form form)
{
    return form == TEST_PERSISTENT ? 2 : 1;
}

void test_call_round(enum test_collective collective, enum test_call_form form,
                     const struct test_arguments *arguments, int round, MPI_Request *request);

#endif
