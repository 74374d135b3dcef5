/*
 * report/pvars.h - the counters as performance variables of MPI_T.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_REPORT_PVARS_H
#define MCA_COLL_SYMM_REPORT_PVARS_H

#include "mca/ompi_compat.h"

/* Register all counters as performance variables of MPI_T; at component registration. */
void mca_coll_symm_pvars_register(const mca_base_component_t *component);

#endif /* MCA_COLL_SYMM_REPORT_PVARS_H */
