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
    size_t bytes; /* the size in the table: of a reduction's vector, otherwise of a block; 0 for a
                     barrier */
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

/* Whether an input has a block for each rank, of as many bytes as the size says, and a result one of
 * each rank. */
static inline bool call_exchanges(enum collective collective)
{
    return collective >= COLLECTIVE_ALLTOALL && collective <= COLLECTIVE_ALLTOALLW;
}

/* Whether a result has a block of each rank. */
static inline bool call_has_parts(enum collective collective)
{
    return collective == COLLECTIVE_ALLGATHER || collective >= COLLECTIVE_ALLTOALL;
}

/* Whether it sums elements. */
static inline bool call_reduces(enum collective collective)
{
    return collective == COLLECTIVE_ALLREDUCE || call_scatters(collective) ||
           call_scans(collective);
}

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

/* Bytes that the receive buffer needs, for calls in and out of place. */
size_t call_receive_bytes(const struct call *call);

/* Elements of a reduction's input; of a reduce-scatter, a rank's block; of an all-gather, bytes. */
int call_count(const struct call *call);

/* For MPI_Reduce_scatter(): the count of each rank. The array is valid until the next call with
 * another count. */
const int *call_counts(const struct call *call);

/* For calls with displacements: where each rank's block begins, and for MPI_Alltoallw() its type.
 * They are valid as long. */
const int *call_displacements(const struct call *call);
const MPI_Datatype *call_types(const struct call *call);

/* Makes the call. */
void call_run(const struct call *call, MPI_Comm comm);

/* What a program does between two calls: reads all of the last result, writes all of its input. */
void call_touch(const struct call *call, int round);

#endif
