/*
 * links.h - what lies between GPUs: peer access, and multicast.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef INFO_LINKS_H
#define INFO_LINKS_H

#include "heap/gpu/cuda_driver.h"
#include "info/settings.h"

void links_look(const struct symm_cuda *cuda, int count, struct findings *findings);

/* `features` are those of the components' libsymm.  No multicast object is made. */
void multicast_look(const struct symm_cuda *cuda, int count, const char *features,
                    const struct settings *settings, struct findings *findings);

#endif /* INFO_LINKS_H */
