/*
 * entry/barrier.h - MPI_Barrier (MPI-4.1 section 6.3), MPI_Ibarrier and MPI_Barrier_init (6.12.1,
 * 6.13.1).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_BARRIER_H
#define MCA_COLL_SYMM_ENTRY_BARRIER_H

#include "mca/ompi_compat.h"

int mca_coll_symm_barrier(struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_ibarrier(struct ompi_communicator_t *comm, ompi_request_t **handle,
                           mca_coll_base_module_t *module);
int mca_coll_symm_barrier_init(struct ompi_communicator_t *comm, struct ompi_info_t *info,
                               ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_BARRIER_H */
