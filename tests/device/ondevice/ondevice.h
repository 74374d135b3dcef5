/*
 * ondevice.h - what the sources of ondevice.so share: copies of a program's buffers on devices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ONDEVICE_H
#define SYMM_TESTS_ONDEVICE_H

#include <cuda.h>
#include <mpi.h>

#include <stddef.h>

#include "tests/device/ondevice/ondevice_memory.h"

struct ondevice_moved {
    void *host;              /* where the data begins */
    unsigned char *block;    /* NULL: not moved */
    unsigned char *data;     /* on the device, as far behind a cache line as on the host */
    CUcontext context;
    enum origin origin;
    size_t bytes;
    void *address;           /* for MPI */
};

/* Copy a buffer whose data begin `lower` bytes behind `buffer`.  `part` is "send" or "receive". */
struct ondevice_moved ondevice_move(const void *buffer, MPI_Aint lower, size_t bytes,
                                    const char *part);

/* The same for so many elements of a type. */
struct ondevice_moved ondevice_move_elements(const void *buffer, int count, MPI_Datatype type,
                                             const char *part);

/* Copy it back, and free it. */
void ondevice_move_back(struct ondevice_moved *moved);

#endif
