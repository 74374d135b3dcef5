/*
 * cuda_memory.h - whose memory an address is, as the CUDA driver knows.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_GPU_CUDA_MEMORY_H
#define SYMM_HEAP_GPU_CUDA_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/private.h"
#include "heap/symm.h"

enum symm_memory_kind {
    SYMM_MEMORY_HOST,    /* the driver knows nothing of it, or is not there */
    SYMM_MEMORY_PINNED,  /* host memory that the driver has allocated or registered */
    SYMM_MEMORY_MANAGED, /* moves between host and devices as it is touched */
    SYMM_MEMORY_DEVICE,
};

struct symm_memory {
    enum symm_memory_kind kind;
    int device;            /* that has the memory, or to which managed memory belongs; -1: host */
    uintptr_t base;        /* of device memory: the allocation around the address */
    size_t size;           /* 0: not known */
    uint64_t id;           /* of the allocation, never used again in this process; 0: none */
    bool ipc;              /* CUDA IPC can export it */
    uint64_t handle_types; /* that VMM memory can have: bits of CUmemAllocationHandleType */
};

/*
 * Ask the driver about an address.  A driver that is not in this process is neither loaded nor
 * initialised for this: then everything is host memory.  False: the driver has failed to answer;
 * the description is of device memory, because a copy by the driver works for every sort of memory,
 * and host code does not.
 */
SYMM_PRIVATE bool symm_cuda_memory_describe(const void *address, struct symm_memory *memory);

/*
 * Whether kernels of this library on memory->device can load and store what has been described.
 * They may not use memory of a context of the program's own, or memory that is mapped for another
 * device only.  The driver is asked once for an allocation that they can use.
 */
SYMM_PRIVATE bool symm_cuda_memory_is_usable(const struct symm_memory *memory, const void *address);

#endif /* SYMM_HEAP_GPU_CUDA_MEMORY_H */
