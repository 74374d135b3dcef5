/*
 * persistent.h - the names of persistent collectives: before Open MPI 5 they are an extension.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_PERSISTENT_H
#define SYMM_TESTS_PERSISTENT_H

#include <mpi.h>

#if OMPI_MAJOR_VERSION >= 5
#define PERSISTENT(name) MPI_##name##_init
#else
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#endif

#endif
