/*
 * Checked collectives of 64-bit integers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROLE_REDUCE = 6, ROLE_GATHER = 7, ROLE_ROOTED = 8, ROLE_EXCHANGE = 9 };

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

/* ---- small calls in memory of their own ------------------------------------------------------ */

static int64_t *words_get(size_t count)
{
    int64_t *words = malloc((count + 1) * sizeof *words);
    if (words == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return words;
}

/* The words are those of the rank; afterwards they are overwritten, as a program may. */
static void words_check(const char *what, int64_t *words, uint64_t stream, size_t first,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t expected = (int64_t)(test_random(stream, first + i) >> 20);
        if (words[i] != expected) {
            report(what, i, expected, words[i]);
        }
        words[i] = -1;
    }
}

void test_exercise_rooted(MPI_Comm comm, uint64_t number)
{
    enum { COUNT = 5 };
    int rank;
    int size;
    int64_t mine[COUNT], sums[COUNT];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int root = (int)(number % (uint64_t)size);
    int64_t *all = words_get((size_t)size * COUNT);
    fill(mine, test_stream(number, (uint64_t)rank, ROLE_ROOTED), COUNT);
    memset(all, 0xdb, (size_t)size * COUNT * sizeof *all);
    MPI_Gather(mine, COUNT, MPI_INT64_T, all, COUNT, MPI_INT64_T, root, comm);
    memset(mine, 0x33, sizeof mine);
    MPI_Scatter(all, COUNT, MPI_INT64_T, mine, COUNT, MPI_INT64_T, root, comm);
    memset(sums, 0xdb, sizeof sums);
    MPI_Reduce(mine, sums, COUNT, MPI_INT64_T, MPI_SUM, root, comm);
    words_check("scatter", mine, test_stream(number, (uint64_t)rank, ROLE_ROOTED), 0, COUNT);
    for (int r = 0; r < size && rank == root; r++) {
        words_check("gather", all + r * COUNT, test_stream(number, (uint64_t)r, ROLE_ROOTED), 0,
                    COUNT);
    }
    MPI_Bcast(sums, COUNT, MPI_INT64_T, root, comm);
    for (int r = 0; r < size; r++) {
        fill(mine, test_stream(number, (uint64_t)r, ROLE_ROOTED), COUNT);
        for (int i = 0; i < COUNT; i++) {
            sums[i] -= mine[i];
        }
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (sums[i] != 0) {
            report("reduce and broadcast, what is too much", i, 0, sums[i]);
        }
    }
    free(all);
}

void test_exercise_exchange(MPI_Comm comm, uint64_t number)
{
    enum { MOST = 3 };
    int rank;
    int size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int *counts = malloc(2 * (size_t)size * sizeof *counts);
    int64_t *send = words_get((size_t)size * MOST), *receive = words_get((size_t)size * MOST);
    if (counts == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return;
    }
    int *displacements = counts + size;
    for (int r = 0; r < size; r++) { /* what goes to a rank is as much as what comes from it */
        counts[r] = (rank + r) % (MOST + 1);
        displacements[r] = r * MOST;
    }
    fill(send, test_stream(number, (uint64_t)rank, ROLE_EXCHANGE), (size_t)size * MOST);
    memset(receive, 0xdb, (size_t)size * MOST * sizeof *receive);
    MPI_Alltoallv(send, counts, displacements, MPI_INT64_T, receive, counts, displacements,
                  MPI_INT64_T, comm);
    memset(send, 0x44, (size_t)size * MOST * sizeof *send);
    for (int r = 0; r < size; r++) {
        words_check("all-to-all", receive + r * MOST,
                    test_stream(number, (uint64_t)r, ROLE_EXCHANGE), (size_t)rank * MOST,
                    (size_t)counts[r]);
    }
    free(receive);
    free(send);
    free(counts);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void exercise_sizes(MPI_Comm comm, uint64_t number, struct test_memory memory)
{
    const size_t sizes[] = {64, 4096, 40000, memory.bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i] <= memory.bytes) {
            test_exercise_allreduce(comm, number * 8 + i, memory, sizes[i]);
            test_exercise_allgather(comm, number * 8 + i, memory, sizes[i]);
            test_exercise_rooted(comm, number * 8 + i);
        }
    }
    test_exercise_exchange(comm, number);
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
