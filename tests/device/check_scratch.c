/*
 * check_scratch.c - all-reduces in which every rank keeps its input to itself, in managed memory,
 * while outputs are in the heap, after one that has gone through scratch.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/harness.h"

#include <stdint.h>

enum { COUNT = 10240, CALLS = 100 }; /* bytes that are copied to scratch while the ranks agree */

static uint32_t numbers[COUNT];

static uint32_t number(int rank, uint32_t call, uint32_t i)
{
    return call * 1000003U + (uint32_t)rank * 777U + i * 13U;
}

static bool is_summed(void *input, void *output, uint32_t call)
{
    bool right = true;
    for (uint32_t i = 0; i < COUNT; i++) {
        numbers[i] = number(test_rank, call, i);
    }
    cuda_memory_write(input, numbers, sizeof(numbers));
    MPI_Allreduce(input, output, COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    cuda_memory_read(numbers, output, sizeof(numbers));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t sum = 0;
        for (int rank = 0; rank < test_size; rank++) {
            sum += number(rank, call, i);
        }
        right = right && numbers[i] == sum;
    }
    return right;
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_scratch", MPI_THREAD_SINGLE);
    cuda_memory_open(test_rank);
    void *input = cuda_memory_get(CUDA_MEMORY_MANAGED, sizeof(numbers));
    void *managed = cuda_memory_get(CUDA_MEMORY_MANAGED, sizeof(numbers));
    void *output = cuda_memory_get(CUDA_MEMORY_MPI, sizeof(numbers));
    test_case("nobody reaches anything");
    test_check(is_summed(input, managed, 0), "the sums are right");
    test_case("outputs in the heap");
    for (uint32_t call = 1; call <= CALLS; call++) {
        test_check(is_summed(input, output, call), "the sums are right");
    }
    cuda_memory_put(CUDA_MEMORY_MPI, output);
    cuda_memory_put(CUDA_MEMORY_MANAGED, managed);
    cuda_memory_put(CUDA_MEMORY_MANAGED, input);
    return test_end();
}
