/*
 * host_copy/reduce.h - reductions without a root, made on host copies.
 *
 * The functions stand in communicators' tables, with the arguments that Open MPI gives them
 * (host_copy/forms.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_REDUCE_H
#define MCA_COLL_SYMM_HOST_COPY_REDUCE_H

#include "mca/coll/symm/host_copy/forms.h"

#define SYMM_PARAMETERS_allreduce \
    const void *sbuf, void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype, \
    struct ompi_op_t *op
#define SYMM_PARAMETERS_exscan \
    const void *sbuf, void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype, \
    struct ompi_op_t *op
#define SYMM_PARAMETERS_reduce_scatter \
    const void *sbuf, void *rbuf, symm_counts_t rcounts, struct ompi_datatype_t *dtype, \
    struct ompi_op_t *op
#define SYMM_PARAMETERS_reduce_scatter_block \
    const void *sbuf, void *rbuf, symm_count_t rcount, struct ompi_datatype_t *dtype, \
    struct ompi_op_t *op
#define SYMM_PARAMETERS_scan \
    const void *sbuf, void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype, \
    struct ompi_op_t *op

SYMM_HOST_COPY_DECLARE(allreduce)
SYMM_HOST_COPY_DECLARE(exscan)
SYMM_HOST_COPY_DECLARE(reduce_scatter)
SYMM_HOST_COPY_DECLARE(reduce_scatter_block)
SYMM_HOST_COPY_DECLARE(scan)

int mca_coll_symm_host_copy_reduce_local(const void *sbuf, void *rbuf, symm_count_t count,
                                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                         mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_HOST_COPY_REDUCE_H */
