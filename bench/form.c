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

static int count(const struct call *call)
{
    return (int)(call->collective == COLLECTIVE_ALLREDUCE ? call->bytes / ELEMENT_BYTES
                                                          : call->bytes);
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
    };
    static const char *const persistent[COLLECTIVE_COUNT] = {
        [COLLECTIVE_ALLREDUCE] = "MPI_Allreduce_init",
        [COLLECTIVE_ALLGATHER] = "MPI_Allgather_init",
        [COLLECTIVE_BARRIER] = "MPI_Barrier_init",
    };
    return form == FORM_NONBLOCKING  ? nonblocking[collective]
           : form == FORM_PERSISTENT ? persistent[collective]
                                     : call_name(collective);
}

void form_start(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    if (call->collective == COLLECTIVE_ALLREDUCE) {
        MPI_Iallreduce(sent(call), call->buffers->receive, count(call), type(call), MPI_SUM, comm,
                       request);
    } else if (call->collective == COLLECTIVE_BARRIER) {
        MPI_Ibarrier(comm, request);
    } else {
        MPI_Iallgather(sent(call), count(call), MPI_CHAR, call->buffers->receive, count(call),
                       MPI_CHAR, comm, request);
    }
}

#ifdef PERSISTENT

bool form_has_persistent(void)
{
    return true;
}

void form_init(const struct call *call, MPI_Comm comm, MPI_Request *request)
{
    if (call->collective == COLLECTIVE_ALLREDUCE) {
        PERSISTENT(Allreduce)(sent(call), call->buffers->receive, count(call), type(call), MPI_SUM,
                              comm, MPI_INFO_NULL, request);
    } else if (call->collective == COLLECTIVE_BARRIER) {
        PERSISTENT(Barrier)(comm, MPI_INFO_NULL, request);
    } else {
        PERSISTENT(Allgather)(sent(call), count(call), MPI_CHAR, call->buffers->receive,
                              count(call), MPI_CHAR, comm, MPI_INFO_NULL, request);
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
