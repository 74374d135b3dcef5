/*
 * cuda_handles.h - the handles by which device memory and multicast objects can be exported.
 *
 * Within a node memory travels as file descriptors.  Where the device has fabric handles, memory is
 * made with such a handle as well: then it can be exported to other nodes of a multi-node NVLink
 * domain, by UCX for instance when a program sends from it.  Memory that was made without a fabric
 * handle cannot be given one later.  A driver grants fabric handles to processes that have an IMEX
 * channel.  Where the folder of the channels is missing the driver is not asked, because a refusal
 * is an error that debuggers and compute-sanitizer report.  The driver may refuse for other reasons
 * (no rights) when something is made with a fabric handle; then nothing more of that device is.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_HANDLES_H
#define SYMM_HEAP_GPU_CUDA_HANDLES_H

#include "heap/gpu/cuda_context.h"

/* The folder of the IMEX channels, as the driver makes it; tests name another. */
extern const char *symm_cuda_imex_channels;

/* The device has them, or has not; nothing has been refused yet. */
void symm_cuda_fabric_allow(int device, bool has);

/* What to ask for. */
CUmemAllocationHandleType symm_cuda_handle_types(int device);

/*
 * Whether a call that was to make something with `types` has failed because of the fabric handle:
 * then the call is to be repeated with fewer types.
 */
bool symm_cuda_fabric_refused(int device, CUmemAllocationHandleType types, CUresult result);

#endif /* SYMM_HEAP_GPU_CUDA_HANDLES_H */
