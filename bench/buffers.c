/*
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory that the measured calls work on, and how a program touches it between calls.
 */
#define _POSIX_C_SOURCE 200809L
#include "buffers.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where reading ends up, so that no compiler drops it. */
static volatile uint64_t buffers_sink;

static void out_of_memory(size_t bytes)
{
    fprintf(stderr, "symm_bench: cannot allocate %zu bytes; choose a smaller -m\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

void *buffers_private(size_t bytes)
{
    void *memory = NULL;

    if (0 != posix_memalign(&memory, (size_t) sysconf(_SC_PAGESIZE), bytes)) {
        out_of_memory(bytes);
    }
    return memory;
}

static void *buffer_open(enum memory memory, size_t bytes)
{
    void *buffer = NULL;

    if (MEMORY_MALLOC == memory) {
        buffer = buffers_private(bytes);
    } else if (MPI_SUCCESS != MPI_Alloc_mem((MPI_Aint) bytes, MPI_INFO_NULL, &buffer)
               || NULL == buffer) {
        out_of_memory(bytes);
    }
    memset(buffer, 0, bytes);
    return buffer;
}

void buffers_open(struct buffers *buffers, enum memory memory, size_t send_bytes,
                  size_t receive_bytes)
{
    buffers->memory = memory;
    buffers->send = buffer_open(memory, send_bytes + BUFFERS_GUARD);
    buffers->receive = buffer_open(memory, receive_bytes + BUFFERS_GUARD);
}

static void buffer_close(enum memory memory, void *buffer)
{
    if (MEMORY_MALLOC == memory) {
        free(buffer);
    } else {
        MPI_Free_mem(buffer);
    }
}

void buffers_close(struct buffers *buffers)
{
    buffer_close(buffers->memory, buffers->send);
    buffer_close(buffers->memory, buffers->receive);
    buffers->send = NULL;
    buffers->receive = NULL;
}

void buffers_write_floats(void *buffer, size_t bytes, int round)
{
    float *values = buffer;
    float first = (float) (round & 1023);

    for (size_t i = 0; i < bytes / sizeof *values; i++) {
        values[i] = first + (float) (i & 15);
    }
}

void buffers_write_bytes(void *buffer, size_t bytes, int round)
{
    memset(buffer, round & 0xff, bytes);
}

void buffers_read(const void *buffer, size_t bytes)
{
    const unsigned char *from = buffer;
    uint64_t sum = 0;
    size_t i = 0;

    for (; i + sizeof sum <= bytes; i += sizeof sum) {
        uint64_t word;
        memcpy(&word, from + i, sizeof word);
        sum += word;
    }
    for (; i < bytes; i++) {
        sum += from[i];
    }
    buffers_sink += sum;
}
