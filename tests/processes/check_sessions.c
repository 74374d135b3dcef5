/*
 * Sessions of MPI-4, without MPI_Init: two sessions at once, communicators made from their groups,
 * collectives on both, and all of it again after MPI has been finalized in between.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The harness needs a world, so this program checks for itself. SYMM_TEST_SESSION_ROUNDS: how many
 * times MPI is initialised and finalized; 2 by default. Exit status 77: the MPI has no sessions;
 * 75: MPI has been finalized, and does not come back.
 */
#define _POSIX_C_SOURCE 200809L

#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Open MPI 5.0 has sessions, but calls itself MPI-3.1. */
#if MPI_VERSION >= 4 || defined(MPI_SESSION_NULL)

enum { SMALL = 10, LARGE = 50000 };
enum { PATIENCE = 20, DOES_NOT_RETURN = 75 }; /* seconds; an exit status */

static int failures;

static void check(int condition, const char *what, int rank, int round)
{
    if (!condition) {
        failures++;
        fprintf(stderr, "check_sessions: FAILED on rank %d, round %d: expected: %s\n", rank, round,
                what);
    }
}

/* Open MPI 5.0 has a race here (docs/design/open-mpi.md). */
static void give_up(int signal)
{
    static const char text[] = "check_sessions: MPI_Session_init does not return\n";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(DOES_NOT_RETURN);
}

/* The first session, which initialises MPI, for the first time or again. */
static void begin(MPI_Session *session, int round)
{
    (void)signal(SIGALRM, give_up);
    (void)alarm(round > 0 ? PATIENCE : 0);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
    (void)alarm(0);
}

static MPI_Comm new_comm(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void collectives(MPI_Comm comm, int *send, int *receive, int count, int round)
{
    int rank;
    int size;
    int right = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < count; i++) {
        send[i] = rank * 3 + i + round;
    }
    MPI_Allreduce(send, receive, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; i++) {
        right &= receive[i] == 3 * size * (size - 1) / 2 + size * (i + round);
    }
    check(right, "the sum over all ranks", rank, round);
    int block = count / size;
    right = 1;
    MPI_Allgather(send, block, MPI_INT, receive, block, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < block; i++) {
            right &= receive[r * block + i] == r * 3 + i + round;
        }
    }
    check(right, "the blocks of all ranks", rank, round);
}

/* Small and large calls, in heap and other memory, on two communicators in turn. */
static void exercise(MPI_Comm a, MPI_Comm b, int round)
{
    static int other[2][LARGE];
    int *heap[2];
    MPI_Alloc_mem(LARGE * sizeof(int), MPI_INFO_NULL, &heap[0]);
    MPI_Alloc_mem(LARGE * sizeof(int), MPI_INFO_NULL, &heap[1]);
    for (int i = 0; i < 6; i++) {
        int count = i % 2 == 0 ? SMALL : LARGE;
        collectives(a, heap[0], heap[1], count, round);
        collectives(b, other[0], other[1], count, round);
    }
    MPI_Free_mem(heap[1]);
    MPI_Free_mem(heap[0]);
}

static void one_round(int round, int *rank)
{
    MPI_Session first;
    MPI_Session second;
    begin(&first, round);
    MPI_Comm a = new_comm(first, "org.ompi-symm.tests.first");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Comm b = new_comm(second, "org.ompi-symm.tests.second");
    MPI_Comm_rank(a, rank);
    exercise(a, b, round);
    /* What is left of one session goes on when the other has ended. */
    MPI_Comm_free(&a);
    MPI_Session_finalize(&first);
    MPI_Comm copy;
    MPI_Comm_dup(b, &copy);
    exercise(b, copy, round);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&b);
    MPI_Session_finalize(&second);
}

int main(void)
{
    const char *text = getenv("SYMM_TEST_SESSION_ROUNDS");
    int rounds = text != NULL && *text != '\0' ? atoi(text) : 2;
    int rank = 0;
    for (int round = 0; round < rounds; round++) {
        one_round(round, &rank);
    }
    if (rank == 0) {
        printf("check_sessions: %d rounds, %d failures on rank 0\n", rounds, failures);
    }
    return failures == 0 ? 0 : 1;
}

#else

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("check_sessions: skipped: this MPI has no sessions\n");
    }
    MPI_Finalize();
    return 77;
}

#endif
