/*
 * nvtx.h - ranges on the timelines of profilers (NVTX), which show how a call has been served.
 *
 * They are there if the library was built with the header nvtx3/nvToolsExt.h and a profiler has
 * started the process: it sets NVTX_INJECTION64_PATH.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_NVTX_H
#define SYMM_HEAP_NVTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/private.h"
#include "heap/symm.h"

/* Whether anybody looks.  It does not change. */
SYMM_PRIVATE extern bool symm_nvtx_is_wanted;

/*
 * Begin a range, such as `MPI_Allreduce symm:two_shot 1 MiB`; without bytes, its size is left out.
 * It may end in another thread.  Only where somebody looks.
 */
SYMM_PRIVATE uint64_t symm_nvtx_begin(const char *call, const char *way, size_t bytes);
SYMM_PRIVATE void symm_nvtx_end(uint64_t range);

#endif /* SYMM_HEAP_NVTX_H */
