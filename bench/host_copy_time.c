/*
 * host_copy_time.c - what a call on GPU memory takes that is made on copies in host memory, beside
 * its parts: the same call on host memory, and the bytes of both buffers through pinned memory. The
 * call is MPI_Neighbor_allgather on a ring, which coll/symm does not serve.
 *
 *     mpirun -n RANKS bench/host_copy_time [MOST [ROUNDS]]
 *
 * MOST     MiB of the largest block (512); from 1 MiB on, each size is twice the one before
 * ROUNDS   calls of each size (7)
 *
 * Times are medians in milliseconds, of the slowest rank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/failure.h"
#include "bench/rank_device.h"

enum { MIB = 1 << 20, MOST_ROUNDS = 1000, PIECE = 16 * MIB };

struct program {
    struct device *device;
    MPI_Comm ring;
    int rank, ranks, rounds;
    void *send, *receive;           /* on the device */
    void *host_send, *host_receive; /* in ordinary memory */
    void *pinned;                   /* PIECE bytes */
};

typedef void timed(const struct program *program, size_t bytes);

static void call_on_device(const struct program *program, size_t bytes)
{
    MPI_Neighbor_allgather(program->send, (int)bytes, MPI_BYTE, program->receive, (int)bytes,
                           MPI_BYTE, program->ring);
}

static void call_on_host(const struct program *program, size_t bytes)
{
    MPI_Neighbor_allgather(program->host_send, (int)bytes, MPI_BYTE, program->host_receive,
                           (int)bytes, MPI_BYTE, program->ring);
}

static size_t piece_at(size_t offset, size_t bytes)
{
    return bytes - offset < PIECE ? bytes - offset : PIECE;
}

static void copies(const struct program *program, size_t bytes)
{
    for (size_t offset = 0; offset < bytes; offset += PIECE) {
        device_load(program->device, program->pinned, (unsigned char *)program->send + offset,
                    piece_at(offset, bytes));
    }
    for (size_t offset = 0; offset < bytes; offset += PIECE) {
        device_store(program->device, (unsigned char *)program->receive + offset, program->pinned,
                     piece_at(offset, bytes));
    }
}

/* Milliseconds, on all ranks. */
static double measure(const struct program *program, timed *part, size_t bytes)
{
    static double times[MOST_ROUNDS];
    double slowest;
    part(program, bytes);
    for (int i = 0; i < program->rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        part(program, bytes);
        times[i] = (clock_us() - begin) / 1000;
    }
    double median = clock_median(times, (size_t)program->rounds);
    MPI_Allreduce(&median, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* The neighbour's bytes have come, and have replaced others. */
static void call_check(const struct program *program, size_t bytes)
{
    int left = (program->rank + program->ranks - 1) % program->ranks;
    unsigned char ends[2];
    device_fill(program->device, program->receive, 0xff, bytes);
    call_on_device(program, bytes);
    device_load(program->device, &ends[0], program->receive, 1);
    device_load(program->device, &ends[1], (unsigned char *)program->receive + bytes - 1, 1);
    if (ends[0] != left % 100 || ends[1] != left % 100) {
        failure_stop("%zu bytes: %d and %d have come from rank %d", bytes, ends[0], ends[1], left);
    }
}

static void size_measure(const struct program *program, size_t bytes)
{
    call_check(program, bytes);
    double call = measure(program, call_on_device, bytes);
    double host = measure(program, call_on_host, bytes);
    double link = measure(program, copies, bytes);
    if (program->rank == 0) {
        (void)printf("%12zu %12.3f %12.3f %12.3f %10.2f\n", bytes, call, host, link,
                     call / (host + link));
        (void)fflush(stdout);
    }
}

static void *device_get(const struct program *program, size_t bytes)
{
    void *memory = rank_device_memory(program->device, bytes);
    device_fill(program->device, memory, program->rank % 100, bytes);
    return memory;
}

static void *host_get(const struct program *program, size_t bytes)
{
    void *memory = rank_host_memory(bytes);
    memset(memory, program->rank % 100, bytes);
    return memory;
}

static void open_all(struct program *program, size_t most)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &program->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program->ranks);
    program->device = rank_device_open();
    int left = (program->rank + program->ranks - 1) % program->ranks;
    int right = (program->rank + 1) % program->ranks;
    const int weight = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight,
                                   MPI_INFO_NULL, 0, &program->ring);
    program->send = device_get(program, most);
    program->receive = device_get(program, most);
    program->host_send = host_get(program, most);
    program->host_receive = host_get(program, most);
    program->pinned = device_pinned_allocate(program->device, PIECE);
}

static void close_all(struct program *program)
{
    device_pinned_free(program->device, program->pinned);
    free(program->host_receive);
    free(program->host_send);
    device_free(program->device, program->receive);
    device_free(program->device, program->send);
    MPI_Comm_free(&program->ring);
    device_close(program->device);
}

int main(int argc, char **argv)
{
    struct program program = {0};
    failure_program = "host_copy_time";
    MPI_Init(&argc, &argv);
    size_t most = (size_t)rank_argument(argc, argv, 1, 512, 1024) * MIB;
    program.rounds = rank_argument(argc, argv, 2, 7, MOST_ROUNDS);
    open_all(&program, most);
    if (program.rank == 0) {
        (void)printf("# MPI_Neighbor_allgather, %d ranks, ms; ratio: call / (host + link)\n"
                     "# %10s %12s %12s %12s %10s\n",
                     program.ranks, "bytes", "call", "host", "link", "ratio");
    }
    for (size_t bytes = MIB; bytes <= most; bytes *= 2) {
        size_measure(&program, bytes);
    }
    close_all(&program);
    MPI_Finalize();
    return 0;
}
