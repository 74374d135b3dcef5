/*
 * memory.c - reservations, allocations and mappings: what VMM functions and cuMemAlloc() are made
 * of.
 *
 * The addresses of a reservation are never accessible.  Granting a device access maps the memory
 * into that device's view of the reservation, which is as large and has the same alignment.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

struct standin_reservation *standin_reservations;
struct standin_allocation *standin_allocations;
struct standin_mapping *standin_mappings;
static struct standin_allocation *held_elsewhere; /* gone here, and still charged */

static const int NOTHING = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT */
}

/* ---- address space --------------------------------------------------------------------------- */

/*
 * Words of a kernel's arguments are addresses if they look like some (standin_address_translate()).
 * So no address is a number as two small ones make it.  Valgrind has such addresses to give.
 */
static unsigned char *anywhere(size_t size)
{
    const uintptr_t least = UINT64_C(1) << 40;
    uintptr_t at = 10 * least;
    unsigned char *base = mmap(NULL, size, PROT_NONE, NOTHING, -1, 0);
    while (base != MAP_FAILED && (uintptr_t)base < least) { /* what is given back comes again */
        (void)munmap(base, size);
        base = mmap(pointer(at), size, PROT_NONE, NOTHING, -1, 0);
        at += size;
    }
    return base;
}

/* Addresses without any right, at a multiple of `alignment`; NULL: none left. */
static unsigned char *reserve(size_t size, size_t alignment)
{
    unsigned char *base = anywhere(size + alignment);
    if (base == MAP_FAILED) {
        return NULL;
    }
    size_t skip = (alignment - (uintptr_t)base % alignment) % alignment;
    if (skip > 0) {
        (void)munmap(base, skip);
    }
    if (alignment > skip) {
        (void)munmap(base + skip + size, alignment - skip);
    }
    return base + skip;
}

CUresult standin_memory_reserve(size_t size, size_t alignment, uint64_t *base)
{
    struct standin_reservation *reservation = calloc(1, sizeof *reservation);
    unsigned char *memory = reservation == NULL ? NULL : reserve(size, alignment);
    if (memory == NULL) {
        free(reservation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    reservation->base = (uintptr_t)memory;
    reservation->size = size;
    reservation->next = standin_reservations;
    standin_reservations = reservation;
    *base = reservation->base;
    return CUDA_SUCCESS;
}

struct standin_reservation *standin_reservation_at(uint64_t address)
{
    struct standin_reservation *reservation = standin_reservations;
    while (reservation != NULL && address - reservation->base >= reservation->size) {
        reservation = reservation->next;
    }
    return reservation;
}

struct standin_mapping *standin_mapping_at(uint64_t address)
{
    struct standin_mapping *mapping = standin_mappings;
    while (mapping != NULL && address - mapping->address >= mapping->size) {
        mapping = mapping->next;
    }
    return mapping;
}

static bool has_mappings(const struct standin_reservation *reservation)
{
    for (const struct standin_mapping *mapping = standin_mappings; mapping;
         mapping = mapping->next) {
        if (mapping->reservation == reservation) {
            return true;
        }
    }
    return false;
}

CUresult standin_memory_free(uint64_t base, size_t size)
{
    struct standin_reservation **link = &standin_reservations;
    while (*link != NULL && ((*link)->base != base || (*link)->size != size)) {
        link = &(*link)->next;
    }
    struct standin_reservation *reservation = *link;
    if (reservation == NULL || has_mappings(reservation)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (int device = 0; device < STANDIN_DEVICES_MAX; device++) {
        if (reservation->views[device] != NULL) {
            (void)munmap(reservation->views[device], size);
        }
    }
    (void)munmap(pointer(base), size);
    *link = reservation->next;
    free(reservation);
    return CUDA_SUCCESS;
}

/* ---- allocations ----------------------------------------------------------------------------- */

CUresult standin_memory_create(size_t size, int device, bool exportable,
                               struct standin_allocation **created)
{
    static unsigned long long ids;
    struct standin_allocation *allocation = calloc(1, sizeof *allocation);
    if (allocation == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = standin_device_charge(device, size);
    if (result == CUDA_SUCCESS) {
        result = standin_memfile_create(size, &standin_devices[device].uuid,
                                        &allocation->serial, &allocation->descriptor);
        if (result != CUDA_SUCCESS) {
            standin_device_refund(device, size);
        }
    }
    if (result != CUDA_SUCCESS) {
        free(allocation);
        return result;
    }
    allocation->size = size;
    allocation->device = device;
    allocation->physical = standin_devices[device].physical;
    allocation->exportable = exportable;
    allocation->id = ++ids;
    allocation->references = 1;
    allocation->next = standin_allocations;
    standin_allocations = allocation;
    *created = allocation;
    return CUDA_SUCCESS;
}

/* A descriptor of the same file whose locks are its own. */
static int reopen(int descriptor)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDWR | O_CLOEXEC);
}

CUresult standin_memory_import(int descriptor, struct standin_allocation **imported)
{
    static unsigned long long ids = 1ULL << 32;
    struct standin_label label;
    CUresult result = standin_memfile_read(descriptor, &label);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    struct standin_allocation *allocation = calloc(1, sizeof *allocation);
    int copy = allocation == NULL ? -1 : reopen(descriptor);
    if (copy < 0) {
        free(allocation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    allocation->descriptor = copy;
    allocation->size = label.size;
    allocation->device = standin_device_of_uuid(&label.uuid);
    allocation->physical = standin_physical_of_uuid(&label.uuid);
    allocation->imported = true;
    allocation->serial = label.serial;
    allocation->id = ++ids;
    allocation->references = 1;
    allocation->next = standin_allocations;
    standin_allocations = allocation;
    *imported = allocation;
    return CUDA_SUCCESS;
}

/*
 * Memory that another process has imported stays until that has let go of it, which a lock on the
 * file shows that ends with the importer, however that ends.
 */
CUresult standin_memory_hold(const struct standin_allocation *allocation)
{
    return flock(allocation->descriptor, LOCK_SH | LOCK_NB) == 0 ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

static bool is_held(const struct standin_allocation *allocation)
{
    bool held = flock(allocation->descriptor, LOCK_EX | LOCK_NB) != 0;
    if (!held) {
        (void)flock(allocation->descriptor, LOCK_UN);
    }
    return held;
}

static void memory_end(struct standin_allocation *allocation)
{
    if (!allocation->imported && allocation->multicast == NULL) {
        standin_device_refund(allocation->device, allocation->size);
    }
    (void)close(allocation->descriptor);
    free(allocation);
}

void standin_memory_sweep(void)
{
    struct standin_allocation **link = &held_elsewhere;
    while (*link != NULL) {
        struct standin_allocation *allocation = *link;
        if (is_held(allocation)) {
            link = &allocation->next;
        } else {
            *link = allocation->next;
            memory_end(allocation);
        }
    }
}

/* Memory goes when neither handle nor mapping is left, in any process. */
void standin_memory_drop(struct standin_allocation *allocation)
{
    if (allocation->references > 0 || allocation->mappings > 0) {
        return;
    }
    struct standin_allocation **link = &standin_allocations;
    while (*link != allocation) {
        link = &(*link)->next;
    }
    *link = allocation->next;
    standin_multicast_drop(allocation);
    if (!allocation->imported && allocation->multicast == NULL && allocation->exportable &&
        is_held(allocation)) {
        allocation->next = held_elsewhere;
        held_elsewhere = allocation;
        return;
    }
    memory_end(allocation);
}

/* ---- mappings -------------------------------------------------------------------------------- */

CUresult standin_memory_map(uint64_t address, size_t size, struct standin_allocation *allocation)
{
    struct standin_reservation *reservation = standin_reservation_at(address);
    if (reservation == NULL || size > reservation->size - (address - reservation->base)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (const struct standin_mapping *other = standin_mappings; other; other = other->next) {
        if (address < other->address + other->size && other->address < address + size) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    struct standin_mapping *mapping = calloc(1, sizeof *mapping);
    if (mapping == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mapping->address = address;
    mapping->size = size;
    mapping->allocation = allocation;
    mapping->reservation = reservation;
    mapping->next = standin_mappings;
    standin_mappings = mapping;
    allocation->mappings++;
    return CUDA_SUCCESS;
}

/* Whether the range is made of whole mappings without gaps. */
static bool is_whole(uint64_t address, size_t size)
{
    uint64_t end = address + size;
    while (address < end) {
        const struct standin_mapping *mapping = standin_mapping_at(address);
        if (mapping == NULL || mapping->address != address || mapping->size > end - address) {
            return false;
        }
        address += mapping->size;
    }
    return size > 0;
}

static bool set_rights(const struct standin_mapping *mapping, int device, unsigned access)
{
    const struct standin_reservation *reservation = mapping->reservation;
    unsigned char *at = reservation->views[device] + (mapping->address - reservation->base);
    void *mapped;
    if (access == 0 || mapping->allocation->multicast != NULL) {
        mapped = mmap(at, mapping->size, PROT_NONE, NOTHING | MAP_FIXED, -1, 0);
    } else {
        mapped = mmap(at, mapping->size,
                      access == CU_MEM_ACCESS_FLAGS_PROT_READ ? PROT_READ : PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_FIXED, mapping->allocation->descriptor, 0);
    }
    if (mapped != MAP_FAILED) {
        (void)madvise(at, mapping->size, MADV_DONTFORK);
    }
    return mapped != MAP_FAILED;
}

CUresult standin_memory_grant(uint64_t address, size_t size, int device, unsigned access)
{
    if (!is_whole(address, size)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (uint64_t at = address; at < address + size;) {
        struct standin_mapping *mapping = standin_mapping_at(at);
        unsigned char **view = &mapping->reservation->views[device];
        if (*view == NULL && access != 0) {
            *view = reserve(mapping->reservation->size, STANDIN_GRANULARITY);
        }
        if (*view == NULL ? access != 0 : !set_rights(mapping, device, access)) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        mapping->access[device] = (unsigned char)access;
        at += mapping->size;
    }
    return CUDA_SUCCESS;
}

static void unmap(struct standin_mapping *mapping)
{
    struct standin_mapping **link = &standin_mappings;
    while (*link != mapping) {
        link = &(*link)->next;
    }
    *link = mapping->next;
    for (int device = 0; device < STANDIN_DEVICES_MAX; device++) {
        if (mapping->access[device] != 0) {
            (void)set_rights(mapping, device, 0);
        }
    }
    mapping->allocation->mappings--;
    standin_memory_drop(mapping->allocation);
    free(mapping);
}

CUresult standin_memory_unmap(uint64_t address, size_t size)
{
    if (!is_whole(address, size)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (uint64_t at = address; at < address + size;) {
        struct standin_mapping *mapping = standin_mapping_at(at);
        at += mapping->size;
        unmap(mapping);
    }
    return CUDA_SUCCESS;
}

/* Of cuMemAlloc() and cuIpcOpenMemHandle(); virtual memory management's belongs to no context. */
void standin_memory_destroy(CUcontext context)
{
    struct standin_reservation *next;
    for (struct standin_reservation *reservation = standin_reservations; reservation != NULL;
         reservation = next) {
        next = reservation->next;
        if (reservation->owner == context || reservation->opener == context) {
            (void)standin_reservation_free(reservation);
        }
    }
}

CUresult standin_reservation_free(const struct standin_reservation *reservation)
{
    uint64_t base = reservation->base;
    size_t size = reservation->size;
    (void)standin_memory_unmap(base, size);
    return standin_memory_free(base, size);
}
