/*
 * cuda_context.h - calling the driver without the program noticing.
 *
 * The devices are used through their primary contexts, which the CUDA runtime uses as well.  The program
 * may have made another device's or a context of its own current, and may be capturing a graph: so each
 * stretch of driver calls lies between symm_cuda_enter() and symm_cuda_leave().
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_CUDA_CONTEXT_H
#define SYMM_HEAP_CUDA_CONTEXT_H

#include "heap/cuda_driver.h"

struct symm_cuda_scope {
    const struct symm_cuda *cuda;     /* the table */
    CUdevice device;                  /* what the driver calls the device */
    CUstreamCaptureMode capture_mode; /* what symm_cuda_leave() restores */
};

/*
 * Make the primary context of `device` current in this thread, and calls allowed that would end a capture
 * of the program's.  Scopes nest.
 * Errors: NOT_FOUND (no driver), ARGUMENT (no such device), NO_MEMORY, SYSTEM; then there is nothing to leave.
 */
SYMM_API enum symm_status symm_cuda_enter(int device, struct symm_cuda_scope *scope);
SYMM_API void symm_cuda_leave(const struct symm_cuda_scope *scope);

/*
 * Whether functions that the program calls on this device's primary context and that should have done
 * their work when they return, like cudaMemset(), have: then memory can be read by other streams without
 * another word.  The driver is told so when the device is first entered; before CUDA 12.1 it cannot be.
 */
SYMM_API bool symm_cuda_device_syncs_memops(int device);

#endif /* SYMM_HEAP_CUDA_CONTEXT_H */
