/*
 * MPI_Alloc_mem with the info value `mpool_hints` from the command line: says whether memory came,
 * and uses it in collectives. tests/processes/mpool.tap judges what is printed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>

static void *allocate(size_t bytes, MPI_Info info)
{
    void *pointer = NULL;
    int error = MPI_Alloc_mem((MPI_Aint)bytes, info, &pointer);
    if (error != MPI_SUCCESS || pointer == NULL) {
        char text[MPI_MAX_ERROR_STRING] = "NULL without an error";
        int length;
        if (error != MPI_SUCCESS) {
            MPI_Error_string(error, text, &length);
        }
        printf("hints: rank %d got no memory: %s\n", test_rank, text);
        fflush(stdout);
        return NULL;
    }
    return pointer;
}

int main(int argc, char **argv)
{
    const size_t bytes = 100000;
    char *program_only[] = {argv[0], NULL};
    MPI_Info info;
    if (argc != 2) {
        fprintf(stderr, "usage: %s HINTS, for instance mpool=symm,kind=host\n", argv[0]);
        return 2;
    }
    test_begin(1, program_only, "hints", MPI_THREAD_SINGLE);
    test_case("hints %s", argv[1]);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints", argv[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    struct test_memory memory = {allocate(bytes, info), allocate(bytes, info), bytes};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Info_free(&info);
    if (test_check(memory.send != NULL && memory.receive != NULL, "two blocks of memory")) {
        test_exercise_allreduce(MPI_COMM_WORLD, 1, memory, bytes);
        test_exercise_allgather(MPI_COMM_WORLD, 2, memory, bytes);
        MPI_Free_mem(memory.send);
        MPI_Free_mem(memory.receive);
    }
    return test_end();
}
