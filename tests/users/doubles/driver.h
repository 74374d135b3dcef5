/*
 * driver.h - how the libraries of this folder reach the driver that the benchmark has opened, which
 * SYMM_BENCH_CUDA_LIBRARY names.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
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
#define DRIVER(name) ((__typeof__(name) *)driver_function(DRIVER_SYMBOL(name)))

static inline void *driver_function(const char *name)
{
    const char *file = getenv("SYMM_BENCH_CUDA_LIBRARY");
    void *library = file != NULL ? dlopen(file, RTLD_NOW | RTLD_NOLOAD) : NULL;
    void *function = library != NULL ? dlsym(library, name) : NULL;
    if (function == NULL) {
        fprintf(stderr, "tests/users/doubles: the driver is not open, or has no %s\n", name);
        abort();
    }
    dlclose(library);
    return function;
}

static inline CUdeviceptr driver_address(const void *memory)
{
    return (CUdeviceptr)(uintptr_t)memory;
}

#endif
