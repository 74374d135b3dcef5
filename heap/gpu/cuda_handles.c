/*
 * cuda_handles.c - see cuda_handles.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdatomic.h>
#include <unistd.h>

#include "heap/gpu/cuda_handles.h"

const char *symm_cuda_imex_channels = "/dev/nvidia-caps-imex-channels";

static _Atomic bool allowed_on[SYMM_CUDA_DEVICES_MAX];

static void allow(int device, bool allowed)
{
    atomic_store_explicit(&allowed_on[device], allowed, memory_order_relaxed);
}

void symm_cuda_fabric_allow(int device, bool has)
{
    allow(device, has && access(symm_cuda_imex_channels, F_OK) == 0);
}

CUmemAllocationHandleType symm_cuda_handle_types(int device)
{
    unsigned types = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    if (atomic_load_explicit(&allowed_on[device], memory_order_relaxed)) {
        types |= CU_MEM_HANDLE_TYPE_FABRIC;
    }
    return (CUmemAllocationHandleType)types;
}

bool symm_cuda_fabric_refused(int device, CUmemAllocationHandleType types, CUresult result)
{
    if (((unsigned)types & CU_MEM_HANDLE_TYPE_FABRIC) == 0 ||
        (result != CUDA_ERROR_NOT_PERMITTED && result != CUDA_ERROR_NOT_SUPPORTED)) {
        return false;
    }
    allow(device, false);
    return true;
}
