/*
 * probe.h - kernels of benchmarks that are not part of the library: modules, streams and memory for
 * them.  What fails ends the program with a message that says what.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_PROBES_PROBE_H
#define BENCH_PROBES_PROBE_H

#include "heap/gpu/cuda_driver.h"

/* Compiled by nvcc (bench/probes/fatbins.c). */
extern const unsigned char probe_fatbin_packets[], probe_fatbin_resident[];

/* A device's primary context with a module and a stream.  It is current while it is worked with. */
struct probe {
    const struct symm_cuda *cuda;
    int number;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUstream stream;
};

/* The only argument, a device's number; 0 without one.  Status 2 ends the program if it is none. */
int probe_device_of(int argc, char **argv);

/* Ends the program unless the result of `call` is success. */
void probe_check(CUresult result, const char *call);

void probe_open(struct probe *probe, int number, const void *fatbin);
void probe_close(struct probe *probe);

CUfunction probe_function(const struct probe *probe, const char *name);

/*
 * Memory of `owner` that reads as zero.  Each of `count` ranks gets a mapping of its own, as ranks
 * of several processes have, also where they share a device.  It is never freed.
 */
void probe_memory(const struct probe *probes, int count, int owner, size_t size,
                  CUdeviceptr *addresses);

/* Pinned memory of the host that reads as zero, and its address on the device.  Never freed. */
void *probe_host_memory(const struct probe *probe, size_t size, CUdeviceptr *address);

/* One block. */
void probe_launch(const struct probe *probe, CUfunction function, unsigned threads,
                  void *arguments);

/* Copy from the device when its stream has come to rest. */
void probe_fetch(const struct probe *probe, void *to, CUdeviceptr from, size_t size);

#endif
