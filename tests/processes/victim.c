/*
 * A job in which one rank is killed: it prints the process id of every rank, then calls collectives
 * for ever. The last rank kills itself where the argument says. Used by
 * tests/processes/cleanup.tap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   victim first   before its first collective, while the others set theirs up
 *   victim small   amid small messages
 *   victim large   amid large messages in MPI_Alloc_mem memory
 *   victim malloc  amid large messages in other memory
 *   victim later   amid nonblocking and persistent calls, on communicators that come and go
 *   victim never   until somebody else ends the job
 *   victim mixed RANK MILLISECONDS
 *                  that rank, so long after our components have been opened, which may be in
 *                  MPI_Init; all ranks call, allocate and make communicators in turn, and check
 *                  results
 *
 * (Earlier, while a process makes itself known to mpirun, its death can make mpirun of Open MPI 4.1
 * hang, whatever components there are.)
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/persistent.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SMALL = 64, LARGE = 200000 };

static void pause_for(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Whether our components have been opened, or MPI is initialised without them. */
static int is_under_way(void)
{
    int initialized = 0;
    int found = 0;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        found |= strstr(line, "/memfd:symm-") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    MPI_Initialized(&initialized);
    return found || initialized;
}

/* The main thread is somewhere in MPI when this strikes. */
static void *kill_later(void *milliseconds)
{
    while (!is_under_way()) {
        pause_for(1);
    }
    pause_for(*(const long *)milliseconds);
    raise(SIGKILL);
    return NULL;
}

static void start_killer(long milliseconds)
{
    static long delay;
    pthread_t thread;
    delay = milliseconds;
    if (pthread_create(&thread, NULL, kill_later, &delay) != 0) {
        fprintf(stderr, "victim: cannot start a thread\n");
        exit(2);
    }
}

static void print_pid(void)
{
    printf("victim pid %ld\n", (long)getpid());
    fflush(stdout);
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
    int most = strcmp(how, "small") == 0 ? SMALL : LARGE;
    double *send = new_array(how, (size_t)most);
    double *receive = new_array(how, (size_t)most);
    for (int i = 0;; i++) {
        MPI_Allreduce(send, receive, most, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgather(send, most / size, MPI_DOUBLE, receive, most / size, MPI_DOUBLE,
                      MPI_COMM_WORLD);
    }
}

/* Some are outstanding at every time, small and large ones, in memory of both kinds. */
static void call_later_for_ever(int rank)
{
    enum { PERSISTENTS = 3, TURNS = 12, REQUESTS = PERSISTENTS + TURNS };
    MPI_Request requests[REQUESTS];
    double *send[2] = {new_array("heap", LARGE), new_array("malloc", LARGE)};
    double *receive[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
        receive[i] = new_array(i % 2 == 0 ? "heap" : "malloc", LARGE);
    }
    for (;;) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < PERSISTENTS; i++) {
            PERSISTENT(Allreduce)(send[i % 2], receive[i], i == 0 ? SMALL : LARGE, MPI_DOUBLE,
                                  MPI_SUM, comm, MPI_INFO_NULL, &requests[i]);
        }
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < PERSISTENTS; i++) { /* in another order on each rank */
                MPI_Start(&requests[(i + rank) % PERSISTENTS]);
            }
            for (int i = PERSISTENTS; i < REQUESTS; i++) {
                MPI_Iallreduce(send[i % 2], receive[i], i % 3 == 0 ? LARGE : SMALL, MPI_DOUBLE,
                               MPI_SUM, i % 4 == 0 ? MPI_COMM_WORLD : comm, &requests[i]);
            }
            MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < PERSISTENTS; i++) {
            MPI_Request_free(&requests[i]);
        }
        MPI_Comm_free(&comm);
    }
}

/* A wrong result must not look like a killed rank. */
static void check(int right, const char *what)
{
    if (!right) {
        printf("victim: wrong result: %s\n", what);
        fflush(stdout);
        pause_for(200);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void checked_calls(MPI_Comm comm, double *send, double *receive, int count)
{
    int rank;
    int size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < count; i++) {
        send[i] = rank + i;
    }
    MPI_Allreduce(send, receive, count, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < count; i++) {
        check(receive[i] == size * (size - 1) / 2 + size * (double)i, "MPI_Allreduce");
    }
    MPI_Allgather(send, count / size, MPI_DOUBLE, receive, count / size, MPI_DOUBLE, comm);
    for (int i = 0; i < count / size * size; i++) {
        check(receive[i] == i / (count / size) + i % (count / size), "MPI_Allgather");
    }
}

/* Everything that the components do, in turn: set up, map, serve, unmap, tear down. */
static void mix_for_ever(int rank, int size)
{
    for (int i = 0;; i++) {
        MPI_Comm comm;
        double *array[4] = {new_array("heap", LARGE), new_array("malloc", LARGE),
                            new_array("heap", (6u << 20) * (size_t)(1 + i % 3)),
                            new_array("malloc", SMALL)};
        if (i % 2 == 0) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        } else {
            MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + i) % size, &comm);
        }
        checked_calls(comm, array[0], array[1], SMALL);
        checked_calls(comm, array[0], array[2], LARGE);
        checked_calls(MPI_COMM_WORLD, array[2], array[0], LARGE);
        MPI_Comm_free(&comm);
        checked_calls(MPI_COMM_WORLD, array[1], array[0], LARGE);
        MPI_Free_mem(array[2]);
        for (int call = 0; call < 50; call++) {
            checked_calls(MPI_COMM_WORLD, array[3], array[0], SMALL);
        }
        MPI_Free_mem(array[0]);
        free(array[1]);
        free(array[3]);
    }
}

/* The names of this process's own abstract sockets, so that a script can look for them later. */
static void print_sockets(void)
{
    FILE *file = fopen("/proc/net/unix", "r");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        unsigned long inode;
        char name[256];
        if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %255s", &inode, name) != 2 ||
            strncmp(name, "@ompi-symm-", 11) != 0) {
            continue;
        }
        for (int fd = 0; fd < 256; fd++) {
            struct stat status;
            if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_ino == inode) {
                printf("victim socket %s\n", name);
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    fflush(stdout);
}

/* The rank is in the environment, because this is about dying in MPI_Init as well. */
static void be_mixed(int argc, char **argv, long doomed, long milliseconds)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    int rank;
    int size;
    print_pid();
    if (text != NULL && atol(text) == doomed) {
        start_killer(milliseconds);
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &(int){0});
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    print_sockets();
    mix_for_ever(rank, size);
}

static int is_known(const char *how)
{
    static const char *const known[] = {"first", "small", "large", "malloc", "later",
                                        "never"};
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
    if (argc == 4 && strcmp(argv[1], "mixed") == 0) {
        be_mixed(argc, argv, atol(argv[2]), atol(argv[3]));
    }
    if (!is_known(how)) {
        fprintf(stderr, "victim: '%s' is unknown; use first, small, large, malloc, later, "
                        "never, or mixed RANK MILLISECONDS\n", how);
        return 2;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &(int){0});
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    print_pid();
    if (rank == size - 1) {
        pause_for(50); /* the others wait by now */
        if (strcmp(how, "first") == 0) {
            raise(SIGKILL);
        } else if (strcmp(how, "never") != 0) {
            start_killer(150);
        }
    }
    if (strcmp(how, "later") == 0) {
        call_later_for_ever(rank);
    }
    call_for_ever(how, size);
    return 0;
}
