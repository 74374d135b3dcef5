/*
 * resident.cu - a kernel that stays, and makes a reduction whenever the host rings.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bench/probes/resident.h"
#include "kernels/cuda/device_code/kernel.cuh"

/* The next ring, for all threads; RESIDENT_LEAVE where none comes. */
static __device__ uint32_t ring_await(const resident_arguments &arguments, uint32_t last)
{
    __shared__ uint32_t ring;
    if (threadIdx.x == 0) {
        symm::patience left = {arguments.patience, 0};
        uint32_t now;
        do {
            asm volatile("ld.acquire.sys.u32 %0, [%1];"
                         : "=r"(now)
                         : "l"(arguments.doorbell)
                         : "memory");
        } while (now == last && !symm::is_over(left));
        ring = now == last ? RESIDENT_LEAVE : now;
        /* What this call loads may have been stored through another mapping. */
        asm volatile("fence.proxy.alias;" ::: "memory");
    }
    __syncthreads();
    const uint32_t found = ring;
    __syncthreads();
    return found;
}

extern "C" __global__ void resident(const __grid_constant__ resident_arguments arguments)
{
    const volatile float *input = reinterpret_cast<const float *>(arguments.input);
    const volatile float *other = reinterpret_cast<const float *>(arguments.other);
    float *output = reinterpret_cast<float *>(arguments.output);
    uint32_t last = 0;
    for (;;) {
        const uint32_t ring = ring_await(arguments, last);
        if (ring != RESIDENT_LEAVE) {
            for (uint32_t i = threadIdx.x; i < arguments.elements; i += blockDim.x) {
                output[i] = input[i] + other[i];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            asm volatile("fence.proxy.alias;" ::: "memory");
            asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(arguments.flag), "r"(ring)
                         : "memory");
        }
        if (ring == RESIDENT_LEAVE) {
            return;
        }
        last = ring;
    }
}
