/*
 * form.c - see form.h. Errors go to MPI_ERRORS_ARE_FATAL, as in call.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "form.h"

#include <mpi-ext.h>

#if OMPI_MAJOR_VERSION >= 5
#define PERSISTENT(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT(name) MPIX_##name##_init
#endif

static const void *sent(const struct call *call)
{
    return call->in_place ? MPI_IN_PLACE : call->buffers->send;
}

static MPI_Datatype type(const struct call *call)
{
    return call->element == ELEMENT_INT ? MPI_INT32_T : MPI_FLOAT;
}

const char *form_name(enum form form, enum collective collective)
{
    static const char *const nonblocking[COLLECTIVE_COUNT] = {
        [COLLECTIVE_ALLREDUCE] = "MPI_Iallreduce",
        [COLLECTIVE_ALLGATHER] = "MPI_Iallgather",
        [COLLECTIVE_BARRIER] = "MPI_Ibarrier",
        [COLLECTIVE_REDUCE_SCATTER] = "MPI_Ireduce_scatter",
        [COLLECTIVE_REDUCE_SCATTER_BLOCK] = "MPI_Ireduce_scatter_block",
        [COLLECTIVE_SCAN] = "MPI_Iscan",
        [COLLECTIVE_EXSCAN] = "MPI_Iexscan",
        [COLLECTIVE_ALLTOALL] = "MPI_Ialltoall",
        [COLLECTIVE_ALLTOALLV] = "MPI_Ialltoallv",
        [COLLECTIVE_ALLTOALLW] = "MPI_Ialltoallw",
        [COLLECTIVE_ALLGATHERV] = "MPI_Iallgatherv",
    };
    static const char *const persistent[COLLECTIVE_COUNT] = {
        [COLLECTIVE_ALLREDUCE] = "MPI_Allreduce_init",
        [COLLECTIVE_ALLGATHER] = "MPI_Allgather_init",
        [COLLECTIVE_BARRIER] = "MPI_Barrier_init",
        [COLLECTIVE_REDUCE_SCATTER] = "MPI_Reduce_scatter_init",
        [COLLECTIVE_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block_init",
        [COLLECTIVE_SCAN] = "MPI_Scan_init",
        [COLLECTIVE_EXSCAN] = "MPI_Exscan_init",
        [COLLECTIVE_ALLTOALL] = "MPI_Alltoall_init",
        [COLLECTIVE_ALLTOALLV] = "MPI_Alltoallv_init",
        [COLLECTIVE_ALLTOALLW] = "MPI_Alltoallw_init",
        [COLLECTIVE_ALLGATHERV] = "MPI_Allgatherv_init",
    };
    return form == FORM_NONBLOCKING  ? nonblocking[collective]
           : form == FORM_PERSISTENT ? persistent[collective]
                                     : call_name(collective);
}

static void exchange_start(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    const int *counts = call_counts(call), *displacements = call_displacements(call);
    const MPI_Datatype *types = call_types(call);
    unsigned char *receive = call->buffers->receive;
    int count = call_count(call);
    if (call->collective == COLLECTIVE_ALLTOALL) {
        MPI_Ialltoall(sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, comm, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLV) {
        MPI_Ialltoallv(sent(call), counts, displacements, MPI_CHAR, receive, counts,
           displacements, MPI_CHAR, comm, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLW) {
        MPI_Ialltoallw(sent(call), counts, displacements, types, receive, counts,
           displacements, types, comm, request);
    } else {
        MPI_Iallgatherv(sent(call), count, MPI_CHAR, receive, counts, displacements, MPI_CHAR,
           comm, request);
    }
}

void form_start(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    unsigned char *receive = call->buffers->receive;
    switch (call->collective) {
    case COLLECTIVE_ALLREDUCE:
        MPI_Iallreduce(sent(call), receive, call_count(call), type(call), MPI_SUM, comm, request);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Ireduce_scatter(sent(call), receive, call_counts(call), type(call), MPI_SUM, comm,
                            request);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(sent(call), receive, call_count(call), type(call), MPI_SUM, comm,
                                  request);
        break;
    case COLLECTIVE_SCAN:
        MPI_Iscan(sent(call), receive, call_count(call), type(call), MPI_SUM, comm, request);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Iexscan(sent(call), receive, call_count(call), type(call), MPI_SUM, comm, request);
        break;
    case COLLECTIVE_BARRIER:
        MPI_Ibarrier(comm, request);
        break;
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
    case COLLECTIVE_ALLGATHERV:
        exchange_start(call, comm, request);
        break;
    default:
        MPI_Iallgather(sent(call), call_count(call), MPI_CHAR, receive, call_count(call), MPI_CHAR,
                       comm, request);
    }
}

#ifdef PERSISTENT

bool form_has_persistent(void)
{
    return true;
}

static void exchange_init(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    const int *counts = call_counts(call), *displacements = call_displacements(call);
    const MPI_Datatype *types = call_types(call);
    unsigned char *receive = call->buffers->receive;
    int count = call_count(call);
    if (call->collective == COLLECTIVE_ALLTOALL) {
        PERSISTENT(Alltoall)(sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, comm, MPI_INFO_NULL, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLV) {
        PERSISTENT(Alltoallv)(sent(call), counts, displacements, MPI_CHAR, receive, counts,
           displacements, MPI_CHAR, comm, MPI_INFO_NULL, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLW) {
        PERSISTENT(Alltoallw)(sent(call), counts, displacements, types, receive, counts,
           displacements, types, comm, MPI_INFO_NULL, request);
    } else {
        PERSISTENT(Allgatherv)(sent(call), count, MPI_CHAR, receive, counts, displacements, MPI_CHAR,
           comm, MPI_INFO_NULL, request);
    }
}

void form_init(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    unsigned char *receive = call->buffers->receive;
    switch (call->collective) {
    case COLLECTIVE_ALLREDUCE:
        PERSISTENT(Allreduce)(sent(call), receive, call_count(call), type(call), MPI_SUM, comm,
                              MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        PERSISTENT(Reduce_scatter)(sent(call), receive, call_counts(call), type(call), MPI_SUM,
                                   comm, MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        PERSISTENT(Reduce_scatter_block)(sent(call), receive, call_count(call), type(call),
                                         MPI_SUM, comm, MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_SCAN:
        PERSISTENT(Scan)(sent(call), receive, call_count(call), type(call), MPI_SUM, comm,
                         MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_EXSCAN:
        PERSISTENT(Exscan)(sent(call), receive, call_count(call), type(call), MPI_SUM, comm,
                           MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_BARRIER:
        PERSISTENT(Barrier)(comm, MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVE_ALLTOALLW:
    case COLLECTIVE_ALLGATHERV:
        exchange_init(call, comm, request);
        break;
    default:
        PERSISTENT(Allgather)(sent(call), call_count(call), MPI_CHAR, receive, call_count(call),
                              MPI_CHAR, comm, MPI_INFO_NULL, request);
    }
}

#else

bool form_has_persistent(void)
{
    return false;
}

void form_init(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    (void)call;
    (void)comm;
    *request = MPI_REQUEST_NULL;
}

#endif
