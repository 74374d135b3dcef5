/*
 * call.c - one collective call as it is measured. Errors go to MPI_ERRORS_ARE_FATAL, which every
 * communicator of this program has.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "call.h"

const char *call_name(enum collective collective)
{
    static const char *const names[COLLECTIVE_COUNT] = {
        [COLLECTIVE_ALLREDUCE] = "MPI_Allreduce",
        [COLLECTIVE_ALLGATHER] = "MPI_Allgather",
        [COLLECTIVE_BARRIER] = "MPI_Barrier",
    };
    return names[collective];
}

size_t call_round(enum collective collective, size_t bytes)
{
    size_t unit = collective == COLLECTIVE_ALLREDUCE ? ELEMENT_BYTES : 1;
    if (collective == COLLECTIVE_BARRIER) {
        return 0;
    }
    return (bytes + unit - 1) / unit * unit;
}

unsigned char *call_input(const struct call *call)
{
    if (!call->in_place) {
        return call->buffers->send;
    }
    if (call->collective == COLLECTIVE_ALLREDUCE) {
        return call->buffers->receive;
    }
    return call->buffers->receive + (size_t)call->rank * call->bytes;
}

size_t call_result_bytes(const struct call *call)
{
    return call->collective == COLLECTIVE_ALLREDUCE ? call->bytes
                                                    : call->bytes * (size_t)call->ranks;
}

void call_run(const struct call *call, MPI_Comm comm)
{
    const void *send = call->in_place ? MPI_IN_PLACE : call->buffers->send;
    if (call->collective == COLLECTIVE_ALLREDUCE) {
        MPI_Allreduce(send, call->buffers->receive, (int)(call->bytes / ELEMENT_BYTES),
                      call->element == ELEMENT_INT ? MPI_INT32_T : MPI_FLOAT, MPI_SUM, comm);
    } else if (call->collective == COLLECTIVE_BARRIER) {
        MPI_Barrier(comm);
    } else {
        MPI_Allgather(send, (int)call->bytes, MPI_CHAR, call->buffers->receive,
                      (int)call->bytes, MPI_CHAR, comm);
    }
}

void call_touch(const struct call *call, int round)
{
    const struct buffers *buffers = call->buffers;
    if (call->collective == COLLECTIVE_BARRIER) {
        return;
    }
    buffers_read(buffers, buffers->receive, call_result_bytes(call));
    if (call->collective == COLLECTIVE_ALLREDUCE) {
        buffers_write_elements(buffers, call_input(call), call->bytes, call->element, round);
    } else {
        buffers_write_bytes(buffers, call_input(call), call->bytes, round);
    }
}
