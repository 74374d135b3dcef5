/*
 * later_memory.c - memory of random calls: of the heap, of malloc() and of devices.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/processes/later/later_data.h"

#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUDA
#include "tests/harness/cuda_memory.h"
#endif

static bool has_device;

void later_memory_open(void)
{
#ifdef HAVE_CUDA
    if (getenv("SYMM_TEST_CUDA_LIBRARY") != NULL) {
        cuda_memory_open(test_rank);
        has_device = true;
    }
#endif
}

bool later_has_device(void)
{
    return has_device;
}

static void *memory_get(enum later_memory kind)
{
    size_t bytes = LATER_ROOM + 2 * LATER_AROUND + LATER_OFFSETS;
    void *memory = NULL;
    if (kind == LATER_HEAP) {
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    } else if (kind == LATER_MALLOC) {
        memory = malloc(bytes);
    }
#ifdef HAVE_CUDA
    if (kind >= LATER_DEVICE && has_device) {
        memory = cuda_memory_get(kind == LATER_DEVICE ? CUDA_MEMORY_ALLOC : CUDA_MEMORY_MPI, bytes);
    }
#endif
    if (memory == NULL && (kind < LATER_DEVICE || has_device)) {
        fprintf(stderr, "check_later: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return memory;
}

static void memory_put(enum later_memory kind, void *memory)
{
    if (kind == LATER_HEAP) {
        MPI_Free_mem(memory);
    } else if (kind == LATER_MALLOC) {
        free(memory);
    }
#ifdef HAVE_CUDA
    if (kind >= LATER_DEVICE && has_device) {
        cuda_memory_put(kind == LATER_DEVICE ? CUDA_MEMORY_ALLOC : CUDA_MEMORY_MPI, memory);
    }
#endif
}

struct later_buffers later_buffers_get(void)
{
    struct later_buffers buffers;
    for (int i = 0; i < LATER_MEMORIES; i++) {
        buffers.send[i] = memory_get((enum later_memory)i);
        buffers.receive[i] = memory_get((enum later_memory)i);
    }
    return buffers;
}

void later_buffers_put(struct later_buffers *buffers)
{
    for (int i = 0; i < LATER_MEMORIES; i++) {
        memory_put((enum later_memory)i, buffers->send[i]);
        memory_put((enum later_memory)i, buffers->receive[i]);
    }
}

void later_use_device(void)
{
#ifdef HAVE_CUDA
    if (has_device) {
        cuda_memory_use(test_rank);
    }
#endif
}

void later_memory_write(enum later_memory kind, void *to, const void *from, size_t bytes)
{
    if (kind < LATER_DEVICE) {
        memcpy(to, from, bytes);
    }
#ifdef HAVE_CUDA
    else {
        cuda_memory_write(to, from, bytes);
    }
#endif
}

void later_memory_read(enum later_memory kind, void *to, const void *from, size_t bytes)
{
    if (kind < LATER_DEVICE) {
        memcpy(to, from, bytes);
    }
#ifdef HAVE_CUDA
    else {
        cuda_memory_read(to, from, bytes);
    }
#endif
}

unsigned char *later_bytes(size_t bytes)
{
    unsigned char *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "check_later: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return memory;
}
