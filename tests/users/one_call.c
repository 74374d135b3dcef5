/*
 * one_call.c - a program that is over at once: MPI_Init, MPI_Allreduce, MPI_Finalize.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int one = 1, ranks = 0, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return ranks != size;
}
