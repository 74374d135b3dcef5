/*
 * MPI_Alloc_mem and MPI_Free_mem of device memory, until there is none left, and again; nothing is
 * done with the memory. SYMM_TEST_DEVICES=0 says that there is none in the first place: then each
 * call fails.  SYMM_TEST_SCRATCH is the number of MiB that there are to get although a large
 * all-reduce has taken scratch.  SYMM_TEST_ALTERNATE is the number of MiB that a device has: blocks
 * of more than half of it come and go.  tests/device/device_memory.tap judges what is printed
 * beside.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 1000, ALIGNMENT = 256 };

static MPI_Info info;

/* A block of device memory; NULL, with the right error, if there is none. */
static void *allocate(size_t bytes)
{
    void *block = NULL;
    int class = MPI_SUCCESS, error = MPI_Alloc_mem((MPI_Aint)bytes, info, &block);
    if (error != MPI_SUCCESS) {
        MPI_Error_class(error, &class);
        test_check(class == MPI_ERR_NO_MEM, "the error is MPI_ERR_NO_MEM");
        return NULL;
    }
    test_check(block != NULL, "an address without an error");
    test_check((uintptr_t)block % ALIGNMENT == 0, "an aligned address");
    return block;
}

static void check_sizes(void)
{
    static const size_t sizes[] = {1, 100, 4096, 100000, 1 << 20, 3 << 20, 5000000};
    enum { SIZES = sizeof(sizes) / sizeof(*sizes) };
    char *blocks[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        blocks[i] = allocate(sizes[i]);
        test_check(blocks[i] != NULL, "a block of device memory");
        for (size_t j = 0; j < i; j++) {
            test_check(blocks[i] + sizes[i] <= blocks[j] || blocks[j] + sizes[j] <= blocks[i],
                       "blocks that do not overlap");
        }
    }
    for (size_t i = 0; i < SIZES; i++) {
        MPI_Free_mem(blocks[i]);
    }
}

/* A program may free something and try again; so an error must come back, and change nothing. */
static void check_exhaustion(void)
{
    static void *blocks[BLOCKS_MAX];
    size_t first = 0;
    for (int round = 0; round < 3; round++) {
        size_t count = 0;
        test_case("exhaustion, round %d", round);
        while (count < BLOCKS_MAX && (blocks[count] = allocate(1 << 20)) != NULL) {
            count++;
        }
        first = round == 0 ? count : first;
        test_check(count > 0 && count < BLOCKS_MAX, "an end of the memory");
        test_check(count == first, "as much as before");
        test_check(allocate(1 << 30) == NULL, "a refused block");
        while (count > 0) {
            MPI_Free_mem(blocks[--count]);
        }
    }
}

/* What the component has taken in order to be quick must not be missing here. */
static void check_scratch(size_t expected)
{
    enum { BYTES = 16 << 20 };
    static void *blocks[BLOCKS_MAX];
    size_t count = 0;
    test_case("%zu MiB beside scratch", expected);
    void *send = allocate(BYTES), *receive = allocate(BYTES);
    test_check(send != NULL && receive != NULL, "buffers");
    int error = MPI_Allreduce(send, receive, BYTES / (int)sizeof(float), MPI_FLOAT, MPI_SUM,
                              MPI_COMM_WORLD);
    test_check(error == MPI_SUCCESS, "an all-reduce");
    MPI_Free_mem(send);
    MPI_Free_mem(receive);
    while (count < BLOCKS_MAX && (blocks[count] = allocate(1 << 20)) != NULL) {
        count++;
    }
    test_check(count >= expected, "all memory but what MPI itself needs");
    while (count > 0) {
        MPI_Free_mem(blocks[--count]);
    }
}

/*
 * Each block takes most of the device, is used by all ranks, and freed; nothing tells the others
 * but, at most, calls on host memory.  Rank 0 frees and allocates once more while the others make
 * no call at all.
 */
static void check_alternation(size_t total)
{
    static const int percents[] = {60, 80, 60, 60, 95, 70};
    int host[4096] = {1}, sums[4096];
    for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
        size_t bytes = (total << 20) / 100 * (size_t)percents[i] / 8 * 8;
        test_case("%d %% of a device", percents[i]);
        for (int again = 0; again < 2 && test_rank == 0; again++) {
            void *unused = allocate(bytes);
            test_check(unused != NULL, "as much as was freed before");
            if (unused != NULL) {
                MPI_Free_mem(unused);
            }
        }
        char *block = allocate(bytes);
        test_check(block != NULL, "memory that has been freed");
        if (block == NULL) {
            MPI_Abort(MPI_COMM_WORLD, 1); /* the others use theirs */
        }
        int error = MPI_Allreduce(block, block + bytes / 2, 100000, MPI_INT, MPI_SUM,
                                  MPI_COMM_WORLD);
        test_check(error == MPI_SUCCESS, "an all-reduce");
        for (int call = 0; call < 10 && i % 2 == 0; call++) {
            MPI_Allreduce(host, sums, 4096, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        MPI_Free_mem(block);
    }
}

static void check_absence(void)
{
    for (int round = 0; round < 3; round++) {
        test_case("no devices, round %d", round);
        test_check(allocate(1000) == NULL, "no memory");
    }
}

/* Host memory goes on as if nothing had happened. */
static void check_host_memory(uint64_t number)
{
    struct test_memory memory = {.bytes = 100000};
    test_case("host memory");
    MPI_Alloc_mem((MPI_Aint)memory.bytes, MPI_INFO_NULL, &memory.send);
    MPI_Alloc_mem((MPI_Aint)memory.bytes, MPI_INFO_NULL, &memory.receive);
    test_exercise_allreduce(MPI_COMM_WORLD, 2 * number, memory, memory.bytes);
    test_exercise_allgather(MPI_COMM_WORLD, 2 * number + 1, memory, memory.bytes);
    MPI_Free_mem(memory.receive);
    MPI_Free_mem(memory.send);
}

int main(int argc, char **argv)
{
    const char *devices = getenv("SYMM_TEST_DEVICES"), *scratch = getenv("SYMM_TEST_SCRATCH");
    const char *alternate = getenv("SYMM_TEST_ALTERNATE");
    test_begin(argc, argv, "check_device_memory", MPI_THREAD_SINGLE);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", "mpool=symm,kind=cuda");
    check_host_memory(1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (devices != NULL && strcmp(devices, "0") == 0) {
        check_absence();
    } else if (scratch != NULL) {
        check_scratch((size_t)strtoul(scratch, NULL, 10));
    } else if (alternate != NULL) {
        check_alternation((size_t)strtoul(alternate, NULL, 10));
    } else {
        test_case("sizes");
        check_sizes();
        check_exhaustion();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
    check_host_memory(2);
    return test_end();
}
