/*
 * memfd.c - see memfd.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/memfd.h"

enum symm_status symm_memfd_create(const char *name, size_t size, int *descriptor)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? SYMM_ERR_NO_MEMORY
                                                                     : SYMM_ERR_SYSTEM;
    }
    if (ftruncate(fd, (off_t)size) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int saved = errno;
        (void)close(fd);
        errno = saved;
        return saved == ENOMEM || saved == EFBIG ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
    }
    *descriptor = fd;
    return SYMM_OK;
}

enum symm_status symm_memfd_map(int descriptor, size_t size, void **address)
{
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) {
        return errno == ENOMEM ? SYMM_ERR_NO_MEMORY : SYMM_ERR_SYSTEM;
    }
    *address = mapped;
    return SYMM_OK;
}
