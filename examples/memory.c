/*
 * Memory from MPI_Alloc_mem and malloc, and the choice between host and device.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "memory.h"

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_SIZE = 256 };

/*
 * MPI_Alloc_mem is all that a program has to use: collectives then reach the memory directly, on
 * every rank of the node. For memory of a device it needs the hint.
 */
static void *mpi_memory(size_t bytes, const char *hints)
{
    MPI_Info info = MPI_INFO_NULL;
    void *memory = NULL;

    if (hints != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpool_hints", hints);
    }
    if (MPI_Alloc_mem((MPI_Aint)bytes, info, &memory) != MPI_SUCCESS) {
        memory = NULL;
    }
    if (hints != NULL) {
        MPI_Info_free(&info);
    }
    return memory;
}

static void *device_memory(size_t bytes)
{
    return mpi_memory(bytes, "mpool=symm,kind=cuda");
}

/* ---- which memory ---- */

/* What the parameter of coll/symm is, if there is one; it says whether the component is in use. */
static int symm_priority(void)
{
    MPI_T_cvar_handle handle;
    int provided, index, count, priority = -1;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (MPI_T_cvar_get_index("coll_symm_priority", &index) == MPI_SUCCESS
        && MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        MPI_T_cvar_read(handle, &priority);
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return priority;
}

/* With coll/symm MPI may be given addresses on devices; without it, an MPI may crash. */
static bool mpi_takes_device_memory(char *reason)
{
    if (symm_priority() < 0) {
        snprintf(reason, REASON_SIZE, "coll/symm is not used in this job");
        return false;
    }
    return true;
}

/* Without the components, MPI_Alloc_mem may refuse, or take no notice of the hint. */
static bool mpi_gives_device_memory(char *reason)
{
    void *memory;
    bool good;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    memory = device_memory(1);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    good = memory != NULL && device_has(memory);
    if (memory != NULL) {
        MPI_Free_mem(memory);
    }
    if (!good) {
        snprintf(reason, REASON_SIZE, "MPI_Alloc_mem gives no memory of a device");
    }
    return good;
}

/*
 * Opens this rank's device if it can be used as `wanted`. By itself the program uses devices only
 * where the ranks reach each other's: two or more, on one node.
 */
static bool find_device(enum memory_kind wanted, MPI_Comm comm, char *reason)
{
    MPI_Comm node;
    int size, node_rank, node_size;

    MPI_Comm_size(comm, &size);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    MPI_Comm_free(&node);
    if ((wanted == MEMORY_BEST && (size < 2 || node_size < size))
        || (wanted != MEMORY_STAGED && !mpi_takes_device_memory(reason))
        || !device_open(node_rank, reason, REASON_SIZE)) {
        return false;
    }
    if (!mpi_gives_device_memory(reason)) {
        device_close();
        return false;
    }
    return true;
}

bool memory_open(struct memory *memory, const char *program, enum memory_kind wanted,
                 MPI_Comm comm)
{
    char reason[REASON_SIZE] = "";
    int rank, found, all;

    *memory = (struct memory){.kind = wanted, .comm = comm, .program = program};
    if (wanted == MEMORY_ALLOC_MEM || wanted == MEMORY_MALLOC) {
        return true;
    }
    found = find_device(wanted, comm, reason);
    MPI_Reduce(&found, &all, 1, MPI_INT, MPI_MIN, 0, comm);
    MPI_Bcast(&all, 1, MPI_INT, 0, comm);
    if (found && !all) {
        device_close();
    }
    if (wanted == MEMORY_BEST) {
        memory->kind = all ? MEMORY_CUDA : MEMORY_ALLOC_MEM;
        return true;
    }
    if (!found) {
        MPI_Comm_rank(comm, &rank);
        fprintf(stderr, "%s: rank %d cannot use a device: %s\n", program, rank, reason);
    }
    return all != 0;
}

static bool is_on_device(const struct memory *memory)
{
    return memory->kind == MEMORY_CUDA || memory->kind == MEMORY_STAGED;
}

void memory_close(struct memory *memory)
{
    if (is_on_device(memory)) {
        device_close();
    }
}

const char *memory_name(const struct memory *memory)
{
    switch (memory->kind) {
    case MEMORY_MALLOC:
        return "malloc";
    case MEMORY_CUDA:
        return "MPI_Alloc_mem on a GPU";
    case MEMORY_STAGED:
        return "MPI_Alloc_mem on a GPU, copied to the host for MPI";
    default:
        return "MPI_Alloc_mem";
    }
}

/* ---- buffers ---- */

static void stop(const struct memory *memory, const char *what, size_t bytes)
{
    int rank;

    MPI_Comm_rank(memory->comm, &rank);
    fprintf(stderr, "%s: rank %d: %s (%zu bytes, memory from %s)\n", memory->program, rank, what,
            bytes, memory_name(memory));
    MPI_Abort(memory->comm, EXIT_FAILURE);
    abort(); /* MPI_Abort is not declared as one that does not return */
}

static void *host_allocate(const struct memory *memory, size_t bytes)
{
    if (is_on_device(memory)) {
        return device_host_allocate(bytes);
    }
    return memory->kind == MEMORY_MALLOC ? malloc(bytes) : mpi_memory(bytes, NULL);
}

struct buffer memory_allocate(const struct memory *memory, int count)
{
    size_t bytes = (size_t)count * sizeof(double);
    struct buffer buffer = {.count = count, .host = host_allocate(memory, bytes)};

    if (buffer.host == NULL) {
        stop(memory, "no memory", bytes);
    }
    memset(buffer.host, 0, bytes);
    if (is_on_device(memory)) {
        buffer.device = device_memory(bytes);
        memory_upload(memory, &buffer);
    }
    return buffer;
}

void memory_free(const struct memory *memory, struct buffer *buffer)
{
    if (is_on_device(memory)) {
        MPI_Free_mem(buffer->device);
        device_host_free(buffer->host);
    } else if (memory->kind == MEMORY_MALLOC) {
        free(buffer->host);
    } else {
        MPI_Free_mem(buffer->host);
    }
}

struct buffer memory_part(const struct buffer *whole, int begin, int count)
{
    struct buffer part = {.count = count, .host = whole->host + begin};

    if (whole->device != NULL) {
        part.device = whole->device + begin;
    }
    return part;
}

void memory_upload(const struct memory *memory, const struct buffer *buffer)
{
    size_t bytes = (size_t)buffer->count * sizeof(double);

    if (buffer->device != NULL && !device_upload(buffer->device, buffer->host, bytes)) {
        stop(memory, "a copy to the device failed", bytes);
    }
}

void memory_download(const struct memory *memory, const struct buffer *buffer)
{
    size_t bytes = (size_t)buffer->count * sizeof(double);

    if (buffer->device != NULL && !device_download(buffer->host, buffer->device, bytes)) {
        stop(memory, "a copy from the device failed", bytes);
    }
}

/* ---- calls ---- */

double *memory_address(const struct memory *memory, const struct buffer *buffer)
{
    return memory->kind == MEMORY_CUDA ? buffer->device : buffer->host;
}

void memory_stage_in(const struct memory *memory, const struct buffer *from)
{
    if (memory->kind == MEMORY_STAGED) {
        memory_download(memory, from);
    }
}

void memory_stage_out(const struct memory *memory, const struct buffer *to)
{
    if (memory->kind == MEMORY_STAGED) {
        memory_upload(memory, to);
    }
}
