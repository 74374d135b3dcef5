/*
 * The collectives that coll/han of Open MPI 4.1 may give up while a job runs, each several times:
 * on the world, where it gives them up one by one, and on a communicator of one rank of each node,
 * where it gives up all of them in the first call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

enum { ROUNDS = 3 };

static void use(MPI_Comm comm, uint64_t number)
{
    for (int round = 0; round < ROUNDS; round++) {
        test_case("round %d", round);
        MPI_Barrier(comm);
        test_exercise(comm, number * ROUNDS + (uint64_t)round, 1000);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    MPI_Comm across;
    int node_rank;
    test_begin(argc, argv, "check_slots", MPI_THREAD_SINGLE);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_split(MPI_COMM_WORLD, node_rank, 0, &across);
    use(MPI_COMM_WORLD, 0);
    use(across, 1);
    MPI_Comm_free(&across);
    MPI_Comm_free(&node);
    return test_end();
}
