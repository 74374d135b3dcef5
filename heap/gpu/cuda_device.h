/*
 * cuda_device.h - CUDA devices as the rest of the library and the components see them: no header of
 * CUDA is needed, and in a build without CUDA (cuda_absent.c) every device is "not found".
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_DEVICE_H
#define SYMM_HEAP_GPU_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/gpu/cuda_memops.h"
#include "heap/gpu/cuda_memory.h"
#include "heap/gpu/cuda_plain.h"
#include "heap/kind.h"
#include "heap/private.h"
#include "heap/symm.h"

enum {
    SYMM_CUDA_DEVICES_MAX = 64,  /* of one process; further ones are not found */
    SYMM_CUDA_TEXT_SIZE = 256,   /* enough for every text below */
};

/*
 * The driver's library, instead of "libcuda.so.1": a file name for dlopen().  NULL and "" stand for
 * the default.  It counts until the driver has been opened.
 */
SYMM_PRIVATE void symm_cuda_configure(const char *library);

/*
 * The number of this process among those of its node (0, 1, ...), for symm_cuda_device_current().
 * Default: 0.
 */
SYMM_PRIVATE void symm_cuda_configure_rank(int local_rank);

/* Whether this library has been built with CUDA. */
SYMM_PRIVATE bool symm_cuda_is_built(void);

/* Whether this process has used a device through this library.  One load. */
SYMM_PRIVATE bool symm_cuda_is_used(void);

/* Whether the program has a device's context current in the calling thread.  Loads nothing. */
SYMM_PRIVATE bool symm_cuda_has_current(void);

/*
 * The device to use for a caller who names none: that of the calling thread's current context,
 * otherwise the local rank modulo the number of devices.  Errors: NOT_FOUND (no driver, no device),
 * SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_cuda_device_current(int *device);

/*
 * Whether `device` can use the device memory mapped at `address`, of this process or of a peer:
 * memory that has been mapped for one device need not be in reach of another one of this process.
 */
bool symm_cuda_device_reaches(int device, const void *address);

/*
 * Let `device` use what is mapped at `address`, unless it does so already.  Errors: NOT_FOUND
 * (nothing is mapped there, no driver), ARGUMENT, NO_MEMORY, SYSTEM (out of its reach).
 */
SYMM_PRIVATE enum symm_status symm_cuda_device_reach(int device, const void *address);

/*
 * A number that all processes of the node have alike for this device, and for no other one.  0: it
 * is not known, or the device is a part of a GPU (MIG), or shared through a server (MPS).
 */
SYMM_PRIVATE uint64_t symm_cuda_device_identity(int device);

/*
 * Until the device has done all work of this process, as cudaFree() waits.  Errors: NOT_FOUND,
 * SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_cuda_device_wait(int device);

/* "device 0 (NVIDIA H200, GPU-8b3a...)", as nvidia-smi writes it; as much as is known. */
SYMM_PRIVATE void symm_cuda_device_describe(int device, char *text, size_t size);

/* ---- failures -------------------------------------------------------------------------------- */

/*
 * What failed last in the calling thread, as "cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY (out of
 * memory)"; empty if nothing has.  Of interest after a status other than SYMM_OK.
 */
SYMM_PRIVATE void symm_cuda_last_failure(char *text, size_t size);

/*
 * Whether that failure is the error of an earlier kernel of the program.  Every later call in that
 * context returns the error, whatever the call is for, so no substitute of ours works either.
 */
SYMM_PRIVATE bool symm_cuda_last_failure_is_programs(void);

/* Nothing has failed: before calls of which not all failures are those of a device. */
SYMM_PRIVATE void symm_cuda_forget_failure(void);

#endif /* SYMM_HEAP_GPU_CUDA_DEVICE_H */
