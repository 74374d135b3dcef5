/*
 * staging.c - preloaded into symm_bench: MPI's collectives on GPU memory, through copies on the
 * host. With it the benchmark can be tested on any MPI, apart from the components. The environment
 * variable STAGING_WRONG, if set, adds 1 to the first byte of every result.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#if defined(HAVE_CUDA)

#include "tests/users/doubles/driver.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* Everything else is hidden. */
#define EXPORTED __attribute__((visibility("default")))

static bool is_on_gpu(const void *memory)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    const char *file = getenv("SYMM_BENCH_CUDA_LIBRARY");
    void *library = file != NULL ? dlopen(file, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (library == NULL) { /* the benchmark has no GPU memory yet */
        return false;
    }
    dlclose(library);
    return DRIVER(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                         driver_address(memory)) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

static CUstream stream(void)
{
    static CUstream ours;
    if (ours == NULL && DRIVER(cuStreamCreate)(&ours, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
        abort();
    }
    return ours;
}

static unsigned char *host_room(size_t bytes)
{
    unsigned char *room = malloc(bytes);
    if (room == NULL) {
        abort();
    }
    return room;
}

static unsigned char *host_copy(const void *from, size_t bytes)
{
    unsigned char *copy = host_room(bytes);
    if (DRIVER(cuMemcpyDtoHAsync)(copy, driver_address(from), bytes, stream()) != CUDA_SUCCESS ||
        DRIVER(cuStreamSynchronize)(stream()) != CUDA_SUCCESS) {
        abort();
    }
    return copy;
}

/* Frees what is on the host. */
static void gpu_copy(void *to, unsigned char *from_host, size_t bytes)
{
    if (getenv("STAGING_WRONG") != NULL) {
        from_host[0]++;
    }
    if (DRIVER(cuMemcpyHtoDAsync)(driver_address(to), from_host, bytes, stream()) != CUDA_SUCCESS ||
        DRIVER(cuStreamSynchronize)(stream()) != CUDA_SUCCESS) {
        abort();
    }
    free(from_host);
}

EXPORTED int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type,
                           MPI_Op operation, MPI_Comm comm)
{
    if (!is_on_gpu(receive)) {
        return PMPI_Allreduce(send, receive, count, type, operation, comm);
    }
    size_t bytes = (size_t)count * sizeof(float);
    unsigned char *input = host_copy(send == MPI_IN_PLACE ? receive : send, bytes);
    unsigned char *result = host_room(bytes);
    int error = PMPI_Allreduce(input, result, count, type, operation, comm);
    free(input);
    gpu_copy(receive, result, bytes);
    return error;
}

EXPORTED int MPI_Reduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype type,
                                      MPI_Op operation, MPI_Comm comm)
{
    int ranks;
    if (!is_on_gpu(receive)) {
        return PMPI_Reduce_scatter_block(send, receive, count, type, operation, comm);
    }
    MPI_Comm_size(comm, &ranks);
    size_t bytes = (size_t)count * sizeof(float);
    unsigned char *input = host_copy(send == MPI_IN_PLACE ? receive : send, (size_t)ranks * bytes);
    unsigned char *result = host_room(bytes);
    int error = PMPI_Reduce_scatter_block(input, result, count, type, operation, comm);
    free(input);
    gpu_copy(receive, result, bytes);
    return error;
}

/* The benchmark has equal counts. */
EXPORTED int MPI_Reduce_scatter(const void *send, void *receive, const int counts[],
                                MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
{
    return is_on_gpu(receive)
               ? MPI_Reduce_scatter_block(send, receive, counts[0], type, operation, comm)
               : PMPI_Reduce_scatter(send, receive, counts, type, operation, comm);
}

EXPORTED int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                           int count, MPI_Datatype type, MPI_Comm comm)
{
    int rank, ranks;
    if (!is_on_gpu(receive)) {
        return PMPI_Allgather(send, send_count, send_type, receive, count, type, comm);
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    size_t bytes = (size_t)count;
    const unsigned char *own = (unsigned char *)receive + (size_t)rank * bytes;
    unsigned char *input = host_copy(send == MPI_IN_PLACE ? own : send, bytes);
    unsigned char *result = host_room((size_t)ranks * bytes);
    int error = PMPI_Allgather(input, count, type, result, count, type, comm);
    free(input);
    gpu_copy(receive, result, (size_t)ranks * bytes);
    return error;
}

EXPORTED int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive,
                          int count, MPI_Datatype type, MPI_Comm comm)
{
    int ranks;
    if (!is_on_gpu(receive)) {
        return PMPI_Alltoall(send, send_count, send_type, receive, count, type, comm);
    }
    MPI_Comm_size(comm, &ranks);
    size_t bytes = (size_t)count * (size_t)ranks;
    unsigned char *input = host_copy(send == MPI_IN_PLACE ? receive : send, bytes);
    unsigned char *result = host_room(bytes);
    int error = PMPI_Alltoall(input, count, type, result, count, type, comm);
    free(input);
    gpu_copy(receive, result, bytes);
    return error;
}

#else

/* A C file must not be empty. */
typedef int cuda_is_not_there;

#endif
