/*
 * host_copy/rooted.h - collectives with a root, made on host copies.
 *
 * The functions stand in communicators' tables, with the arguments that Open MPI gives them
 * (host_copy/forms.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_ROOTED_H
#define MCA_COLL_SYMM_HOST_COPY_ROOTED_H

#include "mca/coll/symm/host_copy/forms.h"

#define SYMM_PARAMETERS_bcast \
    void *buffer, symm_count_t count, struct ompi_datatype_t *dtype, int root
#define SYMM_PARAMETERS_gather \
    const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf, \
    symm_count_t rcount, struct ompi_datatype_t *rdtype, int root
#define SYMM_PARAMETERS_gatherv \
    const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf, \
    symm_counts_t rcounts, symm_disps_t disps, struct ompi_datatype_t *rdtype, int root
#define SYMM_PARAMETERS_reduce \
    const void *sbuf, void *rbuf, symm_count_t count, struct ompi_datatype_t *dtype, \
    struct ompi_op_t *op, int root
#define SYMM_PARAMETERS_scatter \
    const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf, \
    symm_count_t rcount, struct ompi_datatype_t *rdtype, int root
#define SYMM_PARAMETERS_scatterv \
    const void *sbuf, symm_counts_t scounts, symm_disps_t disps, struct ompi_datatype_t *sdtype, \
    void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype, int root

SYMM_HOST_COPY_DECLARE(bcast)
SYMM_HOST_COPY_DECLARE(gather)
SYMM_HOST_COPY_DECLARE(gatherv)
SYMM_HOST_COPY_DECLARE(reduce)
SYMM_HOST_COPY_DECLARE(scatter)
SYMM_HOST_COPY_DECLARE(scatterv)

#endif /* MCA_COLL_SYMM_HOST_COPY_ROOTED_H */
