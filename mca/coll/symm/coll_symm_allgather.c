/*
 * coll_symm_allgather.c - MPI_Allgather: from MPI's arguments to an operation and back.
 *
 * An all-gather moves bytes: a call is served if, on this rank, the elements it sends and those it
 * receives each fill their bytes without gaps.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm.h"

/* Whether `count` elements are just `bytes` bytes from the buffer's address on. */
static bool is_dense(struct ompi_datatype_t *dtype, size_t count, size_t *bytes)
{
    ptrdiff_t lower, extent;
    size_t size;
    ompi_datatype_type_size(dtype, &size);
    *bytes = size * count;
    ompi_datatype_get_extent(dtype, &lower, &extent);
    if (lower != 0 || (size_t)extent != size) {
        return false;
    }
    if (ompi_datatype_is_predefined(dtype)) {
        return true;
    }
    ompi_datatype_get_true_extent(dtype, &lower, &extent);
    /* A dense type whose elements come in another order than their addresses is no plain copy. */
    return lower == 0 && (size_t)extent == size &&
           ompi_datatype_is_contiguous_memory_layout(dtype, (int)count);
}

static void describe(struct symm_call *call, int rank, const void *sbuf, size_t scount,
                     struct ompi_datatype_t *sdtype, void *rbuf, size_t rcount,
                     struct ompi_datatype_t *rdtype, int ranks)
{
    size_t received, sent;
    bool dense = is_dense(rdtype, rcount, &received);
    call->collective = SYMM_ALLGATHER;
    call->in_place = sbuf == MPI_IN_PLACE;
    if (call->in_place) {
        call->input = (unsigned char *)rbuf + (size_t)rank * received;
    } else {
        call->input = sbuf;
        /* Unequal sizes are an error of the program; the component below says so or truncates. */
        dense = is_dense(sdtype, scount, &sent) && dense && sent == received;
    }
    call->output = rbuf;
    call->count = received;
    call->agreed_count = received;
    call->extent = 1;
    call->output_bytes = received * (size_t)ranks;
    call->veto = dense ? SYMM_REASON_NONE : SYMM_REASON_GAPS;
    call->signature = mca_coll_symm_signature(SYMM_ALLGATHER, 0, 0, 1);
}

int mca_coll_symm_allgather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                            void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    mca_coll_symm_module_t *symm = (mca_coll_symm_module_t *)module;
    struct symm_operation *operation = &symm->operation;
    describe(&operation->call, ompi_comm_rank(comm), sbuf, (size_t)scount, sdtype, rbuf,
             (size_t)rcount, rdtype, ompi_comm_size(comm));
    int rc;
    if (mca_coll_symm_operation_serve(operation, comm, &rc)) {
        return rc;
    }
    return symm->saved_allgather(sbuf, scount, sdtype, rbuf, rcount, rdtype, comm,
                                 symm->saved_allgather_module);
}
