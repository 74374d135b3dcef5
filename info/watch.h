/*
 * watch.h - prints a rank's own findings where MPI ends the process before they could be collected.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_WATCH_H
#define INFO_WATCH_H

#include <stdbool.h>

#include "info/finding.h"

/* Before MPI_Init: a child waits for the end of this process. */
void watch_begin(const char *name, const struct findings *findings, bool json);

/* MPI_Init has returned. */
void watch_started(void);

/* All went well: nothing is printed. */
void watch_end(void);

#endif /* INFO_WATCH_H */
