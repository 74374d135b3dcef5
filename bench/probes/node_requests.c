/*
 * node_requests.c - nonblocking and persistent all-reduces over several nodes, on a communicator of
 * the component's and on one without it, by turns: microseconds of a call alone, and of one of four
 * that are outstanding. The component has plans for a communicator after its first blocking calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

enum { BLOCKS = 21, MOST = 8 << 20, OUTSTANDING = 4, SIDES = 2 };

static float *input, *output;

/* A number of calls at a time, as requests; with `persistent`, of that one. */
static double calls_us(MPI_Comm comm, int count, int number, MPI_Request *persistent)
{
    int rounds = (count > 1 << 18 ? 8 : 40) / number + 1;
    MPI_Request requests[OUTSTANDING];
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        if (persistent != NULL) {
            MPI_Start(persistent);
            MPI_Wait(persistent, MPI_STATUS_IGNORE);
            continue;
        }
        for (int i = 0; i < number; i++) {
            size_t at = (size_t)i * (MOST / sizeof(float));
            MPI_Iallreduce(input + at, output + at, count, MPI_FLOAT, MPI_SUM, comm, &requests[i]);
        }
        MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
    }
    return (MPI_Wtime() - begun) / rounds / number * 1e6;
}

static int compare(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

static void row(const MPI_Comm *comms, const char *form, int bytes, int number,
                MPI_Request *persistent)
{
    double us[SIDES][BLOCKS], ratio[BLOCKS];
    int rank, count = bytes / (int)sizeof(float);
    for (int block = 0; block < BLOCKS; block++) {
        for (int side = 0; side < SIDES; side++) {
            us[side][block] = calls_us(comms[side], count, number,
                                       persistent == NULL ? NULL : &persistent[side]);
        }
        ratio[block] = us[0][block] / us[1][block];
    }
    qsort(us[0], BLOCKS, sizeof(double), compare);
    qsort(us[1], BLOCKS, sizeof(double), compare);
    qsort(ratio, BLOCKS, sizeof(double), compare);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("%-12s %9d %12d %10.1f %11.1f %7.2f %6.2f %6.2f\n", form, bytes, number,
               us[0][BLOCKS / 2], us[1][BLOCKS / 2], ratio[BLOCKS / 2], ratio[BLOCKS / 4],
               ratio[BLOCKS * 3 / 4]);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comms[SIDES];
    MPI_Info without;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&without);
    MPI_Info_set(without, "ompi_comm_coll_preference", "^symm");
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, without, &comms[1]);
    input = calloc(OUTSTANDING, MOST);
    output = calloc(OUTSTANDING, MOST);
    if (rank == 0) {
        printf("# form           bytes  outstanding   with(us) without(us)   ratio, quartiles\n");
    }
    for (int side = 0; side < SIDES; side++) {
        MPI_Allreduce(input, output, 1 << 16, MPI_FLOAT, MPI_SUM, comms[side]);
    }
    for (int bytes = 128 << 10; bytes <= MOST; bytes *= 4) {
        row(comms, "nonblocking", bytes, 1, NULL);
        row(comms, "nonblocking", bytes, OUTSTANDING, NULL);
    }
    for (int bytes = 1 << 10; bytes <= MOST; bytes *= 4) {
        MPI_Request requests[SIDES];
        for (int side = 0; side < SIDES; side++) {
            MPI_Allreduce_init(input, output, bytes / (int)sizeof(float), MPI_FLOAT, MPI_SUM,
                               comms[side], MPI_INFO_NULL, &requests[side]);
        }
        row(comms, "persistent", bytes, 1, requests);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    MPI_Info_free(&without);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    free(input);
    free(output);
    MPI_Finalize();
    return 0;
}
