/*
 * call.h - one collective call as it is measured: which one, how large, on which buffers. Only
 * this file decides what in place means: all others ask it where a call's input and result are.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

#include "buffers.h"

#include <mpi.h>

struct call {
    enum collective collective;
    size_t bytes; /* the size in the table: of the vector, or, where there is a block for each rank
                     or from each, of a block; 0 for a barrier */
    int rank;
    int ranks;
    bool in_place;
    enum element element; /* of a reduction */
    const struct buffers *buffers;
    /* In place the result of a reduce-scatter replaces this rank's own block of the input, as NCCL
     * has it, not the first one, as MPI has it. */
    bool in_own_block;
};

/* "MPI_Allreduce" and so on. */
const char *call_name(enum collective collective);

/* Whether an input has a block for each rank, and a rank's result is the sum of these. */
static inline bool call_scatters(enum collective collective)
{
    return collective == COLLECTIVE_REDUCE_SCATTER || collective == COLLECTIVE_REDUCE_SCATTER_BLOCK;
}

/* Whether a rank's result is the sum of the inputs of the ranks before it. */
static inline bool call_scans(enum collective collective)
{
    return collective == COLLECTIVE_SCAN || collective == COLLECTIVE_EXSCAN;
}

/*
 * Whether an input has a block for each rank, of as many bytes as the size says, and a result one
 * of each rank.
 */
static inline bool call_exchanges(enum collective collective)
{
    return collective >= COLLECTIVE_ALLTOALL && collective <= COLLECTIVE_ALLTOALLW;
}

/* Whether it sums elements. */
static inline bool call_reduces(enum collective collective)
{
    return collective == COLLECTIVE_ALLREDUCE || collective == COLLECTIVE_REDUCE ||
           call_scatters(collective) || call_scans(collective);
}

/* Whether the root gets a block of each rank, or sends one to each rank. */
static inline bool call_is_gather(enum collective collective)
{
    return collective == COLLECTIVE_GATHER || collective == COLLECTIVE_GATHERV;
}

static inline bool call_is_scatter(enum collective collective)
{
    return collective == COLLECTIVE_SCATTER || collective == COLLECTIVE_SCATTERV;
}

/* Whether a result has a block of each rank. */
static inline bool call_gathers(enum collective collective)
{
    return collective == COLLECTIVE_ALLGATHER || collective == COLLECTIVE_ALLGATHERV ||
           call_is_gather(collective) || call_exchanges(collective);
}

/* Collectives with a root, which is rank 0. */
static inline bool call_is_rooted(enum collective collective)
{
    return collective >= COLLECTIVE_BCAST && collective <= COLLECTIVE_SCATTERV;
}

/* Whether this rank has an input, and a result, which of a broadcast is in the same buffer. */
bool call_has_input(const struct call *call);
bool call_has_result(const struct call *call);

/* Whether this rank is in place: of collectives with a root only that may be. */
bool call_is_in_place(const struct call *call);

/* Rounds sizes of reductions up to elements of four bytes, those of a reduce-scatter to as many of
 * them for each rank. All-gather moves bytes. */
size_t call_round(enum collective collective, size_t bytes, int ranks);

/* The first byte of this rank's input, within the result if in place, and its length. */
unsigned char *call_input(const struct call *call);
size_t call_input_bytes(const struct call *call);

/* The result in the receive buffer, and its length. */
unsigned char *call_result(const struct call *call);
size_t call_result_bytes(const struct call *call);

/* Bytes of the receive buffer that the call may write: in place the input is there too. */
size_t call_written_bytes(const struct call *call);

/* Bytes that the buffers need on any rank, for calls in and out of place. */
size_t call_send_bytes(const struct call *call);
size_t call_receive_bytes(const struct call *call);

/* Elements of a reduction's input; of a reduce-scatter, a rank's block; of calls that move data,
 * bytes. */
int call_count(const struct call *call);

/* For MPI_Reduce_scatter(): the count of each rank. The array is valid until the next call with
 * another count. */
const int *call_counts(const struct call *call);

/* For calls with displacements: where each rank's block begins, and for MPI_Alltoallw() its type.
 * They are valid as long. */
const int *call_displacements(const struct call *call);
const MPI_Datatype *call_types(const struct call *call);

/* The buffers as MPI gets them: MPI_IN_PLACE or an address. */
const void *call_sent(const struct call *call);
void *call_received(const struct call *call);

/* Makes the call. */
void call_run(const struct call *call, MPI_Comm comm);

/* What a program does between two calls: reads all of the last result, writes all of its input. */
void call_touch(const struct call *call, int round);

#endif
