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

enum { ROOT = 0 };

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
        [COLLECTIVE_BCAST] = "MPI_Ibcast",
        [COLLECTIVE_REDUCE] = "MPI_Ireduce",
        [COLLECTIVE_GATHER] = "MPI_Igather",
        [COLLECTIVE_SCATTER] = "MPI_Iscatter",
        [COLLECTIVE_GATHERV] = "MPI_Igatherv",
        [COLLECTIVE_SCATTERV] = "MPI_Iscatterv",
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
        [COLLECTIVE_BCAST] = "MPI_Bcast_init",
        [COLLECTIVE_REDUCE] = "MPI_Reduce_init",
        [COLLECTIVE_GATHER] = "MPI_Gather_init",
        [COLLECTIVE_SCATTER] = "MPI_Scatter_init",
        [COLLECTIVE_GATHERV] = "MPI_Gatherv_init",
        [COLLECTIVE_SCATTERV] = "MPI_Scatterv_init",
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
        MPI_Ialltoall(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, comm, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLV) {
        MPI_Ialltoallv(call_sent(call), counts, displacements, MPI_CHAR, receive, counts,
                       displacements, MPI_CHAR, comm, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLW) {
        MPI_Ialltoallw(call_sent(call), counts, displacements, types, receive, counts,
                       displacements, types, comm, request);
    } else {
        MPI_Iallgatherv(call_sent(call), count, MPI_CHAR, receive, counts, displacements, MPI_CHAR,
                        comm, request);
    }
}

void form_start(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    void *receive = call_received(call);
    int count = call_count(call);
    switch (call->collective) {
    case COLLECTIVE_ALLREDUCE:
        MPI_Iallreduce(call_sent(call), receive, count, type(call), MPI_SUM, comm, request);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        MPI_Ireduce_scatter(call_sent(call), receive, call_counts(call), type(call), MPI_SUM, comm,
                            request);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(call_sent(call), receive, count, type(call), MPI_SUM, comm,
                                  request);
        break;
    case COLLECTIVE_SCAN:
        MPI_Iscan(call_sent(call), receive, call_count(call), type(call), MPI_SUM, comm, request);
        break;
    case COLLECTIVE_EXSCAN:
        MPI_Iexscan(call_sent(call), receive, call_count(call), type(call), MPI_SUM, comm, request);
        break;
    case COLLECTIVE_BCAST:
        MPI_Ibcast(receive, count, MPI_CHAR, ROOT, comm, request);
        break;
    case COLLECTIVE_REDUCE:
        MPI_Ireduce(call_sent(call), receive, count, type(call), MPI_SUM, ROOT, comm, request);
        break;
    case COLLECTIVE_GATHER:
        MPI_Igather(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm,
                    request);
        break;
    case COLLECTIVE_SCATTER:
        MPI_Iscatter(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm,
                     request);
        break;
    case COLLECTIVE_GATHERV:
        MPI_Igatherv(call_sent(call), count, MPI_CHAR, receive, call_counts(call),
                     call_displacements(call), MPI_CHAR, ROOT, comm, request);
        break;
    case COLLECTIVE_SCATTERV:
        MPI_Iscatterv(call_sent(call), call_counts(call), call_displacements(call), MPI_CHAR,
                      receive, count, MPI_CHAR, ROOT, comm, request);
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
        MPI_Iallgather(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR,
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
        PERSISTENT(Alltoall)(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, comm,
                             MPI_INFO_NULL, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLV) {
        PERSISTENT(Alltoallv)(call_sent(call), counts, displacements, MPI_CHAR, receive, counts,
                              displacements, MPI_CHAR, comm, MPI_INFO_NULL, request);
    } else if (call->collective == COLLECTIVE_ALLTOALLW) {
        PERSISTENT(Alltoallw)(call_sent(call), counts, displacements, types, receive, counts,
                              displacements, types, comm, MPI_INFO_NULL, request);
    } else {
        PERSISTENT(Allgatherv)(call_sent(call), count, MPI_CHAR, receive, counts, displacements,
                               MPI_CHAR, comm, MPI_INFO_NULL, request);
    }
}

void form_init(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    void *receive = call_received(call);
    int count = call_count(call);
    switch (call->collective) {
    case COLLECTIVE_ALLREDUCE:
        PERSISTENT(Allreduce)(call_sent(call), receive, count, type(call), MPI_SUM, comm,
                              MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_REDUCE_SCATTER:
        PERSISTENT(Reduce_scatter)(call_sent(call), receive, call_counts(call), type(call), MPI_SUM,
                                   comm, MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_REDUCE_SCATTER_BLOCK:
        PERSISTENT(Reduce_scatter_block)(call_sent(call), receive, count, type(call),
                                         MPI_SUM, comm, MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_SCAN:
        PERSISTENT(Scan)(call_sent(call), receive, call_count(call), type(call), MPI_SUM, comm,
                         MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_EXSCAN:
        PERSISTENT(Exscan)(call_sent(call), receive, call_count(call), type(call), MPI_SUM, comm,
                           MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_BCAST:
        PERSISTENT(Bcast)(receive, count, MPI_CHAR, ROOT, comm, MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_REDUCE:
        PERSISTENT(Reduce)(call_sent(call), receive, count, type(call), MPI_SUM, ROOT, comm,
                           MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_GATHER:
        PERSISTENT(Gather)(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm,
                           MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_SCATTER:
        PERSISTENT(Scatter)(call_sent(call), count, MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm,
                            MPI_INFO_NULL, request);
        break;
    case COLLECTIVE_GATHERV:
        PERSISTENT(Gatherv)(call_sent(call), count, MPI_CHAR, receive, call_counts(call),
                            call_displacements(call), MPI_CHAR, ROOT, comm, MPI_INFO_NULL,
                            request);
        break;
    case COLLECTIVE_SCATTERV:
        PERSISTENT(Scatterv)(call_sent(call), call_counts(call), call_displacements(call),
                             MPI_CHAR, receive, count, MPI_CHAR, ROOT, comm, MPI_INFO_NULL,
                             request);
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
        PERSISTENT(Allgather)(call_sent(call), count, MPI_CHAR, receive, count,
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
