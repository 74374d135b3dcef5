/*
 * entry/bcast.c - MPI_Bcast: from MPI's arguments to an operation and back.
 *
 * The root has an input, which is its output as well.  The others have an output.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/bcast.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/rooted.h"
#include "mca/coll/symm/fast/prompt.h"
#include "mca/coll/symm/host_copy/rooted.h"

static void describe(struct symm_call *call, enum symm_kinds kinds, void *buffer, size_t count,
                     struct ompi_datatype_t *dtype, int root, struct ompi_communicator_t *comm)
{
    bool is_root = ompi_comm_rank(comm) == root;
    mca_coll_symm_layout_describe(&call->source, dtype, count);
    call->target = call->source;
    call->in_place = false; /* what is the same in all calls is no choice */
    call->send = buffer;
    call->receive = buffer;
    call->output = mca_coll_symm_at(buffer, call->target.start);
    call->input = call->output;
    call->input_bytes = call->source.bytes;
    call->output_bytes = call->source.bytes;
    call->payload_bytes = call->source.bytes;
    call->absent = 0;
    call->gaps = 0;
    if (!call->source.dense) {
        call->gaps = SYMM_GAPS_OUTPUT | (is_root ? SYMM_GAPS_INPUT : 0u);
    }
    if (!is_root) {
        mca_coll_symm_rooted_has_output(call);
    }
    mca_coll_symm_rooted_describe(call, SYMM_BCAST, kinds, root, call->source.bytes, false);
}

int mca_coll_symm_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype, int root,
                        struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS; /* see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_BCAST, comm, module)) {
        return MPI_ERR_OTHER;
    }
    const struct symm_prompt_buffer prompt = {buffer, (size_t)count, dtype};
    if (!entry.is_within && mca_coll_symm_prompt_bcast(entry.module, &prompt, root)) {
        return OMPI_SUCCESS;
    }
    describe(&entry.module->call, entry.module->super.kinds, buffer, (size_t)count, dtype, root,
             comm);
    return SYMM_ENTRY_MAKE(&entry, comm, bcast, buffer, count, dtype, root);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, ibcast, a->rbuf, a->rcount, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, bcast_init, a->rbuf, a->rcount, a->rdtype, a->root,
                                    mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

static int request_make(mca_coll_symm_request_t **request, bool persistent, void *buffer,
                        symm_count_t count, struct ompi_datatype_t *dtype, int root,
                        struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = (struct symm_arguments){
            .rbuf = buffer, .rcount = count, .rdtype = dtype, .root = root};
        describe(&(*request)->call, (*request)->module->super.kinds, buffer, (size_t)count, dtype,
                 root, comm);
    }
    return rc;
}

int mca_coll_symm_ibcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype, int root,
                         struct ompi_communicator_t *comm, ompi_request_t **handle,
                         mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, buffer, count, dtype, root, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_bcast_init(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype,
                             int root, struct ompi_communicator_t *comm, struct ompi_info_t *info,
                             ompi_request_t **handle, mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return ompi_request_persistent_noop_create(handle); /* see entry/entry.h */
    }
    int rc = request_make(&request, true, buffer, count, dtype, root, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
