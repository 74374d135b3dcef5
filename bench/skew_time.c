/*
 * skew_time.c - what ranks lose that are late by turns: each rank computes for a random time before
 * each call with a root or scan, on average as long as the others. Where a call synchronises, it
 * takes as long as the latest rank each time. Where it does not, ranks that give data get ahead,
 * and only the averages count. Without computation the calls follow each other in a row.
 *
 *     mpirun -n RANKS bench/skew_time [MEAN [CALLS]]
 *
 * MEAN     microseconds that a rank computes before a call, from 0 to twice as many (20); 0: none
 * CALLS    of each collective and size (20000)
 *
 * The columns are microseconds for a computation and a call, of the slowest rank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"

enum { ROOT = 0, BATCHES = 10 };

struct program {
    int rank, ranks;
    unsigned char *whole, *block; /* from MPI_Alloc_mem */
    int *counts, *displs;         /* of equal blocks, for the calls that have them */
};

static void *memory_get(size_t bytes)
{
    void *memory;
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)memory)[i] = 0;
    }
    return memory;
}

static void bcast(const struct program *program, int bytes)
{
    MPI_Bcast(program->block, bytes, MPI_CHAR, ROOT, MPI_COMM_WORLD);
}

static void reduce(const struct program *program, int bytes)
{
    MPI_Reduce(program->block, program->whole, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, ROOT,
               MPI_COMM_WORLD);
}

static void gather(const struct program *program, int bytes)
{
    MPI_Gather(program->block, bytes, MPI_CHAR, program->whole, bytes, MPI_CHAR, ROOT,
               MPI_COMM_WORLD);
}

static void scatter(const struct program *program, int bytes)
{
    MPI_Scatter(program->whole, bytes, MPI_CHAR, program->block, bytes, MPI_CHAR, ROOT,
                MPI_COMM_WORLD);
}

static void gatherv(const struct program *program, int bytes)
{
    MPI_Gatherv(program->block, bytes, MPI_CHAR, program->whole, program->counts, program->displs,
                MPI_CHAR, ROOT, MPI_COMM_WORLD);
}

static void scatterv(const struct program *program, int bytes)
{
    MPI_Scatterv(program->whole, program->counts, program->displs, MPI_CHAR, program->block, bytes,
                 MPI_CHAR, ROOT, MPI_COMM_WORLD);
}

static void scan(const struct program *program, int bytes)
{
    MPI_Scan(program->block, program->whole, bytes / (int)sizeof(int), MPI_INT, MPI_SUM,
             MPI_COMM_WORLD);
}

static const struct collective {
    const char *name;
    void (*call)(const struct program *program, int bytes);
} collectives[] = {
    {"MPI_Bcast", bcast}, {"MPI_Reduce", reduce}, {"MPI_Gather", gather}, {"MPI_Scatter", scatter},
    {"MPI_Gatherv", gatherv}, {"MPI_Scatterv", scatterv}, {"MPI_Scan", scan}};

enum { COLLECTIVES = sizeof collectives / sizeof collectives[0] };

/* Evenly from 0 to 1; xorshift64*. */
static double random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * UINT64_C(0x2545F4914F6CDD1D) >> 11) / (double)(UINT64_C(1) << 53);
}

static void compute(double microseconds)
{
    double end = clock_us() + microseconds;
    while (clock_us() < end) {
    }
}

/* Median of some batches; `call` may be NULL. */
static double measure(const struct program *program, const struct collective *collective, int bytes,
                      double mean, int calls)
{
    double times[BATCHES], slowest[BATCHES];
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(program->rank + 1);
    for (int rank = 0; rank < program->ranks; rank++) {
        program->counts[rank] = bytes;
        program->displs[rank] = rank * bytes;
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        for (int i = 0; i < calls / BATCHES; i++) {
            if (mean > 0) {
                compute(2 * mean * random_next(&state));
            }
            if (collective != NULL) {
                collective->call(program, bytes);
            }
        }
        times[batch] = (clock_us() - begin) / (calls / BATCHES);
    }
    MPI_Reduce(times, slowest, BATCHES, MPI_DOUBLE, MPI_MAX, ROOT, MPI_COMM_WORLD);
    return program->rank == ROOT ? clock_median(slowest, BATCHES) : 0;
}

static double argument(int argc, char **argv, int number, double otherwise, double most)
{
    char *end = NULL;
    double value = argc > number ? strtod(argv[number], &end) : otherwise;
    if ((end != NULL && *end != '\0') || value < 0 || value > most) {
        fprintf(stderr, "skew_time: %s is no number from 0 to %g\n", argv[number], most);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return value;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 1024, 65536};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    struct program program;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &program.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program.ranks);
    double mean = argument(argc, argv, 1, 20, 1e6);
    int calls = (int)argument(argc, argv, 2, 20000, 1e8);
    calls = calls < BATCHES ? BATCHES : calls;
    program.block = memory_get((size_t)sizes[SIZES - 1]);
    program.whole = memory_get((size_t)sizes[SIZES - 1] * (size_t)program.ranks);
    program.counts = calloc((size_t)program.ranks, sizeof(int));
    program.displs = calloc((size_t)program.ranks, sizeof(int));
    if (program.counts == NULL || program.displs == NULL) {
        fprintf(stderr, "skew_time: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double alone = measure(&program, NULL, 0, mean, calls);
    if (program.rank == ROOT) {
        printf("# %d ranks, each computes %.1f us on average before a call; "
               "without calls %.2f us\n",
               program.ranks, mean, alone);
        printf("# %-12s %10s %12s\n", "", "bytes", "us");
    }
    for (int i = 0; i < COLLECTIVES * SIZES; i++) {
        const struct collective *collective = &collectives[i / SIZES];
        double time = measure(&program, collective, sizes[i % SIZES], mean, calls);
        if (program.rank == ROOT) {
            printf("%-14s %10d %12.3f\n", collective->name, sizes[i % SIZES], time);
            fflush(stdout);
        }
    }
    free(program.displs);
    free(program.counts);
    MPI_Free_mem(program.whole);
    MPI_Free_mem(program.block);
    MPI_Finalize();
    return 0;
}
