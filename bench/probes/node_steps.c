/*
 * node_steps.c - measured rows for bench/scale --check, and the constants of the machine that they
 * were measured on: messages between nodes and within them, collectives of a node, a reduction.
 *
 *     mpirun -n RANKS --mca coll symm bench/probes/node_steps [CORES [ROUNDS]]
 *
 * CORES    that all ranks of all nodes share, on emulated nodes; 0 (default): each has one
 * ROUNDS   of which the lower quartile counts, as other work only adds time (15)
 *
 * All nodes have as many ranks. Calls follow each other without barriers, in blocks of both sides
 * by turns, and so none is measured whose root might get ahead. Times are the slowest rank's.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#include "bench/clock.h"

enum { LITTLE = 64, LARGE = 512 << 10, MOST = 16 << 20, ROUNDS_MOST = 99, ENTRIES = 99 };
static unsigned char *input, *output;
static int *counts; /* of equal blocks, for the calls that have them */

typedef void call_t(MPI_Comm comm, int bytes, int size);

/* A rank sends to the next one, so that two exchange. */
static void exchange(MPI_Comm comm, int bytes, int size)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Sendrecv(input, bytes, MPI_BYTE, (rank + 1) % size, 0, output, bytes, MPI_BYTE,
                 (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
}

static void allreduce(MPI_Comm comm, int bytes, int size)
{
    (void)size;
    MPI_Allreduce(input, output, bytes / 4, MPI_FLOAT, MPI_SUM, comm);
}

static void allgather(MPI_Comm comm, int bytes, int size)
{
    MPI_Allgather(input, bytes / size, MPI_BYTE, output, bytes / size, MPI_BYTE, comm);
}

static void reduce_scatter(MPI_Comm comm, int bytes, int size)
{
    for (int i = 0; i < size; i++) {
        counts[i] = bytes / size / 4;
    }
    MPI_Reduce_scatter(input, output, counts, MPI_FLOAT, MPI_SUM, comm);
}

static void alltoall(MPI_Comm comm, int bytes, int size)
{
    (void)size;
    MPI_Alltoall(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, comm);
}

static void barrier(MPI_Comm comm, int bytes, int size)
{
    (void)bytes;
    (void)size;
    MPI_Barrier(comm);
}

static void steps(MPI_Comm comm, int bytes, int size)
{
    reduce_scatter(comm, bytes * size, size);
    allgather(comm, bytes * size, size);
}

static void sum(MPI_Comm comm, int bytes, int size)
{
    (void)comm;
    (void)size;
    MPI_Reduce_local(input, output, bytes / 4, MPI_FLOAT, MPI_SUM);
}

static const struct row {
    const char *name;
    call_t *call;
    int bytes[9], count;
} rows[] = {
    {"allreduce", allreduce, {8, 1024, 8192, 65536, 262144, 1 << 20, 4 << 20, 16 << 20}, 8},
    {"allgather", allgather, {1024, 16384, 131072, 1 << 20, 4 << 20}, 5},
    {"reduce_scatter", reduce_scatter, {1024, 32768, 524288, 4 << 20}, 4},
    {"alltoall", alltoall, {8, 512, 4096}, 3},
    {"barrier", barrier, {0}, 1},
};

/* ---- times ----------------------------------------------------------------------------------- */

struct entry {
    const char *name; /* NULL: no row, but a constant */
    call_t *call;
    MPI_Comm comm;
    int bytes;
    double us[ROUNDS_MOST];
};

static double timed(const struct entry *entry)
{
    enum { US_LEAST = 3000, CALLS_MOST = 100 };
    int size, calls = 1;
    double mine, most = 0;
    MPI_Comm_size(entry->comm, &size);
    for (int block = 0; block < 2; block++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        for (int i = 0; i < calls; i++) {
            entry->call(entry->comm, entry->bytes, size);
        }
        mine = (clock_us() - begin) / calls;
        MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        calls = most * CALLS_MOST < US_LEAST ? CALLS_MOST : (int)(US_LEAST / most) + 1;
    }
    return most;
}

static double quartile(struct entry *entry, int rounds)
{
    (void)clock_median(entry->us, rounds); /* sorts them */
    return entry->us[rounds / 4];
}

static MPI_Comm without(void)
{
    MPI_Info info;
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", "^symm");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

int main(int argc, char **argv)
{
    static struct entry entries[ENTRIES];
    MPI_Comm node, rail, plain, with;
    int rank, local, ranks, nodes, count = 0;
    int cores = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 15;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, local, rank, &rail);
    MPI_Comm_size(rail, &nodes);
    MPI_Comm_dup(MPI_COMM_WORLD, &with);
    plain = without();
    input = calloc(1, MOST);
    output = calloc(1, MOST);
    counts = calloc((size_t)(nodes * ranks), sizeof(*counts));
    if (input == NULL || output == NULL || counts == NULL || rounds < 1 || rounds > ROUNDS_MOST) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    const struct entry constants[] = {
        {NULL, exchange, node, LITTLE, {0}}, {NULL, exchange, node, LARGE, {0}},
        {NULL, exchange, rail, LITTLE, {0}}, {NULL, exchange, rail, LARGE, {0}},
        {NULL, steps, node, LITTLE, {0}}, {NULL, steps, node, LARGE, {0}},
        {NULL, sum, node, LARGE, {0}}};
    enum { NEAR, NEAR_LARGE, FAR, FAR_LARGE, STEPS, STEPS_LARGE, SUM, CONSTANTS };
    for (; count < CONSTANTS; count++) {
        entries[count] = constants[count];
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int k = 0; k < rows[i].count; k++) {
            entries[count++] = (struct entry){rows[i].name, rows[i].call, with, rows[i].bytes[k],
                                              {0}};
            entries[count++] = (struct entry){rows[i].name, rows[i].call, plain,
                                              rows[i].bytes[k], {0}};
        }
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            entries[i].us[round] = timed(&entries[i]);
        }
    }
    double us[ENTRIES], crowd = cores > 0 && nodes * ranks > cores ? nodes * ranks / (double)cores
                                                                   : 1;
    for (int i = 0; i < count; i++) {
        us[i] = quartile(&entries[i], rounds);
    }
    if (rank == 0) {
        double step = us[STEPS] / 2, large = us[STEPS_LARGE] / 2, bytes = LARGE * crowd / 1e3;
        printf("cores %d\ncopy 0,0\n", cores);
        printf("near %.3f,%.3f\n", us[NEAR] / crowd, bytes / (us[NEAR_LARGE] - us[NEAR]));
        printf("network %.3f,%.3f,65536\n", us[FAR] / crowd, bytes / (us[FAR_LARGE] - us[FAR]));
        printf("host %.3f,%.3f\n", step / crowd, bytes * (ranks - 1) / (large - step));
        printf("sum 0,%.3f\n", LARGE / us[SUM] / 1e3); /* too short to lose the core in it */
        for (int i = CONSTANTS; i < count; i += 2) {
            printf("%d %d %s %d %.2f %.2f\n", nodes, ranks, entries[i].name, entries[i].bytes,
                   us[i], us[i + 1]);
        }
    }
    MPI_Finalize();
    return 0;
}
