/*
 * survivors.c - see survivors.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/processes/survivors.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

int world_rank, world_size;

static const char *name;
static int faults;

void survivors_init(const char *program, int *argc, char ***argv)
{
    name = program;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

void wrong(const char *format, ...)
{
    va_list arguments;
    char text[256];
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    faults++;
    printf("%s: rank %d: wrong: %s\n", name, world_rank, text);
    fflush(stdout);
}

void pause_for(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void *kill_later(void *milliseconds)
{
    pause_for(*(const long *)milliseconds);
    raise(SIGKILL);
    return NULL;
}

void die_after(long milliseconds)
{
    static long delay;
    pthread_t thread;
    delay = milliseconds;
    if (pthread_create(&thread, NULL, kill_later, &delay) != 0) {
        wrong("there is no thread");
    }
}

uint64_t random_at(uint64_t seed, uint64_t place)
{
    uint64_t x = (seed * 64 + place + 1) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

int class_of(int rc)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(rc, &class);
    return class;
}

const char *class_name(int class)
{
    return class == MPI_SUCCESS ? "success"
           : class == MPIX_ERR_PROC_FAILED ? "process failed"
           : class == MPIX_ERR_REVOKED ? "revoked" : "another error";
}

void expect(int class, int expected, const char *what, double begun)
{
    if (class != expected) {
        wrong("%s: %s instead of %s", what, class_name(class), class_name(expected));
    }
    if (MPI_Wtime() - begun > PATIENCE) {
        wrong("%s: %.1f seconds", what, MPI_Wtime() - begun);
    }
}

double *array_make(int count, bool heap)
{
    double *array = NULL;
    size_t bytes = (size_t)count * sizeof(*array);
    if (heap) {
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &array);
    } else {
        array = malloc(bytes);
    }
    if (array == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return array;
}

void array_free(double *array, bool heap)
{
    if (heap) {
        MPI_Free_mem(array);
    } else {
        free(array);
    }
}

MPI_Comm duplicate(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/*
 * libnbc, which may make the calls of MPI_Comm_dup(), says that it cannot start a round and returns
 * OMPI_ERROR where it should return MPIX_ERR_PROC_FAILED (Open MPI 5.0.7).
 *
 * Open MPI makes one communicator at a time, in the order of their parents' numbers.  It does not
 * end the turn of one whose calls have failed, so all those with higher numbers wait for ever
 * (5.0.7: ompi_comm_cid_lowest_id).  One with a lower number ends it.
 */
int duplicate_class(MPI_Comm comm, MPI_Comm *other)
{
    int class = class_of(MPI_Comm_dup(comm, other));
    if (class == MPI_SUCCESS) {
        return class;
    }
    MPI_Comm self;
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_free(&self);
    return class == MPIX_ERR_REVOKED ? class : MPIX_ERR_PROC_FAILED;
}

MPI_Comm shrink(MPI_Comm comm, int expected)
{
    MPI_Comm smaller = MPI_COMM_NULL;
    int size = 0, rc = MPIX_Comm_shrink(comm, &smaller);
    if (rc != MPI_SUCCESS || smaller == MPI_COMM_NULL) {
        wrong("MPIX_Comm_shrink: %s", class_name(class_of(rc)));
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN);
    MPI_Comm_size(smaller, &size);
    if (expected > 0 && size != expected) {
        wrong("%d ranks are left of %d", size, expected);
    }
    return smaller;
}

/*
 * Where a rank has died, MPI_Finalize of 5.0.7 now and then waits for ever, without our components,
 * too: so the program just ends.
 */
int verdict(MPI_Comm comm)
{
    int rank, size, sum = 0, all[64];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (MPI_Gather(&faults, 1, MPI_INT, all, 1, MPI_INT, 0, comm) != MPI_SUCCESS) {
        wrong("MPI_Gather fails on what is left");
    }
    for (int i = 0; rank == 0 && i < size; i++) {
        sum += all[i];
    }
    if (rank == 0) {
        printf("%s: %d of %d ranks are left, %d faults\n", name, size, world_size, sum);
        fflush(stdout);
    }
    if (size < world_size) {
        MPI_Barrier(comm);
        _exit(faults != 0);
    }
    MPI_Finalize();
    return faults != 0;
}

#endif

int survivors_skip(const char *program, int *argc, char ***argv)
{
    int rank;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("%s: skipped: this Open MPI has no MPIX_Comm_revoke\n", program);
    }
    MPI_Finalize();
    return 77;
}
