/*
 * stream_functions.h - the kernels of stream lanes on a device (stream.cu,
 * stream_push.cu).
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
#include "kernels/cuda/device_code/stream_arguments.h"
#include "kernels/cuda/launch/device.h"

/*
 * The kernels of a form.  Those for all elements are of two sizes: up to eight bytes, and sixteen.
 * There are no copies in two shots.
 */
struct symm_stream_functions {
    CUfunction own[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    CUfunction any[2];
    CUfunction copy, copy_any;
};

/*
 * Within a scope of `device`, loading takes milliseconds once, and may wait for all kernels of the
 * device.  There are SYMM_STREAM_FORM_COUNT.  Errors: those of the driver.
 */
enum symm_status symm_stream_functions_get(const struct symm_cuda_scope *scope, int device,
                                           const struct symm_stream_functions **functions);

/* The kernel of a reduction; `type` as symm_cuda_kernel_type() has it. */
CUfunction symm_stream_function(const struct symm_stream_functions *functions,
                                enum symm_cuda_type type, enum symm_cuda_op op, bool any);

#endif /* SYMM_KERNELS_CUDA_LAUNCH_STREAM_FUNCTIONS_H */
