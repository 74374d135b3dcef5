/*
 * entry/alltoallv.c - MPI_Alltoallv: from MPI's arguments to an operation and back.
 *
 * A rank knows only its own counts, so a rank without data takes part in the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/alltoallv.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/exchange.h"
#include "mca/coll/symm/host_copy/all.h"

/* The arrays of `a` are borrowed. */
static void sides_set(struct symm_call *call, const struct symm_arguments *a)
{
    call->in_place = a->sbuf == MPI_IN_PLACE;
    call->receiving = (struct symm_side){
        .shape = SYMM_SIDE_SPREAD, .buffer = a->rbuf, .counts = a->rcounts, .disps = a->rdisps,
        .dtype = a->rdtype};
    call->sending = call->in_place ? call->receiving : (struct symm_side){
        .shape = SYMM_SIDE_SPREAD, .buffer = a->sbuf, .counts = a->scounts, .disps = a->sdisps,
        .dtype = a->sdtype};
}

int mca_coll_symm_alltoallv(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                            struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                            symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scounts = scounts, .sdisps = sdisps, .sdtype = sdtype, .rbuf = rbuf,
        .rcounts = rcounts, .rdisps = rdisps, .rdtype = rdtype};
    struct symm_entry entry;
    if (!mca_coll_symm_entry_open(&entry, SYMM_ALLTOALLV, comm, module)) {
        return MPI_ERR_OTHER;
    }
    sides_set(&entry.module->call, &arguments);
    mca_coll_symm_exchange_describe(&entry.module->call, SYMM_ALLTOALLV,
                                    entry.module->super.kinds, comm);
    return SYMM_ENTRY_MAKE(&entry, comm, alltoallv, sbuf, scounts, sdisps, sdtype, rbuf, rcounts,
                           rdisps, rdtype);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, ialltoallv, a->sbuf, a->scounts, a->sdisps, a->sdtype,
                                    a->rbuf, a->rcounts, a->rdisps, a->rdtype,
                                    mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, alltoallv_init, a->sbuf, a->scounts, a->sdisps,
                                    a->sdtype, a->rbuf, a->rcounts, a->rdisps, a->rdtype,
                                    mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

static int request_make(mca_coll_symm_request_t **request, bool persistent,
                        const struct symm_arguments *arguments, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = *arguments;
        rc = mca_coll_symm_request_keep_blocks(
            *request, SYMM_KEEP_RECEIVED |
                          (arguments->sbuf != MPI_IN_PLACE ? SYMM_KEEP_SENT : 0u));
    }
    if (rc == OMPI_SUCCESS) {
        struct symm_call *call = &(*request)->call;
        sides_set(call, &(*request)->arguments);
        mca_coll_symm_exchange_describe(call, SYMM_ALLTOALLV, (*request)->module->super.kinds,
                                        comm);
    }
    return rc;
}

int mca_coll_symm_ialltoallv(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                             struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                             symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                             struct ompi_communicator_t *comm, ompi_request_t **handle,
                             mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scounts = scounts, .sdisps = sdisps, .sdtype = sdtype, .rbuf = rbuf,
        .rcounts = rcounts, .rdisps = rdisps, .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    int rc = request_make(&request, false, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_alltoallv_init(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                 struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                                 symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                                 struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                 ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scounts = scounts, .sdisps = sdisps, .sdtype = sdtype, .rbuf = rbuf,
        .rcounts = rcounts, .rdisps = rdisps, .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    int rc = request_make(&request, true, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
