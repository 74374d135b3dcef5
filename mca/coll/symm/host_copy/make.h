/*
 * host_copy/make.h - a call on host copies, whatever its form.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_MAKE_H
#define MCA_COLL_SYMM_HOST_COPY_MAKE_H

#include "mca/coll/symm/host_copy/call.h"
#include "mca/coll/symm/host_copy/request.h"

/* The module is one with a layer (base/layer.h).  Returns what is for MPI. */
static inline int mca_coll_symm_host_copy_make(enum symm_mpi_function function,
                                               const struct symm_arguments *a,
                                               mca_coll_base_module_t *module)
{
    return mca_coll_symm_function_form(function) == SYMM_CALL_BLOCKING
               ? mca_coll_symm_host_copy_call(function, a, module)
               : mca_coll_symm_host_copy_request(function, a, module);
}

#endif /* MCA_COLL_SYMM_HOST_COPY_MAKE_H */
