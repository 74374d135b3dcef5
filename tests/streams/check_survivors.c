/*
 * A rank dies while kernels of the others wait for it, with an Open MPI that lets these go on
 * (ULFM): their kernels end, calls return MPIX_ERR_PROC_FAILED, and a communicator of those that
 * are left has a lane of its own.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/streams/sums.h"

#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

/* The state tells of the dead rank, some tenths of a second after its death. */
static void state_await(void)
{
    char text[512] = "";
    for (int i = 0; i < 200 && symm_mpix_comm_state(comm, text, sizeof(text)) == MPI_SUCCESS; i++) {
        usleep(50000);
    }
    if (strstr(text, "has gone") == NULL) {
        test_fail("a dead rank: the state is '%s'", text);
    }
}

/* Ones of all that are left. */
static void others_try(void)
{
    MPI_Comm left;
    int size, ones = 1, sum = 0;
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    MPI_Comm_size(left, &size);
    test_check(size == test_size - 1, "one less");
    MPI_Comm smaller = cuda_mpix_comm(left, stream);
    cuda_memory_write(input, &ones, sizeof(ones));
    cuda_memory_settle();
    MPIX_Allreduce_enqueue(input, output, 1, MPI_INT, MPI_SUM, smaller);
    cuda_stream_await(stream);
    cuda_memory_read(&sum, output, sizeof(sum));
    test_check(sum == size, "a sum of those that are left");
    MPI_Comm_free(&smaller);
    MPI_Barrier(left);
}

int main(int argc, char **argv)
{
    (void)argc;
    sums_open(argv, "check_survivors");
    sums_begin(false);
    sums_try(comm, 1, "before");
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank == test_size - 1) {
        (void)kill(getpid(), SIGKILL);
    }
    test_case("a dead rank");
    sums_add(comm);
    cuda_stream_await(stream);
    state_await();
    expect(MPIX_Barrier_enqueue(comm), MPIX_ERR_PROC_FAILED, "a call on what is left");
    others_try();
    printf("check_survivors: rank %d goes on, %lu faults\n", test_rank, test_failures());
    (void)fflush(stdout);
    _exit(test_failures() > 0); /* MPI_Finalize of 5.0 may wait for the dead one */
}

#else

int main(void)
{
    return 77; /* a test that is left out */
}

#endif
