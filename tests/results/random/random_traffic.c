/*
 * Messages and unserved collectives around a call, with their results checked.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/results/random/random_traffic.h"
#include "tests/harness/harness.h"

#include <string.h>

enum { SHORT = 64, LONG = 25000, TAG = 77 };

static int64_t sent[LONG];
static int64_t received[LONG];
static MPI_Request requests[2];

static int64_t word(const struct random_call *call, int rank)
{
    return (int64_t)(call->number * 64 + (uint64_t)rank);
}

static int next_rank(const struct random_call *call)
{
    return (call->comm->rank + 1) % call->comm->size;
}

static int previous_rank(const struct random_call *call)
{
    return (call->comm->rank + call->comm->size - 1) % call->comm->size;
}

/* Any rank may be the root. */
static int root(const struct random_call *call)
{
    return (int)(call->index % (uint64_t)call->comm->size);
}

static void broadcast(const struct random_call *call)
{
    int64_t value = call->comm->rank == root(call) ? word(call, root(call)) : -1;
    MPI_Bcast(&value, 1, MPI_INT64_T, root(call), call->comm->comm);
    test_check(value == word(call, root(call)), "the value that was broadcast before the call");
}

static void message(const struct random_call *call)
{
    int64_t out = word(call, call->comm->rank);
    int64_t in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT64_T, next_rank(call), TAG, &in, 1, MPI_INT64_T,
                 previous_rank(call), TAG, call->comm->comm, MPI_STATUS_IGNORE);
    test_check(in == word(call, previous_rank(call)), "the message before the call");
}

void random_traffic_before(const struct random_call *call)
{
    switch (call->before) {
    case BEFORE_BARRIER:
        MPI_Barrier(call->comm->comm);
        break;
    case BEFORE_BROADCAST:
        broadcast(call);
        break;
    case BEFORE_MESSAGE:
        message(call);
        break;
    default:
        break;
    }
}

static size_t words(const struct random_call *call)
{
    return call->meanwhile == MEANWHILE_LONG_MESSAGE ? LONG : SHORT;
}

static void start_message(const struct random_call *call)
{
    int bytes = (int)(words(call) * sizeof sent[0]);
    MPI_Comm comm = call->comm->comm;
    MPI_Irecv(received, bytes, MPI_BYTE, previous_rank(call), TAG, comm, &requests[0]);
    MPI_Isend(sent, bytes, MPI_BYTE, next_rank(call), TAG, comm, &requests[1]);
}

void random_traffic_start(const struct random_call *call)
{
    MPI_Comm comm = call->comm->comm;
    if (call->meanwhile == MEANWHILE_NOTHING) {
        return;
    }
    for (size_t i = 0; i < words(call); i++) {
        sent[i] = word(call, call->comm->rank);
        received[i] = -1;
    }
    requests[0] = MPI_REQUEST_NULL;
    requests[1] = MPI_REQUEST_NULL;
    switch (call->meanwhile) {
    case MEANWHILE_IALLREDUCE:
        MPI_Iallreduce(sent, received, SHORT, MPI_INT64_T, MPI_MAX, comm, &requests[0]);
        break;
    case MEANWHILE_IBROADCAST:
        memcpy(received, sent, SHORT * sizeof sent[0]);
        MPI_Ibcast(received, SHORT, MPI_INT64_T, root(call), comm, &requests[0]);
        break;
    case MEANWHILE_IBARRIER:
        MPI_Ibarrier(comm, &requests[0]);
        break;
    default:
        start_message(call);
        break;
    }
}

static int64_t expected_word(const struct random_call *call)
{
    switch (call->meanwhile) {
    case MEANWHILE_IALLREDUCE:
        return word(call, call->comm->size - 1);
    case MEANWHILE_IBROADCAST:
        return word(call, root(call));
    case MEANWHILE_IBARRIER:
        return -1;
    default:
        return word(call, previous_rank(call));
    }
}

void random_traffic_finish(const struct random_call *call)
{
    if (call->meanwhile == MEANWHILE_NOTHING) {
        return;
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (size_t i = 0; i < words(call); i++) {
        if (received[i] != expected_word(call)) {
            test_fail("word %zu of what was under way during the call: expected %lld, found %lld",
                      i, (long long)expected_word(call), (long long)received[i]);
            return;
        }
    }
}
