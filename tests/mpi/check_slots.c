/*
 * The collectives that coll/han of Open MPI 4.1 may give up while a job runs, each several times:
 * on the world, where it gives them up one by one, and on a communicator of one rank of each node,
 * where it gives up all of them in the first call.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "exercise.h"
#include "harness.h"

#include <stdlib.h>

enum { ROUNDS = 3 };

/* Blocks of two integers from and to each rank; `all` has room for a block of each. */
static void rooted(MPI_Comm comm, int root, int *all)
{
    int rank;
    int size;
    int mine[2];
    int sum[2] = {-1, -1};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mine[0] = rank;
    mine[1] = root;
    MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, root, comm);
    for (int i = 0; i < size && rank == root; i++) {
        test_check(all[2 * i] == i && all[2 * i + 1] == root, "what is gathered");
        all[2 * i + 1] = i + root;
    }
    MPI_Scatter(all, 2, MPI_INT, mine, 2, MPI_INT, root, comm);
    test_check(mine[0] == rank && mine[1] == rank + root, "what is scattered");
    MPI_Reduce(mine, sum, 2, MPI_INT, MPI_SUM, root, comm);
    MPI_Bcast(sum, 2, MPI_INT, root, comm);
    int ranks = size * (size - 1) / 2;
    test_check(sum[0] == ranks && sum[1] == ranks + size * root, "what is reduced, and broadcast");
}

static void use(MPI_Comm comm, uint64_t number)
{
    int size;
    MPI_Comm_size(comm, &size);
    int *all = malloc(2 * (size_t)size * sizeof *all);
    for (int round = 0; round < ROUNDS; round++) {
        test_case("round %d", round);
        MPI_Barrier(comm);
        test_exercise(comm, number * ROUNDS + (uint64_t)round, 1000);
        rooted(comm, round % size, all);
    }
    free(all);
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
