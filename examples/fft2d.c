/*
 * A two-dimensional Fourier transform over ranks: an ordinary MPI program that turns a matrix by
 * MPI_Alltoall or by MPI_Alltoallw between the transforms of its rows. It uses nothing of this
 * project; run it with and without the component to see what changes (README.md in this folder).
 *
 * This file holds the start (options), the transform, what is asked of its results, and the output.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "direct.h"
#include "fft.h"
#include "fft2d_options.h"
#include "matrix.h"
#include "memory.h"
#include "transpose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_BAD_OPTION = 2, ERROR_SIZE = 512 };

struct job {
    struct fft2d_options options;
    int rank;
    int ranks;
    struct memory memory;
    struct matrix_share share; /* of the matrix, and of the turned one */
    struct fft fft;
    struct direct direct;
    struct transpose transpose;
    double *seconds;       /* of the transposes of one method */
    double complex *first; /* the first result */
    bool has_first;
};

/* Prints the error of the lowest rank that has one. Whether no rank has: the same on all ranks. */
static bool agree(const struct job *job, const char *error)
{
    int own = *error == '\0' ? job->ranks : job->rank;
    int lowest;

    MPI_Reduce(&own, &lowest, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (lowest == job->rank) {
        fprintf(stderr, "fft2d: %s\n", error);
    }
    return lowest == job->ranks;
}

/* ---- the transform ---- */

/* The result is turned: element (row, column) of the transform is at [column][row]. */
static double transform(struct job *job, enum transpose_method method)
{
    double seconds;

    matrix_fill(&job->share, transpose_input(&job->transpose));
    fft_rows(&job->fft, transpose_input(&job->transpose), job->share.rows);
    seconds = transpose_run(&job->transpose, method);
    fft_rows(&job->fft, transpose_output(&job->transpose), job->share.rows);
    return seconds;
}

/* Every result has the bits of the first one. An error that is there already is left as it is. */
static void compare_bits(struct job *job, int repetition, char *error)
{
    const double complex *result = transpose_output(&job->transpose);
    size_t count = (size_t)job->share.rows * (size_t)job->share.size, i = 0;

    if (!job->has_first) {
        memcpy(job->first, result, count * sizeof *result);
        job->has_first = true;
    }
    if (*error != '\0' || memcmp(job->first, result, count * sizeof *result) == 0) {
        return;
    }
    while (memcmp(&job->first[i], &result[i], sizeof *result) == 0) {
        i++;
    }
    snprintf(error, ERROR_SIZE,
             "element (%d, %d) of transform %d is %.17g%+.17gi, but %.17g%+.17gi in the first "
             "transform of this run",
             (int)(i % (size_t)job->share.size),
             job->share.first + (int)(i / (size_t)job->share.size), repetition + 1,
             creal(result[i]), cimag(result[i]), creal(job->first[i]), cimag(job->first[i]));
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double median(double *numbers, int count)
{
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    return (numbers[count / 2] + numbers[(count - 1) / 2]) / 2.0;
}

/* Time of the slowest rank, largest error of any; prints them. False if a result is wrong. */
static bool run_method(struct job *job, enum transpose_method method)
{
    char found[ERROR_SIZE] = "", error[ERROR_SIZE + 32] = "";
    double own[2], most[2];

    for (int i = 0; i < job->options.repeat; i++) {
        job->seconds[i] = transform(job, method);
        if (i == 0) {
            own[1] = direct_check(&job->direct, &job->share, transpose_output(&job->transpose),
                                  found, sizeof found);
        }
        compare_bits(job, i, found);
    }
    if (*found != '\0') {
        snprintf(error, sizeof error, "%s: %s", transpose_name(method), found);
    }
    if (!agree(job, error)) {
        return false;
    }
    own[0] = median(job->seconds, job->options.repeat);
    MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (job->rank == 0) {
        printf("%-15s%.1f us, largest error %.2g\n", transpose_name(method), most[0] * 1e6,
               most[1]);
        fflush(stdout);
    }
    return true;
}

static bool run_methods(struct job *job)
{
    bool good = true;

    for (int method = 0; good && method < TRANSPOSE_METHODS; method++) {
        good = !job->options.method[method] || run_method(job, method);
    }
    return good;
}

/* ---- the rest ---- */

static void print_start(const struct job *job)
{
    size_t block = (size_t)job->share.rows * (size_t)job->share.rows * sizeof(double complex);

    printf("fft2d: %d x %d complex numbers, %d %s\n"
           "  memory from %s\n"
           "  blocks of %d x %d, %zu bytes\n"
           "  medians of %d %s, the slowest rank's\n",
           job->share.size, job->share.size, job->ranks, job->ranks == 1 ? "rank" : "ranks",
           memory_name(&job->memory), job->share.rows, job->share.rows, block,
           job->options.repeat, job->options.repeat == 1 ? "transpose" : "transposes");
    fflush(stdout);
}

/* All results of a run have the same bits; this makes them comparable with other runs'. */
static void print_bits(const struct job *job)
{
    uint64_t own = matrix_hash(&job->share, job->first), all;

    MPI_Reduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (job->rank == 0) {
        printf("all bits       %016" PRIx64 ", the same in all transforms\n", all);
    }
}

/* Ends the job if there is no memory; the buffers of the collectives are transpose.c's. */
static void allocate(struct job *job)
{
    size_t count = (size_t)job->share.rows * (size_t)job->share.size;

    job->first = malloc(count * sizeof *job->first);
    job->seconds = malloc((size_t)job->options.repeat * sizeof *job->seconds);
    if (job->first == NULL || job->seconds == NULL || !fft_open(&job->fft, job->share.size)
        || !direct_open(&job->direct, job->share.size)) {
        fprintf(stderr, "fft2d: rank %d has no memory for the results; try a smaller --size\n",
                job->rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    transpose_open(&job->transpose, &job->memory, job->share.size);
}

static void release(struct job *job)
{
    transpose_close(&job->transpose);
    direct_close(&job->direct);
    fft_close(&job->fft);
    free(job->first);
    free(job->seconds);
}

static bool work(struct job *job)
{
    bool good;

    job->share.size = job->options.size;
    job->share.rows = job->options.size / job->ranks;
    job->share.first = job->rank * job->share.rows;
    allocate(job);
    if (job->rank == 0) {
        print_start(job);
    }
    good = run_methods(job);
    if (good) {
        print_bits(job);
    }
    release(job);
    return good;
}

static int run_job(int argc, char **argv)
{
    static struct job job;
    char error[ERROR_SIZE] = "";
    enum arguments_outcome outcome =
        fft2d_options_parse(argc, argv, &job.options, error, sizeof error);
    bool good;

    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    if (outcome == ARGUMENTS_HELP) {
        if (job.rank == 0) {
            fft2d_options_print_help();
        }
        return EXIT_SUCCESS;
    }
    if (outcome == ARGUMENTS_GOOD) {
        fft2d_options_fit(&job.options, job.ranks, error, sizeof error);
    }
    if (!agree(&job, error)) {
        return EXIT_BAD_OPTION;
    }
    if (!memory_open(&job.memory, "fft2d", job.options.memory, MPI_COMM_WORLD)) {
        return EXIT_FAILURE;
    }
    good = work(&job);
    memory_close(&job.memory);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    status = run_job(argc, argv);
    MPI_Finalize();
    return status;
}
