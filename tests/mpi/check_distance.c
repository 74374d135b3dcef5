/*
 * check_distance.c - broadcasts of 128 KiB in memory of malloc(): blocking ones, then nonblocking
 * ones, then some of either by turns.  How they are made depends on how far apart the ranks are
 * (tests/distance.tap).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { CALLS = 100, ARRAY = 128 << 10 };

static unsigned char *array;
static int rank;

/* Whether the array has come. */
static int broadcast(int call, int is_blocking)
{
    int value = call % 250;
    memset(array, rank == 0 ? value : 255, ARRAY);
    if (is_blocking) {
        MPI_Bcast(array, ARRAY, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Ibcast(array, ARRAY, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return array[0] == value && memcmp(array, array + 1, ARRAY - 1) == 0;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    array = malloc(ARRAY);
    if (array == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int call = 0; call < 4 * CALLS; call++) {
        wrong += !broadcast(call, call / CALLS == 0 || (call / CALLS > 1 && call % 3 == 0));
    }
    free(array);
    MPI_Finalize();
    return wrong != 0;
}
