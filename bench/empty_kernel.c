/*
 * empty_kernel.c - see empty_kernel.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stddef.h>

#include "bench/empty_kernel.h"
#include "bench/failure.h"
#include "heap/gpu/cuda_driver.h"

/* The driver compiles it: no device needs an image of its own. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry empty() { ret; }\n";

void *empty_kernel_get(void)
{
    const struct symm_cuda *cuda;
    CUmodule module;
    CUfunction kernel;
    if (symm_cuda_get(&cuda) != SYMM_OK ||
        cuda->cuModuleLoadData(&module, text) != CUDA_SUCCESS ||
        cuda->cuModuleGetFunction(&kernel, module, "empty") != CUDA_SUCCESS) {
        return NULL;
    }
    return kernel;
}

void empty_kernel_launch(void *kernel, void *stream)
{
    const struct symm_cuda *cuda;
    if (symm_cuda_get(&cuda) != SYMM_OK ||
        cuda->cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL) != CUDA_SUCCESS) {
        failure_stop("an empty kernel cannot be launched");
    }
}
