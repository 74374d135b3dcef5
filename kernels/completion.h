/*
 * completion.h - work that is under way on a device; kernels/cuda/launch/device.h gives completions
 * and tests them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_COMPLETION_H
#define SYMM_KERNELS_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

/* Work under way.  All zero: no work, which is done at once. */
struct symm_completion {
    uint32_t sequence; /* of a kernel: what its flags will be; 0: no kernel */
    uint32_t flags;    /* how many it raises */
    uint32_t slot;
    uint32_t graph;    /* number of the graph by which the kernel was launched, plus 1; 0: none */
    uint32_t copies;   /* a bit for each copy stream with copies of this completion */
    bool beside;       /* the kernel is on the device's stream `beside` */
    bool late;         /* of one that has ended: the kernel has given up waiting for others */
    uint32_t generation; /* of the device's context; the work ends with it */
    uint32_t polls, troubles;
};

#endif /* SYMM_KERNELS_COMPLETION_H */
