/*
 * cuda_memory.c - what the driver knows about an address; see cuda_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>

#include "heap/gpu/cuda_context.h"
#include "heap/gpu/cuda_sync_flag.h"

/* What is asked for in one call, each of the type that cuda.h gives it. */
struct answers {
    unsigned type, managed, ipc;
    int device;
    unsigned long long id, handle_types;
    CUdeviceptr base;
    size_t size;
};

static CUresult ask(const struct symm_cuda *cuda, CUdeviceptr address, struct answers *answers)
{
    CUpointer_attribute names[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        CU_POINTER_ATTRIBUTE_BUFFER_ID,
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
    };
    void *values[] = {
        &answers->type, &answers->managed, &answers->device, &answers->id,
        &answers->base, &answers->size, &answers->ipc, &answers->handle_types,
    };
    return cuda->cuPointerGetAttributes(sizeof(names) / sizeof(*names), names, values, address);
}

/* Of mapped memory the range is the whole reservation; the allocation is what counts. */
static void range_narrow(const struct symm_cuda *cuda, CUdeviceptr address,
                         struct symm_memory *memory)
{
    CUdeviceptr base;
    size_t size;
    if (cuda->cuMemGetAddressRange(&base, &size, address) == CUDA_SUCCESS) {
        memory->base = (uintptr_t)base;
        memory->size = size;
    } else {
        memory->size = 0;
    }
}

static int some_device(void)
{
    int device;
    return symm_cuda_device_current(&device) == SYMM_OK ? device : 0;
}

bool symm_cuda_memory_describe(const void *address, struct symm_memory *memory)
{
    const struct symm_cuda *cuda;
    struct answers answers = {.type = 0};
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)address;
    *memory = (struct symm_memory){.kind = SYMM_MEMORY_HOST, .device = -1};
    if (symm_cuda_get_loaded(&cuda) != SYMM_OK) {
        return true;
    }
    CUresult result = ask(cuda, at, &answers);
    if (result == CUDA_ERROR_NOT_INITIALIZED || result == CUDA_ERROR_DEINITIALIZED) {
        return true; /* nobody has any memory of it */
    }
    symm_cuda_flag_notice(cuda);
    if (result != CUDA_SUCCESS) {
        (void)symm_cuda_failed("cuPointerGetAttributes", result);
        memory->kind = SYMM_MEMORY_DEVICE;
        memory->device = some_device();
        return false;
    }
    if (answers.managed == 0 && answers.type != CU_MEMORYTYPE_DEVICE) {
        memory->kind = answers.type == CU_MEMORYTYPE_HOST ? SYMM_MEMORY_PINNED : SYMM_MEMORY_HOST;
        return true;
    }
    memory->kind = answers.managed != 0 ? SYMM_MEMORY_MANAGED : SYMM_MEMORY_DEVICE;
    memory->device = answers.device >= 0 ? answers.device : some_device();
    memory->base = (uintptr_t)answers.base;
    memory->size = answers.size;
    memory->id = answers.id;
    memory->ipc = answers.ipc != 0;
    memory->handle_types = answers.handle_types;
    if (memory->kind == SYMM_MEMORY_DEVICE && !memory->ipc) {
        range_narrow(cuda, at, memory);
    }
    return true;
}

/* ---- what kernels can use -------------------------------------------------------------------- */

/*
 * Managed memory is left alone if the host may not touch it while any kernel runs: Windows, mainly.
 */
static bool is_usable_managed(const struct symm_cuda *cuda)
{
    CUdevice device;
    int concurrent = 0;
    return cuda->cuCtxGetDevice(&device) == CUDA_SUCCESS &&
           cuda->cuDeviceGetAttribute(&concurrent,
                                      CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                                      device) == CUDA_SUCCESS &&
           concurrent != 0;
}

/*
 * Within a scope: the device's primary context is current.  Memory of cuMemAlloc() belongs to a
 * context.  Memory of pools and of virtual memory management belongs to none, and devices have
 * access to it or not.  The driver may say that memory which has been allocated in a green context,
 * with a part of the device's multiprocessors, belongs to that context: then the memory is staged,
 * which is right and slow.  The manuals do not say that the primary context reaches it.
 */
static bool is_usable_here(const struct symm_cuda *cuda, const struct symm_memory *memory,
                           CUdeviceptr address)
{
    CUcontext owner = NULL, primary = NULL;
    unsigned access = 0;
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS};
    void *values[] = {&owner, &access};
    if (memory->kind == SYMM_MEMORY_MANAGED) {
        return is_usable_managed(cuda);
    }
    if (cuda->cuCtxGetCurrent(&primary) != CUDA_SUCCESS) {
        return false;
    }
    CUresult result = cuda->cuPointerGetAttributes(memory->ipc ? 1 : 2, names, values, address);
    if (result != CUDA_SUCCESS) {
        (void)symm_cuda_failed("cuPointerGetAttributes", result);
        return false;
    }
    return (owner == NULL || owner == primary) &&
           (memory->ipc || access == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
}

static bool is_usable_find_out(const struct symm_memory *memory, const void *address)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter(memory->device, &scope) != SYMM_OK) {
        return false;
    }
    bool usable = is_usable_here(scope.cuda, memory, (CUdeviceptr)(uintptr_t)address);
    symm_cuda_leave(&scope);
    return usable;
}

/*
 * Allocations of cuMemAlloc() that can certainly be used; ids are never used again.  About other
 * memory the driver is asked each time: access to virtual memory can be taken back while the memory
 * stays mapped, under the same id, and a kernel that then used it would end the context.  To ask
 * takes some 0.2 us.
 */
enum { KNOWN = 64 };
static struct {
    uint64_t id;
    uintptr_t base;
} known[KNOWN];
static pthread_mutex_t known_mutex = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(const struct symm_memory *memory)
{
    return (memory->id ^ memory->base >> 21) % KNOWN;
}

static bool is_known(const struct symm_memory *memory)
{
    size_t place = place_of(memory);
    (void)pthread_mutex_lock(&known_mutex);
    bool known_usable = memory->id != 0 && known[place].id == memory->id &&
                        known[place].base == memory->base;
    (void)pthread_mutex_unlock(&known_mutex);
    return known_usable;
}

static void know(const struct symm_memory *memory)
{
    size_t place = place_of(memory);
    (void)pthread_mutex_lock(&known_mutex);
    known[place].id = memory->id;
    known[place].base = memory->base;
    (void)pthread_mutex_unlock(&known_mutex);
}

bool symm_cuda_memory_is_usable(const struct symm_memory *memory, const void *address)
{
    if (!memory->ipc) {
        return is_usable_find_out(memory, address);
    }
    if (is_known(memory)) {
        return true;
    }
    bool usable = is_usable_find_out(memory, address);
    if (usable) {
        know(memory);
    }
    return usable;
}
