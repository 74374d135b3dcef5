/*
 * communicators.c - what a communicator costs: its first call and its end, many in a loop, many
 * alive at a time.  Run it with and without --mca coll ^symm.
 *
 * usage: communicators [many [alive]]
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"

enum { TRIES = 200 };

static void use(MPI_Comm comm)
{
    double mine = 1, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

static int compare(const void *one, const void *other)
{
    const double *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof(times[0]), compare);
    return times[count / 2];
}

/* The first call, the second, and the end of a communicator over ranks that have met. */
static void print_one(int rank)
{
    static double firsts[TRIES], seconds[TRIES], ends[TRIES];
    for (int i = 0; i < TRIES; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        use(comm);
        firsts[i] = clock_us() - begin;
        begin = clock_us();
        use(comm);
        seconds[i] = clock_us() - begin;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = clock_us();
        MPI_Comm_free(&comm);
        ends[i] = clock_us() - begin;
    }
    if (rank == 0) {
        printf("first call %20.2f us (median of %d)\n", median(firsts, TRIES), TRIES);
        printf("second call %19.2f us\n", median(seconds, TRIES));
        printf("end %27.2f us\n", median(ends, TRIES));
    }
}

/* Made, used once, and freed: the mean, and the median, which is less of others' doing. */
static void print_loop(int rank, int many)
{
    double *times = calloc((size_t)many, sizeof(*times));
    double start = clock_us(), begin = start;
    if (times == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (int i = 0; i < many; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use(comm);
        MPI_Comm_free(&comm);
        double end = clock_us();
        times[i] = end - begin;
        begin = end;
    }
    if (rank == 0) {
        printf("%d made, used, freed %8.2f us each, median %.2f us\n", many,
               (begin - start) / many, median(times, many));
    }
    free(times);
}

/* A number of /proc/self/`file` after `key`, in what unit it has; -1: there is none. */
static long number_of(const char *file, const char *key)
{
    char line[256];
    long number = -1;
    FILE *stream = fopen(file, "r");
    while (stream != NULL && number < 0 && fgets(line, sizeof(line), stream) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            number = strtol(line + strlen(key), NULL, 10);
        }
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    return number;
}

static long mappings(void)
{
    long lines = 0;
    int byte;
    FILE *stream = fopen("/proc/self/maps", "r");
    while (stream != NULL && (byte = getc(stream)) != EOF) {
        lines += byte == '\n';
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    return lines;
}

struct use_of_memory {
    long resident, shared, proportional, page_tables, mappings;
};

static struct use_of_memory measure(void)
{
    return (struct use_of_memory){
        .resident = number_of("/proc/self/status", "VmRSS:"),
        .shared = number_of("/proc/self/status", "RssShmem:"),
        .proportional = number_of("/proc/self/smaps_rollup", "Pss:"),
        .page_tables = number_of("/proc/self/status", "VmPTE:"),
        .mappings = mappings(),
    };
}

static void print_memory(const char *what, long after, long before, int alive)
{
    printf("%-23s %8.2f KiB each\n", what, (double)(after - before) / alive);
}

/* Many that are used and stay alive: what rank 0 has of them. */
static void print_alive(int rank, int alive)
{
    MPI_Comm *comms = calloc((size_t)alive, sizeof(*comms));
    if (comms == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    struct use_of_memory before = measure();
    for (int i = 0; i < alive; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        use(comms[i]);
    }
    struct use_of_memory after = measure();
    if (rank == 0) {
        printf("%d alive\n", alive);
        print_memory("  resident", after.resident, before.resident, alive);
        print_memory("    of that shared", after.shared, before.shared, alive);
        print_memory("  proportional", after.proportional, before.proportional, alive);
        print_memory("  page tables", after.page_tables, before.page_tables, alive);
        printf("  mappings %21ld in all\n", after.mappings - before.mappings);
    }
    for (int i = 0; i < alive; i++) {
        MPI_Comm_free(&comms[i]);
    }
    free(comms);
}

int main(int argc, char **argv)
{
    int rank;
    int many = argc > 1 ? atoi(argv[1]) : 2000, alive = argc > 2 ? atoi(argv[2]) : 2000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = clock_us();
    use(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("first call of the process %5.2f us\n", clock_us() - begin);
    }
    print_one(rank);
    print_loop(rank, many);
    print_loop(rank, many);
    print_alive(rank, alive);
    MPI_Finalize();
    return 0;
}
