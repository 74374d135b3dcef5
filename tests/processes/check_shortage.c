/*
 * One rank after the other lacks memory for one allocation of our libraries, whichever that is,
 * while a communicator is created, set up and used: every result is right, and nobody waits. Needs
 * refuse.so, preloaded.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <dlfcn.h>

enum { MOST = 40, BYTES = 100000 };

typedef int refuse_memory(int after);

/* Whether any allocation of this rank has failed. */
static int communicator_in_need(refuse_memory *refuse, int number, int after, int victim)
{
    MPI_Comm comm;
    test_case("allocation %d of rank %d", after, victim);
    if (victim == test_rank || victim == test_size) {
        refuse(after);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_exercise(comm, (uint64_t)number, BYTES);
    int refused = refuse(-1);
    test_exercise(comm, (uint64_t)number + 1, BYTES);
    MPI_Comm_free(&comm);
    return refused;
}

int main(int argc, char **argv)
{
    refuse_memory *refuse;
    int refused = 0;
    int all = 0;
    test_begin(argc, argv, "check_shortage", MPI_THREAD_SINGLE);
    *(void **)&refuse = dlsym(RTLD_DEFAULT, "symm_test_refuse_memory");
    if (refuse == NULL) {
        return test_skip("refuse.so is not preloaded");
    }
    for (int after = 0; after < (test_quick ? MOST / 2 : MOST); after++) {
        for (int victim = 0; victim <= test_size; victim++) { /* test_size: all at once */
            if (!test_whole && victim < test_size &&
                victim != after % test_size) {
                continue;
            }
            int number = 2 * (after * (test_size + 1) + victim);
            refused += communicator_in_need(refuse, number, after, victim);
        }
    }
    test_case("all of them");
    MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    test_check(!test_expects_symm() || all >= 10, "10 allocations that have failed on each rank");
    return test_end();
}
