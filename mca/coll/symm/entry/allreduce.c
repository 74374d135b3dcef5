/*
 * entry/allreduce.c - MPI_Allreduce: from MPI's arguments to an operation and back.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/allreduce.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"
#include "mca/coll/symm/host_copy/reduce.h"

int mca_coll_symm_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS; /* as the binding does for a count of 0: see data/pack.h */
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_ALLREDUCE, comm, module)) {
        return MPI_ERR_OTHER;
    }
    mca_coll_symm_reduction_describe(&entry.module->call, SYMM_ALLREDUCE,
                                     entry.module->super.kinds, sbuf, rbuf, (size_t)count,
                                     (size_t)count, 0, dtype, op);
    return SYMM_ENTRY_MAKE(&entry, comm, allreduce, sbuf, rbuf, count, dtype, op);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, iallreduce, a->sbuf, a->rbuf, a->scount, a->sdtype,
                                    a->op, mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, allreduce_init, a->sbuf, a->rbuf, a->scount,
                                    a->sdtype, a->op, mca_coll_symm_request_comm(request), info,
                                    below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

/*
 * Open MPI makes communicators by nonblocking all-reduces of one int on their parent.  Those of
 * MPI_Comm_idup it starts from within opal_progress(), at other moments on other ranks, beside
 * those of other communicators and beside the program's calls.  So the ranks' orders differ, and
 * ours would meet another's.  All calls that look like them go below in the program's call, as they
 * would without us.  They are not counted: reports are about the program's calls.
 */
static bool is_like_own(size_t count, const struct ompi_datatype_t *dtype,
                        const struct ompi_op_t *op)
{
    return count == 1 && ompi_op_is_intrinsic((struct ompi_op_t *)(uintptr_t)op) &&
           (op->op_type == OMPI_OP_MAX || op->op_type == OMPI_OP_MIN) &&
           ompi_datatype_is_predefined(dtype) && dtype->super.size == sizeof(int) &&
           (dtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) == OMPI_DATATYPE_FLAG_DATA_INT;
}

int mca_coll_symm_iallreduce(const void *sbuf, void *rbuf, symm_count_t count,
                             struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                             struct ompi_communicator_t *comm, ompi_request_t **handle,
                             mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
    if (is_like_own((size_t)count, dtype, op)) {
        return mca_coll_symm_host_copy_iallreduce(sbuf, rbuf, count, dtype, op, comm, handle,
                                                  module);
    }
    return mca_coll_symm_reduction_start(SYMM_ALLREDUCE, &below_makes, &arguments, (size_t)count,
                                         comm, handle, module);
}

int mca_coll_symm_allreduce_init(const void *sbuf, void *rbuf, symm_count_t count,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                 ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
    return mca_coll_symm_reduction_init(SYMM_ALLREDUCE, &below_makes, &arguments, (size_t)count,
                                        comm, info, handle, module);
}
