/*
 * kind_host.c - host memory: anonymous files (memfd) mapped shared.
 *
 * memfds have no name, so nothing stays in /dev/shm or /tmp, whichever process dies.  They are
 * sealed against resizing: a peer that maps one can then never be hit by SIGBUS because it shrank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/kind.h"
#include "heap/memfd.h"

static enum symm_status status_of_errno(void)
{
    return errno == ENOMEM || errno == EMFILE || errno == ENFILE ? SYMM_ERR_NO_MEMORY
                                                                 : SYMM_ERR_SYSTEM;
}

enum { GRANULARITY = 2 << 20 }; /* so that transparent huge pages can back a segment */

/* Windows begin at a multiple of the granularity, so that aligned offsets are aligned addresses. */
static enum symm_status host_reserve(const struct symm_kind *kind, size_t size, void **base)
{
    (void)kind;
    if (size > SIZE_MAX - GRANULARITY) {
        return SYMM_ERR_NO_MEMORY;
    }
    size_t reserved = size + GRANULARITY;
    unsigned char *address =
        mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) {
        return status_of_errno();
    }
    size_t skip = (GRANULARITY - (uintptr_t)address % GRANULARITY) % GRANULARITY;
    if (skip > 0) {
        (void)munmap(address, skip);
    }
    (void)munmap(address + skip + size, GRANULARITY - skip);
    *base = address + skip;
    return SYMM_OK;
}

static void host_unreserve(const struct symm_kind *kind, void *base, size_t size)
{
    (void)kind;
    (void)munmap(base, size);
}

static enum symm_status host_create(const struct symm_kind *kind, size_t size,
                                    symm_handle *handle)
{
    int descriptor;
    (void)kind;
    enum symm_status status = symm_memfd_create("symm-segment", size, &descriptor);
    if (status == SYMM_OK) {
        *handle = (symm_handle)descriptor;
    }
    return status;
}

static enum symm_status duplicate(int descriptor, int *copy)
{
    enum symm_status status = symm_headroom_descriptor(SYMM_DESCRIPTOR_PASSING);
    if (status != SYMM_OK) {
        return status;
    }
    *copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return *copy < 0 ? status_of_errno() : SYMM_OK;
}

static enum symm_status host_export(const struct symm_kind *kind, symm_handle handle,
                                    int *descriptor)
{
    (void)kind;
    return duplicate((int)handle, descriptor);
}

static enum symm_status host_import(const struct symm_kind *kind, int descriptor, size_t size,
                                    symm_handle *handle)
{
    int copy;
    (void)kind;
    enum symm_status status = symm_memfd_check(descriptor, size);
    if (status == SYMM_OK) {
        status = duplicate(descriptor, &copy);
    }
    if (status == SYMM_OK) {
        *handle = (symm_handle)copy;
    }
    return status;
}

static enum symm_status host_map(const struct symm_kind *kind, void *address, size_t size,
                                 symm_handle handle, int owned)
{
    (void)kind;
    (void)owned;
    void *mapped = mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                        (int)handle, 0);
    return mapped == MAP_FAILED ? status_of_errno() : SYMM_OK;
}

/* What cannot be unmapped is mapped over by the next one: host_map() does not mind. */
static enum symm_status host_unmap(const struct symm_kind *kind, void *address, size_t size)
{
    (void)kind;
    (void)mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
               -1, 0);
    return SYMM_OK;
}

static void host_discard(const struct symm_kind *kind, int descriptor, uint64_t offset, size_t size)
{
    (void)kind;
    (void)fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                    (off_t)size);
}

/*
 * Peers may keep a retired segment mapped until they next meet the owner, which may be never.  So
 * the owner punches a hole of the file's size, which frees the pages although peers have them
 * mapped.
 */
static void host_release(const struct symm_kind *kind, symm_handle handle, size_t size, int owned)
{
    if (owned) {
        host_discard(kind, (int)handle, 0, size);
    }
    (void)close((int)handle);
}

const struct symm_kind symm_kind_host = {
    .name = "host",
    .device = -1,
    .granularity = GRANULARITY,
    .reserve = host_reserve,
    .unreserve = host_unreserve,
    .create = host_create,
    .export_handle = host_export,
    .import_handle = host_import,
    .map = host_map,
    .unmap = host_unmap,
    .discard = host_discard,
    .release = host_release,
    .multicast = &symm_multicast_host,
};
