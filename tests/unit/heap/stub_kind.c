/*
 * stub_kind.c - see stub_kind.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/heap/stub_kind.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/gpu/cuda_device.h"
#include "heap/memfd.h"

enum { ALLOCATIONS = 64, MAPPINGS = 64, NEW_MEMORY = 0xa5 };

struct allocation {
    int descriptor; /* 0: there is none */
    size_t size;
    bool owned;
};

/* What a device has mapped; the processor has it somewhere else. */
struct mapping {
    const char *address; /* NULL: there is none */
    char *view;
    size_t size;
    bool owned;
    int device;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the server's thread unmaps, too */
static struct allocation allocations[ALLOCATIONS];
static struct mapping mappings[MAPPINGS];
static unsigned refuse_in[STUB_CALLS]; /* the n-th from now; 0: none */
static int reservations;
static const char *misuse;

/* ---- under the mutex ------------------------------------------------------------------------- */

static void expect(bool condition, const char *otherwise)
{
    if (!condition && misuse == NULL) {
        misuse = otherwise;
    }
}

static bool is_refused(enum stub_call call)
{
    return refuse_in[call] > 0 && --refuse_in[call] == 0;
}

/* Handles count down from -1: whoever takes one for a descriptor has none. */
static symm_handle handle_of(const struct allocation *allocation)
{
    return ~(symm_handle)(allocation - allocations);
}

static struct allocation *allocation_of(symm_handle handle)
{
    struct allocation *found = ~handle < ALLOCATIONS ? &allocations[~handle] : NULL;
    expect(found != NULL && found->descriptor != 0, "a handle that is none");
    return found != NULL && found->descriptor != 0 ? found : NULL;
}

static enum symm_status allocation_add(int descriptor, size_t size, bool owned,
                                       symm_handle *handle)
{
    for (struct allocation *place = allocations; place < allocations + ALLOCATIONS; place++) {
        if (place->descriptor == 0) {
            *place = (struct allocation){.descriptor = descriptor, .size = size, .owned = owned};
            *handle = handle_of(place);
            return SYMM_OK;
        }
    }
    (void)close(descriptor);
    return SYMM_ERR_NO_MEMORY;
}

static enum symm_status duplicate(int descriptor, int *copy)
{
    *copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    return *copy < 0 ? SYMM_ERR_NO_MEMORY : SYMM_OK;
}

/* The first mapping that has a byte of these. */
static struct mapping *mapping_at(const void *address, size_t size)
{
    const char *begin = address;
    for (struct mapping *found = mappings; found < mappings + MAPPINGS; found++) {
        if (found->address != NULL && found->address < begin + size &&
            begin < found->address + found->size) {
            return found;
        }
    }
    return NULL;
}

static void *view_of(const void *address, size_t size)
{
    const struct mapping *found = mapping_at(address, size);
    size_t offset = found != NULL ? (size_t)((const char *)address - found->address) : 0;
    bool holds_all = found != NULL && offset <= found->size && size <= found->size - offset;
    return holds_all ? found->view + offset : NULL;
}

static enum symm_status mapping_add(const struct allocation *allocation, const void *address,
                                    bool owned, int device)
{
    void *view = mmap(NULL, allocation->size, PROT_READ | PROT_WRITE, MAP_SHARED,
                      allocation->descriptor, 0);
    for (struct mapping *place = mappings; place < mappings + MAPPINGS; place++) {
        if (view != MAP_FAILED && place->address == NULL) {
            *place = (struct mapping){.address = address, .view = view, .size = allocation->size,
                                      .owned = owned, .device = device};
            return SYMM_OK;
        }
    }
    return SYMM_ERR_NO_MEMORY;
}

/* ---- the table ------------------------------------------------------------------------------- */

static enum symm_status reserve(size_t size, void **base)
{
    char *address = mmap(NULL, size + STUB_GRANULARITY, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) {
        return SYMM_ERR_NO_MEMORY;
    }
    size_t skip = STUB_GRANULARITY - (uintptr_t)address % STUB_GRANULARITY;
    (void)munmap(address, skip);
    if (skip < STUB_GRANULARITY) {
        (void)munmap(address + skip + size, STUB_GRANULARITY - skip);
    }
    *base = address + skip;
    reservations++;
    return SYMM_OK;
}

static enum symm_status stub_reserve(const struct symm_kind *kind, size_t size, void **base)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    expect(size % STUB_GRANULARITY == 0, "a reservation of an odd size");
    enum symm_status status =
        is_refused(STUB_RESERVE) ? SYMM_ERR_NO_MEMORY : reserve(size, base);
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static void stub_unreserve(const struct symm_kind *kind, void *base, size_t size)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    if (mapping_at(base, size) == NULL) { /* the driver refuses otherwise */
        (void)munmap(base, size);
        reservations--;
    }
    (void)pthread_mutex_unlock(&mutex);
}

static enum symm_status create(size_t size, symm_handle *handle)
{
    int descriptor;
    enum symm_status status = symm_memfd_create("symm-stub", size, &descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        (void)close(descriptor);
        return SYMM_ERR_NO_MEMORY;
    }
    memset(memory, NEW_MEMORY, size);
    (void)munmap(memory, size);
    return allocation_add(descriptor, size, true, handle);
}

static enum symm_status stub_create(const struct symm_kind *kind, size_t size, symm_handle *handle)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    expect(size > 0 && size % STUB_GRANULARITY == 0, "memory of an odd size");
    enum symm_status status =
        is_refused(STUB_CREATE) ? SYMM_ERR_NO_MEMORY : create(size, handle);
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status stub_export(const struct symm_kind *kind, symm_handle handle,
                                    int *descriptor)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    const struct allocation *allocation = allocation_of(handle);
    enum symm_status status = is_refused(STUB_EXPORT) ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
    if (status != SYMM_ERR_NO_MEMORY && allocation != NULL) {
        expect(allocation->owned, "an export of a peer's memory");
        status = duplicate(allocation->descriptor, descriptor);
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status stub_import(const struct symm_kind *kind, int descriptor, size_t size,
                                    symm_handle *handle)
{
    int copy;
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    enum symm_status status = is_refused(STUB_IMPORT) ? SYMM_ERR_NO_MEMORY
                                                      : symm_memfd_check(descriptor, size);
    if (status == SYMM_OK) {
        status = duplicate(descriptor, &copy);
    }
    if (status == SYMM_OK) {
        status = allocation_add(copy, size, false, handle);
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status stub_map(const struct symm_kind *kind, void *address, size_t size,
                                 symm_handle handle, int owned)
{
    (void)pthread_mutex_lock(&mutex);
    const struct allocation *allocation = allocation_of(handle);
    enum symm_status status = is_refused(STUB_MAP) ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
    if (status != SYMM_ERR_NO_MEMORY && allocation != NULL) {
        expect(size == allocation->size, "a part is mapped");
        expect((owned != 0) == allocation->owned, "owned memory and a peer's are mixed up");
        expect((uintptr_t)address % STUB_GRANULARITY == 0, "memory is mapped at an odd address");
        expect(mapping_at(address, size) == NULL, "memory is mapped over other memory");
        status = mapping_add(allocation, address, owned != 0, kind->device);
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status stub_clear(const struct symm_kind *kind, void *address, size_t size)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    void *view = view_of(address, size);
    enum symm_status status = is_refused(STUB_CLEAR) ? SYMM_ERR_NO_MEMORY : SYMM_OK;
    expect(view != NULL, "memory is cleared where none is");
    if (status == SYMM_OK && view != NULL) {
        memset(view, 0, size);
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

static enum symm_status stub_unmap(const struct symm_kind *kind, void *address, size_t size)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    struct mapping *found = mapping_at(address, size);
    bool is_whole = found != NULL && found->address == address && found->size == size;
    enum symm_status status = is_refused(STUB_UNMAP) ? SYMM_ERR_NO_MEMORY : SYMM_OK;
    if (status == SYMM_OK && is_whole) { /* what has not been mapped can be unmapped as well */
        (void)munmap(found->view, size);
        *found = (struct mapping){.address = NULL};
    }
    expect(is_whole || found == NULL, "a part of a mapping is unmapped");
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

/* What is mapped stays, as a driver has it. */
static void stub_release(const struct symm_kind *kind, symm_handle handle, size_t size, int owned)
{
    (void)kind;
    (void)pthread_mutex_lock(&mutex);
    struct allocation *allocation = allocation_of(handle);
    if (allocation != NULL) {
        expect(size == allocation->size, "a handle of another size is released");
        expect(owned == 0 || allocation->owned, "a peer's handle is released as owned");
        (void)close(allocation->descriptor);
        *allocation = (struct allocation){.descriptor = 0};
    }
    (void)pthread_mutex_unlock(&mutex);
}

static void stub_describe(const struct symm_kind *kind, char *text, size_t size)
{
    (void)snprintf(text, size, "device %d (a stub, STUB-%d)", kind->device, kind->device);
}

#define STUB_KIND(number)                                                                          \
    {                                                                                              \
        .name = "stub", .device = (number), .granularity = STUB_GRANULARITY,                       \
        .reserve = stub_reserve, .unreserve = stub_unreserve, .create = stub_create,               \
        .export_handle = stub_export, .import_handle = stub_import, .map = stub_map,               \
        .clear = stub_clear, .unmap = stub_unmap, .release = stub_release,                         \
        .describe = stub_describe,                                                                 \
    }

static const struct symm_kind kinds[STUB_DEVICES] = {STUB_KIND(0), STUB_KIND(1)};

/* ---- what heap asks besides ------------------------------------------------------------------ */

enum symm_status symm_kind_of_device(int device, const struct symm_kind **kind)
{
    if (device < 0 || device >= STUB_DEVICES) {
        return SYMM_ERR_ARGUMENT;
    }
    *kind = &kinds[device];
    return SYMM_OK;
}

enum symm_status symm_cuda_device_current(int *device)
{
    *device = 0;
    return SYMM_OK;
}

uint64_t symm_cuda_device_identity(int device)
{
    return 1 + (uint64_t)device;
}

void symm_cuda_forget_failure(void)
{
}

/* ---- for tests ------------------------------------------------------------------------------- */

void stub_refuse(enum stub_call call, unsigned n)
{
    (void)pthread_mutex_lock(&mutex);
    refuse_in[call] = n;
    (void)pthread_mutex_unlock(&mutex);
}

struct stub_counts stub_counts(void)
{
    (void)pthread_mutex_lock(&mutex);
    struct stub_counts counts = {.reservations = reservations, .misuse = misuse};
    for (size_t i = 0; i < ALLOCATIONS; i++) {
        counts.handles += allocations[i].descriptor != 0;
    }
    for (size_t i = 0; i < MAPPINGS; i++) {
        counts.owned += mappings[i].address != NULL && mappings[i].owned;
        counts.peers += mappings[i].address != NULL && !mappings[i].owned;
    }
    for (size_t i = 0; i < STUB_CALLS; i++) {
        counts.is_refusing = counts.is_refusing || refuse_in[i] != 0;
    }
    (void)pthread_mutex_unlock(&mutex);
    return counts;
}

void *stub_memory(const void *address, size_t size)
{
    (void)pthread_mutex_lock(&mutex);
    void *view = view_of(address, size);
    (void)pthread_mutex_unlock(&mutex);
    return view;
}

int stub_device(const void *address)
{
    (void)pthread_mutex_lock(&mutex);
    const struct mapping *found = mapping_at(address, 1);
    int device = found != NULL ? found->device : -1;
    (void)pthread_mutex_unlock(&mutex);
    return device;
}
