/*
 * victim_late.c - a job in which a rank dies in small calls with a root or small scans, in which
 * rank 1 has its data on a device and the other ranks have theirs in host memory; for
 * tests/processes/cleanup.tap.
 *
 *   victim_late CALL       for ever, so that the job ends with a rank that dies in the driver
 *                           (SYMM_STANDIN_FAIL=FUNCTION:USE:SIGKILL@1)
 *   victim_late CALL:RANK  that rank kills itself instead of a call, and the others wait for it
 *   victim_late CALL:none  a few calls, and a good end
 *
 * CALL: bcast, scatter, gather, reduce (rank 0 is the root), collect (a gather to rank 1), scan
 *
 * Others have left each of these calls when rank 1 comes to it, so it cannot go below: the data go
 * by way of lines (mca/coll/symm/transfer/late.h).  The library has the driver copy nothing else
 * here, so a rank that dies in a copy dies in such a call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/cuda_memory.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 200, RANKS_MAX = 8, PLACES = RANKS_MAX * COUNT, BEFORE = 20, FOR_EVER = 100000000 };
enum call { BCAST, SCATTER, GATHER, REDUCE, COLLECT, SCAN, CALLS };

static const char *const names[CALLS] = {"bcast", "scatter", "gather",
                                           "reduce", "collect", "scan"};

static void make(enum call call, const void *send, void *receive)
{
    const MPI_Datatype type = MPI_UNSIGNED;
    const MPI_Comm comm = MPI_COMM_WORLD;
    switch (call) {
    case BCAST:
        MPI_Bcast(receive, COUNT, type, 0, comm);
        break;
    case SCATTER:
        MPI_Scatter(send, COUNT, type, receive, COUNT, type, 0, comm);
        break;
    case SCAN:
        MPI_Scan(send, receive, COUNT, type, MPI_SUM, comm);
        break;
    case REDUCE:
        MPI_Reduce(send, receive, COUNT, type, MPI_SUM, 0, comm);
        break;
    default:
        MPI_Gather(send, COUNT, type, receive, COUNT, type, call == COLLECT, comm);
    }
}

static void *get(int rank)
{
    size_t bytes = PLACES * sizeof(unsigned);
    return rank == 1 ? cuda_memory_get(CUDA_MEMORY_MPI, bytes) : calloc(1, bytes);
}

static void put(int rank, void *memory)
{
    if (rank == 1) {
        cuda_memory_put(CUDA_MEMORY_MPI, memory);
    } else {
        free(memory);
    }
}

static void print_pid(void)
{
    printf("victim pid %ld\n", (long)getpid());
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, size, doomed = -1, calls = FOR_EVER;
    enum call call = BCAST;
    const char *what = argc == 2 ? argv[1] : "";
    size_t length = strcspn(what, ":");
    const char *who = what[length] == ':' ? what + length + 1 : "";
    while (call < CALLS &&
           (strlen(names[call]) != length || strncmp(names[call], what, length) != 0)) {
        call++;
    }
    if (call == CALLS) {
        fprintf(stderr, "victim_late: unknown arguments; see the head of its source\n");
        return 2;
    }
    if (strcmp(who, "none") == 0) {
        calls = BEFORE;
    } else if (*who != '\0') {
        doomed = atoi(who);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > RANKS_MAX) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    cuda_memory_open(rank);
    print_pid();
    void *send = get(rank), *receive = get(rank);
    for (int i = 0; i < calls; i++) {
        if (i == BEFORE && rank == doomed) {
            struct timespec time = {.tv_nsec = 50000000}; /* the others wait by now */
            nanosleep(&time, NULL);
            raise(SIGKILL);
        }
        make(call, send, receive);
    }
    put(rank, receive);
    put(rank, send);
    MPI_Finalize();
    return 0;
}
