/*
 * form.h - collective calls that are not blocking: nonblocking ones, and persistent ones, which are
 * made once and started often. Open MPI 4.1 has the latter as an extension (MPIX_Allreduce_init).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_FORM_H
#define BENCH_FORM_H

#include "call.h"

/* Whether this Open MPI has persistent collectives. */
bool form_has_persistent(void);

/* "MPI_Allreduce", "MPI_Iallreduce" or "MPI_Allreduce_init", and so on. */
const char *form_name(enum form form, enum collective collective);

/* Starts a nonblocking call. */
void form_start(const struct call *call, MPI_Comm comm, MPI_Request *request);

/* Makes a persistent call, inactive. */
void form_init(const struct call *call, MPI_Comm comm, MPI_Request *request);

#endif
