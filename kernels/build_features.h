/*
 * build_features.h - what this library has been built with, for symm_info.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_BUILD_FEATURES_H
#define SYMM_KERNELS_BUILD_FEATURES_H

#include "heap/private.h"
#include "heap/symm.h"

/*
 * Words: "cuda" if device memory is built, "multicast" if NVLink multicast is, "unicast" if loops
 * are in its place; then nvcc's flags for the devices, which name the images of the kernels.
 */
SYMM_PRIVATE const char *symm_features(void);

#endif /* SYMM_KERNELS_BUILD_FEATURES_H */
