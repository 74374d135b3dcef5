/*
 * outstanding_time.c - nonblocking collectives on GPU memory, of which several are under way at a
 * time: do they take as long as if they came one after the other, or longer?
 *
 *     mpirun -n RANKS bench/outstanding_time [MOST [ROUNDS]]
 *
 * MOST     MiB of the largest block (32); from 1 MiB on, each size is four times the one before
 * ROUNDS   of each number and size (20)
 *
 * Calls are in place: results lie where others still read, so each call needs memory for data on
 * their way.  Times are medians in microseconds for one call, of the slowest rank, when 1, 2 and 4
 * are started before any is waited for.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"
#include "bench/rank_device.h"

enum { MIB = 1 << 20, OUTSTANDING = 4, ROUNDS_MOST = 1000 };

struct program {
    int rank, ranks, rounds;
    void *memory[OUTSTANDING]; /* a block for each rank */
};

static void alltoall(void *memory, int bytes, MPI_Request *request)
{
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory, bytes, MPI_BYTE, MPI_COMM_WORLD,
                  request);
}

static void reduce_scatter(void *memory, int bytes, MPI_Request *request)
{
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, memory, bytes / (int)sizeof(float), MPI_FLOAT, MPI_MAX,
                              MPI_COMM_WORLD, request);
}

static const struct collective {
    const char *name;
    void (*start)(void *memory, int bytes, MPI_Request *request);
} collectives[] = {{"MPI_Ialltoall", alltoall}, {"MPI_Ireduce_scatter_block", reduce_scatter}};

enum { COLLECTIVES = sizeof collectives / sizeof collectives[0] };

/* For one of `count` calls that are under way together. */
static double measure(const struct program *program, const struct collective *collective,
                      int bytes, int count)
{
    double times[ROUNDS_MOST], slowest[ROUNDS_MOST];
    MPI_Request requests[OUTSTANDING];
    for (int round = -2; round < program->rounds; round++) { /* the first ones set things up */
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        for (int i = 0; i < count; i++) {
            collective->start(program->memory[i], bytes, &requests[i]);
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        times[round < 0 ? 0 : round] = (clock_us() - begin) / count;
    }
    MPI_Reduce(times, slowest, program->rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return program->rank == 0 ? clock_median(slowest, program->rounds) : 0;
}

static void collective_measure(const struct program *program, const struct collective *collective,
                               int most)
{
    if (program->rank == 0) {
        printf("# %s in place, %d ranks\n# %-14s %11s %11s %11s\n", collective->name,
               program->ranks, "Size of a block", "1 (us)", "2 (us)", "4 (us)");
    }
    for (int bytes = MIB; bytes <= most; bytes *= 4) {
        double one = measure(program, collective, bytes, 1);
        double two = measure(program, collective, bytes, 2);
        double four = measure(program, collective, bytes, OUTSTANDING);
        if (program->rank == 0) {
            printf("%-17d %11.1f %11.1f %11.1f\n", bytes, one, two, four);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    struct program program;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &program.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program.ranks);
    int most = rank_argument(argc, argv, 1, 32, 256) * MIB;
    program.rounds = rank_argument(argc, argv, 2, 20, ROUNDS_MOST);
    struct device *device = rank_device_open();
    for (int i = 0; i < OUTSTANDING; i++) {
        program.memory[i] = rank_device_memory(device, (size_t)most * (size_t)program.ranks);
        device_fill(device, program.memory[i], 0, (size_t)most * (size_t)program.ranks);
    }
    for (int i = 0; i < COLLECTIVES; i++) {
        collective_measure(&program, &collectives[i], most);
    }
    MPI_Finalize();
    return 0;
}
