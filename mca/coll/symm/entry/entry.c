/*
 * entry/entry.c - see entry/entry.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/entry/entry.h"

#include "mca/coll/symm/host_copy/request.h"
#include "mca/coll/symm/path/path.h"

/* ---- blocking calls -------------------------------------------------------------------------- */

int mca_coll_symm_entry_below(enum symm_collective collective, const struct symm_arguments *a,
                              mca_coll_base_module_t *module)
{
    enum symm_mpi_function function = mca_coll_symm_function_of(collective, SYMM_CALL_BLOCKING);
    mca_coll_symm_module_t *ours = (mca_coll_symm_module_t *)module;
    struct symm_below below;
    mca_coll_symm_below_begin(&below, &ours->blocking.operation);
    int rc = mca_coll_symm_below_end(&below, mca_coll_symm_path_make(function, a, module));
    if (ours->super.below != NULL) { /* within another call of ours */
        mca_coll_symm_below_resume(&ours->blocking.operation);
    }
    return rc;
}

/* ---- nonblocking and persistent calls -------------------------------------------------------- */

/*
 * A call without data ends at once: the request is empty, or a persistent one that does nothing.  A
 * persistent request of coll/libnbc sends messages all the same, does not hold its communicator,
 * and crashes where the program frees that before it waits (4.1.4).
 */
static int empty_make(enum symm_call_form form, ompi_request_t **request)
{
    if (form == SYMM_CALL_PERSISTENT) {
        return ompi_request_persistent_noop_create(request);
    }
    *request = &ompi_request_empty;
    return OMPI_SUCCESS;
}

static void describe(const struct symm_entry_row *row, mca_coll_symm_request_t *request)
{
    enum symm_kinds kinds = request->module->super.kinds;
    if (row->outline != NULL) {
        row->outline(&request->call, kinds, &request->arguments);
    }
    if (row->describe != NULL) {
        row->describe(&request->call, kinds, &request->arguments);
    }
}

int mca_coll_symm_entry_request(const struct symm_entry_row *row, enum symm_call_form form,
                                const struct symm_arguments *a, mca_coll_base_module_t *module)
{
    bool persistent = form == SYMM_CALL_PERSISTENT;
    mca_coll_symm_request_t *request;
    if (row->is_empty != NULL && row->is_empty(a)) {
        return empty_make(form, a->request);
    }
    if (!persistent && row->is_for_below != NULL && row->is_for_below(a)) {
        return mca_coll_symm_host_copy_request(mca_coll_symm_function_of(row->collective, form), a,
                                               module);
    }
    int rc = mca_coll_symm_request_open(&request, a, persistent, module);
    if (rc == OMPI_SUCCESS && row->keep != NULL) {
        rc = mca_coll_symm_request_retain(request, row->keep(&request->arguments));
    }
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    describe(row, request);
    if (!persistent) {
        return mca_coll_symm_request_submit(request);
    }
    mca_coll_symm_request_init(request);
    return OMPI_SUCCESS;
}
