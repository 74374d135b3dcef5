/*
 * What is done with one communicator takes as long among many communicators as among few: freeing
 * it, and setting an info key of it that we read.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The oldest ones are measured, which a search in a list finds last.  The shortest times of one run
 * are compared, which other work on the machine changes least.  Cold caches make calls among many
 * up to five times as slow, and 3 us slower.  A list of 10,000 made MPI_Comm_free 300 us slower.
 */
#include "tests/harness/harness.h"

#include <stdlib.h>

enum { MANY = 10000, FEW = 100, MEASURED = 100, TIMES_SLOWER = 5 };

static const double cold_caches = 10e-6;

static MPI_Comm comms[MANY];
static int many_alive = MANY / 3;

/* Seconds; the shortest of all calls. */
struct times {
    double set_info, free;
};

static double shorter(double left, double right)
{
    return left < right ? left : right;
}

static struct times measure(MPI_Comm parent, int alive, MPI_Info info)
{
    struct times times = {1, 1};
    for (int i = 0; i < alive; i++) {
        MPI_Comm_dup(parent, &comms[i]);
    }
    for (int i = 0; i < MEASURED; i++) {
        double begin = MPI_Wtime();
        MPI_Comm_set_info(comms[i], info);
        double middle = MPI_Wtime();
        MPI_Comm_free(&comms[i]);
        times.set_info = shorter(times.set_info, middle - begin);
        times.free = shorter(times.free, MPI_Wtime() - middle);
    }
    for (int i = MEASURED; i < alive; i++) {
        MPI_Comm_free(&comms[i]);
    }
    return times;
}

static void judge(const char *call, double few, double many)
{
    if (many > few * TIMES_SLOWER + cold_caches) {
        test_fail("%s takes %.1f us among %d communicators, %.1f us among %d", call, few * 1e6, FEW,
                  many * 1e6, many_alive);
    }
}

static void check(const char *name, MPI_Comm parent, MPI_Info info)
{
    test_case("duplicates of %s", name);
    (void)measure(parent, FEW, info); /* fills free lists and caches */
    struct times few = measure(parent, FEW, info);
    struct times many = measure(parent, many_alive, info);
    judge("MPI_Comm_free", few.free, many.free);
    judge("MPI_Comm_set_info", few.set_info, many.set_info);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    test_begin(argc, argv, "check_freeing", MPI_THREAD_SINGLE);
    many_alive = test_whole ? MANY : many_alive;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system");
    check("MPI_COMM_SELF", MPI_COMM_SELF, info);
    check("MPI_COMM_WORLD", MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    return test_end();
}
