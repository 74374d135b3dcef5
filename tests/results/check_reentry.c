/*
 * A reduction function that calls collectives on the communicator it is called for. MPI does not
 * allow that: the calls are refused, and nothing else suffers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdlib.h>

enum { MOST = 100000 };

static MPI_Comm comm;
static unsigned long refused;

static void expect_refusal(int error, const char *call)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    refused += class == MPI_ERR_OTHER;
    if (class != MPI_ERR_OTHER) {
        test_fail("%s within a reduction: expected MPI_ERR_OTHER, found class %d", call, class);
    }
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout;
    int mine = test_rank;
    int sum = -1;
    int *all = malloc((size_t)test_size * sizeof *all);
    (void)type;
    expect_refusal(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    expect_refusal(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm), "MPI_Allgather");
    for (int i = 0; i < *length; i++) {
        to[i] += from[i];
    }
    free(all);
}

int main(int argc, char **argv)
{
    static const int counts[] = {1, 1000, MOST};
    static int send[MOST];
    static int receive[MOST];
    MPI_Op op;
    test_begin(argc, argv, "check_reentry", MPI_THREAD_SINGLE);
    MPI_Op_create(add, 1, &op);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (uint64_t i = 0; i < 3; i++) {
        test_case("%d elements", counts[i]);
        for (int j = 0; j < counts[i]; j++) {
            send[j] = test_rank + j;
        }
        test_check(MPI_Allreduce(send, receive, counts[i], MPI_INT, op, comm) == MPI_SUCCESS,
                   "the reduction itself");
        for (int j = 0; j < counts[i]; j++) {
            if (receive[j] != test_size * (test_size - 1) / 2 + test_size * j) {
                test_fail("element %d is wrong: %d", j, receive[j]);
                break;
            }
        }
        test_exercise(comm, i, 100000);
    }
    test_check(refused > 0, "calls have been refused");
    MPI_Comm_free(&comm);
    MPI_Op_free(&op);
    return test_end();
}
