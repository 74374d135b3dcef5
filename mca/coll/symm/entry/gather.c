/*
 * entry/gather.c - MPI_Gather: from MPI's arguments to an operation and back.
 *
 * The root alone has an output.  In place its input is its block there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/gather.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/rooted.h"
#include "mca/coll/symm/fast/prompt.h"
#include "mca/coll/symm/host_copy/rooted.h"

/* The root's call: layouts, buffers and gaps. */
static void root_describe(struct symm_call *call, const struct symm_arguments *a,
                          struct ompi_communicator_t *comm)
{
    mca_coll_symm_layout_describe(&call->target, a->rdtype, (size_t)a->rcount);
    call->in_place = a->sbuf == MPI_IN_PLACE;
    call->receive = a->rbuf;
    if (call->in_place) {
        call->source = call->target;
        call->send = mca_coll_symm_layout_block(&call->target, a->rbuf, a->root);
    } else {
        mca_coll_symm_layout_describe(&call->source, a->sdtype, (size_t)a->scount);
        call->send = a->sbuf;
    }
    call->input = mca_coll_symm_at(call->send, call->source.start);
    call->output = mca_coll_symm_at(a->rbuf, call->target.start);
    call->input_bytes = call->source.bytes;
    call->output_bytes = call->target.bytes * (size_t)ompi_comm_size(comm);
    call->absent = 0;
    call->gaps = (call->source.dense ? 0u : SYMM_GAPS_INPUT) |
                 (mca_coll_symm_rooted_has_gaps(&call->target) ? SYMM_GAPS_OUTPUT : 0u);
}

static void describe(struct symm_call *call, enum symm_kinds kinds, const struct symm_arguments *a,
                     struct ompi_communicator_t *comm)
{
    if (ompi_comm_rank(comm) == a->root) {
        root_describe(call, a, comm);
    } else {
        mca_coll_symm_layout_describe(&call->source, a->sdtype, (size_t)a->scount);
        call->target = call->source;
        call->in_place = false;
        call->send = a->sbuf;
        call->receive = NULL;
        call->input = mca_coll_symm_at(a->sbuf, call->source.start);
        call->input_bytes = call->source.bytes;
        call->gaps = call->source.dense ? 0u : SYMM_GAPS_INPUT;
        mca_coll_symm_rooted_has_input(call);
    }
    call->payload_bytes = call->target.bytes;
    mca_coll_symm_rooted_describe(call, SYMM_GATHER, kinds, a->root, call->target.bytes,
                                  call->source.bytes != call->target.bytes);
}

static bool is_without_data(const struct symm_arguments *a, struct ompi_communicator_t *comm)
{
    bool is_root = ompi_comm_rank(comm) == a->root;
    if (is_root && mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) > 0) {
        return false;
    }
    return a->sbuf == MPI_IN_PLACE || mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) == 0;
}

static bool is_served_promptly(mca_coll_symm_module_t *module, const struct symm_arguments *a,
                               struct ompi_communicator_t *comm)
{
    const struct symm_prompt_buffer sent = {a->sbuf, (size_t)a->scount, a->sdtype};
    const struct symm_prompt_buffer received = {
        a->rbuf, (size_t)a->rcount * (size_t)ompi_comm_size(comm), a->rdtype};
    return mca_coll_symm_prompt_gather(module, &sent, &received, a->root);
}

int mca_coll_symm_gather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                         void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = scount, .rcount = rcount, .sdtype = sdtype,
        .rdtype = rdtype, .root = root};
    struct symm_entry entry;
    if (is_without_data(&arguments, comm)) {
        return OMPI_SUCCESS; /* see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_GATHER, comm, module)) {
        return MPI_ERR_OTHER;
    }
    if (!entry.is_within && is_served_promptly(entry.module, &arguments, comm)) {
        return OMPI_SUCCESS;
    }
    describe(&entry.module->call, entry.module->super.kinds, &arguments, comm);
    return SYMM_ENTRY_MAKE(&entry, comm, gather, sbuf, scount, sdtype, rbuf, rcount, rdtype, root);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, igather, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, gather_init, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

/*
 * A request holds its types.  So one that is not significant, and may be anything, is replaced by
 * one that is.
 */
static int request_make(mca_coll_symm_request_t **request, bool persistent,
                        const struct symm_arguments *arguments, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        struct symm_arguments *kept = &(*request)->arguments;
        *kept = *arguments;
        describe(&(*request)->call, (*request)->module->super.kinds, arguments, comm);
        if (ompi_comm_rank(comm) != arguments->root) {
            kept->rdtype = arguments->sdtype;
        }
    }
    return rc;
}

int mca_coll_symm_igather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                          void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                          int root, struct ompi_communicator_t *comm, ompi_request_t **handle,
                          mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = scount, .rcount = rcount, .sdtype = sdtype,
        .rdtype = rdtype, .root = root};
    mca_coll_symm_request_t *request;
    if (is_without_data(&arguments, comm)) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_gather_init(const void *sbuf, symm_count_t scount,
                              struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                              struct ompi_datatype_t *rdtype, int root,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = scount, .rcount = rcount, .sdtype = sdtype,
        .rdtype = rdtype, .root = root};
    mca_coll_symm_request_t *request;
    if (is_without_data(&arguments, comm)) {
        return ompi_request_persistent_noop_create(handle); /* see entry/entry.h */
    }
    int rc = request_make(&request, true, &arguments, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
