/*
 * entry/bcast.h - MPI_Bcast, with its nonblocking and persistent forms (MPI-4.1 sections 6.4,
 * 6.12.2 and 6.13.2), as Open MPI declares them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_BCAST_H
#define MCA_COLL_SYMM_ENTRY_BCAST_H

#include "mca/ompi_compat.h"

int mca_coll_symm_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype, int root,
                        struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_ibcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype, int root,
                         struct ompi_communicator_t *comm, ompi_request_t **handle,
                         mca_coll_base_module_t *module);
int mca_coll_symm_bcast_init(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype,
                             int root, struct ompi_communicator_t *comm, struct ompi_info_t *info,
                             ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_BCAST_H */
