/*
 * coll_symm.h - the collective component: what the files at its root share.
 *
 * The path of a call: the collective's file in entry takes it from MPI and describes it
 * (base/call.h), serve/operation.c carries it through its states, the files of agree exchange what
 * the ranks have to say, choose/choose.c picks the algorithm.  Folders are layers
 * (ARCHITECTURE.md).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_H
#define MCA_COLL_SYMM_H

#include "mca/ompi_compat.h"

#include "mca/coll/symm/base/component.h"
#include "mca/coll/symm/base/module.h"

/* Register the parameters and give the component's fields their values (coll_symm_parameters.c). */
void mca_coll_symm_parameters_register(mca_coll_symm_component_t *component);

/* Those of calls on device memory (coll_symm_device_parameters.c), as a part of the same. */
void mca_coll_symm_device_parameters_register(mca_coll_symm_component_t *component);

/* Make `--mca coll symm` mean "symm above the others" (coll_symm_select.c). */
void mca_coll_symm_select_register(void);

/*
 * Tell the user if the user's list lacks components without which MPI_Init fails.  Called once all
 * components are open.
 */
void mca_coll_symm_select_check(void);

/* Say why there is no component below us on a communicator; once in a job. */
void mca_coll_symm_select_nothing_below(const struct ompi_communicator_t *comm);

/*
 * Whether the framework's other components have the interface that this one was built for.  If not,
 * the framework does not ask this component for modules, and does not say so.  So this function
 * tells the user.  Called when the component is opened.
 */
bool mca_coll_symm_select_interface_is_theirs(void);

/* A module in reserve, for a process that has no memory for the next one. */
int mca_coll_symm_reserve_open(void);
void mca_coll_symm_reserve_close(void);

int mca_coll_symm_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *mca_coll_symm_comm_query(struct ompi_communicator_t *comm, int *priority);

#endif /* MCA_COLL_SYMM_H */
