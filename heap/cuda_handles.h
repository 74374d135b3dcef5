/*
 * cuda_handles.h - as what device memory and multicast objects can be exported.
 *
 * Within a node they travel as file descriptors.  They are asked for with fabric handles as well, where the
 * device has those: such memory can be exported to other nodes of a multi-node NVLink domain, by UCX for
 * instance when a program sends from it, and memory made without cannot be given the handle later.  A
 * driver grants them to those who have an IMEX channel.  Where the folder of the channels is missing it is
 * not asked, because a refusal is an error that debuggers and compute-sanitizer report.  It may refuse for
 * other reasons (no rights): when something is made with one, and nothing of that device is, from then on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_CUDA_HANDLES_H
#define SYMM_HEAP_CUDA_HANDLES_H

#include "heap/cuda_context.h"

/* The folder of the IMEX channels, as the driver makes it; tests name another. */
extern const char *symm_cuda_imex_channels;

/* The device has them, or has not; nothing has been refused yet. */
void symm_cuda_fabric_allow(int device, bool has);

/* What to ask for. */
CUmemAllocationHandleType symm_cuda_handle_types(int device);

/*
 * Whether a call that was to make something with `types` has failed because of the fabric handle: then it
 * is to be made again with fewer.
 */
bool symm_cuda_fabric_refused(int device, CUmemAllocationHandleType types, CUresult result);

#endif /* SYMM_HEAP_CUDA_HANDLES_H */
