/*
 * functions_table.h - finding the functions of kernels in their images; see functions.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_FUNCTIONS_TABLE_H
#define SYMM_KERNELS_CUDA_LAUNCH_FUNCTIONS_TABLE_H

#include "heap/gpu/cuda_driver.h"
#include "kernels/cuda/launch/functions.h"

/* symm_<word>, or symm_<word>_<type>_<operation> for all that `has` them and no other's bits. */
struct symm_function_row {
    int image;
    const char *word;
    int first; /* number; symm_function() has that of a type and operation */
    bool (*has)(enum symm_cuda_type type, enum symm_cuda_op op); /* NULL: a single one */
};

/* Functions that are loaded together. */
struct symm_function_set {
    const unsigned char *const *images;
    int image_count;
    const struct symm_function_row *rows;
    size_t row_count;
};

/*
 * Load a set into the context that is current: a module for each image, and functions by their
 * numbers.  After an error nothing is left.  Errors: those of the driver.
 */
enum symm_status symm_functions_load(const struct symm_cuda *cuda,
                                     const struct symm_function_set *set, CUmodule *modules,
                                     CUfunction *functions);

/* Give the modules back; the set has no functions any more. */
void symm_functions_unload(const struct symm_cuda *cuda, const struct symm_function_set *set,
                           CUmodule *modules, CUfunction *functions);

/* What a device always has: all but multicast's. */
enum { SYMM_DEVICE_MODULES = 6 };
extern const struct symm_function_set symm_device_functions;

#endif /* SYMM_KERNELS_CUDA_LAUNCH_FUNCTIONS_TABLE_H */
