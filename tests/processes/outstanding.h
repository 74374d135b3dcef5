/*
 * outstanding.h - the requests of check_outstanding: nonblocking calls and persistent operations of
 * every served collective, and their results.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_OUTSTANDING_H
#define SYMM_TESTS_OUTSTANDING_H

#include <mpi.h>

#include <stdbool.h>

/*
 * Those before OUTSTANDING_BEGUN are the calls that a rank makes before it dies, if it makes some.
 * In the "loose" ones not all ranks wait for each other.  The all-reduces are a small one, one in
 * memory from malloc() and one in memory from MPI_Alloc_mem; others have one of the two.
 */
enum outstanding_kind {
    OUTSTANDING_SLOT,
    OUTSTANDING_STAGED,
    OUTSTANDING_BCAST,
    OUTSTANDING_REDUCE,
    OUTSTANDING_GATHERV,
    OUTSTANDING_SCATTER,
    OUTSTANDING_ALLTOALLV,
    OUTSTANDING_REDUCE_SCATTER,
    OUTSTANDING_SCAN,
    OUTSTANDING_LOOSE_BCAST,
    OUTSTANDING_BEGUN,
    OUTSTANDING_HEAP = OUTSTANDING_BEGUN,
    OUTSTANDING_ALLGATHER,
    OUTSTANDING_BARRIER,
    OUTSTANDING_GATHER,
    OUTSTANDING_SCATTERV,
    OUTSTANDING_ALLTOALL,
    OUTSTANDING_ALLTOALLW,
    OUTSTANDING_ALLGATHERV,
    OUTSTANDING_REDUCE_SCATTER_BLOCK,
    OUTSTANDING_EXSCAN,
    OUTSTANDING_LOOSE_GATHER,
    OUTSTANDING_KINDS
};

enum { OUTSTANDING_RANKS = 8 /* at most */ };

/* What the call sends to each rank, or receives from it. */
struct outstanding_blocks {
    int counts[OUTSTANDING_RANKS], at[OUTSTANDING_RANKS], bytes[OUTSTANDING_RANKS];
};

struct outstanding {
    MPI_Comm comm;
    MPI_Request *request;
    enum outstanding_kind kind;
    bool persistent, heap;
    int rank, size, root, block;
    int count; /* elements of each of the two arrays */
    double *send, *receive;
    struct outstanding_blocks sent, received;
    MPI_Datatype types[OUTSTANDING_RANKS];
};

/* The request is an inactive one, if the operation is persistent, and otherwise none. */
void outstanding_make(struct outstanding *call, MPI_Request *request, MPI_Comm comm,
                      enum outstanding_kind kind, bool persistent);
void outstanding_free(struct outstanding *call);

/* Fill the arrays, and start the call.  What MPI returns. */
int outstanding_start(struct outstanding *call);

/* The call has succeeded: it is a fault if the result is wrong. */
void outstanding_check(const struct outstanding *call);

/* Whether the call of some ranks may succeed although one has not made it. */
bool outstanding_is_loose(const struct outstanding *call);

#endif
