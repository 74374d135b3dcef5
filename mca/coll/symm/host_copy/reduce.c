/*
 * host_copy/reduce.c - see host_copy/reduce.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/reduce.h"

/* The operand is in the send buffer or, in place, in the receive buffer. */
static inline void operand_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                    size_t pieces, size_t count, struct ompi_datatype_t *dtype,
                                    struct ompi_op_t *op)
{
    buffers->op = op;
    if (sbuf == MPI_IN_PLACE) {
        buffers->send.buffer = sbuf;
        mca_coll_symm_host_copy_all_read(&buffers->receive);
    } else {
        mca_coll_symm_host_copy_sent(&buffers->send, sbuf, pieces, count, dtype);
    }
}

static inline void whole_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                  void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype,
                                  struct ompi_op_t *op)
{
    mca_coll_symm_host_copy_received(&buffers->receive, rbuf, 1, (size_t)count, dtype);
    operand_describe(buffers, sbuf, 1, (size_t)count, dtype, op);
}
SYMM_HOST_COPY_DEFINE(allreduce, whole_describe(buffers, sbuf, rbuf, count, dtype, op),
                      send->address, receive->address, count, dtype, op)
SYMM_HOST_COPY_DEFINE(scan, whole_describe(buffers, sbuf, rbuf, count, dtype, op),
                      send->address, receive->address, count, dtype, op)

/* MPI defines no result for rank 0. */
static inline void exscan_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                   void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype,
                                   struct ompi_op_t *op)
{
    whole_describe(buffers, sbuf, rbuf, count, dtype, op);
    if (ompi_comm_rank(buffers->comm) == 0) {
        buffers->receive.written.end = 0;
    }
}
SYMM_HOST_COPY_DEFINE(exscan, exscan_describe(buffers, sbuf, rbuf, count, dtype, op),
                      send->address, receive->address, count, dtype, op)

static inline void reduce_scatter_describe(struct symm_host_copy_buffers *buffers,
                                           const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                           struct ompi_datatype_t *dtype, struct ompi_op_t *op)
{
    size_t total = 0, own = symm_count_at(rcounts, (size_t)ompi_comm_rank(buffers->comm));
    for (int rank = 0; rank < ompi_comm_size(buffers->comm); rank++) {
        total += symm_count_at(rcounts, (size_t)rank);
    }
    mca_coll_symm_host_copy_even(&buffers->receive, rbuf, sbuf == MPI_IN_PLACE ? total : own, 1,
                                 dtype);
    buffers->receive.written.end = own;
    operand_describe(buffers, sbuf, total, 1, dtype, op);
}
SYMM_HOST_COPY_DEFINE(reduce_scatter,
                      reduce_scatter_describe(buffers, sbuf, rbuf, rcounts, dtype, op),
                      send->address, receive->address, rcounts, dtype, op)

static inline void reduce_scatter_block_describe(struct symm_host_copy_buffers *buffers,
                                                 const void *sbuf, void *rbuf, symm_count_t rcount,
                                                 struct ompi_datatype_t *dtype,
                                                 struct ompi_op_t *op)
{
    size_t ranks = (size_t)ompi_comm_size(buffers->comm);
    mca_coll_symm_host_copy_even(&buffers->receive, rbuf, sbuf == MPI_IN_PLACE ? ranks : 1,
                                 (size_t)rcount, dtype);
    buffers->receive.written.end = 1;
    operand_describe(buffers, sbuf, ranks, (size_t)rcount, dtype, op);
}
SYMM_HOST_COPY_DEFINE(reduce_scatter_block,
                      reduce_scatter_block_describe(buffers, sbuf, rbuf, rcount, dtype, op),
                      send->address, receive->address, rcount, dtype, op)

/* Open MPI calls the function of MPI_COMM_SELF and passes no communicator. */
int mca_coll_symm_host_copy_reduce_local(const void *sbuf, void *rbuf, symm_count_t count,
                                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                         mca_coll_base_module_t *module)
{
    struct symm_host_copy_call call;
    mca_coll_symm_host_copy_call_begin(&call, SYMM_HOST_COPY_reduce_local, &ompi_mpi_comm_self.comm,
                                       module);
    mca_coll_symm_host_copy_received(&call.buffers.receive, rbuf, 1, (size_t)count, dtype);
    mca_coll_symm_host_copy_all_read(&call.buffers.receive);
    mca_coll_symm_host_copy_sent(&call.buffers.send, sbuf, 1, (size_t)count, dtype);
    return SYMM_HOST_COPY_CALL_BELOW(&call, reduce_local, call.buffers.send.address,
                                     call.buffers.receive.address, count, dtype, op);
}
