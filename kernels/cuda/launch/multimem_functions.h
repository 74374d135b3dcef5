/*
 * multimem_functions.h - the kernels of multicast on a device: which exist, and their life.
 *
 * This layer starts nothing (multimem.h does), and knows nothing of addresses.  In a build without
 * multicast (multimem_absent.c) no type can be reduced, and nothing is loaded.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_FUNCTIONS_H
#define SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_FUNCTIONS_H

#include "heap/private.h"
#include "kernels/cuda/launch/device.h"

/*
 * Whether the switch can reduce this: sums of floats and of integers of 32 and 64 bits, MIN and MAX
 * of integers of 32 and 64 bits and of 16-bit floats, bitwise operations.  `one_shot`: whether it
 * also gives the same bits each time, so that each rank may load for itself; floats do not.
 */
SYMM_PRIVATE bool symm_multimem_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op,
                                           bool one_shot);

/*
 * Load the kernels of multicast on this device.  A process without multicast memory does not need
 * them.  Call this before ranks agree to use them; after a success, further calls cost nothing.
 * Errors: NOT_FOUND (not built, or the device is older than compute capability 9.0), NO_MEMORY,
 * SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_device_multimem_load(struct symm_device *device);

/* ---- for the launch layer -------------------------------------------------------------------- */

/*
 * The context has ended: load the kernels again, if they had been loaded.  After an error the next
 * call tries again.  Errors: as symm_device_multimem_load().
 */
enum symm_status symm_multimem_renew(struct symm_device *device);

/*
 * Nobody uses the device any more: give the kernels back.  Kernels of a context that has ended have
 * ended with it.
 */
void symm_multimem_unload(struct symm_device *device, bool lives);

/* Whether the elements of this operation's kernels are bytes, whatever the type. */
bool symm_multimem_counts_bytes(enum symm_cuda_op op);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_MULTIMEM_FUNCTIONS_H */
