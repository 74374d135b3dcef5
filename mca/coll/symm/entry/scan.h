/*
 * entry/scan.h - MPI_Scan and MPI_Exscan, with their nonblocking and persistent forms (MPI-4.1
 * sections 6.11, 6.12.11, 6.12.12, 6.13.11 and 6.13.12), as Open MPI declares them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_SCAN_H
#define MCA_COLL_SYMM_ENTRY_SCAN_H

#include "mca/ompi_compat.h"

int mca_coll_symm_scan(const void *sbuf, void *rbuf, symm_count_t count,
                       struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                       struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_iscan(const void *sbuf, void *rbuf, symm_count_t count,
                        struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                        struct ompi_communicator_t *comm, ompi_request_t **handle,
                        mca_coll_base_module_t *module);
int mca_coll_symm_scan_init(const void *sbuf, void *rbuf, symm_count_t count,
                            struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                            struct ompi_communicator_t *comm, struct ompi_info_t *info,
                            ompi_request_t **handle, mca_coll_base_module_t *module);

int mca_coll_symm_exscan(const void *sbuf, void *rbuf, symm_count_t count,
                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module);
int mca_coll_symm_iexscan(const void *sbuf, void *rbuf, symm_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, ompi_request_t **handle,
                          mca_coll_base_module_t *module);
int mca_coll_symm_exscan_init(const void *sbuf, void *rbuf, symm_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **handle, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_SCAN_H */
