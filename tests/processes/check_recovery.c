/*
 * The same two calls over and over on the world, for as long as it takes until what could not be
 * shared at first is tried again; refuse.so makes it fail, and the script looks at the report.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdlib.h>

enum { CALLS = 800, SMALL = 64, LARGE = 16384 };

int main(int argc, char **argv)
{
    struct test_memory memory = {.bytes = LARGE};
    test_begin(argc, argv, "check_recovery", MPI_THREAD_SINGLE);
    MPI_Alloc_mem(LARGE, MPI_INFO_NULL, &memory.send);
    MPI_Alloc_mem(LARGE, MPI_INFO_NULL, &memory.receive);
    for (uint64_t call = 0; call < CALLS; call++) {
        test_case("round %d", (int)call);
        test_exercise_allreduce(MPI_COMM_WORLD, 2 * call, memory, SMALL);
        test_exercise_allreduce(MPI_COMM_WORLD, 2 * call + 1, memory, LARGE);
    }
    MPI_Free_mem(memory.receive);
    MPI_Free_mem(memory.send);
    return test_end();
}
