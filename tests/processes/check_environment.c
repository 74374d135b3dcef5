/*
 * Ranks that are deprived of something still compute what is right:
 *
 *     check_environment WHAT WHO WHEN [--quick]
 *
 * WHAT is one of deprive.h, WHO a rank or "all", WHEN "start" (before the first collective) or
 * "middle" (when ranks already share memory, but none of their buffers). What the user is told is
 * for the script to look at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/deprive.h"
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, BYTES = 300000 };

/* The world, a copy of it, and its halves: each is set up, used and freed. */
static void use_communicators(uint64_t round)
{
    MPI_Comm copy;
    MPI_Comm half;
    test_case("round %d, the world", (int)round);
    test_exercise(MPI_COMM_WORLD, 10 * round, BYTES);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    test_case("round %d, a copy", (int)round);
    test_exercise(copy, 10 * round + 1, BYTES);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, -test_rank, &half);
    test_case("round %d, every other rank", (int)round);
    test_exercise(half, 10 * round + 2, BYTES);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

/* Whether all ranks could be deprived; ranks tell each other by messages. */
static bool all_deprived(bool mine)
{
    int yes = mine;
    for (int rank = 1; rank < test_size; rank++) {
        int theirs = yes;
        if (test_rank == 0) {
            MPI_Recv(&theirs, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            yes = yes && theirs;
        } else if (test_rank == rank) {
            MPI_Send(&yes, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Bcast(&yes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return yes != 0;
}

/*
 * The most, or the fewest, descriptors that were open in some milliseconds: the server's thread
 * closes one for a moment to turn somebody away, and has one more while it answers.
 */
static int open_descriptors(bool most)
{
    enum { LOOKS = 20 };
    int found = test_open_descriptors();
    for (int look = 1; look < LOOKS; look++) {
        test_delay(1000);
        int count = test_open_descriptors();
        found = (count > found) == most ? count : found;
    }
    return found;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: check_environment WHAT WHO WHEN [--quick]\n");
        return 2;
    }
    const char *what = argv[1];
    const char *who = argv[2];
    bool late = strcmp(argv[3], "middle") == 0;
    test_begin(argc - 3, argv + 3, "check_environment", MPI_THREAD_SINGLE);
    test_case("before");
    if (late) {
        int64_t words[8];
        test_exercise_allreduce(MPI_COMM_WORLD, 1000, (struct test_memory){words, words + 4, 32},
                                32);
    }
    bool mine = strcmp(who, "all") == 0 || atoi(who) == test_rank;
    if (!all_deprived(!mine || test_deprive(what))) {
        test_deprive_end();
        return test_skip("this may not be taken from a process here");
    }
    int descriptors = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        use_communicators(round);
        if (round == 0) {
            descriptors = open_descriptors(true);
        }
    }
    test_case("descriptors");
    int left = open_descriptors(false);
    if (left > descriptors) {
        test_fail("expected the %d open descriptors of the first round, found %d", descriptors,
                  left);
    }
    test_deprive_end();
    return test_end();
}
