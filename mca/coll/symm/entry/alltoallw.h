/*
 * entry/alltoallw.h - MPI_Alltoallw, blocking, nonblocking and persistent, as it stands in a
 * communicator's table.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ALLTOALLW_H
#define MCA_COLL_SYMM_ENTRY_ALLTOALLW_H

#include "mca/ompi_compat.h"

int mca_coll_symm_alltoallw(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                            struct ompi_datatype_t *const *sdtypes, void *rbuf,
                            symm_counts_t rcounts, symm_disps_t rdisps,
                            struct ompi_datatype_t *const *rdtypes,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_ialltoallw(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                             struct ompi_datatype_t *const *sdtypes, void *rbuf,
                             symm_counts_t rcounts, symm_disps_t rdisps,
                             struct ompi_datatype_t *const *rdtypes,
                             struct ompi_communicator_t *comm, ompi_request_t **handle,
                             mca_coll_base_module_t *module);
int mca_coll_symm_alltoallw_init(const void *sbuf, symm_counts_t scounts, symm_disps_t sdisps,
                                 struct ompi_datatype_t *const *sdtypes, void *rbuf,
                                 symm_counts_t rcounts, symm_disps_t rdisps,
                                 struct ompi_datatype_t *const *rdtypes,
                                 struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                 ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_ALLTOALLW_H */
