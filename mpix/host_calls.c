/*
 * host_calls.c - what the thread of the host path does: MPI's calls, packing and unpacking.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <limits.h>

#include "kernels/float16.h"
#include "mpix/host.h"

/* ---- calls ----------------------------------------------------------------------------------- */

static int call_begin(const struct symm_mpix_call *call, MPI_Comm comm, MPI_Request *request)
{
    const void *send = call->sent.at;
    void *receive = call->received.at;
    const int sends = (int)call->sent.count, receives = (int)call->received.count;
    const MPI_Datatype sent = call->sent.datatype, received = call->received.datatype;
    switch (call->collective) {
    case SYMM_ALLREDUCE:
        return PMPI_Iallreduce(send, receive, receives, received, call->op, comm, request);
    case SYMM_REDUCE: /* the root alone receives, and may be in place */
        return send == MPI_IN_PLACE
                   ? PMPI_Ireduce(send, receive, receives, received, call->op, call->root, comm,
                                  request)
                   : PMPI_Ireduce(send, receive, sends, sent, call->op, call->root, comm,
                                  request);
    case SYMM_REDUCE_SCATTER_BLOCK:
        return PMPI_Ireduce_scatter_block(send, receive, receives, received, call->op, comm,
                                          request);
    case SYMM_BCAST:
        return PMPI_Ibcast(receive, receives, received, call->root, comm, request);
    case SYMM_ALLGATHER:
        return PMPI_Iallgather(send, sends, sent, receive, receives, received, comm, request);
    case SYMM_ALLTOALL:
        return PMPI_Ialltoall(send, sends, sent, receive, receives, received, comm, request);
    case SYMM_GATHER:
        return PMPI_Igather(send, sends, sent, receive, receives, received, call->root, comm,
                            request);
    case SYMM_SCATTER:
        return PMPI_Iscatter(send, sends, sent, receive, receives, received, call->root, comm,
                             request);
    case SYMM_BARRIER:
        return PMPI_Ibarrier(comm, request);
    default:
        return MPI_ERR_INTERN;
    }
}

/* ---- factors --------------------------------------------------------------------------------- */

static void array_scale(enum symm_cuda_type type, void *array, size_t count, double factor)
{
    const float single = (float)factor;
    uint16_t *half = array;
    for (size_t i = 0; i < count; i++) {
        switch (type) {
        case SYMM_CUDA_FLOAT:
            ((float *)array)[i] *= single;
            break;
        case SYMM_CUDA_DOUBLE:
            ((double *)array)[i] *= factor;
            break;
        case SYMM_CUDA_HALF:
            half[i] = symm_half_from_float(symm_half_to_float(half[i]) * single);
            break;
        default:
            half[i] = symm_bfloat16_from_float(symm_bfloat16_to_float(half[i]) * single);
        }
    }
}

void symm_mpix_task_end(const struct symm_mpix_task *task)
{
    const struct symm_mpix_call *call = &task->call;
    if (task->action == SYMM_MPIX_CALL && call->factor != 0 && call->received.at != NULL) {
        array_scale(call->scaled, call->received.at, (size_t)call->received.count, call->factor);
    }
}

/* ---- packing --------------------------------------------------------------------------------- */

/* So many elements at a time as MPI_Pack() counts bytes of. */
static int elements_pack(const struct symm_mpix_array *array, void *packed, bool unpacks)
{
    MPI_Count size = 0, lower, extent = 0;
    (void)PMPI_Type_size_x(array->datatype, &size);
    (void)PMPI_Type_get_extent_x(array->datatype, &lower, &extent);
    const MPI_Count elements = array->count * array->blocks;
    const MPI_Count most = size > 0 && size <= INT_MAX ? INT_MAX / size : 0;
    int error = size > INT_MAX ? MPI_ERR_TYPE : MPI_SUCCESS;
    for (MPI_Count i = 0; most > 0 && i < elements && error == MPI_SUCCESS; i += most) {
        const int now = (int)(elements - i < most ? elements - i : most);
        char *element = (char *)array->at + i * extent, *bytes = (char *)packed + i * size;
        int position = 0;
        error = unpacks ? PMPI_Unpack(bytes, (int)(now * size), &position, element, now,
                                      array->datatype, MPI_COMM_SELF)
                        : PMPI_Pack(element, now, array->datatype, bytes, (int)(now * size),
                                    &position, MPI_COMM_SELF);
    }
    return error;
}

int symm_mpix_task_begin(const struct symm_mpix_host *host, const struct symm_mpix_task *task,
                         MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    switch (task->action) {
    case SYMM_MPIX_PACK:
        return elements_pack(&task->call.sent, task->packed, false);
    case SYMM_MPIX_UNPACK:
        return elements_pack(&task->call.received, task->packed, true);
    default:
        return call_begin(&task->call, host->comm, request);
    }
}
