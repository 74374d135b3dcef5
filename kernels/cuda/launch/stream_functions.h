/*
 * stream_functions.h - the functions of stream lanes on a device (stream.cu, stream_push.cu).
 *
 * They are loaded when the first lane is made, since most programs have none, and stay: a graph of
 * the program may hold them for as long as the process lives.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_STREAM_FUNCTIONS_H
#define SYMM_KERNELS_CUDA_LAUNCH_STREAM_FUNCTIONS_H

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/functions.h"

/*
 * Within a scope of `device`, loading takes milliseconds once, and may wait for all kernels of the
 * device.  There are SYMM_STREAM_FUNCTION_COUNT.  A type and operation without a function of its
 * own has the one for all.  Errors: those of the driver.
 */
enum symm_status symm_stream_functions_get(const struct symm_cuda_scope *scope, int device,
                                           const CUfunction **functions);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_STREAM_FUNCTIONS_H */
