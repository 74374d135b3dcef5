/*
 * host_kernels.h - the kernels of this folder compiled for the host, for tests; never installed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_HOST_KERNELS_H
#define SYMM_KERNELS_CUDA_DEVICE_CODE_HOST_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct symm_cuda_host_kernel {
    const char *name;      /* as cuModuleGetFunction() takes it */
    size_t arguments_size; /* bytes of its one argument, a struct of arguments.h */

    /* Run all threads of all blocks, one after the other, then raise the flags. */
    void (*run)(const void *arguments, unsigned blocks, unsigned block_threads);

    struct symm_cuda_host_kernel *next;
};

/* The first kernel of the list of all, which has no particular order. */
const struct symm_cuda_host_kernel *symm_cuda_host_kernels(void);

/* The one of this name, or NULL. */
const struct symm_cuda_host_kernel *symm_cuda_host_kernel_find(const char *name);

/* From now on the clock by which kernels wait for others is so many times slower. */
void symm_cuda_host_slow(uint64_t times);

#ifdef __cplusplus
}
#endif

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_HOST_KERNELS_H */
