/*
 * entry/allgatherv.h - MPI_Allgatherv, blocking, nonblocking and persistent, as it stands in a
 * communicator's table.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ALLGATHERV_H
#define MCA_COLL_SYMM_ENTRY_ALLGATHERV_H

#include "mca/ompi_compat.h"

int mca_coll_symm_allgatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                             void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                             struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                             mca_coll_base_module_t *module);
int mca_coll_symm_iallgatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                              void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                              struct ompi_datatype_t *rdtype, struct ompi_communicator_t *comm,
                              ompi_request_t **handle, mca_coll_base_module_t *module);
int mca_coll_symm_allgatherv_init(const void *sbuf, symm_count_t scount,
                                  struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                                  symm_disps_t rdisps, struct ompi_datatype_t *rdtype,
                                  struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                  ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_ALLGATHERV_H */
