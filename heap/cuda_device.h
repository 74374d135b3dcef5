/*
 * cuda_device.h - CUDA devices as the rest of the library and the components see them: no header of
 * CUDA is needed, and in a build without CUDA (cuda_absent.c) every device is "not found".
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_CUDA_DEVICE_H
#define SYMM_HEAP_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/kind.h"
#include "heap/symm.h"

enum {
    SYMM_CUDA_DEVICES_MAX = 64,  /* of one process; further ones are not found */
    SYMM_CUDA_TEXT_SIZE = 256,   /* enough for every text below */
};

/*
 * The driver's library, instead of "libcuda.so.1": a file name for dlopen().  NULL and "" are the default.
 * Counts until the driver has been opened.
 */
SYMM_API void symm_cuda_configure(const char *library);

/*
 * Which of the processes of this node this is (0, 1, ...), for symm_cuda_device_current().  Default: 0.
 */
SYMM_API void symm_cuda_configure_rank(int local_rank);

/* Whether this library has been built with CUDA. */
SYMM_API bool symm_cuda_is_built(void);

/* Whether this process has used a device through this library.  One load. */
SYMM_API bool symm_cuda_is_used(void);

/*
 * The device to use for a caller who names none: that of the calling thread's current context, otherwise
 * the local rank modulo the number of devices.  Errors: NOT_FOUND (no driver, no device), SYSTEM.
 */
SYMM_API enum symm_status symm_cuda_device_current(int *device);

/*
 * If the driver is in this process and initialised, whoever has done that, tell it, once, that
 * functions which should have done their work when they return (cudaMemset(), copies between device
 * buffers) are to have done it: the earlier, the less has to be waited for in calls.  Nothing is
 * loaded, initialised or made.  Cheap.
 */
SYMM_API void symm_cuda_notice(void);

/*
 * What the program has begun by such functions with the device's context, and with the one that is
 * current here, is done: then its buffers can be read on streams of ours.  Mostly there is nothing
 * to wait for (cuda_memops.c). For calls on memory of this library.
 */
SYMM_API void symm_cuda_sync_memops(int device);

/*
 * Whether `device` can use the device memory mapped at `address`, of this process or of a peer: memory that
 * has been mapped for one device need not be in reach of another one of this process.
 */
SYMM_API bool symm_cuda_device_reaches(int device, const void *address);

/*
 * Let `device` use what is mapped at `address`, unless it does so already.
 * Errors: NOT_FOUND (nothing is mapped there, no driver), ARGUMENT, NO_MEMORY, SYSTEM (out of its reach).
 */
SYMM_API enum symm_status symm_cuda_device_reach(int device, const void *address);

/* "device 0 (NVIDIA H200, GPU-8b3a...)", as nvidia-smi writes it; as much as is known. */
SYMM_API void symm_cuda_device_describe(int device, char *text, size_t size);

/* ---- whose memory an address is -------------------------------------------------------------- */

enum symm_memory_kind {
    SYMM_MEMORY_HOST,    /* the driver knows nothing of it, or is not there */
    SYMM_MEMORY_PINNED,  /* host memory that the driver has allocated or registered */
    SYMM_MEMORY_MANAGED, /* moves between host and devices as it is touched */
    SYMM_MEMORY_DEVICE,
};

struct symm_memory {
    enum symm_memory_kind kind;
    int device;            /* on which it lies, or belongs to if it is managed; -1: host memory */
    uintptr_t base;        /* of device memory: the allocation around the address */
    size_t size;           /* 0: not known */
    uint64_t id;           /* of that allocation: no other one of this process ever has it; 0: none */
    bool ipc;              /* CUDA IPC can export it */
    uint64_t handle_types; /* as what VMM memory can be exported: bits of CUmemAllocationHandleType */
};

/*
 * Ask the driver about an address; one that is not in this process is not loaded for that, nor initialised:
 * everything is host memory then.  False: it has failed to answer; the description is of device memory,
 * because a copy by the driver works for every sort of memory, and host code does not.
 */
SYMM_API bool symm_cuda_memory_describe(const void *address, struct symm_memory *memory);

/*
 * Whether kernels of this library on memory->device can load and store what has been described: memory of
 * a context of the program's own, or mapped for another device only, they may not.  The driver is asked once
 * for an allocation that they can use.
 */
SYMM_API bool symm_cuda_memory_is_usable(const struct symm_memory *memory, const void *address);

/*
 * symm_cuda_sync_memops() for memory that need not be of this library: a memset or a copy within
 * the device may have begun before the device was first used here.
 */
SYMM_API void symm_cuda_memory_settle(int device);

/* ---- failures -------------------------------------------------------------------------------- */

/*
 * What failed last in the calling thread, as "cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY (out of memory)";
 * empty if nothing has.  Of interest after a status other than SYMM_OK.
 */
SYMM_API void symm_cuda_last_failure(char *text, size_t size);

/*
 * Whether that is the error of an earlier kernel of the program: all that follows in that context has it,
 * whatever it is for, so nothing that we could do instead works either.
 */
SYMM_API bool symm_cuda_last_failure_is_programs(void);

/* Nothing has failed: before calls of which not all failures are those of a device. */
SYMM_API void symm_cuda_forget_failure(void);

/*
 * Memory of this device; one table per device, kept until the process ends.
 * Errors: NOT_FOUND (no driver, or the device cannot share memory between processes), ARGUMENT (no such
 * device), NO_MEMORY, SYSTEM.
 */
SYMM_API enum symm_status symm_kind_cuda_get(int device, const struct symm_kind **kind);

/*
 * Memory of a device that has a driver but none of the kind above: other processes cannot map it.
 * Errors: those of symm_kind_cuda_get(); FOREIGN (no such block).
 */
SYMM_API enum symm_status symm_cuda_plain_alloc(int device, size_t size, void **address);
SYMM_API enum symm_status symm_cuda_plain_free(void *address);

/* The device on whose memory of that sort `address` is; -1: it is on none.  One load where there is none. */
SYMM_API int symm_cuda_plain_device(const void *address);

#endif /* SYMM_HEAP_CUDA_DEVICE_H */
