/*
 * cuda_mappings.h - device memory that is mapped in this process, and which devices may use it.
 *
 * Access is given per mapping and device.  A process can use several devices, each from some moment
 * on, so every mapping is opened to all devices in use, and to later ones when they come.  Whether
 * that works is up to the links between the devices, and is recorded.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_MAPPINGS_H
#define SYMM_HEAP_GPU_CUDA_MAPPINGS_H

#include "heap/gpu/cuda_context.h"

/* Within a scope (cuda_context.h) of device number `device`: it is in use from now on. */
void symm_cuda_mappings_add_device(const struct symm_cuda_scope *scope, int device);

/*
 * Within a scope of `device`: map all of `handle` at `address`, for this device and for the others
 * in use, as far as they reach it.  `device` must, if the memory is `owned`, otherwise any of them.
 * Errors: NO_MEMORY, SYSTEM (out of reach, for instance).
 */
enum symm_status symm_cuda_mappings_add(const struct symm_cuda_scope *scope, int device,
                                        void *address, size_t size,
                                        CUmemGenericAllocationHandle handle, bool owned);

/*
 * Within a scope of any device: unmap what was mapped at `address`; no error if nothing was.  What
 * the driver does not unmap stays, in nobody's use, and is tried once more if its addresses are
 * needed.  Errors: SYSTEM.
 */
enum symm_status symm_cuda_mappings_remove(const struct symm_cuda_scope *scope, void *address);

#endif /* SYMM_HEAP_GPU_CUDA_MAPPINGS_H */
