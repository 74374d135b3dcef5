/*
 * host_copy/neighbor.h - neighbourhood collectives, made on host copies.
 *
 * The functions stand in communicators' tables (host_copy/call.h), with the arguments that Open MPI
 * gives them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_NEIGHBOR_H
#define MCA_COLL_SYMM_HOST_COPY_NEIGHBOR_H

#include "mca/ompi_compat.h"

int mca_coll_symm_host_copy_neighbor_allgather(const void *sbuf, symm_count_t scount,
                                               struct ompi_datatype_t *sdtype, void *rbuf,
                                               symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_neighbor_allgatherv(const void *sbuf, symm_count_t scount,
                                                struct ompi_datatype_t *sdtype, void *rbuf,
                                                symm_counts_t rcounts, symm_disps_t disps,
                                                struct ompi_datatype_t *rdtype,
                                                struct ompi_communicator_t *comm,
                                                mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_neighbor_alltoall(const void *sbuf, symm_count_t scount,
                                              struct ompi_datatype_t *sdtype, void *rbuf,
                                              symm_count_t rcount, struct ompi_datatype_t *rdtype,
                                              struct ompi_communicator_t *comm,
                                              mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_neighbor_alltoallv(const void *sbuf, symm_counts_t scounts,
                                               symm_disps_t sdisps, struct ompi_datatype_t *sdtype,
                                               void *rbuf, symm_counts_t rcounts,
                                               symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_neighbor_alltoallw(const void *sbuf, symm_counts_t scounts,
                                               symm_byte_disps_t sdisps,
                                               struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                               symm_counts_t rcounts, symm_byte_disps_t rdisps,
                                               struct ompi_datatype_t *const *rdtypes,
                                               struct ompi_communicator_t *comm,
                                               mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_HOST_COPY_NEIGHBOR_H */
