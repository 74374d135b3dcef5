/*
 * machine.h - a description of this machine: versions, processor, ranks and cores, and whether the
 * component under test is loaded.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <mpi.h>
#include <stdbool.h>

/* The collective component that --compare leaves out on one side. */
extern const char machine_component[];

/* Collective over `control`: prints the lines, each beginning with '#', on its rank 0. */
void machine_print(MPI_Comm control);

/* Collective over `control`; the same answer on every rank: whether Open MPI has loaded the
 * component in this job, and if so with which priority. */
bool machine_component_loaded(MPI_Comm control, int *priority);

/* Whether this MPI says that its own components can work on GPU memory. */
bool machine_mpi_knows_gpus(void);

/* A duplicate of `comm` on which the component is not used. Any other MPI ignores the wish. */
MPI_Comm machine_dup_without(MPI_Comm comm);

#endif
