/*
 * system.h - what the kernel lets processes share, and its limits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_SYSTEM_H
#define INFO_SYSTEM_H

#include "info/ompi.h"

/* Memory files, sockets, single copies, namespaces. */
void system_look(struct findings *findings);

/* Limits of the process, mappings, /dev/shm and cores; for so many ranks on this node. */
void limits_look(const struct ompi *ompi, int ranks, struct findings *findings);

/* Processors of this node: a rank may be bound to some of them. */
int system_cores(void);

#endif /* INFO_SYSTEM_H */
