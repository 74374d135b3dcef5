/*
 * base/modex.h - the names of other processes' servers, from the data exchanged in MPI_Init.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_BASE_MODEX_H
#define MCA_COLL_SYMM_BASE_MODEX_H

#include "mca/ompi_compat.h"

/*
 * The name of a process's server.  It is NULL if the process runs without this component, or with
 * another priority of it, because the component must stand above the same others on all ranks.  The
 * name is looked up once per process (a look-up costs several microseconds, which creating
 * communicators would feel) and is valid until mca_coll_symm_modex_close().
 * OMPI_ERR_OUT_OF_RESOURCE: there is no memory for the name now, and nothing is known about the
 * process.
 */
int mca_coll_symm_server_name(const ompi_proc_t *proc, const char **name);

/* Publish this process's own name and priority; at component open. */
int mca_coll_symm_modex_open(const char *own_name, int own_priority);

/* Publish that this process cannot take part, and why: a ballot as symm_vote_cast() has it. */
void mca_coll_symm_modex_refuse(int reason);

/* Why a process cannot take part, if it has said so; 0 otherwise. */
int mca_coll_symm_refusal(const ompi_proc_t *proc);

void mca_coll_symm_modex_close(void);

#endif /* MCA_COLL_SYMM_BASE_MODEX_H */
