/*
 * cuda_multicast.h - NVLink multicast of device memory, for kind_cuda.c.
 *
 * There are two forms: cuda_multicast.c calls the driver; cuda_multicast_absent.c is for builds in which
 * nothing may (--disable-multicast), or loops over the ranks are in its place (--enable-multicast=unicast).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_CUDA_MULTICAST_H
#define SYMM_HEAP_CUDA_MULTICAST_H

#include "heap/cuda_context.h"

/*
 * Within a scope of its device: give the kind multicast, if there is any, and the granularity that it
 * asks for.
 */
void symm_cuda_multicast_prepare(const struct symm_cuda_scope *scope, struct symm_kind *kind);

#endif /* SYMM_HEAP_CUDA_MULTICAST_H */
