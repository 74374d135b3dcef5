/*
 * Turns a matrix whose rows are spread evenly over ranks, so that columns become rows: by
 * MPI_Alltoall of blocks that the program packs, or by MPI_Alltoallw, which reads and stores them
 * where they lie.
 *
 * Errors of MPI end the job (MPI_ERRORS_ARE_FATAL, MPI's default for a communicator).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_TRANSPOSE_H
#define EXAMPLES_TRANSPOSE_H

#include "memory.h"

#include <complex.h>
#include <mpi.h>
#include <stdbool.h>

enum transpose_method { TRANSPOSE_ALLTOALL, TRANSPOSE_ALLTOALLW, TRANSPOSE_METHODS };

struct transpose {
    const struct memory *memory;
    int size;  /* of the matrix */
    int ranks;
    int rows;  /* of each rank; also the rows and columns of a block */
    struct buffer from;
    struct buffer to;
    MPI_Datatype block;  /* a block row by row, in the rows of a matrix */
    MPI_Datatype turned; /* a block column by column */
    int *counts;         /* the arguments of MPI_Alltoallw, one element for each rank */
    int *places;
    MPI_Datatype *blocks;
    MPI_Datatype *turned_blocks;
};

/* "MPI_Alltoall" and so on. */
const char *transpose_name(enum transpose_method method);

/* `size` is a multiple of the number of ranks. Collective; ends the job if there is no memory. */
void transpose_open(struct transpose *transpose, const struct memory *memory, int size);

void transpose_close(struct transpose *transpose);

/* This rank's rows, on the host: the input, and the result. */
double complex *transpose_input(const struct transpose *transpose);
double complex *transpose_output(const struct transpose *transpose);

/*
 * Turns the input, which may be overwritten. Collective; the ranks begin together. Returns the
 * seconds of the call and of packing, without the copies between host and device that are needed
 * only because the host computes.
 */
double transpose_run(struct transpose *transpose, enum transpose_method method);

#endif
