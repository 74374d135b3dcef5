/*
 * coll_symm_names.h - the names of other processes' servers, from the data exchanged in MPI_Init.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_NAMES_H
#define MCA_COLL_SYMM_NAMES_H

#include "mca/ompi_compat.h"

/*
 * The name of a process's server, or NULL if it runs without this component, or with another priority
 * of it: the component must stand above the same others on all ranks.  Looked up once per
 * process (a look-up costs several microseconds, which creating communicators would feel) and valid
 * until mca_coll_symm_names_close().
 */
const char *mca_coll_symm_server_name(const ompi_proc_t *proc);

/* Publish this process's own name and priority; at component open. */
int mca_coll_symm_names_open(const char *own_name, int own_priority);

void mca_coll_symm_names_close(void);

#endif /* MCA_COLL_SYMM_NAMES_H */
