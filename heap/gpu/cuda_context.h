/*
 * cuda_context.h - calling the driver without the program noticing.
 *
 * The devices are used through their primary contexts, which the CUDA runtime uses as well.  The
 * program may have made another device's or a context of its own current, and may be capturing a
 * graph: so each stretch of driver calls lies between symm_cuda_enter() and symm_cuda_leave().
 *
 * cudaDeviceReset() ends a primary context, with all streams, functions and registrations that were
 * made in it. It is entered anew afterwards, in another *generation*: whoever keeps something that
 * was made in a context notes the generation in which that was, and lets go of it, without a call
 * of the driver, when the generation has become another. Before CUDA 12.0 the driver has no words
 * for that, and a reset goes unnoticed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_CONTEXT_H
#define SYMM_HEAP_GPU_CUDA_CONTEXT_H

#include "heap/gpu/cuda_driver.h"

struct symm_cuda_scope {
    const struct symm_cuda *cuda;     /* the table */
    CUdevice device;                  /* what the driver calls the device */
    CUstreamCaptureMode capture_mode; /* what symm_cuda_leave() restores */
    CUcontext pushed;                 /* what it pops; NULL: nothing */
    uint32_t generation; /* of the context, never 0 unless entered to release */
};

/*
 * Make the primary context of `device` current in this thread, and allow calls that would otherwise
 * end a capture of the program's.  Scopes nest.  Errors: NOT_FOUND (no driver), ARGUMENT (no such
 * device), NO_MEMORY, SYSTEM; then there is nothing to leave.
 */
enum symm_status symm_cuda_enter(int device, struct symm_cuda_scope *scope);

/*
 * The same to give something back: a context that has ended is not begun anew for that.  Then
 * scope->generation is 0, and the program's context stays current, in which virtual memory can be
 * given back as in any other.
 */
enum symm_status symm_cuda_enter_to_release(int device, struct symm_cuda_scope *scope);

void symm_cuda_leave(const struct symm_cuda_scope *scope);

/* The generation in which the context was entered last; 0: it has not been.  One load. */
uint32_t symm_cuda_device_generation(int device);

/* How often contexts have been entered in another generation than before.  One load. */
uint32_t symm_cuda_resets(void);

/*
 * Within a scope of `device`: its stream for work that is waited for at once.  It is one for all
 * such work, made at first use and kept, because making one takes longer than most copies, and
 * waits for no stream of the program's.
 */
enum symm_status symm_cuda_stream(const struct symm_cuda_scope *scope, int device,
                                  CUstream *stream);

/* ---- for cuda_memops.c ----------------------------------------------------------------------- */

/* The primary context as it was entered last, alive or not; NULL: it has not been. */
CUcontext symm_cuda_primary(int device);

/* Note a reset of the device, if there has been one since it was last entered. */
void symm_cuda_notice_reset(const struct symm_cuda *cuda, int device);

#endif /* SYMM_HEAP_GPU_CUDA_CONTEXT_H */
