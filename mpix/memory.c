/*
 * memory.c - symmetric memory of a device for allocators of frameworks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/gpu/cuda_device.h"
#include "heap/gpu/cuda_memory.h"
#include "mpix/mpix.h"

static bool has_mpi(void)
{
    int is_initialized = 0, is_finalized = 0;
    (void)PMPI_Initialized(&is_initialized);
    (void)PMPI_Finalized(&is_finalized);
    return is_initialized && !is_finalized;
}

/* An MPI without our pool takes no notice of the hint, and gives memory of the host. */
static void *memory_get(MPI_Aint bytes, MPI_Info info)
{
    struct symm_memory memory;
    void *address = NULL;
    if (PMPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda") != MPI_SUCCESS ||
        PMPI_Alloc_mem(bytes, info, &address) != MPI_SUCCESS) {
        return NULL;
    }
    if (symm_cuda_memory_describe(address, &memory) && memory.kind == SYMM_MEMORY_DEVICE) {
        return address;
    }
    (void)PMPI_Free_mem(address);
    return NULL;
}

void *symm_mpix_device_alloc(ptrdiff_t bytes, int device, void *stream)
{
    MPI_Info info;
    int current = -1;
    (void)stream;
    if (bytes < 0 || !has_mpi() || symm_cuda_device_current(&current) != SYMM_OK ||
        current != device || PMPI_Info_create(&info) != MPI_SUCCESS) {
        return NULL;
    }
    void *address = memory_get(bytes > 0 ? bytes : 1, info);
    (void)PMPI_Info_free(&info);
    return address;
}

void symm_mpix_device_free(void *address, ptrdiff_t bytes, int device, void *stream)
{
    (void)bytes;
    (void)stream;
    if (address != NULL && has_mpi()) {
        (void)symm_cuda_device_wait(device);
        (void)PMPI_Free_mem(address);
    }
}
