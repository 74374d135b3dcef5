/*
 * cuda_exports.c - see cuda_exports.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/directory.h"
#include "heap/gpu/cuda_context.h"
#include "heap/gpu/cuda_exports.h"
#include "heap/memfd.h"

enum { BUCKETS = 256 };

/* One allocation, at the place in the table that has its number. */
struct allocation {
    uint32_t serial; /* 0: the place is free */
    uint32_t next;   /* in its bucket: the place's number plus 1 */
    uint64_t base, size, id;
    int device;
    unsigned uses;
    enum { NOT_ASKED, HAS_HANDLE, REFUSED } state;
    enum symm_status refusal;
    struct symm_ipc_handle handle;
};

struct symm_exports {
    pthread_mutex_t mutex;
    struct symm_server *server;
    struct symm_directory *directory;
    int descriptor;
    uint32_t last_serial;
    uint32_t end;      /* no place from here on has been used yet */
    uint32_t reviewed; /* the next place to ask about */
    uint32_t last_lost; /* the last place that was taken from an allocation which is still there */
    uint32_t buckets[BUCKETS];
    struct allocation allocations[SYMM_SEGMENTS_MAX];
};

_Static_assert(SYMM_IPC_HANDLE_SIZE == CU_IPC_HANDLE_SIZE, "a CUipcMemHandle fits");

/* ---- life ---------------------------------------------------------------------------------- */

static struct symm_object_id table_id(void)
{
    return (struct symm_object_id){
        .what = SYMM_OBJECT_DIRECTORY, .heap = SYMM_HEAP_IPC, .key = "ipc"};
}

static enum symm_status table_create(struct symm_exports *exports)
{
    void *address;
    size_t size = sizeof(struct symm_directory);
    enum symm_status status = symm_memfd_create("symm-exports", size, &exports->descriptor);
    if (status == SYMM_OK) {
        status = symm_memfd_map(exports->descriptor, size, &address);
    }
    if (status != SYMM_OK) {
        return status;
    }
    exports->directory = address;
    struct symm_object_id id = table_id();
    struct symm_object object = {.descriptor = exports->descriptor, .size = size};
    return symm_server_export(exports->server, &id, &object);
}

enum symm_status symm_exports_create(struct symm_server *server, struct symm_exports **exports)
{
    struct symm_exports *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->mutex, NULL);
    created->server = server;
    created->descriptor = -1;
    enum symm_status status = table_create(created);
    if (status != SYMM_OK) {
        symm_exports_destroy(created);
        return status;
    }
    *exports = created;
    return SYMM_OK;
}

void symm_exports_destroy(struct symm_exports *exports)
{
    if (exports == NULL) {
        return;
    }
    struct symm_object_id id = table_id();
    symm_server_withdraw(exports->server, &id);
    if (exports->directory != NULL) {
        (void)munmap(exports->directory, sizeof(*exports->directory));
    }
    if (exports->descriptor >= 0) {
        (void)close(exports->descriptor);
    }
    (void)pthread_mutex_destroy(&exports->mutex);
    free(exports);
}

/* ---- the table ----------------------------------------------------------------------------- */

/* Allocations begin at multiples of 512 bytes, large ones of 2 MiB. */
static uint32_t *bucket_of(struct symm_exports *exports, uint64_t base)
{
    return &exports->buckets[(base >> 9 ^ base >> 21 ^ base >> 29) % BUCKETS];
}

static void retire(struct symm_exports *exports, struct allocation *allocation)
{
    uint32_t place = (uint32_t)(allocation - exports->allocations);
    uint32_t *link = bucket_of(exports, allocation->base);
    while (*link != place + 1) {
        link = &exports->allocations[*link - 1].next;
    }
    *link = allocation->next;
    if (allocation->state == HAS_HANDLE) { /* otherwise no peer has heard of it */
        struct symm_directory *directory = exports->directory;
        atomic_store_explicit(&directory->serial[place], 0, memory_order_release);
        atomic_fetch_add_explicit(&directory->retired, 1, memory_order_release);
    }
    *allocation = (struct allocation){.serial = 0};
}

/* Another allocation at the same base is one that has been freed. */
static struct allocation *find(struct symm_exports *exports, const struct symm_memory *memory)
{
    uint32_t place = *bucket_of(exports, memory->base);
    while (place != 0) {
        struct allocation *allocation = &exports->allocations[place - 1];
        if (allocation->base == memory->base) {
            if (allocation->id == memory->id && allocation->size == memory->size) {
                return allocation;
            }
            retire(exports, allocation);
            return NULL;
        }
        place = allocation->next;
    }
    return NULL;
}

/*
 * A free place, or the place of an allocation of which no peer has heard; -1: there is neither.
 * Allocations lose their places in turn, so that an allocation which comes back finds its
 * uses.
 */
static int place_find(struct symm_exports *exports)
{
    int lost = -1;
    if (exports->end < SYMM_SEGMENTS_MAX) {
        return (int)exports->end++;
    }
    for (uint32_t i = 0; i < SYMM_SEGMENTS_MAX; i++) {
        uint32_t place = (exports->last_lost + 1 + i) % SYMM_SEGMENTS_MAX;
        const struct allocation *allocation = &exports->allocations[place];
        if (allocation->serial == 0) {
            return (int)place;
        }
        if (allocation->state == NOT_ASKED && lost < 0) {
            lost = (int)place;
        }
    }
    if (lost >= 0) {
        exports->last_lost = (uint32_t)lost;
        retire(exports, &exports->allocations[lost]);
    }
    return lost;
}

/* Never 0, and without the top bit, which a team has a use for. */
static uint32_t serial_next(struct symm_exports *exports)
{
    exports->last_serial = exports->last_serial < INT32_MAX ? exports->last_serial + 1 : 1;
    return exports->last_serial;
}

static struct allocation *add(struct symm_exports *exports, const struct symm_memory *memory)
{
    int place = place_find(exports);
    if (place < 0) {
        return NULL;
    }
    struct allocation *allocation = &exports->allocations[place];
    uint32_t *bucket = bucket_of(exports, memory->base);
    *allocation = (struct allocation){
        .serial = serial_next(exports),
        .next = *bucket,
        .base = memory->base,
        .size = memory->size,
        .id = memory->id,
        .device = memory->device,
        .state = NOT_ASKED,
    };
    *bucket = (uint32_t)place + 1;
    return allocation;
}

static bool can_be_exported(const struct symm_memory *memory, const void *address, size_t size)
{
    uint64_t start = (uint64_t)(uintptr_t)address - memory->base;
    return memory->kind == SYMM_MEMORY_DEVICE && memory->ipc && memory->id != 0 &&
           memory->device >= 0 && start < memory->size && size <= memory->size - start;
}

enum symm_status symm_exports_locate(struct symm_exports *exports,
                                     const struct symm_memory *memory, const void *address,
                                     size_t size, bool again, struct symm_location *location,
                                     unsigned *uses)
{
    if (!can_be_exported(memory, address, size)) {
        return SYMM_ERR_FOREIGN;
    }
    (void)pthread_mutex_lock(&exports->mutex);
    struct allocation *allocation = find(exports, memory);
    if (allocation == NULL) {
        allocation = add(exports, memory);
    }
    if (allocation != NULL) {
        *location = (struct symm_location){
            .offset = (uint64_t)(uintptr_t)address - memory->base,
            .serial = allocation->serial,
            .index = (uint32_t)(allocation - exports->allocations),
            .heap = SYMM_HEAP_IPC,
        };
        allocation->uses += !again && allocation->uses < UINT32_MAX;
        *uses = allocation->uses;
    }
    (void)pthread_mutex_unlock(&exports->mutex);
    return allocation != NULL ? SYMM_OK : SYMM_ERR_NO_MEMORY;
}

/* ---- handles ------------------------------------------------------------------------------- */

/*
 * Within a scope.  Kernels run in the device's primary context, which need not reach what the
 * program has allocated in one of its own.
 */
static enum symm_status handle_get_here(const struct symm_cuda *cuda,
                                        const struct allocation *allocation,
                                        CUipcMemHandle *exported)
{
    CUcontext owner = NULL, primary = NULL;
    CUresult result = cuda->cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT,
                                                  (CUdeviceptr)allocation->base);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuPointerGetAttribute", result);
    }
    result = cuda->cuCtxGetCurrent(&primary);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuCtxGetCurrent", result);
    }
    if (owner != NULL && owner != primary) {
        (void)symm_cuda_unusable("the memory belongs to a context of the program's own");
        return SYMM_ERR_FOREIGN;
    }
    result = cuda->cuIpcGetMemHandle(exported, (CUdeviceptr)allocation->base);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuIpcGetMemHandle", result);
}

static enum symm_status handle_get(const struct allocation *allocation,
                                   struct symm_ipc_handle *handle)
{
    struct symm_cuda_scope scope;
    CUipcMemHandle exported;
    enum symm_status status = symm_cuda_enter(allocation->device, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    status = handle_get_here(scope.cuda, allocation, &exported);
    symm_cuda_leave(&scope);
    if (status == SYMM_OK) {
        handle->size = allocation->size;
        memcpy(handle->bytes, exported.reserved, sizeof(handle->bytes));
    }
    return status;
}

static enum symm_status handle_ask(struct symm_exports *exports, struct allocation *allocation)
{
    if (allocation->state == NOT_ASKED) {
        allocation->refusal = handle_get(allocation, &allocation->handle);
        allocation->state = allocation->refusal == SYMM_OK ? HAS_HANDLE : REFUSED;
        if (allocation->state == HAS_HANDLE) {
            atomic_store_explicit(
                &exports->directory->serial[allocation - exports->allocations],
                allocation->serial, memory_order_release);
        }
    }
    return allocation->refusal;
}

enum symm_status symm_exports_handle(struct symm_exports *exports,
                                     const struct symm_location *location,
                                     struct symm_ipc_handle *handle)
{
    enum symm_status status = SYMM_ERR_FOREIGN;
    (void)pthread_mutex_lock(&exports->mutex);
    struct allocation *allocation = &exports->allocations[location->index];
    if (location->serial != 0 && allocation->serial == location->serial) {
        status = handle_ask(exports, allocation);
        *handle = allocation->handle;
    }
    (void)pthread_mutex_unlock(&exports->mutex);
    return status;
}

/* ---- memory that has gone ------------------------------------------------------------------ */

/* An answer that is neither says nothing about this memory. */
static bool is_gone(const struct symm_cuda *cuda, const struct allocation *allocation)
{
    unsigned long long id = 0;
    CUresult result = cuda->cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                                  (CUdeviceptr)allocation->base);
    return result == CUDA_ERROR_INVALID_VALUE || (result == CUDA_SUCCESS && id != allocation->id);
}

static void review_locked(struct symm_exports *exports, const struct symm_cuda *cuda,
                          unsigned count)
{
    unsigned looks = exports->end; /* at places, free ones too */
    while (count > 0 && looks > 0) {
        struct allocation *allocation = &exports->allocations[exports->reviewed];
        exports->reviewed = (exports->reviewed + 1) % exports->end;
        looks--;
        if (allocation->serial != 0 && is_gone(cuda, allocation)) {
            retire(exports, allocation);
        } else if (allocation->serial != 0) {
            count--;
        }
    }
}

void symm_exports_review(struct symm_exports *exports, unsigned count)
{
    const struct symm_cuda *cuda;
    if (symm_cuda_get(&cuda) != SYMM_OK) {
        return;
    }
    (void)pthread_mutex_lock(&exports->mutex);
    review_locked(exports, cuda, count);
    (void)pthread_mutex_unlock(&exports->mutex);
}
