/*
 * path/path.c - see path/path.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/path/path.h"

#include "mca/coll/symm/host_copy/copies.h"
#include "mca/coll/symm/host_copy/make.h"

static int underlying_make(enum symm_mpi_function function, const struct symm_arguments *a,
                           mca_coll_base_module_t *module)
{
    return mca_coll_symm_function_form(function) == SYMM_CALL_BLOCKING
               ? mca_coll_symm_layer_call_blocking(function, a, module)
               : mca_coll_symm_layer_call_request(function, a, module);
}

static const struct symm_path paths[] = {
    {"host copies", mca_coll_symm_host_copy_is_between, mca_coll_symm_host_copy_make},
    {"underlying", NULL, underlying_make},
};

int mca_coll_symm_path_make(enum symm_mpi_function function, const struct symm_arguments *a,
                            mca_coll_base_module_t *module)
{
    const struct symm_path *path = paths;
    while (path->may != NULL && !path->may(function)) {
        path++;
    }
    return path->make(function, a, module);
}
