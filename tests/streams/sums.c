/*
 * sums.c - see sums.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/streams/sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sums_by_host;
void *stream;
MPI_Comm comm;
int *input, *output;
int numbers[SUMS_MOST];

void sums_open(char **argv, const char *name)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    const char *path = getenv("SYMM_STREAM_PATH");
    sums_by_host = path != NULL && strcmp(path, "host") == 0;
    test_begin(1, argv, name, sums_by_host ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    cuda_memory_open(local != NULL ? atoi(local) : test_rank);
    cuda_streams_open();
    input = cuda_memory_get(CUDA_MEMORY_ALLOC, sizeof(numbers));
    output = cuda_memory_get(CUDA_MEMORY_ALLOC, sizeof(numbers));
    stream = cuda_stream_make();
}

void sums_begin(bool is_fatal)
{
    if (!is_fatal) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    comm = cuda_mpix_comm(MPI_COMM_WORLD, stream);
}

/* ---- sums ------------------------------------------------------------------------------------ */

void sums_write(int factor)
{
    for (int i = 0; i < SUMS_COUNT; i++) {
        numbers[i] = factor * (test_rank + 1) * i;
    }
    cuda_memory_write(input, numbers, SUMS_COUNT * sizeof(int));
    memset(numbers, 0xa5, sizeof(numbers));
    cuda_memory_write(output, numbers, SUMS_COUNT * sizeof(int));
    cuda_memory_settle();
}

void sums_add(MPI_Comm on)
{
    MPIX_Allreduce_enqueue(input, output, SUMS_COUNT, MPI_INT, MPI_SUM, on);
}

void sums_check(int factor, const char *what)
{
    char text[512];
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (!has_ended && symm_mpix_comm_state(comm, text, sizeof(text)) != MPI_SUCCESS) {
        test_fail("%s: %s", what, text);
    }
    cuda_memory_read(numbers, output, SUMS_COUNT * sizeof(int));
    for (int i = 0; i < SUMS_COUNT; i++) {
        if (numbers[i] != factor * test_size * (test_size + 1) / 2 * i) {
            test_fail("%s: element %d is %d", what, i, numbers[i]);
            return;
        }
    }
}

/* A sum of factor times the ranks, now. */
void sums_try(MPI_Comm on, int factor, const char *what)
{
    test_case("%s", what);
    sums_write(factor);
    sums_add(on);
    cuda_stream_await(stream);
    sums_check(factor, what);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static int class_of(int code)
{
    int error_class = MPI_ERR_LASTCODE;
    MPI_Error_class(code, &error_class);
    return error_class;
}

void expect(int code, int error_class, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    test_case("%s", what);
    MPI_Error_string(code, text, &length);
    if (class_of(code) != error_class || length < 20) {
        test_fail("%s: class %d instead of %d, '%s'", what, class_of(code), error_class, text);
    }
    if (test_rank == 0) {
        printf("%s\n", text);
    }
}
