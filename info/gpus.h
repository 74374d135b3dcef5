/*
 * gpus.h - the GPUs of this machine, and what stands between them and shared memory.
 *
 * Attributes are asked for, and nothing is made: no context, no memory, no multicast object.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_GPUS_H
#define INFO_GPUS_H

#include "info/components.h"
#include "info/settings.h"

/* Add what was found.  Returns the number of GPUs whose memory can be shared. */
int gpus_look(const struct components *components, const struct settings *settings,
              struct findings *findings);

/* Copy between host memory and that of a GPU.  False: `text` says what failed. */
bool gpus_copy(void *target, const void *source, size_t bytes, char *text, size_t size);

#endif /* INFO_GPUS_H */
