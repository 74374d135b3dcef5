/*
 * call.c - one collective call as it is measured. Errors go to MPI_ERRORS_ARE_FATAL, which every
 * communicator of this program has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "call.h"

#include <limits.h>
#include <stdlib.h>

#include "failure.h"

const char *call_name(enum collective collective)
{
    static const char *const names[COLLECTIVE_COUNT] = {
        [COLLECTIVE_ALLREDUCE] = "MPI_Allreduce",
        [COLLECTIVE_ALLGATHER] = "MPI_Allgather",
        [COLLECTIVE_BARRIER] = "MPI_Barrier",
        [COLLECTIVE_REDUCE_SCATTER] = "MPI_Reduce_scatter",
        [COLLECTIVE_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
        [COLLECTIVE_SCAN] = "MPI_Scan",
        [COLLECTIVE_EXSCAN] = "MPI_Exscan",
        [COLLECTIVE_ALLTOALL] = "MPI_Alltoall",
        [COLLECTIVE_ALLTOALLV] = "MPI_Alltoallv",
        [COLLECTIVE_ALLTOALLW] = "MPI_Alltoallw",
        [COLLECTIVE_ALLGATHERV] = "MPI_Allgatherv",
        [COLLECTIVE_BCAST] = "MPI_Bcast",
        [COLLECTIVE_REDUCE] = "MPI_Reduce",
        [COLLECTIVE_GATHER] = "MPI_Gather",
        [COLLECTIVE_SCATTER] = "MPI_Scatter",
        [COLLECTIVE_GATHERV] = "MPI_Gatherv",
        [COLLECTIVE_SCATTERV] = "MPI_Scatterv",
    };
    return names[collective];
}

size_t call_round(enum collective collective, size_t bytes, int ranks)
{
    size_t unit = call_reduces(collective) ? ELEMENT_BYTES : 1;
    unit *= call_scatters(collective) ? (size_t)ranks : 1;
    if (collective == COLLECTIVE_BARRIER) {
        return 0;
    }
    return (bytes + unit - 1) / unit * unit;
}

/* A rank's block, of a reduce-scatter. */
static size_t block_bytes(const struct call *call)
{
    return call->bytes / (size_t)call->ranks;
}

enum { ROOT = 0 };

bool call_has_input(const struct call *call)
{
    return (call->collective != COLLECTIVE_BCAST && !call_is_scatter(call->collective)) ||
           call->rank == ROOT;
}

/* In place the root's block of a scatter stays where it is. */
bool call_has_result(const struct call *call)
{
    if (call_is_scatter(call->collective)) {
        return !call_is_in_place(call);
    }
    return (call->collective != COLLECTIVE_REDUCE && !call_is_gather(call->collective)) ||
           call->rank == ROOT;
}

bool call_is_in_place(const struct call *call)
{
    return call->in_place && call->collective != COLLECTIVE_BCAST &&
           (!call_is_rooted(call->collective) || call->rank == ROOT);
}

size_t call_input_bytes(const struct call *call)
{
    bool blocks = call_is_scatter(call->collective) || call_exchanges(call->collective);
    return blocks ? call->bytes * (size_t)call->ranks : call->bytes;
}

unsigned char *call_input(const struct call *call)
{
    if (call->collective == COLLECTIVE_BCAST) {
        return call->buffers->receive;
    }
    if (!call_is_in_place(call) || call_is_scatter(call->collective)) {
        return call->buffers->send;
    }
    if (call_reduces(call->collective) || call_exchanges(call->collective)) {
        return call->buffers->receive;
    }
    return call->buffers->receive + (size_t)call->rank * call->bytes;
}

unsigned char *call_result(const struct call *call)
{
    bool own = call_is_in_place(call) && call->in_own_block && call_scatters(call->collective);
    return call->buffers->receive + (own ? (size_t)call->rank * block_bytes(call) : 0);
}

size_t call_result_bytes(const struct call *call)
{
    if (call->collective == COLLECTIVE_EXSCAN && call->rank == 0) {
        return 0;
    }
    if (!call_has_result(call)) {
        return 0;
    }
    if (call_scatters(call->collective)) {
        return block_bytes(call);
    }
    return call_gathers(call->collective) ? call->bytes * (size_t)call->ranks : call->bytes;
}

size_t call_written_bytes(const struct call *call)
{
    return call_is_in_place(call) && call_has_result(call) ? call_receive_bytes(call)
                                                           : call_result_bytes(call);
}

size_t call_send_bytes(const struct call *call)
{
    return call_input_bytes(call);
}

size_t call_receive_bytes(const struct call *call)
{
    return call_gathers(call->collective) ? call->bytes * (size_t)call->ranks : call->bytes;
}

int call_count(const struct call *call)
{
    size_t bytes = call_scatters(call->collective) ? block_bytes(call) : call->bytes;
    return (int)(call_reduces(call->collective) ? bytes / ELEMENT_BYTES : bytes);
}

/* Kept from call to call: programs, too, make it before. */
const int *call_counts(const struct call *call)
{
    static int *counts;
    static int ranks;
    int count = call_count(call);
    if (ranks != call->ranks) {
        free(counts);
        ranks = call->ranks;
        counts = buffers_private((size_t)ranks * sizeof(*counts));
        counts[0] = -1; /* as no block has */
    }
    if (counts[0] != count) {
        for (int rank = 0; rank < ranks; rank++) {
            counts[rank] = count;
        }
    }
    return counts;
}

const int *call_displacements(const struct call *call)
{
    static int *displacements;
    static int ranks, laid; /* for blocks of so many elements */
    int count = call_count(call), most = INT_MAX / (call->ranks > 1 ? call->ranks - 1 : 1);
    if (count > most) { /* the last rank's would begin behind INT_MAX */
        failure_stop("%s: blocks of %d bytes for %d ranks have displacements that are no int; "
                     "-m up to %d can be measured",
                     call_name(call->collective), count, call->ranks, most);
    }
    if (ranks != call->ranks) {
        free(displacements);
        ranks = call->ranks;
        displacements = buffers_private((size_t)ranks * sizeof(*displacements));
        laid = -1;
    }
    if (laid != count) {
        for (int rank = 0; rank < ranks; rank++) {
            displacements[rank] = rank * count;
        }
        laid = count;
    }
    return displacements;
}

const MPI_Datatype *call_types(const struct call *call)
{
    static MPI_Datatype *types;
    static int ranks;
    if (ranks != call->ranks) {
        free(types);
        ranks = call->ranks;
        types = buffers_private((size_t)ranks * sizeof(*types));
        for (int rank = 0; rank < ranks; rank++) {
            types[rank] = MPI_CHAR;
        }
    }
    return types;
}

static void exchange_run(const struct call *call, const void *send, void *receive, MPI_Comm comm)
{
    const int *counts = call_counts(call), *displacements = call_displacements(call);
    const MPI_Datatype *types = call_types(call);
    if (call->collective == COLLECTIVE_ALLTOALL) {
        MPI_Alltoall(send, call_count(call), MPI_CHAR, receive, call_count(call), MPI_CHAR, comm);
    } else if (call->collective == COLLECTIVE_ALLTOALLV) {
        MPI_Alltoallv(send, counts, displacements, MPI_CHAR, receive, counts, displacements,
                      MPI_CHAR, comm);
    } else if (call->collective == COLLECTIVE_ALLTOALLW) {
        MPI_Alltoallw(send, counts, displacements, types, receive, counts, displacements, types,
                      comm);
    } else {
        MPI_Allgatherv(send, call_count(call), MPI_CHAR, receive, counts, displacements, MPI_CHAR,
                       comm);
    }
}

const void *call_sent(const struct call *call)
{
    return call_is_in_place(call) && !call_is_scatter(call->collective) ? MPI_IN_PLACE
                                                                            : call->buffers->send;
}

void *call_received(const struct call *call)
{
    return call_is_in_place(call) && call_is_scatter(call->collective)
               ? MPI_IN_PLACE : call->buffers->receive;
}

void call_run(const struct call *call, MPI_Comm comm)
{
    const void *send = call_sent(call);
    void *receive = call_received(call);
    MPI_Datatype type = call->element == ELEMENT_INT ? MPI_INT32_T : MPI_FLOAT;
    int count = call_count(call);
    switch (call->collective) {
    case COLLECTIVE_BCAST:
        MPI_Bcast(receive, count, MPI_CHAR, ROOT, comm);
        break;
    case COLLECTIVE_REDUCE:
        MPI_Reduce(send, receive, count, type, MPI_SUM, ROOT, comm);
        break;
    case COLLECTIVE_GATHER:
        MPI_Gather(send, count, MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm);
        break;
    case COLLECTIVE_SCATTER:
        MPI_Scatter(send, count, MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm);
        break;
    case COLLECTIVE_GATHERV:
        MPI_Gatherv(send, count, MPI_CHAR, receive, call_counts(call), call_displacements(call),
                    MPI_CHAR, ROOT, comm);
        break;
    case COLLECTIVE_SCATTERV:
        MPI_Scatterv(send, call_counts(call), call_displacements(call), MPI_CHAR, receive, count,
                     MPI_CHAR, ROOT, comm);
        break;
    case COLLECTIVE_ALLREDUCE:
        MPI_Allreduce(send, receive, call_count(call), type, MPI_SUM, comm);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Reduce_scatter(send, receive, call_counts(call), type, MPI_SUM, comm);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(send, receive, call_count(call), type, MPI_SUM, comm);
        break;
    case COLLECTIVE_SCAN:
        MPI_Scan(send, receive, call_count(call), type, MPI_SUM, comm);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Exscan(send, receive, call_count(call), type, MPI_SUM, comm);
        break;
    case COLLECTIVE_BARRIER:
        MPI_Barrier(comm);
        break;
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
    case COLLECTIVE_ALLGATHERV:
        exchange_run(call, send, receive, comm);
        break;
    default:
        MPI_Allgather(send, call_count(call), MPI_CHAR, receive, call_count(call), MPI_CHAR, comm);
    }
}

void call_touch(const struct call *call, int round)
{
    const struct buffers *buffers = call->buffers;
    if (call->collective == COLLECTIVE_BARRIER) {
        return;
    }
    if (call_has_result(call)) {
        buffers_read(buffers, call_result(call), call_result_bytes(call));
    }
    if (call_reduces(call->collective)) {
        buffers_write_elements(buffers, call_input(call), call->bytes, call->element, round);
    } else if (call_has_input(call)) {
        buffers_write_bytes(buffers, call_input(call), call_input_bytes(call), round);
    }
}
