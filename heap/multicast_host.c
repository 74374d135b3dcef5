/*
 * multicast_host.c - multicast objects of host memory: software, with the life cycle of those of
 * devices.
 *
 * An object is a small shared file that tells which ranks take part and what each of them has
 * bound.  Kernels go through the replicas that it names.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/kind.h"
#include "heap/memfd.h"

enum { RANKS_MAX = 65536 };

/* What a rank has done, in the order in which it does so. */
enum { ABSENT, ADDED, BOUND };

struct member {
    _Atomic uint32_t state; /* written last, by its rank only, as all here */
    uint32_t heap, index, serial;
    uint64_t offset; /* of the segment in its owner's window */
};

struct shared {
    uint64_t size; /* of a segment; constant, and so is `ranks` */
    uint32_t ranks;
    _Atomic uint32_t added;
    struct member members[];
};

struct object {
    struct shared *shared;
    size_t shared_size;
    int descriptor; /* until it is exported; -1 */
};

static struct object *object_of(symm_handle handle)
{
    return (struct object *)(uintptr_t)handle;
}

static bool host_able(const struct symm_kind *kind)
{
    (void)kind;
    return true;
}

static size_t shared_size_of(uint32_t ranks)
{
    return sizeof(struct shared) + ranks * sizeof(struct member);
}

static void host_release(const struct symm_kind *kind, symm_handle handle)
{
    struct object *object = object_of(handle);
    (void)kind;
    if (object->shared != NULL) {
        (void)munmap(object->shared, object->shared_size);
    }
    if (object->descriptor >= 0) {
        (void)close(object->descriptor);
    }
    free(object);
}

static enum symm_status object_attach(const struct symm_kind *kind, int descriptor, size_t size,
                                      struct object **attached)
{
    void *address;
    struct object *object = calloc(1, sizeof(*object));
    if (object == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    object->descriptor = -1;
    enum symm_status status = symm_memfd_map(descriptor, size, &address);
    if (status != SYMM_OK) {
        host_release(kind, (uintptr_t)object);
        return status;
    }
    object->shared = address;
    object->shared_size = size;
    *attached = object;
    return SYMM_OK;
}

static enum symm_status host_create(const struct symm_kind *kind, int ranks, size_t size,
                                    symm_handle *handle)
{
    struct object *object;
    int descriptor;
    if (ranks < 2 || ranks > RANKS_MAX || size == 0 || size % kind->granularity != 0) {
        return SYMM_ERR_ARGUMENT;
    }
    size_t shared_size = shared_size_of((uint32_t)ranks);
    enum symm_status status = symm_memfd_create("symm-multicast", shared_size, &descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    status = object_attach(kind, descriptor, shared_size, &object);
    if (status != SYMM_OK) {
        (void)close(descriptor);
        return status;
    }
    object->descriptor = descriptor;
    object->shared->ranks = (uint32_t)ranks;
    object->shared->size = size;
    *handle = (uintptr_t)object;
    return SYMM_OK;
}

/* It is handed over: processes have better use for their descriptors. */
static enum symm_status host_export(const struct symm_kind *kind, symm_handle handle,
                                    int *descriptor)
{
    struct object *object = object_of(handle);
    (void)kind;
    if (object->descriptor < 0) {
        return SYMM_ERR_ARGUMENT;
    }
    *descriptor = object->descriptor;
    object->descriptor = -1;
    return SYMM_OK;
}

/* The number of ranks is known when the beginning has been read. */
static enum symm_status shared_size_read(int descriptor, size_t *size)
{
    void *address;
    enum symm_status status = symm_memfd_check(descriptor, sizeof(struct shared));
    if (status == SYMM_OK) {
        status = symm_memfd_map(descriptor, sizeof(struct shared), &address);
    }
    if (status != SYMM_OK) {
        return status;
    }
    uint32_t ranks = ((const struct shared *)address)->ranks;
    (void)munmap(address, sizeof(struct shared));
    *size = shared_size_of(ranks);
    return ranks <= RANKS_MAX ? symm_memfd_check(descriptor, *size) : SYMM_ERR_PROTOCOL;
}

static enum symm_status host_import(const struct symm_kind *kind, int descriptor,
                                    symm_handle *handle)
{
    struct object *object;
    size_t size;
    enum symm_status status = shared_size_read(descriptor, &size);
    if (status == SYMM_OK) {
        status = object_attach(kind, descriptor, size, &object);
    }
    if (status == SYMM_OK) {
        *handle = (uintptr_t)object;
    }
    return status;
}

static struct member *member_of(symm_handle handle, int rank)
{
    struct shared *shared = object_of(handle)->shared;
    return rank >= 0 && (uint32_t)rank < shared->ranks ? &shared->members[rank] : NULL;
}

static uint32_t state_of(struct member *member)
{
    return member != NULL ? atomic_load_explicit(&member->state, memory_order_acquire)
                          : UINT32_MAX;
}

static enum symm_status host_add(const struct symm_kind *kind, symm_handle handle, int rank)
{
    struct member *member = member_of(handle, rank);
    (void)kind;
    if (state_of(member) != ABSENT) {
        return SYMM_ERR_ARGUMENT;
    }
    atomic_store_explicit(&member->state, ADDED, memory_order_release);
    atomic_fetch_add_explicit(&object_of(handle)->shared->added, 1, memory_order_acq_rel);
    return SYMM_OK;
}

/* A driver would wait for ranks that have not been added yet: so that is a mistake here. */
static enum symm_status host_bind(const struct symm_kind *kind, symm_handle handle, int rank,
                                  const struct symm_replica *replica)
{
    const struct shared *shared = object_of(handle)->shared;
    struct member *member = member_of(handle, rank);
    (void)kind;
    if (state_of(member) != ADDED || replica->size != shared->size ||
        atomic_load_explicit(&shared->added, memory_order_acquire) != shared->ranks) {
        return SYMM_ERR_ARGUMENT;
    }
    member->heap = replica->location.heap;
    member->index = replica->location.index;
    member->serial = replica->location.serial;
    member->offset = replica->location.offset;
    atomic_store_explicit(&member->state, BOUND, memory_order_release);
    return SYMM_OK;
}

static void host_unbind(const struct symm_kind *kind, symm_handle handle, int rank,
                        const struct symm_replica *replica)
{
    struct member *member = member_of(handle, rank);
    (void)kind;
    if (state_of(member) == BOUND && member->serial == replica->location.serial) {
        atomic_store_explicit(&member->state, ADDED, memory_order_release);
    }
}

static enum symm_status host_bound(const struct symm_kind *kind, symm_handle handle, int rank,
                                   struct symm_location *location)
{
    struct member *member = member_of(handle, rank);
    (void)kind;
    if (state_of(member) != BOUND) {
        return SYMM_ERR_NOT_FOUND;
    }
    *location = (struct symm_location){.offset = member->offset, .serial = member->serial,
                                       .index = member->index, .heap = member->heap};
    return SYMM_OK;
}

const struct symm_multicast_kind symm_multicast_host = {
    .able = host_able,
    .create = host_create,
    .export_object = host_export,
    .import_object = host_import,
    .add = host_add,
    .bind = host_bind,
    .unbind = host_unbind,
    .bound = host_bound,
    .release = host_release,
};
