/*
 * memfile.c - one allocation of device memory as a file in memory.
 *
 * Behind the memory is a page that says what it is, so that an importer learns size and device from
 * the descriptor alone, and refuses descriptors of anything else.  A random serial number tells it
 * from all other memory.  New memory is not zero: here and there are bytes that nobody wrote.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/standin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LABEL_SIZE = 4096, LITTER_EVERY = 256 << 10, LITTER_SIZE = 64 };

static const char magic[16] = "symm stand-in 2";

static bool write_all(int descriptor, const void *data, size_t size, size_t offset)
{
    return pwrite(descriptor, data, size, (off_t)offset) == (ssize_t)size;
}

static bool litter(int descriptor, size_t size)
{
    unsigned char bytes[LITTER_SIZE];
    bool done = true;
    memset(bytes, 0xa5, sizeof bytes);
    for (size_t at = 0; at < size && done; at += LITTER_EVERY) {
        done = write_all(descriptor, bytes, sizeof bytes, at);
    }
    return done && write_all(descriptor, bytes, sizeof bytes, size - sizeof bytes);
}

CUresult standin_memfile_create(size_t size, const CUuuid *uuid, uint64_t *serial, int *descriptor)
{
    struct standin_label label = {.size = size, .uuid = *uuid};
    memcpy(label.magic, magic, sizeof label.magic);
    if (getrandom(&label.serial, sizeof label.serial, 0) != (ssize_t)sizeof label.serial) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    *serial = label.serial;
    *descriptor = memfd_create("symm-standin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*descriptor < 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (ftruncate(*descriptor, (off_t)(size + LABEL_SIZE)) != 0 ||
        !write_all(*descriptor, &label, sizeof label, size) || !litter(*descriptor, size) ||
        fcntl(*descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        (void)close(*descriptor);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

CUresult standin_memfile_read(int descriptor, struct standin_label *label)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size <= LABEL_SIZE ||
        pread(descriptor, label, sizeof *label, status.st_size - LABEL_SIZE) !=
            (ssize_t)sizeof *label ||
        memcmp(label->magic, magic, sizeof magic) != 0 ||
        label->size != (uint64_t)status.st_size - LABEL_SIZE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
