/*
 * Barriers: nobody leaves before all have entered, among other calls and messages, on all sorts of
 * communicators.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 64, LARGE = 1 << 20 };

/* The ranks of these tests are on one machine, and so is their clock. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

struct round {
    double entered, left;
};

/* Rank 0 compares the moments of all ranks. */
static void compare(MPI_Comm comm, struct round rounds[ROUNDS], int count)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != 0) {
        MPI_Send(rounds, 2 * count, MPI_DOUBLE, 0, 0, comm);
        return;
    }
    struct round all[ROUNDS], other[ROUNDS];
    memcpy(all, rounds, sizeof all);
    for (int peer = 1; peer < size; peer++) {
        MPI_Recv(other, 2 * count, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++) {
            all[i].entered = other[i].entered > all[i].entered ? other[i].entered : all[i].entered;
            all[i].left = other[i].left < all[i].left ? other[i].left : all[i].left;
        }
    }
    for (int i = 0; i < count; i++) {
        if (all[i].left < all[i].entered) {
            test_fail("barrier %d: a rank left %.1f us before the last one entered", i,
                      all[i].entered - all[i].left);
        }
    }
}

/* Barriers alone are passed on to the component below for a long time. */
static void have_served(MPI_Comm comm)
{
    int one = 1;
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm);
}

/* In most rounds one rank comes late, each in its turn. */
static void synchronise(MPI_Comm comm, uint64_t number, int count)
{
    struct round rounds[ROUNDS];
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < count; i++) {
        uint64_t chance = test_random(number, (uint64_t)i);
        if ((int)(chance % (uint64_t)size) == rank && chance % 4 != 0) {
            test_delay((unsigned)(chance >> 32) % 200);
        }
        rounds[i].entered = now();
        MPI_Barrier(comm);
        rounds[i].left = now();
    }
    compare(comm, rounds, count);
}

static void plain(void)
{
    for (int i = 0; i < (test_quick ? 4 : 16); i++) {
        test_case("%d barriers, batch %d", ROUNDS, i);
        synchronise(MPI_COMM_WORLD, (uint64_t)i, ROUNDS);
        if (i == 0) {
            have_served(MPI_COMM_WORLD);
        }
    }
}

/* Reductions in the slot and beyond it go through the same slots of the communicator. */
static void among_reductions(void)
{
    double *values = malloc(LARGE);
    int most = LARGE / (int)sizeof(*values);
    for (int i = 0; i < (test_quick ? 24 : 96); i++) {
        int count = i % 3 == 0 ? 1 : i % 3 == 1 ? 700 : most;
        test_case("a barrier and a reduction of %d, time %d", count, i);
        for (int k = 0; k < count; k++) {
            values[k] = test_rank + k;
        }
        synchronise(MPI_COMM_WORLD, 100 + (uint64_t)i, 1 + i % 3);
        MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double sum = (double)test_size * (test_size - 1) / 2;
        for (int k = 0; k < count; k++) {
            if (values[k] != sum + (double)test_size * k) {
                test_fail("element %d is %g", k, values[k]);
                break;
            }
        }
    }
    free(values);
}

/* A rank in a barrier has to move on messages that another one waits for before it enters. */
static void with_messages(void)
{
    unsigned char *message = malloc(LARGE);
    int next = (test_rank + 1) % test_size, before = (test_rank + test_size - 1) % test_size;
    for (int i = 0; i < 8 && test_size > 1; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        test_case("a message that is received before the barrier, time %d", i);
        memset(message, test_rank, LARGE);
        int sender = i % test_size;
        if (test_rank == sender) {
            MPI_Isend(message, LARGE, MPI_BYTE, next, 1, MPI_COMM_WORLD, &request);
        } else if (before == sender) {
            test_delay(300);
            MPI_Recv(message, LARGE, MPI_BYTE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            test_check(message[0] == sender && message[LARGE - 1] == sender,
                       "the message is right");
        }
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(message);
}

static void communicators(void)
{
    MPI_Comm comm, peers;
    test_case("MPI_COMM_SELF");
    for (int i = 0; i < 100; i++) {
        MPI_Barrier(MPI_COMM_SELF);
    }
    test_case("ranks in reverse order");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &comm);
    have_served(comm);
    synchronise(comm, 500, ROUNDS);
    MPI_Comm_free(&comm);

    test_case("odd and even ranks");
    MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, 0, &comm);
    have_served(comm);
    synchronise(comm, 501, ROUNDS);
    if (test_size > 1) {
        test_case("an inter-communicator");
        MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 1 - test_rank % 2, 2, &peers);
        for (int i = 0; i < 10; i++) {
            MPI_Barrier(peers);
        }
        MPI_Comm_free(&peers);
    }
    MPI_Comm_free(&comm);

    for (int i = 0; i < (test_quick ? 20 : 60); i++) {
        test_case("communicator made, used and freed, time %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        synchronise(comm, 600 + (uint64_t)i, 3);
        if (i % 2 == 1) {
            have_served(comm);
            synchronise(comm, 700 + (uint64_t)i, ROUNDS);
        }
        MPI_Comm_free(&comm);
    }

    test_case("so many barriers that they are served");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 1024; i++) {
        MPI_Barrier(comm);
    }
    synchronise(comm, 800, ROUNDS);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_barrier", MPI_THREAD_SINGLE);
    plain();
    among_reductions();
    with_messages();
    communicators();
    return test_end();
}
