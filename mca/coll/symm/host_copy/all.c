/*
 * host_copy/all.c - see host_copy/all.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/all.h"

#include "mca/coll/symm/host_copy/call.h"

/* All-gathers.  In place, the call reads this rank's own block from the receive buffer. */
static void block_describe(struct symm_host_copy_call *call, const void *sbuf, size_t scount,
                           struct ompi_datatype_t *sdtype)
{
    mca_coll_symm_host_copy_all_written(&call->receive);
    if (sbuf == MPI_IN_PLACE) {
        size_t rank = (size_t)ompi_comm_rank(call->comm);
        call->send.buffer = sbuf;
        call->receive.read = (struct symm_pieces){rank, rank + 1};
    } else {
        mca_coll_symm_host_copy_sent(&call->send, sbuf, 1, scount, sdtype);
    }
}

/* All-to-all.  The shapes of both buffers have been described; in place there is no send buffer. */
static void exchange_describe(struct symm_host_copy_call *call, const void *sbuf)
{
    mca_coll_symm_host_copy_all_written(&call->receive);
    if (sbuf == MPI_IN_PLACE) {
        call->send.shape = SYMM_SHAPE_NONE;
        mca_coll_symm_host_copy_all_read(&call->receive);
    } else {
        mca_coll_symm_host_copy_all_read(&call->send);
    }
}

int mca_coll_symm_host_copy_allgather(const void *sbuf, symm_count_t scount,
                                      struct ompi_datatype_t *sdtype, void *rbuf,
                                      symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                      struct ompi_communicator_t *comm,
                                      mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_allgather, comm, module);
    mca_coll_symm_host_copy_even(&call.receive, rbuf, mca_coll_symm_others(comm), (size_t)rcount,
                                 rdtype);
    block_describe(&call, sbuf, (size_t)scount, sdtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, allgather, call.send.address, scount, sdtype,
                                     call.receive.address, rcount, rdtype, comm);
}

int mca_coll_symm_host_copy_allgatherv(const void *sbuf, symm_count_t scount,
                                       struct ompi_datatype_t *sdtype, void *rbuf,
                                       symm_counts_t rcounts, symm_disps_t disps,
                                       struct ompi_datatype_t *rdtype,
                                       struct ompi_communicator_t *comm,
                                       mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_allgatherv, comm, module);
    mca_coll_symm_host_copy_spread(&call.receive, rbuf, mca_coll_symm_others(comm), rcounts, disps,
                                   rdtype);
    block_describe(&call, sbuf, (size_t)scount, sdtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, allgatherv, call.send.address, scount, sdtype,
                                     call.receive.address, rcounts, disps, rdtype, comm);
}

int mca_coll_symm_host_copy_alltoall(const void *sbuf, symm_count_t scount,
                                     struct ompi_datatype_t *sdtype, void *rbuf,
                                     symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                     struct ompi_communicator_t *comm,
                                     mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_alltoall, comm, module);
    size_t others = mca_coll_symm_others(comm);
    mca_coll_symm_host_copy_even(&call.send, sbuf, others, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_even(&call.receive, rbuf, others, (size_t)rcount, rdtype);
    exchange_describe(&call, sbuf);
    return SYMM_HOST_COPY_CALL_BELOW(&call, alltoall, call.send.address, scount, sdtype,
                                     call.receive.address, rcount, rdtype, comm);
}

int mca_coll_symm_host_copy_alltoallv(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                      struct ompi_datatype_t *sdtype, void *rbuf,
                                      symm_counts_t rcounts, symm_disps_t rdisps,
                                      struct ompi_datatype_t *rdtype,
                                      struct ompi_communicator_t *comm,
                                      mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_alltoallv, comm, module);
    size_t others = mca_coll_symm_others(comm);
    mca_coll_symm_host_copy_spread(&call.send, sbuf, others, scounts, sdisps, sdtype);
    mca_coll_symm_host_copy_spread(&call.receive, rbuf, others, rcounts, rdisps, rdtype);
    exchange_describe(&call, sbuf);
    return SYMM_HOST_COPY_CALL_BELOW(&call, alltoallv, call.send.address, scounts, sdisps, sdtype,
                                     call.receive.address, rcounts, rdisps, rdtype, comm);
}

/* The displacements of typed pieces: those in the copy, if there is one. */
static symm_disps_t disps_for(const struct symm_host_copy *copy)
{
    return copy->device >= 0 ? copy->moved_disps : copy->disps;
}

int mca_coll_symm_host_copy_alltoallw(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                      struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                      symm_counts_t rcounts, symm_disps_t rdisps,
                                      struct ompi_datatype_t *const *rdtypes,
                                      struct ompi_communicator_t *comm,
                                      mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    size_t others = mca_coll_symm_others(comm);
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_alltoallw, comm, module);
    mca_coll_symm_host_copy_typed(&call.send, sbuf, others, scounts, sdisps, sdtypes);
    mca_coll_symm_host_copy_typed(&call.receive, rbuf, others, rcounts, rdisps, rdtypes);
    exchange_describe(&call, sbuf);
    return SYMM_HOST_COPY_CALL_BELOW(&call, alltoallw, call.send.address, scounts,
                                     disps_for(&call.send), sdtypes, call.receive.address, rcounts,
                                     disps_for(&call.receive), rdtypes, comm);
}
