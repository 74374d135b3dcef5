/*
 * blocking_communicators.c - see blocking_communicators.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/blocking_communicators.h"
#include "tests/harness/harness.h"

struct blocking_case blocking_case_make(MPI_Comm comm, MPI_Op op, bool roots)
{
    struct blocking_case kase = {.comm = comm, .op = op, .roots = roots};
    int inter;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &kase.rank);
    MPI_Comm_size(comm, &kase.size);
    MPI_Comm_test_inter(comm, &inter);
    kase.inter = inter;
    if (inter) {
        MPI_Comm_remote_size(comm, &kase.others);
    }
    return kase;
}

static void groups_check(blocking_check *check)
{
    MPI_Comm half, inter;
    int upper = test_rank % 2;
    if (test_size < 2) {
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - upper, 1, &inter);
    check(inter, "two groups", false, upper == 1);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* A line, whose ends have a neighbour that is nobody; and a ring, made as a graph. */
static void topologies_check(blocking_check *check)
{
    MPI_Comm line, ring;
    int open_ended = 0;
    int before = (test_rank + test_size - 1) % test_size, after = (test_rank + 1) % test_size;
    int sources[2] = {before, after}, targets[2] = {after, before}, weights[2] = {1, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &test_size, &open_ended, 0, &line);
    check(line, "a line", true, false);
    MPI_Comm_free(&line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, targets, weights,
                                   MPI_INFO_NULL, 0, &ring);
    check(ring, "a ring", true, false);
    MPI_Comm_free(&ring);
}

void blocking_communicators_check(blocking_check *check)
{
    check(MPI_COMM_WORLD, "the world", false, false);
    check(MPI_COMM_SELF, "self", false, false);
    groups_check(check);
    topologies_check(check);
}
