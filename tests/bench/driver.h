/*
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * How the libraries of this folder reach what stands for the CUDA driver: the one that the
 * benchmark has opened, which SYMM_BENCH_CUDA_LIBRARY names.
 */
#ifndef SYMM_TESTS_BENCH_DRIVER_H
#define SYMM_TESTS_BENCH_DRIVER_H

#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* cuda.h gives most functions another name (_v2), which is that of the symbol. */
#define DRIVER_TEXT(name) #name
#define DRIVER_SYMBOL(name) DRIVER_TEXT(name)
#define DRIVER(name) ((__typeof__(name) *) driver_function(DRIVER_SYMBOL(name)))

static inline void *driver_function(const char *name)
{
    const char *file = getenv("SYMM_BENCH_CUDA_LIBRARY");
    void *library = NULL != file ? dlopen(file, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *function = NULL != library ? dlsym(library, name) : NULL;

    if (NULL == function) {
        fprintf(stderr, "tests/bench: the driver is not open, or has no %s\n", name);
        abort();
    }
    dlclose(library);
    return function;
}

static inline CUdeviceptr driver_address(const void *memory)
{
    return (CUdeviceptr) (uintptr_t) memory;
}

#endif
