/*
 * alive.h - whether another process of the job is still there.
 *
 * A connection to its server stays open, with a request that is never answered.  When the process
 * ends, in whatever way, the kernel closes it.  There is one connection to a process, however many
 * ask.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_ALIVE_H
#define SYMM_HEAP_SERVER_ALIVE_H

#include "heap/symm.h"

struct symm_alive;

/* For the process whose server has this name.  NULL: no memory. */
struct symm_alive *symm_alive_hold(const char *name);

void symm_alive_release(struct symm_alive *alive);

/* Whether it has ended, or its server has.  Waits for nobody. */
bool symm_alive_has_gone(struct symm_alive *alive);

#endif /* SYMM_HEAP_SERVER_ALIVE_H */
