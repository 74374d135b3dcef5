/*
 * The two ways. A block is the part of a rank's rows that another rank gets, rows x rows elements.
 *
 * Both take two buffers: MPI_Alltoallw has the matrix in one and the result in the other. For
 * MPI_Alltoall the blocks are packed from the first into the second, exchanged into the first, and
 * placed in the second.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "transpose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *transpose_name(enum transpose_method method)
{
    return method == TRANSPOSE_ALLTOALL ? "MPI_Alltoall" : "MPI_Alltoallw";
}

/* ---- MPI_Alltoallw's arguments ---- */

/*
 * MPI stores what it has read element by element, so the order in which a block is read and the
 * order in which it is stored are what turns it: read row by row, stored column by column.
 */
static void make_types(struct transpose *transpose)
{
    int rows = transpose->rows, size = transpose->size;
    MPI_Datatype column, next_to_next;

    MPI_Type_vector(rows, rows, size, MPI_C_DOUBLE_COMPLEX, &transpose->block);
    MPI_Type_vector(rows, 1, size, MPI_C_DOUBLE_COMPLEX, &column);
    /* a column ends in the last row; the next one begins one element after its beginning */
    MPI_Type_create_resized(column, 0, sizeof(double complex), &next_to_next);
    MPI_Type_contiguous(rows, next_to_next, &transpose->turned);
    MPI_Type_commit(&transpose->block);
    MPI_Type_commit(&transpose->turned);
    MPI_Type_free(&next_to_next);
    MPI_Type_free(&column);
}

/* Rank i's block begins at column i * rows, in the matrix that is sent and in the one received. */
static void make_arguments(struct transpose *transpose)
{
    for (int i = 0; i < transpose->ranks; i++) {
        transpose->counts[i] = 1;
        transpose->places[i] = i * transpose->rows * (int)sizeof(double complex);
        transpose->blocks[i] = transpose->block;
        transpose->turned_blocks[i] = transpose->turned;
    }
}

/* ---- life ---- */

static void *allocate(const struct transpose *transpose, size_t bytes)
{
    void *memory = malloc(bytes);

    if (memory == NULL) {
        fprintf(stderr, "%s: no memory for the arguments of MPI_Alltoallw\n",
                transpose->memory->program);
        MPI_Abort(transpose->memory->comm, EXIT_FAILURE);
    }
    return memory;
}

void transpose_open(struct transpose *transpose, const struct memory *memory, int size)
{
    int ranks, numbers;

    MPI_Comm_size(memory->comm, &ranks);
    *transpose = (struct transpose){
        .memory = memory, .size = size, .ranks = ranks, .rows = size / ranks};
    numbers = 2 * transpose->rows * size;
    transpose->from = memory_allocate(memory, numbers);
    transpose->to = memory_allocate(memory, numbers);
    transpose->counts = allocate(transpose, (size_t)ranks * sizeof(int));
    transpose->places = allocate(transpose, (size_t)ranks * sizeof(int));
    transpose->blocks = allocate(transpose, (size_t)ranks * sizeof(MPI_Datatype));
    transpose->turned_blocks = allocate(transpose, (size_t)ranks * sizeof(MPI_Datatype));
    make_types(transpose);
    make_arguments(transpose);
}

void transpose_close(struct transpose *transpose)
{
    MPI_Type_free(&transpose->block);
    MPI_Type_free(&transpose->turned);
    free(transpose->counts);
    free(transpose->places);
    free(transpose->blocks);
    free(transpose->turned_blocks);
    memory_free(transpose->memory, &transpose->from);
    memory_free(transpose->memory, &transpose->to);
}

double complex *transpose_input(const struct transpose *transpose)
{
    return (double complex *)transpose->from.host;
}

double complex *transpose_output(const struct transpose *transpose)
{
    return (double complex *)transpose->to.host;
}

/* ---- the call, either one ---- */

/* What the call leaves unwritten is then no number, and no result of the call before. */
static void poison(const struct transpose *transpose, const struct buffer *buffer)
{
    for (int i = 0; i < buffer->count; i++) {
        buffer->host[i] = NAN;
    }
    memory_upload(transpose->memory, buffer);
}

/* Returns the moment from which time counts. */
static double begin(const struct transpose *transpose, const struct buffer *send,
                    const struct buffer *receive)
{
    double start;

    memory_upload(transpose->memory, send);
    poison(transpose, receive);
    MPI_Barrier(transpose->memory->comm);
    start = MPI_Wtime();
    memory_stage_in(transpose->memory, send);
    return start;
}

static double end(const struct transpose *transpose, const struct buffer *receive, double start)
{
    double seconds;

    memory_stage_out(transpose->memory, receive);
    seconds = MPI_Wtime() - start;
    memory_download(transpose->memory, receive);
    return seconds;
}

/* ---- MPI_Alltoall ---- */

/* Blocks one after the other, each turned. */
static void pack(const struct transpose *transpose, const double complex *matrix,
                 double complex *blocks)
{
    size_t size = (size_t)transpose->size, rows = (size_t)transpose->rows;

    for (size_t column = 0; column < size; column++) {
        for (size_t row = 0; row < rows; row++) {
            *blocks++ = matrix[row * size + column];
        }
    }
}

/* The turned block of rank i has the columns from i * rows on. */
static void place(const struct transpose *transpose, const double complex *blocks,
                  double complex *matrix)
{
    size_t size = (size_t)transpose->size, rows = (size_t)transpose->rows;

    for (size_t first = 0; first < size; first += rows) {
        for (size_t row = 0; row < rows; row++) {
            for (size_t column = first; column < first + rows; column++) {
                matrix[row * size + column] = *blocks++;
            }
        }
    }
}

static double run_alltoall(struct transpose *transpose)
{
    const struct memory *memory = transpose->memory;
    int elements = transpose->rows * transpose->rows;
    double start = MPI_Wtime();
    double seconds;

    pack(transpose, transpose_input(transpose), transpose_output(transpose));
    seconds = MPI_Wtime() - start;

    start = begin(transpose, &transpose->to, &transpose->from);
    MPI_Alltoall(memory_address(memory, &transpose->to), elements, MPI_C_DOUBLE_COMPLEX,
                 memory_address(memory, &transpose->from), elements, MPI_C_DOUBLE_COMPLEX,
                 memory->comm);
    seconds += end(transpose, &transpose->from, start);

    start = MPI_Wtime();
    place(transpose, transpose_input(transpose), transpose_output(transpose));
    return seconds + MPI_Wtime() - start;
}

/* ---- MPI_Alltoallw ---- */

static double run_alltoallw(struct transpose *transpose)
{
    const struct memory *memory = transpose->memory;
    double start = begin(transpose, &transpose->from, &transpose->to);

    MPI_Alltoallw(memory_address(memory, &transpose->from), transpose->counts, transpose->places,
                  transpose->blocks, memory_address(memory, &transpose->to), transpose->counts,
                  transpose->places, transpose->turned_blocks, memory->comm);
    return end(transpose, &transpose->to, start);
}

double transpose_run(struct transpose *transpose, enum transpose_method method)
{
    return method == TRANSPOSE_ALLTOALL ? run_alltoall(transpose) : run_alltoallw(transpose);
}
