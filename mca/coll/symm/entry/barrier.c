/*
 * entry/barrier.c - see entry/barrier.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/barrier.h"

#include "mca/coll/symm/base/signature.h"
#include "mca/coll/symm/entry/entry.h"

/* The bytes of which none are copied: there is no copying from nowhere. */
static unsigned char no_data[1];

/* A call without data, in host memory. */
static void describe(struct symm_call *call)
{
    *call = (struct symm_call){
        .collective = SYMM_BARRIER,
        .input = no_data,
        .output = no_data,
        .device = -1,
        .extent = 1,
        .signature = symm_signature_pack(
            (struct symm_signature){.collective = SYMM_BARRIER, .extent = 1}),
    };
}

int mca_coll_symm_barrier(struct ompi_communicator_t *comm, mca_coll_base_module_t *module)
{
    struct symm_entry entry;
    if (!mca_coll_symm_entry_open(&entry, SYMM_BARRIER, comm, module)) {
        return MPI_ERR_OTHER;
    }
    describe(&entry.module->call);
    return SYMM_ENTRY_MAKE_WITHOUT_DATA(&entry, comm, barrier);
}

/* ---- nonblocking and persistent -------------------------------------------------------------- */

static int start_below(mca_coll_symm_request_t *request, ompi_request_t **below)
{
    return SYMM_ENTRY_REQUEST_ASIDE(request, ibarrier, mca_coll_symm_request_comm(request), below);
}

static int init_below(mca_coll_symm_request_t *request, struct ompi_info_t *info,
                      ompi_request_t **below)
{
    return SYMM_ENTRY_REQUEST_ASIDE(request, barrier_init, mca_coll_symm_request_comm(request),
                                    info, below);
}

static const struct symm_request_below below_makes = {start_below, init_below};

int mca_coll_symm_ibarrier(struct ompi_communicator_t *comm, ompi_request_t **handle,
                           mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    int rc = mca_coll_symm_request_open(&request, &below_makes, false, comm, module);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    describe(&request->call);
    return mca_coll_symm_request_submit(request, handle);
}

int mca_coll_symm_barrier_init(struct ompi_communicator_t *comm, struct ompi_info_t *info,
                               ompi_request_t **handle, mca_coll_base_module_t *module)
{
    mca_coll_symm_request_t *request;
    int rc = mca_coll_symm_request_open(&request, &below_makes, true, comm, module);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    describe(&request->call);
    return mca_coll_symm_request_init(request, info, handle);
}
