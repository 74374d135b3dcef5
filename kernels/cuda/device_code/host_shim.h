/*
 * host_shim.h - what g++ lacks to compile the kernels for the host.
 *
 * A body gets (arguments, thread, threads) and uses neither shared memory nor barriers, so running
 * its threads one after the other is a legal schedule of them.  One that has barriers (ring.cuh)
 * has another form here.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_HOST_SHIM_H
#define SYMM_KERNELS_CUDA_DEVICE_CODE_HOST_SHIM_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/device_code/host_kernels.h"

#define SYMM_DEVICE inline

void symm_cuda_host_kernel_register(struct symm_cuda_host_kernel *kernel);

struct symm_cuda_host_registration {
    explicit symm_cuda_host_registration(struct symm_cuda_host_kernel *kernel)
    {
        symm_cuda_host_kernel_register(kernel);
    }
};

uint64_t symm_cuda_host_clock();

/* Let other threads go on, for some microseconds; and once in a thousand times. */
void symm_cuda_host_sleep();
void symm_cuda_host_dawdle();

template <class Arguments>
void symm_cuda_host_finish(const Arguments &arguments, unsigned blocks, uint32_t mark)
{
    for (unsigned i = 0; i < symm_cuda_finish_flags(blocks); i++) {
        __atomic_store_n(&arguments.finish.flags[i], arguments.finish.sequence | mark,
                         __ATOMIC_RELEASE);
    }
}

/* The threads of a kernel, one after the other. */
template <class Arguments>
void symm_cuda_host_threads(const Arguments &arguments, unsigned blocks, unsigned block_threads,
                            void (*body)(const Arguments &, uint64_t, uint64_t))
{
    const uint64_t threads = static_cast<uint64_t>(blocks) * block_threads;
    for (uint64_t thread = 0; thread < threads; thread++) {
        body(arguments, thread, threads);
    }
}

template <class Arguments>
void symm_cuda_host_run(const void *memory, unsigned blocks, unsigned block_threads,
                        void (*body)(const Arguments &, uint64_t, uint64_t))
{
    const Arguments &arguments = *static_cast<const Arguments *>(memory);
    symm_cuda_host_threads(arguments, blocks, block_threads, body);
    symm_cuda_host_finish(arguments, blocks, 0);
}

template <class Arguments>
void symm_cuda_host_run_holding(const void *memory, unsigned blocks, unsigned block_threads,
                                bool (*hand_over)(const Arguments &, unsigned),
                                void (*body)(const Arguments &, uint64_t, uint64_t))
{
    const Arguments &arguments = *static_cast<const Arguments *>(memory);
    symm_cuda_host_threads(arguments, blocks, block_threads, body);
    bool is_late = arguments.hold != SYMM_CUDA_NOT_HELD && !hand_over(arguments, blocks);
    symm_cuda_host_finish(arguments, blocks, is_late ? SYMM_CUDA_LATE : 0);
}

/* All threads together have the patience of one: they wait one after the other. */
template <class Arguments, class Patience>
void symm_cuda_host_run_patient(const void *memory, unsigned blocks, unsigned block_threads,
                                void (*send)(const Arguments &, uint64_t, uint64_t),
                                bool (*receive)(const Arguments &, uint64_t, uint64_t, Patience &))
{
    const Arguments &arguments = *static_cast<const Arguments *>(memory);
    const uint64_t threads = static_cast<uint64_t>(blocks) * block_threads;
    Patience patience = {arguments.patience, 0};
    bool has_all = true;
    symm_cuda_host_threads(arguments, blocks, block_threads, send);
    for (uint64_t thread = 0; thread < threads; thread++) {
        has_all &= receive(arguments, thread, threads, patience);
    }
    symm_cuda_host_finish(arguments, blocks, has_all ? 0 : SYMM_CUDA_LATE);
}

#define SYMM_CUDA_KERNEL(name, arguments_type, ...)                                                \
    static void name(const void *memory, unsigned blocks, unsigned block_threads)                  \
    {                                                                                              \
        symm_cuda_host_run<arguments_type>(memory, blocks, block_threads, __VA_ARGS__);            \
    }                                                                                              \
    static symm_cuda_host_kernel name##_kernel = {#name, sizeof(arguments_type), name, NULL};      \
    static const symm_cuda_host_registration name##_registration(&name##_kernel)

#define SYMM_CUDA_PATIENT_KERNEL(name, arguments_type, send, ...)                                  \
    static void name(const void *memory, unsigned blocks, unsigned block_threads)                  \
    {                                                                                              \
        symm_cuda_host_run_patient<arguments_type, symm::patience>(memory, blocks, block_threads,  \
                                                                   send, __VA_ARGS__);             \
    }                                                                                              \
    static symm_cuda_host_kernel name##_kernel = {#name, sizeof(arguments_type), name, NULL};      \
    static const symm_cuda_host_registration name##_registration(&name##_kernel)

#define SYMM_CUDA_HOLDING_KERNEL(name, arguments_type, hand_over, ...)                             \
    static void name(const void *memory, unsigned blocks, unsigned block_threads)                  \
    {                                                                                              \
        symm_cuda_host_run_holding<arguments_type>(memory, blocks, block_threads, hand_over,       \
                                                   __VA_ARGS__);                                   \
    }                                                                                              \
    static symm_cuda_host_kernel name##_kernel = {#name, sizeof(arguments_type), name, NULL};      \
    static const symm_cuda_host_registration name##_registration(&name##_kernel)

/* Sixteen bytes that a thread moves at a time. */
struct alignas(16) uint4 {
    uint32_t x, y, z, w;
};

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_HOST_SHIM_H */
