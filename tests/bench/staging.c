/*
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded into symm_bench it makes any MPI do with GPU memory what the benchmark needs, through
 * copies on the host, so that the benchmark can be tried apart from the components. From the
 * environment: STAGING_WRONG, if set, adds 1 to the first byte of every result.
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#if defined(HAVE_CUDA)

#include "driver.h"

#include <mpi.h>
#include <stdbool.h>
#include <string.h>

/* Everything else is hidden. */
#define EXPORTED __attribute__((visibility("default")))

static bool is_on_gpu(const void *memory)
{
    CUmemorytype type = CU_MEMORYTYPE_HOST;
    const char *file = getenv("SYMM_BENCH_CUDA_LIBRARY");
    void *library = NULL != file ? dlopen(file, RTLD_NOW | RTLD_NOLOAD) : NULL;

    if (NULL == library) { /* the benchmark has no GPU memory yet */
        return false;
    }
    dlclose(library);
    return CUDA_SUCCESS == DRIVER(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                         driver_address(memory))
           && CU_MEMORYTYPE_DEVICE == type;
}

static CUstream stream(void)
{
    static CUstream ours;

    if (NULL == ours && CUDA_SUCCESS != DRIVER(cuStreamCreate)(&ours, CU_STREAM_NON_BLOCKING)) {
        abort();
    }
    return ours;
}

static unsigned char *host_room(size_t bytes)
{
    unsigned char *room = malloc(bytes);

    if (NULL == room) {
        abort();
    }
    return room;
}

static unsigned char *host_copy(const void *from, size_t bytes)
{
    unsigned char *copy = host_room(bytes);

    if (CUDA_SUCCESS != DRIVER(cuMemcpyDtoHAsync)(copy, driver_address(from), bytes, stream())
        || CUDA_SUCCESS != DRIVER(cuStreamSynchronize)(stream())) {
        abort();
    }
    return copy;
}

/* Frees what is on the host. */
static void gpu_copy(void *to, unsigned char *from_host, size_t bytes)
{
    if (NULL != getenv("STAGING_WRONG")) {
        from_host[0]++;
    }
    if (CUDA_SUCCESS != DRIVER(cuMemcpyHtoDAsync)(driver_address(to), from_host, bytes, stream())
        || CUDA_SUCCESS != DRIVER(cuStreamSynchronize)(stream())) {
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
    size_t bytes = (size_t) count * sizeof(float);
    unsigned char *input = host_copy(MPI_IN_PLACE == send ? receive : send, bytes);
    unsigned char *result = host_room(bytes);
    int error = PMPI_Allreduce(input, result, count, type, operation, comm);
    free(input);
    gpu_copy(receive, result, bytes);
    return error;
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
    size_t bytes = (size_t) count;
    const unsigned char *own = (unsigned char *) receive + (size_t) rank * bytes;
    unsigned char *input = host_copy(MPI_IN_PLACE == send ? own : send, bytes);
    unsigned char *result = host_room((size_t) ranks * bytes);
    int error = PMPI_Allgather(input, count, type, result, count, type, comm);
    free(input);
    gpu_copy(receive, result, (size_t) ranks * bytes);
    return error;
}

#else

/* A C file must not be empty. */
typedef int cuda_is_not_there;

#endif
