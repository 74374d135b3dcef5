/*
 * host_copy/all.c - see host_copy/all.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/all.h"

/* All-gathers.  In place, the call reads this rank's own block from the receive buffer. */
static inline void block_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                  size_t scount, struct ompi_datatype_t *sdtype)
{
    mca_coll_symm_host_copy_all_written(&buffers->receive);
    if (sbuf == MPI_IN_PLACE) {
        size_t rank = (size_t)ompi_comm_rank(buffers->comm);
        buffers->send.buffer = sbuf;
        buffers->receive.read = (struct symm_pieces){rank, rank + 1};
    } else {
        mca_coll_symm_host_copy_sent(&buffers->send, sbuf, 1, scount, sdtype);
    }
}

static inline void allgather_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                      symm_count_t scount, struct ompi_datatype_t *sdtype,
                                      void *rbuf, symm_count_t rcount,
                                      struct ompi_datatype_t *rdtype)
{
    mca_coll_symm_host_copy_even(&buffers->receive, rbuf, mca_coll_symm_others(buffers->comm),
                                 (size_t)rcount, rdtype);
    block_describe(buffers, sbuf, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_moves(buffers, scount, sdtype, rcount, rdtype);
}
SYMM_HOST_COPY_DEFINE(allgather,
                      allgather_describe(buffers, sbuf, scount, sdtype, rbuf, rcount, rdtype),
                      sent->address, sent->count, sent->dtype, received->address, received->count,
                      received->dtype)

static inline void allgatherv_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                       symm_count_t scount, struct ompi_datatype_t *sdtype,
                                       void *rbuf, symm_counts_t rcounts, symm_disps_t disps,
                                       struct ompi_datatype_t *rdtype)
{
    mca_coll_symm_host_copy_spread(&buffers->receive, rbuf, mca_coll_symm_others(buffers->comm),
                                   rcounts, disps, rdtype);
    block_describe(buffers, sbuf, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_moves(buffers, scount, sdtype, 0, rdtype);
    buffers->received.counts = rcounts;
    buffers->received.disps = disps;
}
SYMM_HOST_COPY_DEFINE(allgatherv,
                      allgatherv_describe(buffers, sbuf, scount, sdtype, rbuf, rcounts, disps,
                                          rdtype),
                      sent->address, sent->count, sent->dtype, received->address, received->counts,
                      received->disps, received->dtype)

/* All-to-all.  The shapes of both buffers have been described; in place there is no send buffer. */
static inline void exchange_describe(struct symm_host_copy_buffers *buffers, const void *sbuf)
{
    mca_coll_symm_host_copy_all_written(&buffers->receive);
    if (sbuf == MPI_IN_PLACE) {
        buffers->send.shape = SYMM_SHAPE_NONE;
        mca_coll_symm_host_copy_all_read(&buffers->receive);
    } else {
        mca_coll_symm_host_copy_all_read(&buffers->send);
    }
}

static inline void alltoall_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                     symm_count_t scount, struct ompi_datatype_t *sdtype,
                                     void *rbuf, symm_count_t rcount,
                                     struct ompi_datatype_t *rdtype)
{
    size_t others = mca_coll_symm_others(buffers->comm);
    mca_coll_symm_host_copy_even(&buffers->send, sbuf, others, (size_t)scount, sdtype);
    mca_coll_symm_host_copy_even(&buffers->receive, rbuf, others, (size_t)rcount, rdtype);
    exchange_describe(buffers, sbuf);
    mca_coll_symm_host_copy_moves(buffers, scount, sdtype, rcount, rdtype);
}
SYMM_HOST_COPY_DEFINE(alltoall,
                      alltoall_describe(buffers, sbuf, scount, sdtype, rbuf, rcount, rdtype),
                      sent->address, sent->count, sent->dtype, received->address, received->count,
                      received->dtype)

static inline void alltoallv_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                      symm_counts_t scounts, symm_disps_t sdisps,
                                      struct ompi_datatype_t *sdtype, void *rbuf,
                                      symm_counts_t rcounts, symm_disps_t rdisps,
                                      struct ompi_datatype_t *rdtype)
{
    size_t others = mca_coll_symm_others(buffers->comm);
    mca_coll_symm_host_copy_spread(&buffers->send, sbuf, others, scounts, sdisps, sdtype);
    mca_coll_symm_host_copy_spread(&buffers->receive, rbuf, others, rcounts, rdisps, rdtype);
    exchange_describe(buffers, sbuf);
}
SYMM_HOST_COPY_DEFINE(alltoallv,
                      alltoallv_describe(buffers, sbuf, scounts, sdisps, sdtype, rbuf, rcounts,
                                         rdisps, rdtype),
                      send->address, scounts, sdisps, sdtype, receive->address, rcounts, rdisps,
                      rdtype)

static inline void alltoallw_describe(struct symm_host_copy_buffers *buffers, const void *sbuf,
                                      symm_counts_t scounts, symm_disps_t sdisps,
                                      struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                      symm_counts_t rcounts, symm_disps_t rdisps,
                                      struct ompi_datatype_t *const *rdtypes)
{
    size_t others = mca_coll_symm_others(buffers->comm);
    mca_coll_symm_host_copy_typed(&buffers->send, sbuf, others, scounts, sdisps, sdtypes);
    mca_coll_symm_host_copy_typed(&buffers->receive, rbuf, others, rcounts, rdisps, rdtypes);
    exchange_describe(buffers, sbuf);
}

/* The displacements of typed pieces: those in the copy, if there is one. */
static symm_disps_t disps_for(const struct symm_host_copy *copy, symm_disps_t disps)
{
    return copy->device >= 0 ? copy->moved_disps : disps;
}
SYMM_HOST_COPY_DEFINE(alltoallw,
                      alltoallw_describe(buffers, sbuf, scounts, sdisps, sdtypes, rbuf, rcounts,
                                         rdisps, rdtypes),
                      send->address, scounts, disps_for(send, sdisps), sdtypes, receive->address,
                      rcounts, disps_for(receive, rdisps), rdtypes)
