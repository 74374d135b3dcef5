/*
 * entry/alltoall.c - MPI_Alltoall: from MPI's arguments to an operation and back.
 *
 * All blocks are of one size.  Where a side has elements with gaps, or of another extent than their
 * size, its blocks are packed one by one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/alltoall.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/exchange.h"
#include "mca/coll/symm/host_copy/all.h"

/* The arrays of `a` are borrowed. */
static void sides_set(struct symm_call *call, const struct symm_arguments *a)
{
    call->in_place = a->sbuf == MPI_IN_PLACE;
    call->receiving = (struct symm_side){
        .shape = SYMM_SIDE_EVEN, .buffer = a->rbuf, .count = (size_t)a->rcount, .dtype = a->rdtype};
    call->sending = call->in_place ? call->receiving : (struct symm_side){
        .shape = SYMM_SIDE_EVEN, .buffer = a->sbuf, .count = (size_t)a->scount, .dtype = a->sdtype};
}

/* Whether nothing is sent or received.  In place, the sent count and type may be anything. */
static bool is_without_data(const struct symm_arguments *a)
{
    return mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0 &&
           (a->sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) == 0);
}

int mca_coll_symm_alltoall(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                           void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                           struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcount = rcount,
        .rdtype = rdtype};
    struct symm_entry entry;
    if (is_without_data(&arguments)) {
        return OMPI_SUCCESS; /* as the binding does for a count of 0: see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_ALLTOALL, comm, module)) {
        return MPI_ERR_OTHER;
    }
    sides_set(&entry.module->call, &arguments);
    mca_coll_symm_exchange_describe(&entry.module->call, SYMM_ALLTOALL,
                                    entry.module->super.kinds, comm);
    return SYMM_ENTRY_MAKE(&entry, comm, alltoall, sbuf, scount, sdtype, rbuf, rcount, rdtype);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, ialltoall, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, mca_coll_symm_request_comm(request),
                                    below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, alltoall_init, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, mca_coll_symm_request_comm(request), info,
                                    below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

static int request_make(mca_coll_symm_request_t **request, bool persistent,
                        const struct symm_arguments *arguments, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = *arguments;
        struct symm_call *call = &(*request)->call;
        sides_set(call, &(*request)->arguments);
        mca_coll_symm_exchange_describe(call, SYMM_ALLTOALL, (*request)->module->super.kinds,
                                        comm);
    }
    return rc;
}

int mca_coll_symm_ialltoall(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                            void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                            struct ompi_communicator_t *comm, ompi_request_t **handle,
                            mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcount = rcount,
        .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    if (is_without_data(&arguments)) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_alltoall_init(const void *sbuf, symm_count_t scount,
                                struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                                struct ompi_info_t *info, ompi_request_t **handle,
                                mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcount = rcount,
        .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    if (is_without_data(&arguments)) {
        return ompi_request_persistent_noop_create(handle);
    }
    int rc = request_make(&request, true, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
