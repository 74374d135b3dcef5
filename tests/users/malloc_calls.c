/*
 * malloc_calls.c - CALLS broadcasts of 128 KiB and as many scattervs of 32 KiB for each rank, in
 * memory of malloc().
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { CALLS = 600, ARRAY = 128 << 10, BLOCK = 32 << 10, RANKS_MAX = 16 };

/* Whether all bytes of the array are `value`. */
static int holds(const unsigned char *array, int bytes, int value)
{
    return array[0] == value && memcmp(array, array + 1, (size_t)bytes - 1) == 0;
}

int main(int argc, char **argv)
{
    int rank, ranks, counts[RANKS_MAX], places[RANKS_MAX], wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned char *sent = malloc(RANKS_MAX * (size_t)BLOCK), *received = malloc(ARRAY);
    if (sent == NULL || received == NULL || ranks > RANKS_MAX) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < ranks; i++) {
        counts[i] = BLOCK;
        places[i] = i * BLOCK;
    }
    for (int call = 0; call < CALLS; call++) {
        int value = call % 250;
        memset(received, rank == 0 ? value : 255, ARRAY);
        MPI_Bcast(received, ARRAY, MPI_BYTE, 0, MPI_COMM_WORLD);
        wrong += !holds(received, ARRAY, value);
        memset(sent, value, (size_t)(ranks * BLOCK));
        memset(received, 255, BLOCK);
        MPI_Scatterv(sent, counts, places, MPI_BYTE, received, BLOCK, MPI_BYTE, 0, MPI_COMM_WORLD);
        wrong += !holds(received, BLOCK, value);
    }
    free(sent);
    free(received);
    MPI_Finalize();
    return wrong != 0;
}
