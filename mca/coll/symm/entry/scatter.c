/*
 * entry/scatter.c - MPI_Scatter: from MPI's arguments to an operation and back.
 *
 * The root alone has an input, of all ranks' blocks.  In place it has no output: its own block
 * stays where it is.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/scatter.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/rooted.h"
#include "mca/coll/symm/fast/prompt.h"
#include "mca/coll/symm/host_copy/rooted.h"

/* The root's call: layouts, buffers and gaps. */
static void root_describe(struct symm_call *call, const struct symm_arguments *a,
                          struct ompi_communicator_t *comm)
{
    size_t ranks = (size_t)ompi_comm_size(comm);
    struct symm_layout block;
    mca_coll_symm_layout_describe(&block, a->sdtype, (size_t)a->scount);
    mca_coll_symm_layout_describe(&call->source, a->sdtype, (size_t)a->scount * ranks);
    call->in_place = a->rbuf == MPI_IN_PLACE;
    call->send = a->sbuf;
    call->input = mca_coll_symm_at(a->sbuf, call->source.start);
    call->input_bytes = call->source.bytes;
    call->gaps = call->source.dense ? 0u : SYMM_GAPS_INPUT;
    call->output_bytes = 0;
    if (call->in_place) {
        void *own = mca_coll_symm_layout_block(&block, symm_ompi_unconst(a->sbuf), a->root);
        call->target = block;
        call->absent = SYMM_ABSENT_OUTPUT;
        call->receive = own;
        call->output = mca_coll_symm_at(own, block.start);
        return;
    }
    mca_coll_symm_layout_describe(&call->target, a->rdtype, (size_t)a->rcount);
    call->absent = 0;
    call->receive = a->rbuf;
    call->output = mca_coll_symm_at(a->rbuf, call->target.start);
    call->output_bytes = call->target.bytes;
    call->gaps |= call->target.dense ? 0u : SYMM_GAPS_OUTPUT;
}

static void describe(struct symm_call *call, enum symm_kinds kinds, const struct symm_arguments *a,
                     struct ompi_communicator_t *comm)
{
    size_t ranks = (size_t)ompi_comm_size(comm), bytes;
    if (ompi_comm_rank(comm) == a->root) {
        root_describe(call, a, comm);
        bytes = call->source.bytes / ranks;
    } else {
        mca_coll_symm_layout_describe(&call->target, a->rdtype, (size_t)a->rcount);
        call->source = call->target;
        call->in_place = false;
        call->send = NULL;
        call->receive = a->rbuf;
        call->output = mca_coll_symm_at(a->rbuf, call->target.start);
        call->output_bytes = call->target.bytes;
        call->gaps = call->target.dense ? 0u : SYMM_GAPS_OUTPUT;
        mca_coll_symm_rooted_has_output(call);
        bytes = call->target.bytes;
    }
    call->payload_bytes = bytes * ranks;
    mca_coll_symm_rooted_describe(call, SYMM_SCATTER, kinds, a->root, bytes,
                                  call->target.bytes != bytes);
}

static bool is_without_data(const struct symm_arguments *a, struct ompi_communicator_t *comm)
{
    bool is_root = ompi_comm_rank(comm) == a->root;
    if (is_root && mca_coll_symm_bytes(a->sdtype, (size_t)a->scount) > 0) {
        return false;
    }
    return (is_root && a->rbuf == MPI_IN_PLACE) ||
           mca_coll_symm_bytes(a->rdtype, (size_t)a->rcount) == 0;
}

static bool is_served_promptly(mca_coll_symm_module_t *module, const struct symm_arguments *a,
                               struct ompi_communicator_t *comm)
{
    const struct symm_prompt_buffer received = {a->rbuf, (size_t)a->rcount, a->rdtype};
    const struct symm_prompt_buffer sent = {
        a->sbuf, (size_t)a->scount * (size_t)ompi_comm_size(comm), a->sdtype};
    return mca_coll_symm_prompt_scatter(module, &sent, &received, a->root);
}

int mca_coll_symm_scatter(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                          void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                          int root, struct ompi_communicator_t *comm,
                          mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = scount, .rcount = rcount, .sdtype = sdtype,
        .rdtype = rdtype, .root = root};
    struct symm_entry entry;
    if (is_without_data(&arguments, comm)) {
        return OMPI_SUCCESS; /* see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_SCATTER, comm, module)) {
        return MPI_ERR_OTHER;
    }
    if (!entry.is_within && is_served_promptly(entry.module, &arguments, comm)) {
        return OMPI_SUCCESS;
    }
    describe(&entry.module->call, entry.module->super.kinds, &arguments, comm);
    return SYMM_ENTRY_MAKE(&entry, comm, scatter, sbuf, scount, sdtype, rbuf, rcount, rdtype, root);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, iscatter, a->sbuf, a->scount, a->sdtype, a->rbuf,
                                    a->rcount, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, scatter_init, a->sbuf, a->scount, a->sdtype, a->rbuf,
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
            kept->sdtype = arguments->rdtype;
            kept->sbuf = NULL; /* MPI_IN_PLACE would be taken for a type that means nothing */
        } else if (arguments->rbuf == MPI_IN_PLACE) {
            kept->rdtype = arguments->sdtype;
        }
    }
    return rc;
}

int mca_coll_symm_iscatter(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
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

int mca_coll_symm_scatter_init(const void *sbuf, symm_count_t scount,
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
