/*
 * entry/reduce.c - MPI_Reduce: from MPI's arguments to an operation and back.
 *
 * The root alone has an output.  What other ranks pass for one is not looked at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/reduce.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"
#include "mca/coll/symm/fast/prompt.h"
#include "mca/coll/symm/host_copy/rooted.h"

static void describe(struct symm_call *call, enum symm_kinds kinds, const void *sbuf, void *rbuf,
                     size_t count, struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                     struct ompi_communicator_t *comm)
{
    bool is_root = ompi_comm_rank(comm) == root;
    call->root = root;
    mca_coll_symm_reduction_describe(call, SYMM_REDUCE, kinds, sbuf,
                                     is_root ? rbuf : NULL, count,
                                     is_root ? count : 0, (unsigned)root, dtype, op);
}

int mca_coll_symm_reduce(const void *sbuf, void *rbuf, symm_count_t count,
                         struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS; /* see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_REDUCE, comm, module)) {
        return MPI_ERR_OTHER;
    }
    describe(&entry.module->call, entry.module->super.kinds, sbuf, rbuf, (size_t)count, dtype, op,
             root, comm);
    if (!entry.is_within && mca_coll_symm_prompt_reduction(entry.module)) {
        return OMPI_SUCCESS;
    }
    return SYMM_ENTRY_MAKE(&entry, comm, reduce, sbuf, rbuf, count, dtype, op, root);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, ireduce, a->sbuf, a->rbuf, a->rcount, a->rdtype,
                                    a->op, a->root, mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, reduce_init, a->sbuf, a->rbuf, a->rcount, a->rdtype,
                                    a->op, a->root, mca_coll_symm_request_comm(request), info,
                                    below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

static int request_make(mca_coll_symm_request_t **request, bool persistent, const void *sbuf,
                        void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype,
                        struct ompi_op_t *op, int root, struct ompi_communicator_t *comm,
                        mca_coll_base_module_t *module)
{
    int rc = mca_coll_symm_request_open(request, &below_makes, persistent, comm, module);
    if (rc == OMPI_SUCCESS) {
        (*request)->arguments = (struct symm_arguments){
            .sbuf = sbuf, .rbuf = rbuf, .rcount = count, .rdtype = dtype, .op = op, .root = root};
        describe(&(*request)->call, (*request)->module->super.kinds, sbuf, rbuf, (size_t)count,
                 dtype, op, root, comm);
    }
    return rc;
}

int mca_coll_symm_ireduce(const void *sbuf, void *rbuf, symm_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                          struct ompi_communicator_t *comm, ompi_request_t **handle,
                          mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        *handle = &ompi_request_empty;
        return OMPI_SUCCESS;
    }
    int rc = request_make(&request, false, sbuf, rbuf, count, dtype, op, root, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_submit(request, handle) : rc;
}

int mca_coll_symm_reduce_init(const void *sbuf, void *rbuf, symm_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **handle, mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return ompi_request_persistent_noop_create(handle); /* see entry/entry.h */
    }
    int rc = request_make(&request, true, sbuf, rbuf, count, dtype, op, root, comm, module);
    return rc == OMPI_SUCCESS ? mca_coll_symm_request_init(request, info, handle) : rc;
}
