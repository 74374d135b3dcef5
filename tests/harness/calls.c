/*
 * The table of collectives.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/calls.h"

#include "tests/harness/persistent.h"

const char *const test_form_names[TEST_FORMS] = {"blocking", "nonblocking", "persistent"};

const char *const test_collective_names[TEST_COLLECTIVES] = {
    "allreduce", "reduce_scatter", "reduce_scatter_block", "scan",      "exscan",     "reduce",
    "allgather", "gather",         "barrier",              "bcast",     "alltoall",   "alltoallv",
    "alltoallw", "allgatherv",     "gatherv",              "scatterv",  "scatter",
    "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
    "neighbor_alltoallw",
};

#define MAKE(Name, name, ...)                                                                      \
    (form == TEST_BLOCKING      ? MPI_##Name(__VA_ARGS__, a->comm)                                 \
     : form == TEST_NONBLOCKING ? MPI_I##name(__VA_ARGS__, a->comm, request)                       \
                                : PERSISTENT(Name)(__VA_ARGS__, a->comm, MPI_INFO_NULL, request))

#define SENT a->send, a->send_count, a->send_type
#define SENT_V a->send, a->send_counts, a->send_places, a->send_type
#define SENT_W a->send, a->send_counts, a->send_places, a->send_types
#define RECEIVED a->receive, a->count, a->type
#define RECEIVED_V a->receive, a->counts, a->places, a->type
#define RECEIVED_W a->receive, a->counts, a->places, a->types
#define REDUCED a->send, a->receive, a->count, a->type, a->op

static int barrier(enum test_call_form form, const struct test_arguments *a, MPI_Request *request)
{
    return form == TEST_BLOCKING      ? MPI_Barrier(a->comm)
           : form == TEST_NONBLOCKING ? MPI_Ibarrier(a->comm, request)
                                      : PERSISTENT(Barrier)(a->comm, MPI_INFO_NULL, request);
}

int test_call(enum test_collective collective, enum test_call_form form,
              const struct test_arguments *a, MPI_Request *request)
{
    switch (collective) {
    case TEST_ALLREDUCE: return MAKE(Allreduce, allreduce, REDUCED);
    case TEST_REDUCE_SCATTER:
        return MAKE(Reduce_scatter, reduce_scatter, a->send, a->receive, a->counts, a->type, a->op);
    case TEST_REDUCE_SCATTER_BLOCK:
        return MAKE(Reduce_scatter_block, reduce_scatter_block, REDUCED);
    case TEST_SCAN: return MAKE(Scan, scan, REDUCED);
    case TEST_EXSCAN: return MAKE(Exscan, exscan, REDUCED);
    case TEST_REDUCE: return MAKE(Reduce, reduce, REDUCED, a->root);
    case TEST_ALLGATHER: return MAKE(Allgather, allgather, SENT, RECEIVED);
    case TEST_GATHER: return MAKE(Gather, gather, SENT, RECEIVED, a->root);
    case TEST_BARRIER: return barrier(form, a, request);
    case TEST_BCAST: return MAKE(Bcast, bcast, RECEIVED, a->root);
    case TEST_ALLTOALL: return MAKE(Alltoall, alltoall, SENT, RECEIVED);
    case TEST_ALLTOALLV: return MAKE(Alltoallv, alltoallv, SENT_V, RECEIVED_V);
    case TEST_ALLTOALLW: return MAKE(Alltoallw, alltoallw, SENT_W, RECEIVED_W);
    case TEST_ALLGATHERV: return MAKE(Allgatherv, allgatherv, SENT, RECEIVED_V);
    case TEST_GATHERV: return MAKE(Gatherv, gatherv, SENT, RECEIVED_V, a->root);
    case TEST_SCATTERV: return MAKE(Scatterv, scatterv, SENT_V, RECEIVED, a->root);
    case TEST_NEIGHBOR_ALLGATHER:
        return MAKE(Neighbor_allgather, neighbor_allgather, SENT, RECEIVED);
    case TEST_NEIGHBOR_ALLGATHERV:
        return MAKE(Neighbor_allgatherv, neighbor_allgatherv, SENT, RECEIVED_V);
    case TEST_NEIGHBOR_ALLTOALL: return MAKE(Neighbor_alltoall, neighbor_alltoall, SENT, RECEIVED);
    case TEST_NEIGHBOR_ALLTOALLV:
        return MAKE(Neighbor_alltoallv, neighbor_alltoallv, SENT_V, RECEIVED_V);
    case TEST_NEIGHBOR_ALLTOALLW:
        return MAKE(Neighbor_alltoallw, neighbor_alltoallw, a->send, a->send_counts, a->bytes,
                    a->send_types, a->receive, a->counts, a->bytes, a->types);
    default: return MAKE(Scatter, scatter, SENT, RECEIVED, a->root);
    }
}

void test_call_round(enum test_collective collective, enum test_call_form form,
                     const struct test_arguments *arguments, int round, MPI_Request *request)
{
    if (round == 0) {
        (void)test_call(collective, form, arguments, request);
    }
    if (form == TEST_PERSISTENT) {
        MPI_Start(request);
    }
    if (form != TEST_BLOCKING) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (form == TEST_PERSISTENT && round + 1 == test_rounds(form)) {
        MPI_Request_free(request);
    }
}
