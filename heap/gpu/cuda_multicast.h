/*
 * cuda_multicast.h - NVLink multicast of device memory, for kind_cuda.c.
 *
 * cuda_multicast.c calls the driver.  It is not in builds with --disable-multicast, in which device
 * memory has no multicast, and with --enable-multicast=unicast, in which loops over the ranks are
 * in the place of the instructions.  Then device memory has the software multicast of host memory:
 * kernels go through all replicas, which they are given anyway.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_MULTICAST_H
#define SYMM_HEAP_GPU_CUDA_MULTICAST_H

#include "heap/gpu/cuda_context.h"

/*
 * Within a scope of its device: give the kind multicast, if there is any, and the granularity that
 * it asks for.
 */
#if defined(HAVE_MULTICAST) && !defined(MULTICAST_UNICAST)
void symm_cuda_multicast_prepare(const struct symm_cuda_scope *scope, struct symm_kind *kind);
#else
static inline void symm_cuda_multicast_prepare(const struct symm_cuda_scope *scope,
                                               struct symm_kind *kind)
{
    (void)scope;
#ifdef MULTICAST_UNICAST
    kind->multicast = &symm_multicast_host;
#else
    (void)kind;
#endif
}
#endif

#endif /* SYMM_HEAP_GPU_CUDA_MULTICAST_H */
