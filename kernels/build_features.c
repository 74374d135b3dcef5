/*
 * build_features.c - see build_features.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/build_features.h"

#ifndef SYMM_NVCC_DEVICES /* the Makefile says so; tests for ARM compile without it */
#define SYMM_NVCC_DEVICES ""
#endif

const char *symm_features(void)
{
    return ""
#ifdef HAVE_CUDA
           "cuda "
#endif
#if defined(HAVE_MULTICAST) && defined(MULTICAST_UNICAST)
           "unicast "
#elif defined(HAVE_MULTICAST)
           "multicast "
#endif
        SYMM_NVCC_DEVICES;
}
