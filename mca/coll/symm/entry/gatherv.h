/*
 * entry/gatherv.h - MPI_Gatherv, with its nonblocking and persistent forms (MPI-4.1 sections 6.5,
 * 6.12.3 and 6.13.3), as Open MPI declares them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_GATHERV_H
#define MCA_COLL_SYMM_ENTRY_GATHERV_H

#include "mca/ompi_compat.h"

int mca_coll_symm_gatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                          void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                          struct ompi_datatype_t *rdtype, int root,
                          struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_igatherv(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                           void *rbuf, symm_counts_t rcounts, symm_disps_t rdisps,
                           struct ompi_datatype_t *rdtype, int root,
                           struct ompi_communicator_t *comm, ompi_request_t **handle,
                           mca_coll_base_module_t *module);
int mca_coll_symm_gatherv_init(const void *sbuf, symm_count_t scount,
                               struct ompi_datatype_t *sdtype, void *rbuf, symm_counts_t rcounts,
                               symm_disps_t rdisps, struct ompi_datatype_t *rdtype, int root,
                               struct ompi_communicator_t *comm, struct ompi_info_t *info,
                               ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_GATHERV_H */
