/*
 * host_kernels.cc - see host_kernels.h: the same sources that nvcc compiles, for the host.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernels/cuda/device_code/reduce.cu"

#include "kernels/cuda/device_code/scan.cu"

#include "kernels/cuda/device_code/gather.cu"

#include "kernels/cuda/device_code/small.cu"

#include "kernels/cuda/device_code/packets.cu"

#include "kernels/cuda/device_code/ring.cu"

#include "kernels/cuda/device_code/stream.cu"

#include "kernels/cuda/device_code/stream_push.cu"

#include <sched.h>
#include <time.h>

static struct symm_cuda_host_kernel *first;

void symm_cuda_host_kernel_register(struct symm_cuda_host_kernel *kernel)
{
    kernel->next = first;
    first = kernel;
}

static uint64_t slowness = 1;

void symm_cuda_host_slow(uint64_t times)
{
    __atomic_store_n(&slowness, times > 0 ? times : 1, __ATOMIC_RELAXED);
}

/* Who asks often waits for a kernel of another thread, which may have no processor. */
uint64_t symm_cuda_host_clock()
{
    static thread_local unsigned asked;
    struct timespec now;
    if (++asked % 256 == 0) {
        (void)sched_yield();
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec)) /
           __atomic_load_n(&slowness, __ATOMIC_RELAXED);
}

/* Not sched_yield(), which beside programs that never wait costs a turn of each of them. */
void symm_cuda_host_sleep()
{
    const struct timespec moment = {0, 1};
    (void)nanosleep(&moment, NULL);
}

void symm_cuda_host_dawdle()
{
    static thread_local unsigned asked;
    if (++asked % 1021 == 0) { /* a prime: not the same thread of each kernel */
        symm_cuda_host_sleep();
    }
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
