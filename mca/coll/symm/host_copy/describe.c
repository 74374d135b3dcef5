/*
 * host_copy/describe.c - see host_copy/describe.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/describe.h"

void mca_coll_symm_host_copy_describe(enum symm_mpi_function function,
                                      struct symm_host_copy_buffers *buffers,
                                      const struct symm_arguments *a)
{
    static mca_coll_symm_host_copy_describe_t *const describe[SYMM_MPI_FUNCTION_COUNT] = {
#define DESCRIBE(function, name, FORM) mca_coll_symm_host_copy_describe_##name,
#define DESCRIBE_ALL(NUMBER, name, ...) SYMM_FORMS(DESCRIBE, name)
        SYMM_ALL_COLLECTIVES(DESCRIBE_ALL)
        DESCRIBE(reduce_local, reduce_local, LOCAL)
    };
    describe[function](buffers, a);
}
