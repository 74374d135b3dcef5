/*
 * entry/allgather.h - MPI_Allgather (MPI-4.1 section 6.7), as Open MPI declares it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_ENTRY_ALLGATHER_H
#define MCA_COLL_SYMM_ENTRY_ALLGATHER_H

#include "mca/ompi_compat.h"

int mca_coll_symm_allgather(const void *sbuf, symm_count_t scount, struct ompi_datatype_t *sdtype,
                            void *rbuf, symm_count_t rcount, struct ompi_datatype_t *rdtype,
                            struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

#endif /* MCA_COLL_SYMM_ENTRY_ALLGATHER_H */
