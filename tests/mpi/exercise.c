/*
 * A checked all-reduce and all-gather of 64-bit integers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "exercise.h"
#include "harness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROLE_REDUCE = 6, ROLE_GATHER = 7 };

static void fill(int64_t *data, uint64_t stream, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        data[i] = (int64_t)(test_random(stream, i) >> 20);
    }
}

static void report(const char *what, size_t i, int64_t expected, int64_t found)
{
    test_fail("%s, element %zu: expected %" PRId64 ", found %" PRId64, what, i, expected, found);
}

void test_exercise_allreduce(MPI_Comm comm, uint64_t number, struct test_memory memory,
                             size_t bytes)
{
    int rank;
    int size;
    size_t count = bytes / sizeof(int64_t);
    int64_t *result = memory.receive;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    fill(memory.send, test_stream(number, (uint64_t)rank, ROLE_REDUCE), count);
    memset(memory.receive, 0xdb, bytes);
    MPI_Allreduce(memory.send, memory.receive, (int)count, MPI_INT64_T, MPI_SUM, comm);
    memset(memory.send, 0x11, bytes);
    for (size_t i = 0; i < count; i++) {
        int64_t expected = 0;
        for (int r = 0; r < size; r++) {
            uint64_t stream = test_stream(number, (uint64_t)r, ROLE_REDUCE);
            expected += (int64_t)(test_random(stream, i) >> 20);
        }
        if (result[i] != expected) {
            report("all-reduce", i, expected, result[i]);
            return;
        }
    }
}

void test_exercise_allgather(MPI_Comm comm, uint64_t number, struct test_memory memory,
                             size_t bytes)
{
    int rank;
    int size;
    int64_t *result = memory.receive;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    size_t count = bytes / sizeof(int64_t) / (size_t)size;
    fill(memory.send, test_stream(number, (uint64_t)rank, ROLE_GATHER), count);
    memset(memory.receive, 0xdb, count * (size_t)size * sizeof(int64_t));
    MPI_Allgather(memory.send, (int)count, MPI_INT64_T, memory.receive, (int)count, MPI_INT64_T,
                  comm);
    memset(memory.send, 0x22, count * sizeof(int64_t));
    for (int r = 0; r < size; r++) {
        uint64_t stream = test_stream(number, (uint64_t)r, ROLE_GATHER);
        for (size_t i = 0; i < count; i++) {
            int64_t expected = (int64_t)(test_random(stream, i) >> 20);
            int64_t found = result[(size_t)r * count + i];
            if (found != expected) {
                report("all-gather", (size_t)r * count + i, expected, found);
                return;
            }
        }
    }
}

static void exercise_sizes(MPI_Comm comm, uint64_t number, struct test_memory memory)
{
    const size_t sizes[] = {64, 4096, 40000, memory.bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] <= memory.bytes) {
            test_exercise_allreduce(comm, number * 8 + i, memory, sizes[i]);
            test_exercise_allgather(comm, number * 8 + i, memory, sizes[i]);
        }
    }
}

void test_exercise(MPI_Comm comm, uint64_t number, size_t bytes)
{
    struct test_memory heap = {.bytes = bytes};
    struct test_memory plain = {malloc(bytes), malloc(bytes), bytes};
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &heap.send);
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &heap.receive);
    if (plain.send == NULL || plain.receive == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    exercise_sizes(comm, 2 * number, heap);
    exercise_sizes(comm, 2 * number + 1, plain);
    MPI_Free_mem(heap.receive);
    MPI_Free_mem(heap.send);
    free(plain.receive);
    free(plain.send);
}
