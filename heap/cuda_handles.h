/*
 * cuda_handles.h - as what device memory and multicast objects can be exported.
 *
 * Within a node they travel as file descriptors.  They are asked for with fabric handles as well, where the
 * device has those: such memory can be exported to other nodes of a multi-node NVLink domain, by UCX for
 * instance when a program sends from it, and memory made without cannot be given the handle later.  A
 * driver that knows fabric handles need not grant them (no IMEX channel, no rights): then it says so when
 * something is made with one, and nothing of that device is, from then on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_CUDA_HANDLES_H
#define SYMM_HEAP_CUDA_HANDLES_H

#include "heap/cuda_context.h"

/* The device has them, or has not; nothing has been refused yet. */
void symm_cuda_fabric_allow(int device, bool allowed);

/* What to ask for. */
CUmemAllocationHandleType symm_cuda_handle_types(int device);

/*
 * Whether a call that was to make something with `types` has failed because of the fabric handle: then it
 * is to be made again with fewer.
 */
bool symm_cuda_fabric_refused(int device, CUmemAllocationHandleType types, CUresult result);

#endif /* SYMM_HEAP_CUDA_HANDLES_H */
