/*
 * host_copy/neighbor.h - neighbourhood collectives, made on host copies.
 *
 * The functions stand in communicators' tables, with the arguments that Open MPI gives them
 * (host_copy/forms.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_NEIGHBOR_H
#define MCA_COLL_SYMM_HOST_COPY_NEIGHBOR_H

#include "mca/coll/symm/host_copy/all.h"

/* As those of all.h, but for displacements in bytes. */
#define SYMM_PARAMETERS_neighbor_allgather SYMM_PARAMETERS_allgather
#define SYMM_PARAMETERS_neighbor_allgatherv SYMM_PARAMETERS_allgatherv
#define SYMM_PARAMETERS_neighbor_alltoall SYMM_PARAMETERS_alltoall
#define SYMM_PARAMETERS_neighbor_alltoallv SYMM_PARAMETERS_alltoallv
#define SYMM_PARAMETERS_neighbor_alltoallw \
    const void *sbuf, symm_counts_t scounts, symm_byte_disps_t sdisps, \
    struct ompi_datatype_t *const *sdtypes, void *rbuf, symm_counts_t rcounts, \
    symm_byte_disps_t rdisps, struct ompi_datatype_t *const *rdtypes

SYMM_HOST_COPY_DECLARE(neighbor_allgather)
SYMM_HOST_COPY_DECLARE(neighbor_allgatherv)
SYMM_HOST_COPY_DECLARE(neighbor_alltoall)
SYMM_HOST_COPY_DECLARE(neighbor_alltoallv)
SYMM_HOST_COPY_DECLARE(neighbor_alltoallw)

#endif /* MCA_COLL_SYMM_HOST_COPY_NEIGHBOR_H */
