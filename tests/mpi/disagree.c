/*
 * Erroneous programs: the ranks disagree about a call, and should hear so instead of hanging.
 * Used by tests/disagree.tap, which looks at what is printed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   disagree counts      the last rank passes another count
 *   disagree types       the last rank passes elements of another size
 *   disagree operations  the last rank passes another predefined operation
 *   disagree calls       the last rank calls MPI_Allgather, the others MPI_Allreduce
 *   disagree large       as counts, with messages that do not fit a slot
 *
 * Exit status 3 if every rank has got an error from its call; MPI_ERRORS_RETURN is set.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int odd_call(const char *how, void *send, void *receive)
{
    if (strcmp(how, "counts") == 0) {
        return MPI_Allreduce(send, receive, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (strcmp(how, "types") == 0) {
        return MPI_Allreduce(send, receive, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (strcmp(how, "operations") == 0) {
        return MPI_Allreduce(send, receive, 10, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (strcmp(how, "large") == 0) {
        return MPI_Allreduce(send, receive, 50001, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    return MPI_Allgather(send, 10, MPI_INT, receive, 10, MPI_INT, MPI_COMM_WORLD);
}

static int usual_call(const char *how, void *send, void *receive)
{
    int count = strcmp(how, "large") == 0 ? 50000 : 10;
    return MPI_Allreduce(send, receive, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    int size;
    if (argc != 2) {
        fprintf(stderr, "usage: %s counts|types|operations|calls|large\n", argv[0]);
        return 2;
    }
    void *send = calloc(100000, sizeof(int));
    void *receive = calloc(100000, sizeof(int));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (send == NULL || receive == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    usual_call(argv[1], send, receive);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error = rank == size - 1 ? odd_call(argv[1], send, receive)
                                 : usual_call(argv[1], send, receive);
    printf("disagree: rank %d got %s\n", rank, error == MPI_SUCCESS ? "no error" : "an error");
    fflush(stdout);
    free(send);
    free(receive);
    MPI_Finalize();
    return error == MPI_SUCCESS ? 0 : 3;
}
