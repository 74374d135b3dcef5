/*
 * Sizes and places beyond 32 bits: buffers behind the 4 GiB of a heap, which cost nothing but the
 * pages that are used; with SYMM_TEST_LONG also calls on more than 4 GiB a rank, if the machine has
 * the memory for them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t kib = 1024, mib = 1024 * 1024, gib = 1024 * 1024 * 1024;

static void *allocate(size_t bytes, bool heap)
{
    void *memory = NULL;
    if (heap) {
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    } else {
        memory = malloc(bytes);
    }
    if (memory == NULL) {
        fprintf(stderr, "check_large: no address space for %zu MiB\n", bytes / mib);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return memory;
}

static void release(void *memory, bool heap)
{
    if (heap) {
        MPI_Free_mem(memory);
    } else {
        free(memory);
    }
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Its period is a prime, so that data in the wrong place is wrong data. Sums are exact. */
static double datum(size_t i, int rank)
{
    return (double)(i % 1021) + (double)(rank * 2000);
}

static void fill(double *data, size_t count, int rank)
{
    for (size_t i = 0; i < count; i++) {
        data[i] = datum(i, rank);
    }
}

static void expect(const double *data, size_t i, double expected)
{
    test_fail("element %zu: expected %g, found %g", i, expected, data[i]);
}

static void check_sum(const double *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double sum = (double)(i % 1021) * test_size + 1000.0 * test_size * (test_size - 1);
        if (data[i] != sum) {
            expect(data, i, sum);
            return;
        }
    }
}

static void check_block(const double *data, size_t count, int rank)
{
    for (size_t i = 0; i < count; i++) {
        if (data[i] != datum(i, rank)) {
            expect(data, i, datum(i, rank));
            return;
        }
    }
}

/* ---- places beyond 4 GiB --------------------------------------------------------------------- */

/* Both collectives from one place to another; `receive` has room for the blocks of all ranks. */
static void work(double *send, double *receive, size_t count)
{
    fill(send, count, test_rank);
    memset(receive, 0xdb, count * sizeof *receive);
    MPI_Allreduce(send, receive, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_sum(receive, count);
    check_block(send, count, test_rank);
    memset(receive, 0xdb, count * sizeof *receive * (size_t)test_size);
    MPI_Allgather(send, (int)count, MPI_DOUBLE, receive, (int)count, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int rank = 0; rank < test_size; rank++) {
        check_block(receive + (size_t)rank * count, count, rank);
    }
}

static double *at(unsigned char *block, size_t offset)
{
    return (double *)(void *)(block + offset);
}

/* In one block, at the 31-bit and 32-bit borders and behind them; odd ranks the other way round. */
static void far_in_a_block(void)
{
    static const size_t counts[] = {3, 3000, 130000};
    const size_t places[] = {0, 2 * gib - 4 * kib, 4 * gib - 4 * kib, 5 * gib + 8};
    unsigned char *block = allocate(6 * gib, true);
    for (size_t c = 0; c < 3; c++) {
        for (size_t from = 0; from < 4; from++) {
            for (size_t to = 0; to < 4; to++) {
                size_t send = test_rank % 2 == 0 ? from : 3 - from;
                size_t receive = test_rank % 2 == 0 ? to : 3 - to;
                test_case("%zu elements, %zu MiB from the start to %zu MiB from it", counts[c],
                          places[send] / mib, places[receive] / mib);
                if (send != receive) {
                    work(at(block, places[send]), at(block, places[receive]), counts[c]);
                }
            }
        }
    }
    release(block, true);
}

/* In the last of so many blocks that they reach beyond 4 GiB together. */
static void far_in_the_heap(void)
{
    enum { BLOCKS = 70 };
    unsigned char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = allocate(64 * mib, true);
    }
    test_case("blocks beyond 4 GiB");
    for (int i = BLOCKS - 10; i < BLOCKS; i++) {
        work(at(blocks[i], 8), at(blocks[BLOCKS - 1 - i], 16), 50000);
        work(at(blocks[BLOCKS - 1 - i], 8), at(blocks[i], 16), 50000);
    }
    for (int i = 0; i < BLOCKS; i++) {
        release(blocks[i], true);
    }
}

/*
 * Blocks whose displacements stand for up to 5 GiB, gathered in one buffer or scattered from it.
 * An element is a whole block, and as long as 1 GiB with the gap behind it.
 */
static void far_apart(size_t count)
{
    enum { RANKS_MAX = 4 };
    int ones[RANKS_MAX] = {1, 1, 1, 1}, places[RANKS_MAX] = {5, 0, 4, 2};
    int counts[RANKS_MAX], zeros[RANKS_MAX] = {0};
    MPI_Datatype dense, type;
    unsigned char *block = allocate(6 * gib, true);
    double *own = allocate(count * sizeof *own, true);
    MPI_Type_contiguous((int)count, MPI_DOUBLE, &dense);
    MPI_Type_create_resized(dense, 0, (MPI_Aint)gib, &type);
    MPI_Type_commit(&type);
    for (int call = 0; call < 3; call++) {
        static const char *const names[] = {"gatherv", "allgatherv", "alltoallv"};
        test_case("%s of %zu elements to 5 GiB", names[call], count);
        fill(own, count, test_rank);
        for (int rank = 0; rank < test_size; rank++) {
            memset(block + (size_t)places[rank] * gib, 0xdb, count * sizeof *own);
            counts[rank] = (int)count;
        }
        if (call == 0) {
            MPI_Gatherv(own, counts[0], MPI_DOUBLE, block, ones, places, type, 1, MPI_COMM_WORLD);
        } else if (call == 1) {
            MPI_Allgatherv(own, counts[0], MPI_DOUBLE, block, ones, places, type, MPI_COMM_WORLD);
        } else {
            MPI_Alltoallv(own, counts, zeros, MPI_DOUBLE, block, ones, places, type,
                          MPI_COMM_WORLD);
        }
        for (int rank = 0; rank < test_size && (call > 0 || test_rank == 1); rank++) {
            check_block(at(block, (size_t)places[rank] * gib), count, rank);
        }
    }
    test_case("scatterv of %zu elements from 5 GiB", count);
    for (int rank = 0; rank < test_size; rank++) {
        fill(at(block, (size_t)places[rank] * gib), count, rank);
    }
    memset(own, 0xdb, count * sizeof *own);
    MPI_Scatterv(block, ones, places, type, own, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    check_block(own, count, test_rank);
    MPI_Type_free(&type);
    MPI_Type_free(&dense);
    release(own, true);
    release(block, true);
}

/* ---- more than 4 GiB ------------------------------------------------------------------------- */

static size_t memory_available(void)
{
    char line[128];
    unsigned long long available = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "MemAvailable: %llu kB", &available);
    }
    if (file != NULL) {
        fclose(file);
    }
    return (size_t)available * kib;
}

/* Rank 0 looks whether all ranks together find so much; the others are told. */
static bool is_there(size_t bytes)
{
    int there = memory_available() > bytes * (size_t)test_size + 2 * gib;
    for (int rank = 1; rank < test_size && test_rank == 0; rank++) {
        MPI_Send(&there, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    }
    if (test_rank != 0) {
        MPI_Recv(&there, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!there) {
        printf("check_large: note: left out what needs %zu GiB a rank\n", bytes / gib);
    }
    return there != 0;
}

static void large_allreduce(bool heap)
{
    const size_t count = 4 * gib / sizeof(double) + 3;
    if (!is_there(count * sizeof(double))) {
        return;
    }
    test_case("all-reduce of %zu doubles, %s", count, heap ? "heap" : "malloc");
    double *data = allocate(count * sizeof *data, heap);
    fill(data, count, test_rank);
    MPI_Allreduce(MPI_IN_PLACE, data, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_sum(data, count);
    release(data, heap);
}

/* Blocks of 2 GiB and a little from each rank, named in elements of 1 KiB. */
static void large_allgather(bool heap)
{
    const size_t elements = 2 * mib + 3, count = elements * kib / sizeof(double);
    MPI_Datatype type;
    if (!is_there(elements * kib * (size_t)test_size)) {
        return;
    }
    test_case("all-gather of %zu KiB, %s", elements, heap ? "heap" : "malloc");
    double *data = allocate(elements * kib * (size_t)test_size, heap);
    fill(data + (size_t)test_rank * count, count, test_rank);
    MPI_Type_contiguous((int)kib, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Allgather(MPI_IN_PLACE, 0, type, data, (int)elements, type, MPI_COMM_WORLD);
    for (int rank = 0; rank < test_size; rank++) {
        check_block(data + (size_t)rank * count, count, rank);
    }
    MPI_Type_free(&type);
    release(data, heap);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_large", MPI_THREAD_SINGLE);
    if (getenv("SYMM_TEST_LONG") == NULL) {
        far_in_a_block();
        far_in_the_heap();
        far_apart(3);
        far_apart(130000);
        return test_end();
    }
    for (int heap = 0; heap < 2; heap++) {
        large_allreduce(heap == 1);
        large_allgather(heap == 1);
    }
    return test_end();
}
