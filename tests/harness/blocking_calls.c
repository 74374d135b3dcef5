/*
 * blocking_calls.c - see blocking_calls.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/blocking_calls.h"

#include <stddef.h>

/* ---- arguments ------------------------------------------------------------------------------- */

static struct blocking_arrays *arrays_of(const struct blocking_case *kase)
{
    static _Thread_local struct blocking_arrays used_again;
    return kase->arrays != NULL ? kase->arrays : &used_again;
}

static int ranks_beside(const struct blocking_case *kase)
{
    return kase->inter ? kase->others : kase->size;
}

/* What a rank contributes to calls in which contributions differ: nothing, sometimes. */
static int count_of(int rank)
{
    return (rank + 1) % 4;
}

/* Pieces in falling order, some of them before the buffer's address, with space between them. */
static void spread_make(const struct blocking_case *kase, struct blocking_arrays *arrays)
{
    for (int i = 0; i < BLOCKING_RANKS_MAX; i++) {
        arrays->counts[i] = i < ranks_beside(kase) ? count_of(i) : 0;
        arrays->displacements[i] = (1 - i) * 5;
    }
}

/* Alike between each two ranks of both sides. */
static void exchange_make(const struct blocking_case *kase, struct blocking_arrays *arrays)
{
    spread_make(kase, arrays);
    for (int i = 0; i < ranks_beside(kase); i++) {
        arrays->counts[i] = (kase->rank + i) % 4;
    }
}

/* Types of two kinds, with displacements in bytes; alike between each two ranks. */
static void types_make(const struct blocking_case *kase, struct blocking_arrays *arrays)
{
    exchange_make(kase, arrays);
    for (int i = 0; i < ranks_beside(kase); i++) {
        arrays->types[i] = (kase->rank + i) % 3 == 1 ? MPI_INT : kase->type;
        arrays->displacements[i] = (1 - i) * 512;
    }
}

static void neighbors_make(const struct blocking_case *kase, struct blocking_arrays *arrays)
{
    for (int i = 0; i < 2; i++) {
        arrays->counts[i] = BLOCKING_COUNT;
        arrays->displacements[i] = i == 0 ? 6 : -6;
        arrays->bytes[i] = i == 0 ? 1024 : -1024;
        arrays->types[i] = kase->type;
    }
}

/* In all as many results as in the other group. */
static void results_make(const struct blocking_case *kase, struct blocking_arrays *arrays)
{
    for (int rank = 0; rank < kase->size; rank++) {
        arrays->counts[rank] = kase->inter ? kase->others : BLOCKING_COUNT + rank % 2;
    }
}

static bool is_root(const struct blocking_case *kase)
{
    return (!kase->inter || kase->roots) && kase->rank == kase->root;
}

static int root_of(const struct blocking_case *kase)
{
    if (kase->inter && kase->roots) {
        return kase->rank == kase->root ? MPI_ROOT : MPI_PROC_NULL;
    }
    return kase->root;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int blocking_call_make(const struct blocking_call *call, const struct blocking_case *kase,
                       void *send, void *receive)
{
    struct blocking_arrays *arrays = arrays_of(kase);
    bool scatters = call->collective == TEST_SCATTER || call->collective == TEST_SCATTERV;
    bool has_all = !call->rooted || is_root(kase);
    void *all = scatters ? send : receive, *own = scatters ? receive : send;
    int own_count = call->arrays_make == spread_make ? count_of(kase->rank) : BLOCKING_COUNT;
    if (call->local) {
        return MPI_Reduce_local(send, receive, BLOCKING_COUNT, kase->type, kase->op);
    }
    if (call->may_be_in_place) {
        /* Elsewhere than at the root MPI does not look at the buffer, which may be anything. */
        all = has_all ? all : NULL;
        own = has_all && kase->in_place ? MPI_IN_PLACE : own;
    }
    if (call->arrays_make != NULL) {
        call->arrays_make(kase, arrays);
    }
    const struct test_arguments arguments = {
        .send = scatters ? all : own, .send_count = own_count, .send_type = kase->type,
        .send_counts = arrays->counts, .send_places = arrays->displacements,
        .send_types = arrays->types, .receive = scatters ? own : all,
        .count = call->collective == TEST_REDUCE_SCATTER_BLOCK && kase->inter ? kase->others
                                                                              : own_count,
        .type = kase->type, .counts = arrays->counts, .places = arrays->displacements,
        .types = arrays->types, .bytes = arrays->bytes, .op = kase->op, .root = root_of(kase),
        .comm = kase->comm,
    };
    return test_call(call->collective, kase->form, &arguments, kase->request);
}

const struct blocking_call blocking_calls[] = {
    {.name = "allgather", .collective = TEST_ALLGATHER, .may_be_in_place = true},
    {.name = "allgatherv", .collective = TEST_ALLGATHERV, .arrays_make = spread_make,
     .may_be_in_place = true},
    {.name = "allreduce", .collective = TEST_ALLREDUCE, .may_be_in_place = true},
    {.name = "alltoall", .collective = TEST_ALLTOALL, .may_be_in_place = true},
    {.name = "alltoallv", .collective = TEST_ALLTOALLV, .arrays_make = exchange_make,
     .may_be_in_place = true},
    {.name = "alltoallw", .collective = TEST_ALLTOALLW, .arrays_make = types_make,
     .may_be_in_place = true},
    {.name = "bcast", .collective = TEST_BCAST, .rooted = true},
    {.name = "exscan", .collective = TEST_EXSCAN, .may_be_in_place = true, .intra_only = true},
    {.name = "gather", .collective = TEST_GATHER, .rooted = true, .may_be_in_place = true},
    {.name = "gatherv", .collective = TEST_GATHERV, .arrays_make = spread_make, .rooted = true,
     .may_be_in_place = true},
    {.name = "reduce", .collective = TEST_REDUCE, .rooted = true, .may_be_in_place = true},
    {.name = "reduce_scatter", .collective = TEST_REDUCE_SCATTER, .arrays_make = results_make,
     .may_be_in_place = true},
    {.name = "reduce_scatter_block", .collective = TEST_REDUCE_SCATTER_BLOCK,
     .may_be_in_place = true},
    {.name = "scan", .collective = TEST_SCAN, .may_be_in_place = true, .intra_only = true},
    {.name = "scatter", .collective = TEST_SCATTER, .rooted = true, .may_be_in_place = true},
    {.name = "scatterv", .collective = TEST_SCATTERV, .arrays_make = spread_make, .rooted = true,
     .may_be_in_place = true},
    {.name = "reduce_local", .intra_only = true, .local = true},
    {.name = "neighbor_allgather", .collective = TEST_NEIGHBOR_ALLGATHER, .intra_only = true,
     .neighbors = true},
    {.name = "neighbor_allgatherv", .collective = TEST_NEIGHBOR_ALLGATHERV,
     .arrays_make = neighbors_make, .intra_only = true, .neighbors = true},
    {.name = "neighbor_alltoall", .collective = TEST_NEIGHBOR_ALLTOALL, .intra_only = true,
     .neighbors = true},
    {.name = "neighbor_alltoallv", .collective = TEST_NEIGHBOR_ALLTOALLV,
     .arrays_make = neighbors_make, .intra_only = true, .neighbors = true},
    {.name = "neighbor_alltoallw", .collective = TEST_NEIGHBOR_ALLTOALLW,
     .arrays_make = neighbors_make, .intra_only = true, .neighbors = true},
};
const int blocking_call_count = sizeof(blocking_calls) / sizeof(*blocking_calls);

/* ---- types ----------------------------------------------------------------------------------- */

const char *const blocking_type_names[BLOCKING_TYPES] = {
    "ints", "ints with gaps", "a lower bound below 0", "columns", "ints of irregular distance"};

static MPI_Datatype all_types[BLOCKING_TYPES];
static const int ints_of_type[BLOCKING_TYPES] = {1, 4, 2, 3, 3};

/* Where the ints of a type are, in ints from the element's address on. */
static const int places[BLOCKING_TYPES][4] = {{0}, {0, 1, 4, 5}, {-3, 2}, {0, 40, 80}, {1, 2, 9}};
static const int extents[BLOCKING_TYPES] = {1, 8, 8, 1, 11};

/* Adds what has to be added, and would crash on memory of a device. */
static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout;
    int number = 0;
    while (number < BLOCKING_TYPES && all_types[number] != *type) {
        number++;
    }
    for (int i = 0; i < *count; i++) {
        for (int k = 0; number < BLOCKING_TYPES && k < ints_of_type[number]; k++) {
            int place = i * extents[number] + places[number][k];
            to[place] = (int)((unsigned)to[place] + (unsigned)from[place]);
        }
    }
}

static MPI_Datatype type_make(int number)
{
    MPI_Datatype indexed, type;
    MPI_Type_create_indexed_block(ints_of_type[number], 1, places[number], MPI_INT, &indexed);
    MPI_Type_create_resized(indexed, number == 2 ? -3 * (MPI_Aint)sizeof(int) : 0,
                            extents[number] * (MPI_Aint)sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&indexed);
    return type;
}

void blocking_types_make(MPI_Datatype types[BLOCKING_TYPES], MPI_Op *op)
{
    types[0] = MPI_INT;
    for (int i = 1; i < BLOCKING_TYPES; i++) {
        types[i] = type_make(i);
    }
    for (int i = 0; i < BLOCKING_TYPES; i++) {
        all_types[i] = types[i];
    }
    MPI_Op_create(sum, 1, op);
}

void blocking_types_free(MPI_Datatype types[BLOCKING_TYPES], MPI_Op *op)
{
    for (int i = 1; i < BLOCKING_TYPES; i++) {
        MPI_Type_free(&types[i]);
    }
    MPI_Op_free(op);
}
