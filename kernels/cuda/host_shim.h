/*
 * host_shim.h - what g++ lacks to compile the kernels for the host.
 *
 * A body gets (arguments, thread, threads) and uses neither shared memory nor barriers, so running
 * its threads one after the other is a legal schedule of them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_HOST_SHIM_H
#define SYMM_KERNELS_CUDA_HOST_SHIM_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/host_kernels.h"

#define SYMM_DEVICE inline

void symm_cuda_host_kernel_register(struct symm_cuda_host_kernel *kernel);

struct symm_cuda_host_registration {
    explicit symm_cuda_host_registration(struct symm_cuda_host_kernel *kernel)
    {
        symm_cuda_host_kernel_register(kernel);
    }
};

template <class Arguments>
void symm_cuda_host_run(const void *memory, unsigned blocks, unsigned block_threads,
                        void (*body)(const Arguments &, uint64_t, uint64_t))
{
    const Arguments &arguments = *static_cast<const Arguments *>(memory);
    const uint64_t threads = static_cast<uint64_t>(blocks) * block_threads;
    for (uint64_t thread = 0; thread < threads; thread++) {
        body(arguments, thread, threads);
    }
    for (unsigned i = 0; i < symm_cuda_finish_flags(blocks); i++) {
        __atomic_store_n(&arguments.finish.flags[i], arguments.finish.sequence, __ATOMIC_RELEASE);
    }
}

#define SYMM_CUDA_KERNEL(name, arguments_type, ...)                                                \
    static void name(const void *memory, unsigned blocks, unsigned block_threads)                  \
    {                                                                                              \
        symm_cuda_host_run<arguments_type>(memory, blocks, block_threads, __VA_ARGS__);            \
    }                                                                                              \
    static symm_cuda_host_kernel name##_kernel = {#name, sizeof(arguments_type), name, NULL};      \
    static const symm_cuda_host_registration name##_registration(&name##_kernel)

/* Sixteen bytes that a thread moves at a time. */
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};

#endif /* SYMM_KERNELS_CUDA_HOST_SHIM_H */
