/*
 * Communicators over several nodes, of which the component makes communicators of its own.
 *
 *   orders     MPI_Comm_idup on another communicator before the call that makes them on rank 0, and
 *              behind it on the others: where they are made by collectives of their parent, the two
 *              wait for each other
 *   many       so many communicators that have been used are there at a time, and then freed
 *   unfreed    communicators that the program never frees, whose own ones have lower numbers
 *   shapes     of some ranks, in other orders, duplicates, split again
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

enum { COUNT = 20000, CALLS = 20 }; /* a call is enough to have them made */

static int input[COUNT], output[COUNT];

static void sum_try(MPI_Comm comm, int count, const char *what)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < count; i++) {
        input[i] = (rank + 1) * (i + 1);
        output[i] = -1;
    }
    MPI_Allreduce(input, output, count, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < count; i++) {
        if (output[i] != size * (size + 1) / 2 * (i + 1)) {
            test_fail("%s: element %d is %d", what, i, output[i]);
            return;
        }
    }
}

/* ---- orders ---------------------------------------------------------------------------------- */

static void orders_try(void)
{
    for (int round = 0; round < 10; round++) {
        MPI_Comm used, other, copy;
        MPI_Request request;
        test_case("orders, round %d", round);
        MPI_Comm_dup(MPI_COMM_WORLD, &used);
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        if (round % 2 == 1) { /* as well the other way round: which number is lower matters */
            MPI_Comm swapped = used;
            used = other;
            other = swapped;
        }
        if (test_rank == 0) {
            MPI_Comm_idup(other, &copy, &request);
            sum_try(used, COUNT, "behind MPI_Comm_idup");
        } else {
            sum_try(used, COUNT, "before MPI_Comm_idup");
            MPI_Comm_idup(other, &copy, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum_try(copy, COUNT, "on its result");
        MPI_Comm_free(&copy);
        MPI_Comm_free(&other);
        MPI_Comm_free(&used);
    }
}

/* ---- many ------------------------------------------------------------------------------------ */

static void many_try(int number)
{
    MPI_Comm *comms = malloc((size_t)number * sizeof(MPI_Comm));
    for (int round = 0; round < 2; round++) {
        test_case("%d communicators, round %d", number, round);
        for (int i = 0; i < number; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            sum_try(comms[i], COUNT, "the first call");
        }
        for (int i = 0; i < number; i++) {
            sum_try(comms[i], 10, "a later call");
            MPI_Comm_free(&comms[i]);
        }
    }
    free(comms);
}

/* ---- unfreed --------------------------------------------------------------------------------- */

static void unfreed_make(void)
{
    MPI_Comm low[6], kept[2];
    test_case("communicators that are never freed");
    for (int i = 0; i < 6; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &low[i]);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &kept[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept[1]);
    for (int i = 0; i < 6; i++) {
        MPI_Comm_free(&low[i]); /* whose numbers are taken again */
    }
    sum_try(kept[0], COUNT, "numbers that are lower");
    sum_try(MPI_COMM_WORLD, COUNT, "MPI_COMM_WORLD");
    sum_try(kept[1], COUNT, "numbers that are lower, again");
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void shape_try(int color, int key, const char *what)
{
    static uint64_t number; /* of the exercise; alike on all ranks */
    MPI_Comm comm, twice;
    test_case("%s", what);
    number++;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    if (comm == MPI_COMM_NULL) {
        return;
    }
    for (int i = 0; i < CALLS; i++) {
        sum_try(comm, 1 + i, what);
    }
    sum_try(comm, COUNT, what);
    test_exercise(comm, number, 100000);
    MPI_Comm_dup(comm, &twice);
    sum_try(twice, COUNT, "a duplicate");
    sum_try(comm, COUNT, what);
    MPI_Comm_free(&comm);
    sum_try(twice, COUNT, "a duplicate whose parent is freed");
    MPI_Comm_free(&twice);
}

static void shapes_try(void)
{
    shape_try(0, -test_rank, "ranks in reverse");
    shape_try(0, test_rank % 2 * test_size + test_rank, "odd ranks behind even ones");
    shape_try(test_rank == 0 ? MPI_UNDEFINED : 0, test_rank, "all but rank 0");
    shape_try(test_rank == test_size - 1 ? MPI_UNDEFINED : 0, test_rank, "all but the last");
    shape_try(test_rank % 2, test_rank, "every other");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "shapes";
    test_begin(1, argv, "check_across", MPI_THREAD_SINGLE);
    if (strcmp(mode, "orders") == 0) {
        orders_try();
    } else if (strcmp(mode, "many") == 0) {
        many_try(argc > 2 ? (int)test_number("many", argv[2]) : 100);
    } else if (strcmp(mode, "unfreed") == 0) {
        unfreed_make();
    } else {
        shapes_try();
    }
    return test_end();
}
