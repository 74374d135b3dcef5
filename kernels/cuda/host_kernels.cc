/*
 * host_kernels.cc - see host_kernels.h: the same sources that nvcc compiles, for the host.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/reduce.cu"

#include "kernels/cuda/scan.cu"

#include "kernels/cuda/gather.cu"

#include "kernels/cuda/small.cu"

static struct symm_cuda_host_kernel *first;

void symm_cuda_host_kernel_register(struct symm_cuda_host_kernel *kernel)
{
    kernel->next = first;
    first = kernel;
}

const struct symm_cuda_host_kernel *symm_cuda_host_kernels(void)
{
    return first;
}

const struct symm_cuda_host_kernel *symm_cuda_host_kernel_find(const char *name)
{
    const struct symm_cuda_host_kernel *kernel = first;
    while (kernel != NULL && std::strcmp(kernel->name, name) != 0) {
        kernel = kernel->next;
    }
    return kernel;
}
