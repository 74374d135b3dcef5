/*
 * outstanding.c - see outstanding.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/outstanding.h"

#include "tests/harness/persistent.h"
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

/* Arguments behind the names of a persistent operation and of a nonblocking call. */
#define BEGIN(name, iname, ...)                                                           \
    (call->persistent                                                                     \
         ? PERSISTENT(name)(__VA_ARGS__, call->comm, MPI_INFO_NULL, call->request)        \
         : MPI_I##iname(__VA_ARGS__, call->comm, call->request))

static int begin_barrier(struct outstanding *call)
{
    return call->persistent ? PERSISTENT(Barrier)(call->comm, MPI_INFO_NULL, call->request)
                            : MPI_Ibarrier(call->comm, call->request);
}

static int begin_exchange(struct outstanding *call)
{
    struct outstanding_blocks *s = &call->sent, *r = &call->received;
    switch (call->kind) {
    case KIND(ALLTOALLV):
        return BEGIN(Alltoallv, alltoallv, call->send, s->counts, s->at, MPI_DOUBLE, call->receive,
                     r->counts, r->at, MPI_DOUBLE);
    case KIND(ALLTOALLW):
        return BEGIN(Alltoallw, alltoallw, call->send, s->counts, s->bytes, call->types,
                     call->receive, r->counts, r->bytes, call->types);
    default:
        return BEGIN(Alltoall, alltoall, call->send, call->block, MPI_DOUBLE, call->receive,
                     call->block, MPI_DOUBLE);
    }
}

static int begin_gather(struct outstanding *call)
{
    struct outstanding_blocks *r = &call->received;
    int own = block_of(call, call->rank, is_to_root(call) ? call->root : 0);
    switch (call->kind) {
    case KIND(ALLGATHER):
        return BEGIN(Allgather, allgather, call->send, own, MPI_DOUBLE, call->receive, own,
                     MPI_DOUBLE);
    case KIND(ALLGATHERV):
        return BEGIN(Allgatherv, allgatherv, call->send, own, MPI_DOUBLE, call->receive, r->counts,
                     r->at, MPI_DOUBLE);
    case KIND(GATHERV):
        return BEGIN(Gatherv, gatherv, call->send, own, MPI_DOUBLE, call->receive, r->counts, r->at,
                     MPI_DOUBLE, call->root);
    default:
        return BEGIN(Gather, gather, call->send, own, MPI_DOUBLE, call->receive, own, MPI_DOUBLE,
                     call->root);
    }
}

static int begin_from_root(struct outstanding *call)
{
    int own = block_of(call, call->root, call->rank);
    if (is_bcast(call)) {
        return BEGIN(Bcast, bcast, call->receive, call->count, MPI_DOUBLE, call->root);
    }
    return call->kind == KIND(SCATTERV)
               ? BEGIN(Scatterv, scatterv, call->send, call->sent.counts, call->sent.at, MPI_DOUBLE,
                       call->receive, own, MPI_DOUBLE, call->root)
               : BEGIN(Scatter, scatter, call->send, own, MPI_DOUBLE, call->receive, own,
                       MPI_DOUBLE, call->root);
}

static int begin_reduction(struct outstanding *call)
{
    double *send = call->send, *receive = call->receive;
    switch (call->kind) {
    case KIND(REDUCE):
        return BEGIN(Reduce, reduce, send, receive, call->count, MPI_DOUBLE, MPI_SUM, call->root);
    case KIND(REDUCE_SCATTER): {
        int *counts = call->sent.counts;
        return BEGIN(Reduce_scatter, reduce_scatter, send, receive, counts, MPI_DOUBLE, MPI_SUM);
    }
    case KIND(REDUCE_SCATTER_BLOCK):
        return BEGIN(Reduce_scatter_block, reduce_scatter_block, send, receive, call->block,
                     MPI_DOUBLE, MPI_SUM);
    case KIND(SCAN):
        return BEGIN(Scan, scan, send, receive, call->count, MPI_DOUBLE, MPI_SUM);
    case KIND(EXSCAN):
        return BEGIN(Exscan, exscan, send, receive, call->count, MPI_DOUBLE, MPI_SUM);
    default:
        return BEGIN(Allreduce, allreduce, send, receive, call->count, MPI_DOUBLE, MPI_SUM);
    }
}

/* The request of a nonblocking call, or of a persistent operation that is not started. */
static int begin(struct outstanding *call)
{
    if (call->kind == KIND(BARRIER)) {
        return begin_barrier(call);
    }
    if (is_exchange(call)) {
        return begin_exchange(call);
    }
    if (is_bcast(call) || is_from_root(call)) {
        return begin_from_root(call);
    }
    bool gathers = is_to_root(call) || call->kind == KIND(ALLGATHER) ||
                   call->kind == KIND(ALLGATHERV);
    return gathers ? begin_gather(call) : begin_reduction(call);
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
