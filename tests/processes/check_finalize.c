/*
 * Collectives and MPI_Alloc_mem in a delete function of an attribute of MPI_COMM_SELF, which
 * MPI_Finalize calls before it does anything else (MPI-4.1, section 11.2.4).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdio.h>

enum { LITTLE = 1000, MUCH = 200000 };

static bool is_called;

static int delete_function(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    is_called = true;
    test_case("within MPI_Finalize");
    test_exercise(MPI_COMM_WORLD, 1, LITTLE);
    test_exercise(MPI_COMM_WORLD, 2, MUCH);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int keyval;
    test_begin(argc, argv, "check_finalize", MPI_THREAD_SINGLE);
    test_case("before");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_function, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    int status = test_end(); /* the verdicts have been gathered before the function is called */
    if (!is_called || test_failures() > 0) {
        fprintf(stderr, "check_finalize: failed within MPI_Finalize\n");
        status = 1;
    }
    return status;
}
