/*
 * multicast_objects.c - multicast objects as small files in memory, shared by the processes that
 * have them.
 *
 * Such a file tells which devices have been added and what each of them has bound: the serial
 * number of the memory, and where in it.  Behind an object there is no memory: an address at which
 * it is mapped is never accessible, and kernels compiled for the host go to the replicas
 * (multicast_launch.c sees to it that they are the right ones).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/multicast.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_SIZE = 4096 };

_Static_assert(sizeof(struct standin_multicast) <= FILE_SIZE, "an object fits in its file");

static const char magic[16] = "symm multicast 1";

struct standin_bound *standin_bounds;
size_t standin_orphans;

/* ---- files ----------------------------------------------------------------------------------- */

static CUresult attach(int descriptor, size_t size, struct standin_allocation **attached)
{
    static unsigned long long ids = 1ULL << 48;
    struct standin_allocation *allocation = calloc(1, sizeof *allocation);
    void *memory = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (allocation == NULL || memory == MAP_FAILED) {
        free(allocation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    allocation->descriptor = descriptor;
    allocation->multicast = memory;
    allocation->size = size;
    allocation->device = -1;
    allocation->physical = -1;
    allocation->id = ++ids;
    allocation->references = 1;
    allocation->next = standin_allocations;
    standin_allocations = allocation;
    *attached = allocation;
    return CUDA_SUCCESS;
}

CUresult standin_multicast_make(const CUmulticastObjectProp *properties,
                                struct standin_allocation **made)
{
    int descriptor = memfd_create("symm-standin-multicast", MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, FILE_SIZE) != 0) {
        (void)(descriptor < 0 ? 0 : close(descriptor));
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = attach(descriptor, properties->size, made);
    if (result != CUDA_SUCCESS) {
        (void)close(descriptor);
        return result;
    }
    struct standin_multicast *shared = (*made)->multicast;
    memcpy(shared->magic, magic, sizeof shared->magic);
    shared->size = properties->size;
    shared->wanted = properties->numDevices;
    (*made)->exportable = properties->handleTypes != 0;
    return CUDA_SUCCESS;
}

bool standin_multicast_is(int descriptor)
{
    struct stat status;
    char found[sizeof magic];
    return fstat(descriptor, &status) == 0 && status.st_size == FILE_SIZE &&
           pread(descriptor, found, sizeof found, 0) == (ssize_t)sizeof found &&
           memcmp(found, magic, sizeof found) == 0;
}

CUresult standin_multicast_import(int descriptor, struct standin_allocation **imported)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    CUresult result = attach(copy, 0, imported);
    if (result != CUDA_SUCCESS) {
        (void)close(copy);
        return result;
    }
    (*imported)->size = (*imported)->multicast->size;
    (*imported)->imported = true;
    (*imported)->exportable = true;
    return CUDA_SUCCESS;
}

/* Between processes; the kernel ends the lock of one that dies. */
static void file_lock(const struct standin_allocation *object, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    while (fcntl(object->descriptor, F_SETLKW, &lock) != 0) {
    }
}

void standin_multicast_lock(const struct standin_allocation *object)
{
    file_lock(object, F_WRLCK);
}

void standin_multicast_unlock(const struct standin_allocation *object)
{
    file_lock(object, F_UNLCK);
}

struct standin_member *standin_multicast_member(const struct standin_allocation *object,
                                                int physical)
{
    struct standin_multicast *shared = object->multicast;
    for (unsigned i = 0; i < shared->added; i++) {
        if (shared->members[i].physical == physical) {
            return &shared->members[i];
        }
    }
    return NULL;
}

bool standin_multicast_has(const struct standin_allocation *object, int physical)
{
    standin_multicast_lock(object);
    bool has = standin_multicast_member(object, physical) != NULL;
    standin_multicast_unlock(object);
    return has;
}

bool standin_multicast_is_complete(const struct standin_allocation *object, const char *who)
{
    unsigned added = object->multicast->added, wanted = object->multicast->wanted;
    if (added < wanted) {
        standin_say("%s: %u of %u devices have been added; the real driver would wait for ever "
                    "if the others are not", who, added, wanted);
    }
    return added == wanted;
}

/* ---- what is given back in the wrong order --------------------------------------------------- */

/* An object or memory goes for good in this process. */
void standin_multicast_drop(const struct standin_allocation *allocation)
{
    struct standin_bound **link = &standin_bounds;
    while (*link != NULL) {
        struct standin_bound *bound = *link;
        if (bound->object != allocation && bound->memory != allocation) {
            link = &bound->next;
            continue;
        }
        standin_say("%s is given back while %s", bound->object == allocation ? "a multicast object"
                                                                            : "device memory",
                    bound->object == allocation ? "memory of this process is bound to it"
                                                : "a multicast object has it bound");
        standin_orphans++;
        *link = bound->next;
        free(bound);
    }
    if (allocation->multicast != NULL) {
        (void)munmap(allocation->multicast, FILE_SIZE);
    }
}

size_t standin_multicast_left(void)
{
    size_t count = standin_orphans;
    for (const struct standin_bound *bound = standin_bounds; bound; bound = bound->next) {
        count++;
    }
    return count;
}
