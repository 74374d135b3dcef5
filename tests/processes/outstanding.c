/*
 * outstanding.c - see outstanding.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/outstanding.h"

#include "tests/harness/calls.h"
#include "tests/processes/survivors.h"

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

enum { SMALL = 64, LARGE = 30000 };

#define KIND(name) OUTSTANDING_##name

/* ---- who sends what -------------------------------------------------------------------------- */

bool outstanding_is_loose(const struct outstanding *call)
{
    return call->kind == KIND(LOOSE_BCAST) || call->kind == KIND(LOOSE_GATHER);
}

static bool is_bcast(const struct outstanding *call)
{
    return call->kind == KIND(BCAST) || call->kind == KIND(LOOSE_BCAST);
}

static bool is_to_root(const struct outstanding *call)
{
    return call->kind == KIND(GATHER) || call->kind == KIND(GATHERV) ||
           call->kind == KIND(LOOSE_GATHER);
}

static bool is_from_root(const struct outstanding *call)
{
    return call->kind == KIND(SCATTER) || call->kind == KIND(SCATTERV);
}

static bool is_exchange(const struct outstanding *call)
{
    return call->kind == KIND(ALLTOALL) || call->kind == KIND(ALLTOALLV) ||
           call->kind == KIND(ALLTOALLW);
}

/* Elements from one rank to another one. */
static int block_of(const struct outstanding *call, int from, int to)
{
    if ((is_to_root(call) && to != call->root) || (is_from_root(call) && from != call->root)) {
        return 0;
    }
    switch (call->kind) {
    case KIND(ALLTOALLV):
    case KIND(ALLTOALLW):
        return call->block - 100 * from - 30 * to;
    case KIND(ALLGATHERV):
    case KIND(GATHERV):
        return call->block - 100 * from;
    case KIND(SCATTERV):
    case KIND(REDUCE_SCATTER): /* of the result */
        return call->block - 30 * to;
    default:
        return call->block;
    }
}

static void blocks_set(struct outstanding *call)
{
    for (int rank = 0; rank < call->size; rank++) {
        bool differ = is_exchange(call) || is_from_root(call);
        call->sent.counts[rank] = block_of(call, call->rank, rank);
        call->sent.at[rank] = differ ? rank * call->block : 0;
        call->sent.bytes[rank] = call->sent.at[rank] * (int)sizeof(double);
        call->received.counts[rank] = block_of(call, rank, call->rank);
        call->received.at[rank] = is_from_root(call) ? 0 : rank * call->block;
        call->received.bytes[rank] = call->received.at[rank] * (int)sizeof(double);
        call->types[rank] = MPI_DOUBLE;
    }
}

/* ---- MPI's calls ----------------------------------------------------------------------------- */

/* The request of a nonblocking call, or of a persistent operation that is not started. */
static int begin(struct outstanding *call)
{
    static const enum test_collective collectives[OUTSTANDING_KINDS] = {
        [KIND(SLOT)] = TEST_ALLREDUCE, [KIND(STAGED)] = TEST_ALLREDUCE,
        [KIND(HEAP)] = TEST_ALLREDUCE, [KIND(BCAST)] = TEST_BCAST, [KIND(LOOSE_BCAST)] = TEST_BCAST,
        [KIND(REDUCE)] = TEST_REDUCE, [KIND(GATHERV)] = TEST_GATHERV,
        [KIND(SCATTER)] = TEST_SCATTER, [KIND(ALLTOALLV)] = TEST_ALLTOALLV,
        [KIND(REDUCE_SCATTER)] = TEST_REDUCE_SCATTER, [KIND(SCAN)] = TEST_SCAN,
        [KIND(ALLGATHER)] = TEST_ALLGATHER, [KIND(BARRIER)] = TEST_BARRIER,
        [KIND(GATHER)] = TEST_GATHER, [KIND(LOOSE_GATHER)] = TEST_GATHER,
        [KIND(SCATTERV)] = TEST_SCATTERV, [KIND(ALLTOALL)] = TEST_ALLTOALL,
        [KIND(ALLTOALLW)] = TEST_ALLTOALLW, [KIND(ALLGATHERV)] = TEST_ALLGATHERV,
        [KIND(REDUCE_SCATTER_BLOCK)] = TEST_REDUCE_SCATTER_BLOCK, [KIND(EXSCAN)] = TEST_EXSCAN,
    };
    enum test_collective collective = collectives[call->kind];
    bool is_reduction = collective <= TEST_REDUCE && collective != TEST_REDUCE_SCATTER_BLOCK;
    struct outstanding_blocks *s = &call->sent, *r = &call->received;
    int own = is_from_root(call) ? block_of(call, call->root, call->rank)
                                 : block_of(call, call->rank, is_to_root(call) ? call->root : 0);
    const struct test_arguments arguments = {
        .send = call->send, .send_count = own, .send_type = MPI_DOUBLE, .send_counts = s->counts,
        .send_places = collective == TEST_ALLTOALLW ? s->bytes : s->at, .send_types = call->types,
        .receive = call->receive, .count = is_reduction || is_bcast(call) ? call->count : own,
        .type = MPI_DOUBLE, .counts = is_reduction ? s->counts : r->counts,
        .places = collective == TEST_ALLTOALLW ? r->bytes : r->at, .types = call->types,
        .op = MPI_SUM, .root = call->root, .comm = call->comm,
    };
    return test_call(collective, call->persistent ? TEST_PERSISTENT : TEST_NONBLOCKING, &arguments,
                     call->request);
}

/* ---- results --------------------------------------------------------------------------------- */

static double value_of(int rank, int i)
{
    return rank + i;
}

/* The sum of the elements of so many ranks, from rank 0 on. */
static double sum_of(int ranks, int i)
{
    return ranks * (ranks - 1) / 2 + (double)ranks * i;
}

static double reduced_at(const struct outstanding *call, int i)
{
    int begin = 0, end = call->count, ranks = call->size;
    if (call->kind == KIND(REDUCE_SCATTER) || call->kind == KIND(REDUCE_SCATTER_BLOCK)) {
        for (int rank = 0; rank < call->rank; rank++) {
            begin += call->sent.counts[rank];
        }
        end = begin + call->sent.counts[call->rank];
    } else if (call->kind == KIND(SCAN) || call->kind == KIND(EXSCAN)) {
        ranks = call->rank + (call->kind == KIND(SCAN));
    } else if (call->kind == KIND(REDUCE) && call->rank != call->root) {
        ranks = 0;
    }
    return ranks > 0 && begin + i < end ? sum_of(ranks, begin + i) : -1;
}

static double expected_at(const struct outstanding *call, int i)
{
    switch (call->kind) {
    case KIND(BCAST):
    case KIND(LOOSE_BCAST):
        return value_of(call->root, i);
    case KIND(BARRIER):
        return -1;
    case KIND(SLOT):
    case KIND(STAGED):
    case KIND(HEAP):
    case KIND(REDUCE):
    case KIND(REDUCE_SCATTER):
    case KIND(REDUCE_SCATTER_BLOCK):
    case KIND(SCAN):
    case KIND(EXSCAN):
        return reduced_at(call, i);
    default:
        break;
    }
    int from = is_from_root(call) ? call->root : i / call->block;
    int place = i - call->received.at[from % call->size];
    bool differ = is_exchange(call) || is_from_root(call);
    return from < call->size && place < call->received.counts[from]
               ? value_of(from, place + (differ ? call->rank * call->block : 0)) : -1;
}

void outstanding_check(const struct outstanding *call)
{
    int bad = 0;
    for (int i = 0; i < call->count; i++) {
        bad += call->receive[i] != expected_at(call, i);
    }
    if (bad > 0) {
        wrong("%d elements of a call of kind %d", bad, (int)call->kind);
    }
}

/* ---- a call ---------------------------------------------------------------------------------- */

void outstanding_make(struct outstanding *call, MPI_Request *request, MPI_Comm comm,
                      enum outstanding_kind kind, bool persistent)
{
    *call = (struct outstanding){
        .comm = comm, .request = request, .kind = kind, .persistent = persistent};
    call->heap = kind == KIND(HEAP) || (kind != KIND(STAGED) && kind % 2 == 1);
    MPI_Comm_rank(comm, &call->rank);
    MPI_Comm_size(comm, &call->size);
    if (call->size > OUTSTANDING_RANKS) {
        wrong("%d ranks are too many", call->size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    call->root = (int)kind % call->size;
    call->count = kind == KIND(SLOT) || outstanding_is_loose(call) ? SMALL : LARGE;
    call->block = call->count / call->size;
    call->send = array_make(LARGE, call->heap);
    call->receive = array_make(LARGE, call->heap);
    blocks_set(call);
    *request = MPI_REQUEST_NULL;
    int rc = persistent ? begin(call) : MPI_SUCCESS;
    if (rc != MPI_SUCCESS) {
        wrong("a persistent operation cannot be made: %s", class_name(class_of(rc)));
    }
}

void outstanding_free(struct outstanding *call)
{
    array_free(call->send, call->heap);
    array_free(call->receive, call->heap);
    if (*call->request != MPI_REQUEST_NULL && MPI_Request_free(call->request) != MPI_SUCCESS) {
        wrong("a request of kind %d cannot be freed", (int)call->kind);
    }
}

int outstanding_start(struct outstanding *call)
{
    bool is_input = is_bcast(call) && call->rank == call->root;
    for (int i = 0; i < call->count; i++) {
        call->send[i] = value_of(call->rank, i);
        call->receive[i] = is_input ? call->send[i] : -1;
    }
    return call->persistent ? MPI_Start(call->request) : begin(call);
}

#endif
