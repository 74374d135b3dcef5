/*
 * entry/gatherv.c - MPI_Gatherv: from MPI's arguments to an operation and back.
 *
 * It is an exchange in which each rank sends a block to the root, and nothing else is sent.  In
 * place the root's own block is where it belongs, and no rank sends it.  Only the root knows all
 * counts, so a rank without data takes part in the call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/gatherv.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/exchange.h"
#include "mca/coll/symm/fast/prompt.h"
#include "mca/coll/symm/host_copy/rooted.h"

/* The arrays of `a` are borrowed. */
static void sides_set(struct symm_call *call, const struct symm_arguments *a,
                      struct ompi_communicator_t *comm)
{
    bool is_root = ompi_comm_rank(comm) == a->root, in_place = is_root && a->sbuf == MPI_IN_PLACE;
    size_t root = (size_t)a->root;
    call->in_place = false;
    call->root = a->root;
    call->sending = in_place ? mca_coll_symm_side_empty(a->rdtype) : (struct symm_side){
        .shape = SYMM_SIDE_ONE, .one = root, .buffer = a->sbuf, .count = (size_t)a->scount,
        .dtype = a->sdtype};
    call->receiving = !is_root ? mca_coll_symm_side_empty(a->sdtype) : (struct symm_side){
        .shape = in_place ? SYMM_SIDE_OTHERS : SYMM_SIDE_SPREAD, .one = root, .buffer = a->rbuf,
        .counts = a->rcounts, .disps = a->rdisps, .dtype = a->rdtype};
}

int mca_coll_symm_gatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                          void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                          struct ompi_datatype_t *rdtype, int root,
                          struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcounts = rcounts,
        .rdisps = rdisps, .rdtype = rdtype, .root = root};
    struct symm_entry entry;
    if (!mca_coll_symm_entry_open(&entry, SYMM_GATHERV, comm, module)) {
        return MPI_ERR_OTHER;
    }
    sides_set(&entry.module->call, &arguments, comm);
    if (!entry.is_within && mca_coll_symm_prompt_gatherv(entry.module)) {
        return OMPI_SUCCESS;
    }
    mca_coll_symm_exchange_describe(&entry.module->call, SYMM_GATHERV, entry.module->super.kinds,
                                    comm);
    return SYMM_ENTRY_MAKE(&entry, comm, gatherv, sbuf, scount, sdtype, rbuf, rcounts, rdisps,
                           rdtype, root);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, igatherv, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcounts, a->rdisps, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, gatherv_init, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcounts, a->rdisps, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

/* A request holds its types.  One that is not significant is replaced by one that is. */
static int request_make(mca_coll_symm_request_t **request, bool persistent,
                        const struct symm_arguments *arguments, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    bool is_root = ompi_comm_rank(comm) == arguments->root;
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        struct symm_arguments *kept = &(*request)->arguments;
        *kept = *arguments;
        kept->rdtype = is_root ? arguments->rdtype : arguments->sdtype;
        rc = is_root ? mca_coll_symm_request_keep_blocks(*request, SYMM_KEEP_RECEIVED)
                     : OMPI_SUCCESS;
    }
    if (rc == OMPI_SUCCESS) {
        sides_set(&(*request)->call, &(*request)->arguments, comm);
        mca_coll_symm_exchange_describe(&(*request)->call, SYMM_GATHERV,
                                        (*request)->module->super.kinds, comm);
    }
    return rc;
}

int mca_coll_symm_igatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                           void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                           struct ompi_datatype_t *rdtype, int root,
                           struct ompi_communicator_t *comm, ompi_request_t **handle,
                           mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcounts = rcounts,
        .rdisps = rdisps, .rdtype = rdtype, .root = root};
    mca_coll_symm_request_t *request;
    int rc = request_make(&request, false, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_gatherv_init(const void *sbuf, symm_count_t scount,
                               struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                               symm_disps_t rdisps, struct ompi_datatype_t *rdtype, int root,
                               struct ompi_communicator_t *comm, struct ompi_info_t *info,
                               ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .scount = scount, .sdtype = sdtype, .rbuf = rbuf, .rcounts = rcounts,
        .rdisps = rdisps, .rdtype = rdtype, .root = root};
    mca_coll_symm_request_t *request;
    int rc = request_make(&request, true, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
