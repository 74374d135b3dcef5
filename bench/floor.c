/*
 * floor.c - the floor under a blocking collective on GPU memory. The rates were measured with
 * programs of a few lines on 2 and 4 GPUs of one host: H200, 18 NVLink 4 links each through
 * NVSwitch, driver 580, CUDA 13.0, 2026-11-21.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "floor.h"

#include <stdio.h>

/* All ranks of a node: arrive and wait through one cache line each. */
static const double HANDSHAKE_US = 0.37;

/* An empty kernel, from its launch until the host sees a flag that it writes. A kernel that stays
 * on the GPU would need no launch. */
static const double LAUNCH_US = 6.1;

/* The quickest way between GPUs, copy engines, all GPUs at once: 391 GB/s into each. Stores of
 * kernels reach 366 GB/s, their loads 338. */
static const double LINK_BYTES_PER_US = 391e3;

double floor_link_bytes(const struct call *call)
{
    double ranks = call->ranks;
    double bytes = (double)call->bytes;
    if (call->collective == COLLECTIVE_BCAST || call->collective == COLLECTIVE_REDUCE) {
        return bytes;
    }
    if (call_scatters(call->collective)) {
        return (ranks - 1) / ranks * bytes;
    }
    if (call_scans(call->collective)) {
        return bytes;
    }
    return call_reduces(call->collective) ? 2 * (ranks - 1) / ranks * bytes : (ranks - 1) * bytes;
}

double floor_time(const struct call *call)
{
    return 2 * HANDSHAKE_US + LAUNCH_US + floor_link_bytes(call) / LINK_BYTES_PER_US;
}

void floor_print(void)
{
    printf("# floor: 2 x %.2f us to meet, %.1f us to launch, what must enter each GPU at %.0f GB/s"
           " (H200)\n", HANDSHAKE_US, LAUNCH_US, LINK_BYTES_PER_US / 1e3);
}
