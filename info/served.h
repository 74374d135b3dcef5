/*
 * served.h - which collectives would be served, by what has been found before.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_SERVED_H
#define INFO_SERVED_H

#include <stdbool.h>

#include "info/finding.h"

/* On a machine alone: for up to so many ranks, with so many GPUs whose memory can be shared. */
void served_look(bool loads, int ranks, int gpus, struct findings *findings);

#endif /* INFO_SERVED_H */
