/*
 * A job in which one rank is killed: it prints the process id of every rank, then calls collectives
 * for ever. The last rank kills itself where the argument says. Used by tests/cleanup.tap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   victim first   before its first collective, while the others set theirs up
 *   victim small   amid small messages
 *   victim large   amid large messages in MPI_Alloc_mem memory
 *   victim malloc  amid large messages in other memory
 *   victim never   until somebody else ends the job
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void pause_for(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* The main thread is somewhere in a collective when this strikes. */
static void *kill_later(void *unused)
{
    (void)unused;
    pause_for(150);
    raise(SIGKILL);
    return NULL;
}

static void start_killer(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, kill_later, NULL) != 0) {
        fprintf(stderr, "victim: cannot start a thread\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

static double *new_array(const char *how, size_t count)
{
    double *array = NULL;
    if (strcmp(how, "malloc") == 0) {
        array = malloc(count * sizeof *array);
    } else {
        MPI_Alloc_mem((MPI_Aint)(count * sizeof *array), MPI_INFO_NULL, &array);
    }
    if (array == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    memset(array, 0, count * sizeof *array);
    return array;
}

static void call_for_ever(const char *how, int size)
{
    int most = strcmp(how, "small") == 0 ? 64 : 200000;
    double *send = new_array(how, (size_t)most);
    double *receive = new_array(how, (size_t)most);
    for (int i = 0;; i++) {
        MPI_Allreduce(send, receive, most, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(send, most / size, MPI_DOUBLE, receive, most / size, MPI_DOUBLE,
                      MPI_COMM_WORLD);
    }
}

static int is_known(const char *how)
{
    static const char *const known[] = {"first", "small", "large", "malloc", "never"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(how, known[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rank;
    int size;
    const char *how = argc == 2 ? argv[1] : "";
    if (!is_known(how)) {
        fprintf(stderr, "victim: '%s' is unknown; use first, small, large, malloc or never\n",
                how);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &(int){0});
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("victim pid %ld\n", (long)getpid());
    fflush(stdout);
    if (rank == size - 1) {
        pause_for(50); /* the others wait by now */
        if (strcmp(how, "first") == 0) {
            raise(SIGKILL);
        } else if (strcmp(how, "never") != 0) {
            start_killer();
        }
    }
    call_for_ever(how, size);
    return 0;
}
