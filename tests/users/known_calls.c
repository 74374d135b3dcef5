/*
 * A known number of calls of known sizes, so that a script can compare the report with them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * On every rank, in MPI_COMM_WORLD and before anything else could be served:
 *   7 all-reduces of 1000 bytes, in place in malloc memory
 *   3 all-reduces of 200000 bytes in MPI_Alloc_mem memory
 *   2 all-reduces of 200000 bytes in malloc memory
 *   5 all-gathers of 500 bytes a rank
 *   4 all-gathers of 500000 bytes a rank in MPI_Alloc_mem memory, and 3 of 50000
 *   6 all-gathers of 600 bytes a rank, a vector type with gaps, which are packed
 *   1 all-gather of 500000 bytes a rank of that type, which cannot be served
 */
#include "tests/harness/counted_calls.h"

#include <mpi.h>

#include <stdlib.h>

enum { REDUCED = 200000, GATHERED = 500000, GATHERED_SMALL = 50000 };

int main(int argc, char **argv)
{
    int size;
    MPI_Datatype gaps;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t most = 2 * (size_t)size * GATHERED + REDUCED;
    void *heap[2] = {counted_new_zeros(most, 1), counted_new_zeros(most, 1)};
    void *plain[2] = {counted_new_zeros(most, 0), counted_new_zeros(most, 0)};
    MPI_Type_vector(50, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);

    counted_reduce(7, MPI_IN_PLACE, plain[1], 1000);
    counted_reduce(3, heap[0], heap[1], REDUCED);
    counted_reduce(2, plain[0], plain[1], REDUCED);
    counted_gather(5, plain[0], plain[1], 500, MPI_BYTE);
    counted_gather(4, heap[0], heap[1], GATHERED, MPI_BYTE);
    counted_gather(3, heap[0], heap[1], GATHERED_SMALL, MPI_BYTE);
    counted_gather(6, plain[0], plain[1], 3, gaps);
    counted_gather(1, plain[0], plain[1], GATHERED / 200, gaps);

    MPI_Type_free(&gaps);
    for (int i = 0; i < 2; i++) {
        MPI_Free_mem(heap[i]);
        free(plain[i]);
    }
    MPI_Finalize();
    return 0;
}
