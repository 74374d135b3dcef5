/*
 * cuda_multicast_absent.c - cuda_multicast.h in a build that does not call the driver for it.
 *
 * If loops over the ranks are in the place of the instructions, device memory has the software multicast
 * of host memory: kernels go through all replicas, which they are given anyway.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/cuda_multicast.h"
#include "heap/multicast.h"

void symm_cuda_multicast_prepare(const struct symm_cuda_scope *scope, struct symm_kind *kind)
{
    (void)scope;
#ifdef MULTICAST_UNICAST
    kind->multicast = &symm_multicast_host;
#else
    (void)kind;
#endif
}
