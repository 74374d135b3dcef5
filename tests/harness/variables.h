/*
 * The component's performance variables, read through MPI_T.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_VARIABLES_H
#define SYMM_TESTS_VARIABLES_H

#include <stdbool.h>

/* Initialises MPI_T, finds all variables named coll_symm_..., checks what MPI_T says about each,
 * and allocates handles. Open MPI 4.1.4 crashes in MPI_Finalize unless variables_close() comes
 * before. */
void variables_open(void);
void variables_close(void);

int variables_count(void);
const char *variables_name(int index);

/* Whether it has an old name, and counts what another one counts (mca/old_words.h). */
bool variables_is_old(int index);

/* The variable of that name, or -1. */
int variables_find(const char *name);

/* What it counts now. */
unsigned long long variables_read(int index);

/* It counts from 0 again. */
void variables_reset(int index);

/* Another handle of it is made and freed. */
void variables_handle(int index);

/* Whether a program may write to it. */
bool variables_can_be_written(int index);

#endif
