/*
 * cuda_imports.h - memory from elsewhere (cuda_ipc.h): which allocations of other processes are
 * open here, and which go.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_IMPORTS_H
#define SYMM_HEAP_GPU_CUDA_IMPORTS_H

#include "heap/gpu/cuda_ipc.h"
#include "heap/private.h"

struct symm_imports;

/* `most`: bytes that may be open at a time.  Errors: NO_MEMORY. */
enum symm_status symm_imports_create(size_t most, struct symm_imports **imports);

/* Close everything; all importers have been given back. */
void symm_imports_destroy(struct symm_imports *imports);

/*
 * A call begins that may use imports, and ends.  While others are under way, nothing is closed that
 * they may use.  Returns how often something has been closed so far that its owner still has.
 */
SYMM_PRIVATE uint32_t symm_imports_enter(struct symm_imports *imports);
SYMM_PRIVATE void symm_imports_leave(struct symm_imports *imports);

#endif /* SYMM_HEAP_GPU_CUDA_IMPORTS_H */
