/*
 * calls.h - some small collectives, made for real: whether results are right, and who served them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_CALLS_H
#define INFO_CALLS_H

#include "info/finding.h"
#include "info/mpi_library.h"

/*
 * On the communicator of a node's ranks, which all have to call this; on memory of GPUs as well
 * if all ranks have one (`gpu`).
 */
void calls_make(const struct mpi_library *mpi, MPI_Comm comm, bool gpu, struct findings *findings);

#endif /* INFO_CALLS_H */
