/*
 * host_copy/reduce.c - see host_copy/reduce.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/reduce.h"

#include "mca/coll/symm/host_copy/call.h"

/* The operand is in the send buffer or, in place, in the receive buffer. */
static void operand_describe(struct symm_host_copy_call *call, const void *sbuf, size_t pieces,
                             size_t count, struct ompi_datatype_t *dtype)
{
    if (sbuf == MPI_IN_PLACE) {
        call->send.buffer = sbuf;
        mca_coll_symm_host_copy_all_read(&call->receive);
    } else {
        mca_coll_symm_host_copy_sent(&call->send, sbuf, pieces, count, dtype);
    }
}

int mca_coll_symm_host_copy_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                                      struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                      struct ompi_communicator_t *comm,
                                      mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_allreduce, comm, module);
    mca_coll_symm_host_copy_received(&call.receive, rbuf, 1, (size_t)count, dtype);
    operand_describe(&call, sbuf, 1, (size_t)count, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, allreduce, call.send.address, call.receive.address,
                                     count, dtype, op, comm);
}

int mca_coll_symm_host_copy_scan(const void *sbuf, void *rbuf, symm_count_t count,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_scan, comm, module);
    mca_coll_symm_host_copy_received(&call.receive, rbuf, 1, (size_t)count, dtype);
    operand_describe(&call, sbuf, 1, (size_t)count, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, scan, call.send.address, call.receive.address, count,
                                     dtype, op, comm);
}

int mca_coll_symm_host_copy_exscan(const void *sbuf, void *rbuf, symm_count_t count,
                                   struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                   struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_exscan, comm, module);
    mca_coll_symm_host_copy_received(&call.receive, rbuf, 1, (size_t)count, dtype);
    if (ompi_comm_rank(comm) == 0) { /* MPI defines no result for rank 0 */
        call.receive.written.end = 0;
    }
    operand_describe(&call, sbuf, 1, (size_t)count, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, exscan, call.send.address, call.receive.address, count,
                                     dtype, op, comm);
}

int mca_coll_symm_host_copy_reduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                           struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                           struct ompi_communicator_t *comm,
                                           mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_reduce_scatter, comm, module);
    size_t total = 0, own = symm_count_at(rcounts, (size_t)ompi_comm_rank(comm));
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        total += symm_count_at(rcounts, (size_t)rank);
    }
    mca_coll_symm_host_copy_even(&call.receive, rbuf, sbuf == MPI_IN_PLACE ? total : own, 1, dtype);
    call.receive.written.end = own;
    operand_describe(&call, sbuf, total, 1, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, reduce_scatter, call.send.address, call.receive.address,
                                     rcounts, dtype, op, comm);
}

int mca_coll_symm_host_copy_reduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
                                                 struct ompi_datatype_t *dtype,
                                                 struct ompi_op_t *op,
                                                 struct ompi_communicator_t *comm,
                                                 mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_reduce_scatter_block, comm, module);
    size_t ranks = (size_t)ompi_comm_size(comm);
    mca_coll_symm_host_copy_even(&call.receive, rbuf, sbuf == MPI_IN_PLACE ? ranks : 1,
                                 (size_t)rcount, dtype);
    call.receive.written.end = 1;
    operand_describe(&call, sbuf, ranks, (size_t)rcount, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, reduce_scatter_block, call.send.address,
                                     call.receive.address, rcount, dtype, op, comm);
}

/* Open MPI calls the function of MPI_COMM_SELF and passes no communicator. */
int mca_coll_symm_host_copy_reduce_local(const void *sbuf, void *rbuf, symm_count_t count,
                                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                         mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_reduce_local, &ompi_mpi_comm_self.comm,
                                       module);
    mca_coll_symm_host_copy_received(&call.receive, rbuf, 1, (size_t)count, dtype);
    mca_coll_symm_host_copy_all_read(&call.receive);
    mca_coll_symm_host_copy_sent(&call.send, sbuf, 1, (size_t)count, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, reduce_local, call.send.address, call.receive.address,
                                     count, dtype, op);
}
