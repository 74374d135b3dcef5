/*
 * hostmem.c - pinned host memory: allocated here or registered.  Its address on devices is its own.
 * Managed memory is pinned host memory, too, only that it says of itself that it is something else.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct range {
    struct range *next;
    uint64_t address;
    size_t size;
    bool allocated; /* by us, not registered */
    bool managed;
    CUcontext owner; /* with which it ends */
};

static struct range *ranges;

static struct range *range_at(uint64_t address)
{
    struct range *range = ranges;
    while (range != NULL && address - range->address >= range->size) {
        range = range->next;
    }
    return range;
}

bool standin_address_is_pinned(uint64_t address, size_t size)
{
    const struct range *range = range_at(address);
    return range != NULL && size <= range->size - (address - range->address);
}

bool standin_address_is_managed(uint64_t address)
{
    const struct range *range = range_at(address);
    return range != NULL && range->managed;
}

size_t standin_pinned_count(void)
{
    size_t count = 0;
    for (const struct range *range = ranges; range; range = range->next) {
        count++;
    }
    return count;
}

static bool overlaps(uint64_t address, size_t size)
{
    for (const struct range *range = ranges; range; range = range->next) {
        if (address < range->address + range->size && range->address < address + size) {
            return true;
        }
    }
    return false;
}

static CUresult add(uint64_t address, size_t size, bool allocated)
{
    struct range *range = malloc(sizeof *range);
    if (range == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *range = (struct range){.next = ranges, .address = address, .size = size,
                            .allocated = allocated, .owner = standin_context_current()};
    ranges = range;
    return CUDA_SUCCESS;
}

/* Forget the range that begins at `address`; its size, or 0 if there is none of this sort. */
static size_t forget(uint64_t address, bool allocated)
{
    struct range **link = &ranges;
    while (*link != NULL && ((*link)->address != address || (*link)->allocated != allocated)) {
        link = &(*link)->next;
    }
    struct range *range = *link;
    size_t size = 0;
    if (range != NULL) {
        size = range->size;
        *link = range->next;
        free(range);
    }
    return size;
}

static CUresult allocate(void **memory, size_t size, unsigned flags)
{
    const unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP |
                           CU_MEMHOSTALLOC_WRITECOMBINED;
    if (memory == NULL || size == 0 || (flags & ~known) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    void *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = add((uintptr_t)made, size, true);
    if (result != CUDA_SUCCESS) {
        (void)munmap(made, size);
        return result;
    }
    memset(made, 0xa5, size < 4096 ? size : 4096); /* new memory is not zero */
    *memory = made;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t size, unsigned flags)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(allocate(memory, size, flags));
    }
    return result;
}

CUresult cuMemAllocHost(void **memory, size_t size)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(allocate(memory, size, 0));
    }
    return result;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags)
{
    CUcontext context;
    void *memory;
    if (address == NULL || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = allocate(&memory, size, 0);
        if (result == CUDA_SUCCESS) {
            range_at((uintptr_t)memory)->managed = true;
            *address = (uintptr_t)memory;
        }
        (void)standin_end(result);
    }
    return result;
}

bool standin_managed_free(uint64_t address)
{
    if (!standin_address_is_managed(address)) {
        return false;
    }
    size_t size = forget(address, true);
    return size > 0 && munmap((void *)(uintptr_t)address, size) == 0;
}

/* Memory that was allocated is unmapped; what was registered stays what it was before. */
void standin_pinned_destroy(CUcontext context)
{
    struct range **link = &ranges;
    while (*link != NULL) {
        struct range *range = *link;
        if (range->owner != context) {
            link = &range->next;
            continue;
        }
        *link = range->next;
        if (range->allocated) {
            (void)munmap((void *)(uintptr_t)range->address, range->size);
        }
        free(range);
    }
}

CUresult cuMemFreeHost(void *memory)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        standin_streams_drain(NULL);
        size_t size = forget((uintptr_t)memory, true);
        if (size == 0) {
            result = CUDA_ERROR_INVALID_VALUE;
        } else {
            (void)munmap(memory, size);
        }
        (void)standin_end(result);
    }
    return result;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *memory, unsigned flags)
{
    CUcontext context;
    CUresult result = address == NULL ? CUDA_ERROR_INVALID_VALUE
                                      : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = flags == 0 && range_at((uintptr_t)memory) != NULL ? CUDA_SUCCESS
                                                                   : CUDA_ERROR_INVALID_VALUE;
        if (result == CUDA_SUCCESS) {
            *address = (uintptr_t)memory;
        }
        (void)standin_end(result);
    }
    return result;
}

bool standin_address_is_mapped(uint64_t address, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char in_core;
    for (uint64_t at = address / page * page; at < address + size; at += page) {
        if (mincore((void *)(uintptr_t)at, page, &in_core) != 0) {
            return false;
        }
    }
    return true;
}

static CUresult enter_range(void *memory, size_t size, unsigned flags)
{
    const unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                           CU_MEMHOSTREGISTER_READ_ONLY;
    uint64_t address = (uintptr_t)memory;
    if (memory == NULL || size == 0 || (flags & ~known) != 0 || address + size < address ||
        standin_reservation_at(address) != NULL) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (overlaps(address, size)) {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    return standin_address_is_mapped(address, size) ? add(address, size, false)
                                                    : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostRegister(void *memory, size_t size, unsigned flags)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(enter_range(memory, size, flags));
    }
    return result;
}

CUresult cuMemHostUnregister(void *memory)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        standin_streams_drain(NULL);
        result = standin_end(forget((uintptr_t)memory, false) > 0
                                 ? CUDA_SUCCESS
                                 : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    }
    return result;
}
