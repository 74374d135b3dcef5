/*
 * entry/reduce_scatter.h - MPI_Reduce_scatter and MPI_Reduce_scatter_block, with their nonblocking
 * and persistent forms (MPI-4.1 sections 6.10, 6.12.9, 6.12.10, 6.13.9 and 6.13.10), as Open MPI
 * declares them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_REDUCE_SCATTER_H
#define MCA_COLL_SYMM_ENTRY_REDUCE_SCATTER_H

#include "mca/ompi_compat.h"

int mca_coll_symm_reduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                 struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                 struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_ireduce_scatter(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                  struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                  struct ompi_communicator_t *comm, ompi_request_t **handle,
                                  mca_coll_base_module_t *module);
int mca_coll_symm_reduce_scatter_init(const void *sbuf, void *rbuf, symm_counts_t rcounts,
                                      struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                      struct ompi_communicator_t *comm, struct ompi_info_t *info,
                                      ompi_request_t **handle, mca_coll_base_module_t *module);

int mca_coll_symm_reduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
                                       struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                       struct ompi_communicator_t *comm,
                                       mca_coll_base_module_t *module);
int mca_coll_symm_ireduce_scatter_block(const void *sbuf, void *rbuf, symm_count_t rcount,
                                        struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                        struct ompi_communicator_t *comm, ompi_request_t **handle,
                                        mca_coll_base_module_t *module);
int mca_coll_symm_reduce_scatter_block_init(const void *sbuf, void *rbuf, symm_count_t rcount,
                                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                                            struct ompi_communicator_t *comm,
                                            struct ompi_info_t *info, ompi_request_t **handle,
                                            mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_REDUCE_SCATTER_H */
