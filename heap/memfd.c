/*
 * memfd.c - see memfd.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/memfd.h"

/* Growing a file beyond RLIMIT_FSIZE raises a signal that ends the process. */
static bool size_is_allowed(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

/*
 * Kernels from 6.3 on want to be told that the file is not for executing, and older ones refuse
 * that.
 */
static int memfd_open(const char *name)
{
#ifndef MFD_NOEXEC_SEAL
    const unsigned noexec = 0x0008U;
#else
    const unsigned noexec = MFD_NOEXEC_SEAL;
#endif
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | noexec);
    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    return fd;
}

enum symm_status symm_memfd_create(const char *name, size_t size, int *descriptor)
{
    if (!size_is_allowed(size)) {
        errno = EFBIG;
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = symm_headroom_descriptor(SYMM_DESCRIPTOR_LASTING);
    if (status != SYMM_OK) {
        return status;
    }
    int fd = memfd_open(name);
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

enum symm_status symm_memfd_check(int descriptor, size_t size)
{
    struct stat file;
    if (fstat(descriptor, &file) != 0) {
        return SYMM_ERR_SYSTEM;
    }
    int seals = fcntl(descriptor, F_GET_SEALS); /* an error for what is no memfd */
    bool safe = seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && file.st_size >= 0 &&
                (size_t)file.st_size >= size;
    return safe ? SYMM_OK : SYMM_ERR_PROTOCOL;
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
