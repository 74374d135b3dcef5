/*
 * cuda_memory.h - memory of a CUDA device for test programs: from the driver, or from
 * MPI_Alloc_mem.
 *
 * SYMM_TEST_CUDA_LIBRARY is the driver to load; default libcuda.so.1.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CUDA_MEMORY_H
#define SYMM_TESTS_CUDA_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum cuda_memory {
    CUDA_MEMORY_ALLOC,   /* what cudaMalloc() calls */
    CUDA_MEMORY_MANAGED,
    CUDA_MEMORY_PINNED,
    CUDA_MEMORY_REGISTERED, /* ordinary memory, pinned afterwards */
    CUDA_MEMORY_MPI,     /* MPI_Alloc_mem, kind=cuda */
    CUDA_MEMORY_KINDS
};

extern const char *const cuda_memory_names[CUDA_MEMORY_KINDS];

/*
 * Load the driver, and make a device the current one.  Whatever fails here and below ends the
 * program.
 */
void cuda_memory_open(int local_rank);

/* Make another device the current one, of so many; larger numbers begin again. */
int cuda_memory_devices(void);
void cuda_memory_use(int number);

void *cuda_memory_get(enum cuda_memory kind, size_t bytes);
void cuda_memory_put(enum cuda_memory kind, void *memory);

void cuda_memory_write(void *memory, const void *from, size_t bytes);
void cuda_memory_read(void *to, const void *memory, size_t bytes);

#endif
