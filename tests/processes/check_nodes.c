/*
 * A job on two nodes: the world, which is on both, and communicators within each node are used in
 * turn, also by ranks that are late. The script looks at the reports of who served what.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

enum { BYTES = 200000, CALLS = 200 };

/* Small sums over the node and over all, each of the one before, nothing between them. */
static void take_turns(MPI_Comm node, int node_size)
{
    test_case("%d sums over the node and over all in turn", CALLS);
    int value = 1;
    int expected = 1;
    for (int i = 0; i < CALLS; i++) {
        MPI_Comm comm = i % 2 == 0 ? node : MPI_COMM_WORLD;
        int factor = i % 2 == 0 ? node_size : test_size;
        int sum = -1;
        if (test_random((uint64_t)i, 0) % (uint64_t)test_size == (uint64_t)test_rank) {
            test_delay(50);
        }
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        expected = expected * factor % 1009;
        value = sum % 1009;
        if (value != expected) {
            test_fail("sum %d: expected %d, found %d", i, expected, value);
            return;
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm node;
    MPI_Comm across;
    int node_rank;
    int node_size;
    test_begin(argc, argv, "check_nodes", MPI_THREAD_SINGLE);
    const uint64_t rounds = test_whole ? 4 : 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    test_case("nodes");
    if (node_size * 2 != test_size) {
        test_fail("expected half of the %d ranks on this node, found %d", test_size, node_size);
    }
    MPI_Comm_split(MPI_COMM_WORLD, node_rank, 0, &across);
    for (uint64_t round = 0; round < rounds; round++) {
        test_case("round %d", (int)round);
        test_exercise(node, 3 * round, BYTES);
        test_exercise(MPI_COMM_WORLD, 3 * round + 1, BYTES);
        test_exercise(across, 3 * round + 2, BYTES);
        take_turns(node, node_size);
    }
    MPI_Comm_free(&across);
    MPI_Comm_free(&node);
    return test_end();
}
