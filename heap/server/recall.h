/*
 * recall.h - asking other processes to unmap memory that has been given back.
 *
 * Device memory that its owner has freed is free when the last process that has it mapped has
 * unmapped it. Processes notice in their next call on device memory, which may never come.  So the
 * owner tells them as soon as a segment has gone, and their servers' threads unmap it; and whoever
 * finds a device full asks once more, and waits for the answers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_RECALL_H
#define SYMM_HEAP_SERVER_RECALL_H

#include "heap/server/socket.h"

struct symm_recall;

/* Nobody is known yet.  Errors: NO_MEMORY. */
enum symm_status symm_recall_create(struct symm_recall **recall);
void symm_recall_destroy(struct symm_recall *recall);

/*
 * The process with this server may have segments of our heap `heap` mapped (0, which needs no
 * telling: it may keep memory of some other process from going).  A process that cannot be
 * remembered is not told.
 */
void symm_recall_note(struct symm_recall *recall, const char *name, uint32_t heap);

/* Tell those that have segments of `heap` that some have gone.  Waits for nobody. */
void symm_recall_tell(struct symm_recall *recall, uint32_t heap);

/*
 * Have all processes that have been noted unmap what has gone, and wait until they have, but no
 * longer than `seconds`: they may be stopped, or their devices busy.
 */
void symm_recall_wait(struct symm_recall *recall, double seconds);

#endif /* SYMM_HEAP_SERVER_RECALL_H */
