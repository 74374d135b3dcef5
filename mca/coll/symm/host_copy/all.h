/*
 * host_copy/all.h - collectives in which all ranks send to all, made on host copies.
 *
 * The functions stand in communicators' tables, with the arguments that Open MPI gives them
 * (host_copy/forms.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_ALL_H
#define MCA_COLL_SYMM_HOST_COPY_ALL_H

#include "mca/coll/symm/host_copy/forms.h"

#define SYMM_PARAMETERS_allgather \
    const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf, \
    symm_count_t rcount, struct ompi_datatype_t *rdtype
#define SYMM_PARAMETERS_allgatherv \
    const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf, \
    symm_counts_t rcounts, symm_disps_t disps, struct ompi_datatype_t *rdtype
#define SYMM_PARAMETERS_alltoall \
    const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype, void *rbuf, \
    symm_count_t rcount, struct ompi_datatype_t *rdtype
#define SYMM_PARAMETERS_alltoallv \
    const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps, struct ompi_datatype_t *sdtype, \
    void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps, struct ompi_datatype_t *rdtype
#define SYMM_PARAMETERS_alltoallw \
    const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps, \
    struct ompi_datatype_t *const *sdtypes, void *rbuf, symm_counts_t rcounts, \
    symm_disps_t rdisps, struct ompi_datatype_t *const *rdtypes

SYMM_HOST_COPY_DECLARE(allgather)
SYMM_HOST_COPY_DECLARE(allgatherv)
SYMM_HOST_COPY_DECLARE(alltoall)
SYMM_HOST_COPY_DECLARE(alltoallv)
SYMM_HOST_COPY_DECLARE(alltoallw)

#endif /* MCA_COLL_SYMM_HOST_COPY_ALL_H */
