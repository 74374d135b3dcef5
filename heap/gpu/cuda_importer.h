/*
 * cuda_importer.h - memory from elsewhere (cuda_ipc.h): what is opened of one other process.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_IMPORTER_H
#define SYMM_HEAP_GPU_CUDA_IMPORTER_H

#include "heap/gpu/cuda_imports.h"

struct symm_importer;

/* The process with this server's name; shared by all who ask for it.  Errors: NO_MEMORY. */
enum symm_status symm_importer_get(struct symm_imports *imports, const char *name,
                                   struct symm_importer **importer);
void symm_importer_put(struct symm_imports *imports, struct symm_importer *importer);

/*
 * Open an allocation for a device of ours, within a call; nothing to do if that has been done.  All
 * others that the call needs and that are open have been asked for by symm_importer_address()
 * before, as some may have to go.  Errors: PENDING (call again), NO_MEMORY (also: more bytes than
 * may be open), SYSTEM, PROTOCOL, and those of symm_request_test().
 */
enum symm_status symm_importer_open(struct symm_importer *importer,
                                    const struct symm_location *location,
                                    const struct symm_ipc_handle *handle, int device);

/* Where that location is here; NULL: it is not open, which counts as a failure. */
void *symm_importer_address(struct symm_importer *importer,
                            const struct symm_location *location, int device);

/* Close what its owner has retired. */
void symm_importer_collect(struct symm_importer *importer);

#endif /* SYMM_HEAP_GPU_CUDA_IMPORTER_H */
