/*
 * buffers.c - the memory that the measured calls work on, and how a program touches it between
 * calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "buffers.h"

#include "failure.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20 }; /* bytes of a page of an allocation that has whole ones only */

/* Where reading ends up, so that no compiler drops it. */
static volatile uint64_t buffers_sink;

__attribute__((noreturn)) static void out_of_memory(size_t bytes)
{
    failure_stop("cannot allocate %zu bytes; choose a smaller -m", bytes);
}

void *buffers_private(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes) != 0) {
        out_of_memory(bytes);
    }
    return memory;
}

static void *host_open(size_t bytes)
{
    void *buffer = NULL;
    if (MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &buffer) != MPI_SUCCESS ||
        buffer == NULL) {
        out_of_memory(bytes);
    }
    return buffer;
}

/* Errors are caught here: by default MPI would end the job with a shorter message. */
static int gpu_alloc(size_t bytes, void **buffer)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int error = MPI_Alloc_mem((MPI_Aint)bytes, info, buffer);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
    return error;
}

static void *gpu_open(const struct device *device, size_t bytes)
{
    char text[MPI_MAX_ERROR_STRING];
    void *buffer = NULL;
    int length;
    int error = gpu_alloc(bytes, &buffer);
    if (error != MPI_SUCCESS) {
        MPI_Error_string(error, text, &length);
        failure_stop("no GPU memory from MPI_Alloc_mem, %zu bytes: %s", bytes, text);
    }
    if (!device_owns(device, buffer)) {
        failure_stop("MPI_Alloc_mem gave memory of the host for mpool_hints=mpool=symm,kind=cuda: "
                     "mpool/symm is not loaded, or was built without CUDA");
    }
    return buffer;
}

/* With the guard behind it no size is a multiple of LARGE_PAGE by itself. */
static void *cudamalloc_open(const struct device *device, size_t bytes, bool is_odd)
{
    char text[FAILURE_LENGTH];
    void *buffer;
    if (!is_odd && bytes > LARGE_PAGE) {
        bytes = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    }
    if (!device_allocate(device, bytes, &buffer, text)) {
        failure_stop("cannot allocate %zu bytes on the GPU: %s; choose a smaller -m", bytes, text);
    }
    return buffer;
}

static void *buffer_open(const struct buffers *buffers, size_t bytes)
{
    void *buffer;
    switch (buffers->memory) {
    case MEMORY_MALLOC: buffer = buffers_private(bytes); break;
    case MEMORY_CUDA: buffer = gpu_open(buffers->device, bytes); break;
    case MEMORY_CUDAMALLOC: buffer = cudamalloc_open(buffers->device, bytes, false); break;
    case MEMORY_CUDAMALLOC_ODD: buffer = cudamalloc_open(buffers->device, bytes, true); break;
    default: buffer = host_open(bytes); break;
    }
    if (buffers->device != NULL) {
        device_fill(buffers->device, buffer, 0, bytes);
    } else {
        memset(buffer, 0, bytes);
    }
    return buffer;
}

void buffers_open(struct buffers *buffers, enum memory memory, struct device *device,
                  size_t send_bytes, size_t receive_bytes)
{
    buffers->memory = memory;
    buffers->device = device;
    buffers->send = buffer_open(buffers, send_bytes + BUFFERS_GUARD);
    buffers->receive = buffer_open(buffers, receive_bytes + BUFFERS_GUARD);
}

static void buffer_close(const struct buffers *buffers, void *buffer)
{
    switch (buffers->memory) {
    case MEMORY_MALLOC: free(buffer); break;
    case MEMORY_CUDAMALLOC:
    case MEMORY_CUDAMALLOC_ODD: device_free(buffers->device, buffer); break;
    default: MPI_Free_mem(buffer); break;
    }
}

void buffers_close(struct buffers *buffers)
{
    buffer_close(buffers, buffers->send);
    buffer_close(buffers, buffers->receive);
    buffers->send = NULL;
    buffers->receive = NULL;
}

void buffers_store(const struct buffers *buffers, void *to, const void *from_host, size_t bytes)
{
    if (buffers->device != NULL) {
        device_store(buffers->device, to, from_host, bytes);
    } else {
        memcpy(to, from_host, bytes);
    }
}

void buffers_load(const struct buffers *buffers, void *to_host, const void *from, size_t bytes)
{
    if (buffers->device != NULL) {
        device_load(buffers->device, to_host, from, bytes);
    } else {
        memcpy(to_host, from, bytes);
    }
}

static void write_floats(float *to, size_t count, int round)
{
    float first = (float)(round & 1023);
    for (size_t i = 0; i < count; i++) {
        to[i] = first + (float)(i & 15);
    }
}

static void write_ints(int32_t *to, size_t count, int round)
{
    int32_t first = round & 1023;
    for (size_t i = 0; i < count; i++) {
        to[i] = first + (int32_t)(i & 15);
    }
}

/*
 * On a GPU all four bytes are the same. A float of bytes below 0x40 is smaller than 1. Ints of
 * bytes below 0x04 do not overflow in a sum over up to 42 ranks.
 */
void buffers_write_elements(const struct buffers *buffers, void *to, size_t bytes,
                            enum element element, int round)
{
    bool is_int = element == ELEMENT_INT;
    if (buffers->device != NULL) {
        device_fill(buffers->device, to, round & (is_int ? 0x03 : 0x3f), bytes);
    } else if (is_int) {
        write_ints(to, bytes / sizeof(int32_t), round);
    } else {
        write_floats(to, bytes / sizeof(float), round);
    }
}

void buffers_write_bytes(const struct buffers *buffers, void *to, size_t bytes, int round)
{
    if (buffers->device != NULL) {
        device_fill(buffers->device, to, round & 0xff, bytes);
    } else {
        memset(to, round & 0xff, bytes);
    }
}

static uint64_t host_sum(const unsigned char *from, size_t bytes)
{
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + sizeof(sum) <= bytes; i += sizeof(sum)) {
        uint64_t word;
        memcpy(&word, from + i, sizeof(word));
        sum += word;
    }
    for (; i < bytes; i++) {
        sum += from[i];
    }
    return sum;
}

void buffers_read(const struct buffers *buffers, const void *from, size_t bytes)
{
    if (buffers->device != NULL) {
        device_read(buffers->device, from, bytes);
    } else {
        buffers_sink += host_sum(from, bytes);
    }
}
