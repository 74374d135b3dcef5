/*
 * entry/allreduce.h - MPI_Allreduce, MPI_Iallreduce and MPI_Allreduce_init (MPI-4.1 sections 6.9.6,
 * 6.12.8 and 6.13.8), as Open MPI declares them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ALLREDUCE_H
#define MCA_COLL_SYMM_ENTRY_ALLREDUCE_H

#include "mca/ompi_compat.h"

int mca_coll_symm_allreduce(const void *sbuf, void *rbuf, symm_count_t count,
                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_iallreduce(const void *sbuf, void *rbuf, symm_count_t count,
                             struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                             struct ompi_communicator_t *comm, ompi_request_t **handle,
                             mca_coll_base_module_t *module);
int mca_coll_symm_allreduce_init(const void *sbuf, void *rbuf, symm_count_t count,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                 ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_ALLREDUCE_H */
