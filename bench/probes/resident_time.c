/*
 * resident_time.c - what a small call would take without a launch: a kernel stays on the device and
 * polls a word of the host's memory, the host rings by it, and the kernel's flag comes back.
 * bench/launch_time has launches of the same reduction.  The library has no such kernel:
 * docs/results-launch.md says why.
 *
 *     bench/probes/resident_time [DEVICE]
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "bench/probes/resident.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"
#include "bench/probes/probe.h"

enum { CALLS = 2000, WARM_UP = 200, THREADS = 512, BYTES_MOST = 64 << 10 };

struct doorbell {
    _Alignas(64) _Atomic uint32_t ring;
    _Alignas(64) _Atomic uint32_t flag;
};

static double call_time(struct doorbell *doorbell, uint32_t number)
{
    double begin = clock_us();
    atomic_store_explicit(&doorbell->ring, number, memory_order_release);
    uint32_t flag;
    do {
        flag = atomic_load_explicit(&doorbell->flag, memory_order_acquire);
    } while (flag != number && flag != RESIDENT_LEAVE);
    if (flag == RESIDENT_LEAVE && number != RESIDENT_LEAVE) {
        (void)fputs("resident_time: the kernel has left before it was told to\n", stderr);
        exit(1);
    }
    return clock_us() - begin;
}

static void calls_time(const struct probe *probe, CUdeviceptr memory, uint32_t bytes)
{
    static double times[CALLS];
    struct resident_arguments arguments = {
        .input = memory, .other = memory + BYTES_MOST, .output = memory + 2 * BYTES_MOST,
        .patience = 1000000000, .elements = bytes / (uint32_t)sizeof(float),
    };
    CUdeviceptr address;
    struct doorbell *doorbell = probe_host_memory(probe, sizeof(*doorbell), &address);
    arguments.doorbell = address + offsetof(struct doorbell, ring);
    arguments.flag = address + offsetof(struct doorbell, flag);
    probe_launch(probe, probe_function(probe, "resident"), THREADS, &arguments);
    for (int i = 0; i < WARM_UP + CALLS; i++) {
        double time = call_time(doorbell, (uint32_t)i + 1);
        if (i >= WARM_UP) {
            times[i - WARM_UP] = time;
        }
    }
    (void)call_time(doorbell, RESIDENT_LEAVE);
    (void)printf("reduce %6u bytes by a resident kernel              %8.2f\n", bytes,
                 clock_median(times, CALLS));
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {0, 4, 1024, 4 << 10, 16 << 10, BYTES_MOST};
    struct probe probe;
    CUdeviceptr memory;
    char text[160];
    int number = probe_device_of(argc, argv);
    probe_open(&probe, number, probe_fatbin_resident);
    probe_memory(&probe, 1, 0, (size_t)3 * BYTES_MOST, &memory);
    symm_cuda_device_describe(number, text, sizeof(text));
    (void)printf("# %s, medians of %d, microseconds\n", text, CALLS);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        calls_time(&probe, memory, sizes[i]);
    }
    probe_close(&probe);
    return 0;
}
