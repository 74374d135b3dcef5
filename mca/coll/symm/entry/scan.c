/*
 * entry/scan.c - MPI_Scan and MPI_Exscan: from MPI's arguments to an operation and back.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/scan.h"

#include "mca/coll/symm/entry/entry.h"
#include "mca/coll/symm/entry/reduction.h"
#include "mca/coll/symm/fast/prompt.h"
#include "mca/coll/symm/host_copy/reduce.h"

/* The first rank of an exclusive scan has no result. */
static size_t exclusive_results(symm_count_t count, struct ompi_communicator_t *comm)
{
    return ompi_comm_rank(comm) > 0 ? (size_t)count : 0;
}

/* ---- MPI_Scan ------------------------------------------------------------------------------- */

int mca_coll_symm_scan(const void *sbuf, void *rbuf, symm_count_t count,
                       struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                       struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS;
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_SCAN, comm, module)) {
        return MPI_ERR_OTHER;
    }
    mca_coll_symm_reduction_describe(&entry.module->call, SYMM_SCAN,
                                     entry.module->super.kinds, sbuf, rbuf, (size_t)count,
                                     (size_t)count, 0, dtype, op);
    if (!entry.is_within && mca_coll_symm_prompt_reduction(entry.module)) {
        return OMPI_SUCCESS;
    }
    return SYMM_ENTRY_MAKE(&entry, comm, scan, sbuf, rbuf, count, dtype, op);
}

static int scan_start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, iscan, a->sbuf, a->rbuf, a->scount, a->sdtype, a->op,
                                    mca_coll_symm_request_comm(request), below);
}

static int scan_init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                           ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, scan_init, a->sbuf, a->rbuf, a->scount, a->sdtype,
                                    a->op, mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below scan_below = {scan_start_below, scan_init_below};

int mca_coll_symm_iscan(const void *sbuf, void *rbuf, symm_count_t count,
                        struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                        struct ompi_communicator_t *comm, ompi_request_t **handle,
                        mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
    return mca_coll_symm_reduction_start(SYMM_SCAN, &scan_below, &arguments,
                                         (size_t)count, comm, handle, module);
}

int mca_coll_symm_scan_init(const void *sbuf, void *rbuf, symm_count_t count,
                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                            struct ompi_communicator_t *comm, struct ompi_info_t *info,
                            ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
    return mca_coll_symm_reduction_init(SYMM_SCAN, &scan_below, &arguments,
                                        (size_t)count, comm, info, handle, module);
}

/* ---- MPI_Exscan ----------------------------------------------------------------------------- */

int mca_coll_symm_exscan(const void *sbuf, void *rbuf, symm_count_t count,
                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (mca_coll_symm_bytes(dtype, (size_t)count) == 0) {
        return OMPI_SUCCESS;
    }
    if (!mca_coll_symm_entry_open(&entry, SYMM_EXSCAN, comm, module)) {
        return MPI_ERR_OTHER;
    }
    mca_coll_symm_reduction_describe(&entry.module->call, SYMM_EXSCAN,
                                     entry.module->super.kinds, sbuf, rbuf, (size_t)count,
                                     exclusive_results(count, comm), 0, dtype, op);
    if (!entry.is_within && mca_coll_symm_prompt_reduction(entry.module)) {
        return OMPI_SUCCESS;
    }
    return SYMM_ENTRY_MAKE(&entry, comm, exscan, sbuf, rbuf, count, dtype, op);
}

static int exscan_start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, iexscan, a->sbuf, a->rbuf, a->scount, a->sdtype, a->op,
                                    mca_coll_symm_request_comm(request), below);
}

static int exscan_init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                             ompi_request_t **below)
{
    const struct symm_arguments *a = &request->arguments;
    return SYMM_ENTRY_REQUEST_BELOW(request, exscan_init, a->sbuf, a->rbuf, a->scount, a->sdtype,
                                    a->op, mca_coll_symm_request_comm(request), info, below);
}

static const struct symm_request_below exscan_below = {exscan_start_below, exscan_init_below};

int mca_coll_symm_iexscan(const void *sbuf, void *rbuf, symm_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, ompi_request_t **handle,
                          mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
    return mca_coll_symm_reduction_start(SYMM_EXSCAN, &exscan_below, &arguments,
                                         exclusive_results(count, comm), comm, handle, module);
}

int mca_coll_symm_exscan_init(const void *sbuf, void *rbuf, symm_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **handle, mca_coll_base_module_t *module)
{
    const struct symm_arguments arguments = {
        .sbuf = sbuf, .rbuf = rbuf, .scount = count, .sdtype = dtype, .op = op};
    return mca_coll_symm_reduction_init(SYMM_EXSCAN, &exscan_below, &arguments,
                                        exclusive_results(count, comm), comm, info, handle, module);
}
