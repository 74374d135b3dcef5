/*
 * resident.h - what resident_time.c and its kernel tell each other.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_PROBES_RESIDENT_H
#define BENCH_PROBES_RESIDENT_H

#include <stdint.h>

/* The last ring: the kernel leaves. */
#define RESIDENT_LEAVE UINT32_MAX

/* Addresses on the device. */
struct resident_arguments {
    uint64_t doorbell, flag; /* 32 bits each, in host memory: calls begun, and ended */
    uint64_t input, other, output;
    uint64_t patience; /* ns that it waits for a ring; then it leaves */
    uint32_t elements; /* of float32, that each call adds */
};

#endif
