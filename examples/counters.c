/*
 * counters.c - an example: reads the counters of ompi-symm while the job runs.
 *
 * The functions above main() are what a program or a tool adds.  They use MPI_T only (MPI-4.1,
 * chapter 15), so they build with any MPI, and find no variables where ompi-symm is not loaded.
 *
 *     mpicc -o counters counters.c && mpirun -n 2 ./counters
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 256 };

struct counter {
    char name[TEXT_SIZE];
    MPI_T_pvar_handle handle;
};

static MPI_T_pvar_session session;
static struct counter *counters;
static int counter_count;

/* Add a variable to the list, if it is one of ompi-symm's under the name that it has today. */
static void counter_add(int index)
{
    struct counter *counter = &counters[counter_count];
    char description[TEXT_SIZE];
    int name_size = TEXT_SIZE, description_size = TEXT_SIZE, values;
    int verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum names;
    if (MPI_T_pvar_get_info(index, counter->name, &name_size, &verbosity, &class, &type, &names,
                            description, &description_size, &bind, &readonly, &continuous,
                            &atomic) == MPI_SUCCESS &&
        strncmp(counter->name, "coll_symm_", strlen("coll_symm_")) == 0 &&
        strncmp(description, "Old name", strlen("Old name")) != 0 &&
        MPI_T_pvar_handle_alloc(session, index, NULL, &counter->handle, &values) == MPI_SUCCESS) {
        counter_count++;
    }
}

/* Counting begins here: a handle counts from its allocation on.  Behind MPI_Init(). */
static void counters_open(void)
{
    int provided, total = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&total);
    counters = calloc((size_t)total + 1, sizeof(*counters));
    for (int i = 0; counters != NULL && i < total; i++) {
        counter_add(i);
    }
}

/* Print what this process has counted.  Anywhere in the program; it is not a collective call. */
static void counters_print(const char *when)
{
    printf("%s:\n", when);
    for (int i = 0; i < counter_count; i++) {
        unsigned long long value = 0; /* the type of all of ompi-symm's variables */
        if (MPI_T_pvar_read(session, counters[i].handle, &value) == MPI_SUCCESS && value > 0) {
            printf("  %-50s %12llu\n", counters[i].name, value);
        }
    }
}

/* Before MPI_Finalize(). */
static void counters_close(void)
{
    for (int i = 0; i < counter_count; i++) {
        MPI_T_pvar_handle_free(session, &counters[i].handle);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    free(counters);
}

int main(int argc, char **argv)
{
    enum { STEPS = 1000, COUNT = 1000 };
    static double parts[COUNT], sums[COUNT];
    int rank, parameters[2] = {1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    counters_open();
    for (int step = 1; step <= STEPS; step++) {
        MPI_Allreduce(parts, sums, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (step % 10 == 0) {
            MPI_Bcast(parameters, 2, MPI_INT, 0, MPI_COMM_WORLD);
        }
        if (rank == 0 && step == STEPS / 2) {
            counters_print("In the middle, rank 0");
        }
    }
    if (rank == 0) {
        counters_print("At the end, rank 0");
    }
    counters_close();
    MPI_Finalize();
    return 0;
}
