/*
 * host_copy/rooted.h - collectives with a root, made on host copies.
 *
 * The functions stand in communicators' tables (host_copy/call.h), with the arguments that Open MPI
 * gives them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_HOST_COPY_ROOTED_H
#define MCA_COLL_SYMM_HOST_COPY_ROOTED_H

#include "mca/ompi_compat.h"

int mca_coll_symm_host_copy_bcast(void *buffer, symm_count_t count, struct ompi_datatype_t *dtype,
                                  int root, struct ompi_communicator_t *comm,
                                  mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_gather(const void *sbuf, symm_count_t scount,
                                   struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                   struct ompi_datatype_t *rdtype, int root,
                                   struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_gatherv(const void *sbuf, symm_count_t scount,
                                    struct ompi_datatype_t *sdtype, void *rbuf,
                                    symm_counts_t rcounts, symm_disps_t disps,
                                    struct ompi_datatype_t *rdtype, int root,
                                    struct ompi_communicator_t *comm,
                                    mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_scatter(const void *sbuf, symm_count_t scount,
                                    struct ompi_datatype_t *sdtype, void *rbuf, symm_count_t rcount,
                                    struct ompi_datatype_t *rdtype, int root,
                                    struct ompi_communicator_t *comm,
                                    mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_scatterv(const void *sbuf, symm_counts_t scounts, symm_disps_t disps,
                                     struct ompi_datatype_t *sdtype, void *rbuf,
                                     symm_count_t rcount, struct ompi_datatype_t *rdtype, int root,
                                     struct ompi_communicator_t *comm,
                                     mca_coll_base_module_t *module);
int mca_coll_symm_host_copy_reduce(const void *sbuf, void *rbuf, symm_count_t count,
                                   struct ompi_datatype_t *dtype, struct ompi_op_t *op, int root,
                                   struct ompi_communicator_t *comm,
                                   mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_HOST_COPY_ROOTED_H */
