/*
 * entry/allgatherv.c - MPI_Allgatherv: from MPI's arguments to an operation and back.
 *
 * All ranks know all counts, so a call without data on any rank ends at once everywhere.  The
 * displacements are this rank's own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/allgatherv.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/exchange.h"
#include "mca/coll/symm/host_copy/all.h"

/* The arrays of `a` are borrowed. */
static void sides_set(struct symm_call *call, const struct symm_arguments *a, int rank)
{
    call->in_place = a->sbuf == MPI_IN_PLACE;
    struct symm_layout own;
    void *address;
    call->receiving = (struct symm_side){
        .shape = SYMM_SIDE_SPREAD, .buffer = a->rbuf, .counts = a->rcounts, .disps = a->rdisps,
        .dtype = a->rdtype};
    if (!call->in_place) {
        call->sending = (struct symm_side){
            .shape = SYMM_SIDE_SAME, .buffer = a->sbuf, .count = (size_t)a->scount,
            .dtype = a->sdtype};
        return;
    }
    mca_coll_symm_side_block(&call->receiving, (size_t)rank, &own, &address);
    call->sending = (struct symm_side){
        .shape = SYMM_SIDE_SAME, .buffer = address, .dtype = a->rdtype,
        .count = symm_count_at(a->rcounts, (size_t)rank)};
}

static bool is_without_data(const struct symm_arguments *a, struct ompi_communicator_t *comm)
{
    size_t count = 0, ranks = (size_t)ompi_comm_size(comm);
    for (size_t rank = 0; rank < ranks; rank++) {
        count += symm_count_at(a->rcounts, rank);
    }
    return mca_coll_symm_bytes(a->rdtype, count) == 0;
}

int mca_coll_symm_allgatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                             void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                             struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                             mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcounts = rcounts,
        .rdisps = rdisps, .rdtype = rdtype};
    struct symm_entry entry;
    if (is_without_data(&arguments, comm)) {
        return OMPI_SUCCESS; /* as the binding does for a count of 0: see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_ALLGATHERV, comm, module)) {
        return MPI_ERR_OTHER;
    }
    sides_set(&entry.module->call, &arguments, ompi_comm_rank(comm));
    mca_coll_symm_exchange_describe(&entry.module->call, SYMM_ALLGATHERV,
                                    entry.module->super.kinds, comm);
    return SYMM_ENTRY_MAKE(&entry, comm, allgatherv, sbuf, scount, sdtype, rbuf, rcounts, rdisps,
                           rdtype);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

_Static_assert((int)SYMM_KEPT_FREE == (int)SYMM_BYTES_ARRAYS, "the request has room for them");

/* The receive buffer for the component below; its arrays are in the room that the request has. */
static struct symm_host_copy received(mca_coll_symm_request_t *request)
{
    const struct symm_arguments *a = &request->arguments;
    size_t ranks = (size_t)ompi_comm_size(mca_coll_symm_request_comm(request));
    struct symm_host_copy copy = {
        .shape = SYMM_SHAPE_SPREAD, .buffer = a->rbuf, .pieces = ranks, .dtype = a->rdtype,
        .counts = a->rcounts, .disps = a->rdisps};
    mca_coll_symm_bytes_spread(&copy, (uint64_t *)request->kept + SYMM_KEPT_ARRAYS * ranks);
    return copy;
}

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    const struct symm_host_copy to = received(request);
    return SYMM_ENTRY_REQUEST_BELOW(request, iallgatherv, a->sbuf, a->scount, a->sdtype,
                                    symm_ompi_unconst(to.buffer), to.counts, to.disps, to.dtype,
                                    mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    const struct symm_host_copy to = received(request);
    return SYMM_ENTRY_REQUEST_BELOW(request, allgatherv_init, a->sbuf, a->scount, a->sdtype,
                                    symm_ompi_unconst(to.buffer), to.counts, to.disps, to.dtype,
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
        rc = mca_coll_symm_request_keep_blocks(*request, SYMM_KEEP_RECEIVED);
    }
    if (rc == OMPI_SUCCESS) {
        struct symm_call *call = &(*request)->call;
        sides_set(call, &(*request)->arguments, ompi_comm_rank(comm));
        mca_coll_symm_exchange_describe(call, SYMM_ALLGATHERV, (*request)->module->super.kinds,
                                        comm);
    }
    return rc;
}

int mca_coll_symm_iallgatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                              void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                              struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                              ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcounts = rcounts,
        .rdisps = rdisps, .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    if (is_without_data(&arguments, comm)) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_allgatherv_init(const void *sbuf, symm_count_t scount,
                                  struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                                  symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                                  struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                  ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcounts = rcounts,
        .rdisps = rdisps, .rdtype = rdtype};
    mca_coll_symm_request_t *request;
    if (is_without_data(&arguments, comm)) {
        return ompi_request_persistent_noop_create(handle);
    }
    int rc = request_make(&request, true, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
