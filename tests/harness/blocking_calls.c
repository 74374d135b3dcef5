/*
 * blocking_calls.c - see blocking_calls.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/blocking_calls.h"
#include "tests/harness/persistent.h"

#include <stddef.h>

enum { NEIGHBORS = 2 };

/* A collective in the form that the case wants; `iname` is its name behind MPI_I. */
#define MAKE(kase, name, iname, ...)                                                               \
    ((kase)->form == FORM_BLOCKING      ? MPI_##name(__VA_ARGS__, (kase)->comm)                    \
     : (kase)->form == FORM_NONBLOCKING ? MPI_I##iname(__VA_ARGS__, (kase)->comm, (kase)->request) \
                                        : PERSISTENT(name)(__VA_ARGS__, (kase)->comm,              \
                                                           MPI_INFO_NULL, (kase)->request))

/* ---- arguments ------------------------------------------------------------------------------- */

struct spread {
    int *counts, *displacements;
};

static struct blocking_arrays *arrays_of(const struct blocking_case *kase)
{
    static _Thread_local struct blocking_arrays used_again;
    return kase->arrays != NULL ? kase->arrays : &used_again;
}

/* What is sent (0) or received (1). */
static struct spread spread_in(const struct blocking_case *kase, int which)
{
    struct blocking_arrays *arrays = arrays_of(kase);
    return (struct spread){arrays->counts[which], arrays->displacements[which]};
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

static int own_count(const struct blocking_case *kase)
{
    return count_of(kase->rank);
}

/* Pieces in falling order, some of them before the buffer's address, with space between them. */
static struct spread spread_make(const struct blocking_case *kase, int which)
{
    struct spread spread = spread_in(kase, which);
    for (int i = 0; i < BLOCKING_RANKS_MAX; i++) {
        spread.counts[i] = i < ranks_beside(kase) ? count_of(i) : 0;
        spread.displacements[i] = (1 - i) * 5;
    }
    return spread;
}

/* Alike between each two ranks of both sides. */
static struct spread exchange_make(const struct blocking_case *kase, int which)
{
    struct spread spread = spread_make(kase, which);
    for (int i = 0; i < ranks_beside(kase); i++) {
        spread.counts[i] = (kase->rank + i) % 4;
    }
    return spread;
}

static struct spread neighbors_make(const struct blocking_case *kase)
{
    struct spread spread = spread_in(kase, 0);
    spread.counts[0] = spread.counts[1] = BLOCKING_COUNT;
    spread.displacements[0] = 6;
    spread.displacements[1] = -6;
    return spread;
}

/* Types of two kinds, with displacements in bytes; alike between each two ranks. */
static MPI_Datatype *types_make(const struct blocking_case *kase, const struct spread *spread)
{
    MPI_Datatype *types = arrays_of(kase)->types;
    for (int i = 0; i < ranks_beside(kase); i++) {
        types[i] = (kase->rank + i) % 3 == 1 ? MPI_INT : kase->type;
        spread->displacements[i] = (1 - i) * 512;
    }
    return types;
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

static bool in_place_at_root(const struct blocking_case *kase)
{
    return kase->in_place && is_root(kase);
}

/* Elsewhere than at the root MPI does not look at the buffer, which may then be anything. */
static void *significant(const struct blocking_case *kase, void *buffer)
{
    return is_root(kase) ? buffer : NULL;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static int make_allgather(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Allgather, allgather, kase->in_place ? MPI_IN_PLACE : send, BLOCKING_COUNT,
                kase->type, receive, BLOCKING_COUNT, kase->type);
}

static int make_allgatherv(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread spread = spread_make(kase, 1);
    return MAKE(kase, Allgatherv, allgatherv, kase->in_place ? MPI_IN_PLACE : send, own_count(kase),
                kase->type, receive, spread.counts, spread.displacements, kase->type);
}

static int make_allreduce(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Allreduce, allreduce, kase->in_place ? MPI_IN_PLACE : send, receive,
                BLOCKING_COUNT, kase->type, kase->op);
}

static int make_alltoall(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Alltoall, alltoall, kase->in_place ? MPI_IN_PLACE : send, BLOCKING_COUNT,
                kase->type, receive, BLOCKING_COUNT, kase->type);
}

static int make_alltoallv(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread out = exchange_make(kase, 0), in = exchange_make(kase, 1);
    return MAKE(kase, Alltoallv, alltoallv, kase->in_place ? MPI_IN_PLACE : send, out.counts,
                out.displacements, kase->type, receive, in.counts, in.displacements, kase->type);
}

static int make_alltoallw(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread out = exchange_make(kase, 0), in = exchange_make(kase, 1);
    MPI_Datatype *types = types_make(kase, &out);
    (void)types_make(kase, &in);
    return MAKE(kase, Alltoallw, alltoallw, kase->in_place ? MPI_IN_PLACE : send, out.counts,
                out.displacements, types, receive, in.counts, in.displacements, types);
}

static int make_bcast(const struct blocking_case *kase, void *send, void *receive)
{
    (void)send;
    return MAKE(kase, Bcast, bcast, receive, BLOCKING_COUNT, kase->type, root_of(kase));
}

static int make_exscan(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Exscan, exscan, kase->in_place ? MPI_IN_PLACE : send, receive, BLOCKING_COUNT,
                kase->type, kase->op);
}

static int make_gather(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Gather, gather, in_place_at_root(kase) ? MPI_IN_PLACE : send, BLOCKING_COUNT,
                kase->type, significant(kase, receive), BLOCKING_COUNT, kase->type, root_of(kase));
}

static int make_gatherv(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread spread = spread_make(kase, 1);
    return MAKE(kase, Gatherv, gatherv, in_place_at_root(kase) ? MPI_IN_PLACE : send,
                own_count(kase), kase->type, significant(kase, receive), spread.counts,
                spread.displacements, kase->type, root_of(kase));
}

static int make_reduce(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Reduce, reduce, in_place_at_root(kase) ? MPI_IN_PLACE : send,
                significant(kase, receive), BLOCKING_COUNT, kase->type, kase->op, root_of(kase));
}

static int make_reduce_scatter(const struct blocking_case *kase, void *send, void *receive)
{
    int *counts = spread_in(kase, 0).counts;
    for (int rank = 0; rank < kase->size; rank++) { /* in all as many as in the other group */
        counts[rank] = kase->inter ? kase->others : BLOCKING_COUNT + rank % 2;
    }
    return MAKE(kase, Reduce_scatter, reduce_scatter, kase->in_place ? MPI_IN_PLACE : send, receive,
                counts, kase->type, kase->op);
}

static int make_reduce_scatter_block(const struct blocking_case *kase, void *send, void *receive)
{
    int count = kase->inter ? kase->others : BLOCKING_COUNT;
    return MAKE(kase, Reduce_scatter_block, reduce_scatter_block,
                kase->in_place ? MPI_IN_PLACE : send, receive, count, kase->type, kase->op);
}

static int make_scan(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Scan, scan, kase->in_place ? MPI_IN_PLACE : send, receive, BLOCKING_COUNT,
                kase->type, kase->op);
}

static int make_scatter(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Scatter, scatter, significant(kase, send), BLOCKING_COUNT, kase->type,
                in_place_at_root(kase) ? MPI_IN_PLACE : receive, BLOCKING_COUNT, kase->type,
                root_of(kase));
}

static int make_scatterv(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread spread = spread_make(kase, 1);
    return MAKE(kase, Scatterv, scatterv, significant(kase, send), spread.counts,
                spread.displacements, kase->type, in_place_at_root(kase) ? MPI_IN_PLACE : receive,
                own_count(kase), kase->type, root_of(kase));
}

static int make_reduce_local(const struct blocking_case *kase, void *send, void *receive)
{
    return MPI_Reduce_local(send, receive, BLOCKING_COUNT, kase->type, kase->op);
}

static int make_neighbor_allgather(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Neighbor_allgather, neighbor_allgather, send, BLOCKING_COUNT, kase->type,
                receive, BLOCKING_COUNT, kase->type);
}

static int make_neighbor_allgatherv(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread spread = neighbors_make(kase);
    return MAKE(kase, Neighbor_allgatherv, neighbor_allgatherv, send, BLOCKING_COUNT, kase->type,
                receive, spread.counts, spread.displacements, kase->type);
}

static int make_neighbor_alltoall(const struct blocking_case *kase, void *send, void *receive)
{
    return MAKE(kase, Neighbor_alltoall, neighbor_alltoall, send, BLOCKING_COUNT, kase->type,
                receive, BLOCKING_COUNT, kase->type);
}

static int make_neighbor_alltoallv(const struct blocking_case *kase, void *send, void *receive)
{
    struct spread spread = neighbors_make(kase);
    return MAKE(kase, Neighbor_alltoallv, neighbor_alltoallv, send, spread.counts,
                spread.displacements, kase->type, receive, spread.counts, spread.displacements,
                kase->type);
}

static int make_neighbor_alltoallw(const struct blocking_case *kase, void *send, void *receive)
{
    const int *counts = neighbors_make(kase).counts;
    MPI_Aint *displacements = arrays_of(kase)->bytes;
    MPI_Datatype *types = arrays_of(kase)->types;
    for (int i = 0; i < NEIGHBORS; i++) {
        displacements[i] = i == 0 ? 1024 : -1024;
        types[i] = kase->type;
    }
    return MAKE(kase, Neighbor_alltoallw, neighbor_alltoallw, send, counts, displacements, types,
                receive, counts, displacements, types);
}

const struct blocking_call blocking_calls[] = {
    {.name = "allgather", .make = make_allgather, .may_be_in_place = true},
    {.name = "allgatherv", .make = make_allgatherv, .may_be_in_place = true},
    {.name = "allreduce", .make = make_allreduce, .may_be_in_place = true},
    {.name = "alltoall", .make = make_alltoall, .may_be_in_place = true},
    {.name = "alltoallv", .make = make_alltoallv, .may_be_in_place = true},
    {.name = "alltoallw", .make = make_alltoallw, .may_be_in_place = true},
    {.name = "bcast", .make = make_bcast, .rooted = true},
    {.name = "exscan", .make = make_exscan, .may_be_in_place = true, .intra_only = true},
    {.name = "gather", .make = make_gather, .rooted = true, .may_be_in_place = true},
    {.name = "gatherv", .make = make_gatherv, .rooted = true, .may_be_in_place = true},
    {.name = "reduce", .make = make_reduce, .rooted = true, .may_be_in_place = true},
    {.name = "reduce_scatter", .make = make_reduce_scatter, .may_be_in_place = true},
    {.name = "reduce_scatter_block", .make = make_reduce_scatter_block, .may_be_in_place = true},
    {.name = "scan", .make = make_scan, .may_be_in_place = true, .intra_only = true},
    {.name = "scatter", .make = make_scatter, .rooted = true, .may_be_in_place = true},
    {.name = "scatterv", .make = make_scatterv, .rooted = true, .may_be_in_place = true},
    {.name = "reduce_local", .make = make_reduce_local, .intra_only = true, .local = true},
    {.name = "neighbor_allgather", .make = make_neighbor_allgather,
     .intra_only = true, .neighbors = true},
    {.name = "neighbor_allgatherv", .make = make_neighbor_allgatherv,
     .intra_only = true, .neighbors = true},
    {.name = "neighbor_alltoall", .make = make_neighbor_alltoall,
     .intra_only = true, .neighbors = true},
    {.name = "neighbor_alltoallv", .make = make_neighbor_alltoallv,
     .intra_only = true, .neighbors = true},
    {.name = "neighbor_alltoallw", .make = make_neighbor_alltoallw,
     .intra_only = true, .neighbors = true},
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
