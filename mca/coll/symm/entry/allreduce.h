/*
 * entry/allreduce.h - MPI_Allreduce (MPI-4.1 section 6.9), as Open MPI declares it.
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

#endif /* MCA_COLL_SYMM_ENTRY_ALLREDUCE_H */
