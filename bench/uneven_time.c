/*
 * uneven_time.c - MPI_Alltoallv on GPU memory with blocks that differ, beside a floor: the bytes
 * that must enter or leave the busiest GPU, or be copied within one.
 *
 *     mpirun -n RANKS bench/uneven_time [MOST [ROUNDS]]
 *
 * MOST     MiB of a block (16); blocks begin at 64 KiB, and each size is 16 times the one before
 * ROUNDS   calls of each pattern and size (40)
 *
 * Times are medians in microseconds of the slowest rank.  The floor takes 391 GB/s of a link and
 * 1300 GB/s of a copy within a device, which reads and writes, and 6.84 us for a call.
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

enum { KIB = 1 << 10, MIB = 1 << 20, RANKS_MOST = 64, ROUNDS_MOST = 1000 };

/* Bytes from one rank to another; `bytes` are those of a block. */
static size_t equal(int from, int to, size_t bytes)
{
    (void)from, (void)to;
    return bytes;
}

static size_t one_pair(int from, int to, size_t bytes)
{
    return from == 0 && to == 1 ? bytes : 0;
}

static size_t to_one(int from, int to, size_t bytes)
{
    (void)from;
    return to == 0 ? bytes : 0;
}

static size_t from_one(int from, int to, size_t bytes)
{
    (void)to;
    return from == 0 ? bytes : 0;
}

static size_t in_pairs(int from, int to, size_t bytes)
{
    return (from ^ 1) == to ? bytes : 0;
}

static size_t kept(int from, int to, size_t bytes)
{
    return from == to ? 4 * bytes : bytes / 16;
}

static size_t triangle(int from, int to, size_t bytes)
{
    return to >= from ? bytes : 0;
}

static const struct pattern {
    const char *name;
    size_t (*bytes)(int from, int to, size_t bytes);
} patterns[] = {
    {"equal", equal},          {"one-pair", one_pair}, {"to-rank-0", to_one},
    {"from-rank-0", from_one}, {"in-pairs", in_pairs}, {"mostly-kept", kept},
    {"triangle", triangle},
};

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

struct program {
    int rank, ranks, rounds;
    void *send, *receive;
    int counts[2][RANKS_MOST], disps[2][RANKS_MOST]; /* sent, received */
};

static double floor_of(const struct pattern *pattern, int ranks, size_t bytes)
{
    const double link = 391e3, within = 1300e3, call = 6.84;
    double most = 0;
    for (int rank = 0; rank < ranks; rank++) {
        double out = 0, in = 0, own = (double)pattern->bytes(rank, rank, bytes) / within;
        for (int other = 0; other < ranks; other++) {
            out += other == rank ? 0 : (double)pattern->bytes(rank, other, bytes) / link;
            in += other == rank ? 0 : (double)pattern->bytes(other, rank, bytes) / link;
        }
        most = out > most ? out : most;
        most = in > most ? in : most;
        most = own > most ? own : most;
    }
    return call + most;
}

static void blocks_describe(struct program *program, const struct pattern *pattern, size_t bytes)
{
    int at[2] = {0, 0};
    for (int rank = 0; rank < program->ranks; rank++) {
        program->counts[0][rank] = (int)pattern->bytes(program->rank, rank, bytes);
        program->counts[1][rank] = (int)pattern->bytes(rank, program->rank, bytes);
        for (int side = 0; side < 2; side++) {
            program->disps[side][rank] = at[side];
            at[side] += program->counts[side][rank];
        }
    }
}

static double measure(const struct program *program)
{
    double times[ROUNDS_MOST], slowest[ROUNDS_MOST];
    for (int round = -3; round < program->rounds; round++) { /* the first ones set things up */
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        MPI_Alltoallv(program->send, program->counts[0], program->disps[0], MPI_BYTE,
                      program->receive, program->counts[1], program->disps[1], MPI_BYTE,
                      MPI_COMM_WORLD);
        times[round < 0 ? 0 : round] = clock_us() - begin;
    }
    MPI_Reduce(times, slowest, program->rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return program->rank == 0 ? clock_median(slowest, program->rounds) : 0;
}

int main(int argc, char **argv)
{
    struct program program;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &program.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program.ranks);
    size_t most = (size_t)rank_argument(argc, argv, 1, 16, 64) * MIB;
    program.rounds = rank_argument(argc, argv, 2, 40, ROUNDS_MOST);
    if (program.ranks > RANKS_MOST || most * ((size_t)program.ranks + 4) > (size_t)2047 * MIB) {
        fprintf(stderr, "uneven_time: %zu MiB a block for %d ranks are too much\n", most / MIB,
                program.ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    struct device *device = rank_device_open();
    program.send = rank_device_memory(device, most * ((size_t)program.ranks + 4));
    program.receive = rank_device_memory(device, most * ((size_t)program.ranks + 4));
    if (program.rank == 0) {
        printf("# MPI_Alltoallv, %d ranks, memory of the CUDA driver\n# %-14s %12s %11s %9s %6s\n",
               program.ranks, "blocks", "of bytes", "time(us)", "floor(us)", "ratio");
    }
    for (int i = 0; i < PATTERNS; i++) {
        for (size_t bytes = 64 * KIB; bytes <= most; bytes *= 16) {
            blocks_describe(&program, &patterns[i], bytes);
            double time = measure(&program), least = floor_of(&patterns[i], program.ranks, bytes);
            if (program.rank == 0) {
                printf("%-16s %12zu %11.1f %9.1f %6.2f\n", patterns[i].name, bytes, time, least,
                       time / least);
                fflush(stdout);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
