/*
 * The program keeps the descriptors that it is promised, however much of ours there is:
 *
 *     check_descriptors BLOCKS MIB [--quick]
 *
 * Each rank allocates so many blocks of so many MiB, more than there are descriptors for, and all
 * ranks use each of them once.  For a script that sets a limit (ulimit -n).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROMISED = 64, MOST = 1000, BYTES = 20000 };

/* A connection of a peer takes some for a moment, so the program looks more than once. */
static int open_some(void)
{
    enum { LOOKS = 20 };
    int files[PROMISED], best = 0;
    for (int look = 0; look < LOOKS && best < PROMISED; look++) {
        int opened = 0;
        while (opened < PROMISED &&
               (files[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
            opened++;
        }
        for (int i = 0; i < opened; i++) {
            close(files[i]);
        }
        best = opened > best ? opened : best;
        test_delay(1000);
    }
    return best;
}

int main(int argc, char **argv)
{
    static void *blocks[MOST];
    int count = argc < 3 ? 0 : atoi(argv[1]);
    MPI_Aint mib = argc < 3 ? 0 : atoi(argv[2]);
    if (count < 1 || count > MOST || mib < 1) {
        fprintf(stderr, "usage: check_descriptors BLOCKS MIB [--quick]\n");
        return 2;
    }
    test_begin(argc - 2, argv + 2, "check_descriptors", MPI_THREAD_SINGLE);
    for (int i = 0; i < count; i++) {
        test_case("block %d", i);
        MPI_Alloc_mem(mib << 20, MPI_INFO_NULL, &blocks[i]);
        struct test_memory memory = {blocks[i], (char *)blocks[i] + BYTES, BYTES};
        test_exercise_allreduce(MPI_COMM_WORLD, (uint64_t)i, memory, BYTES);
    }
    test_case("after %d blocks", count);
    int opened = open_some();
    test_check(opened == PROMISED, "64 descriptors for the program");
    for (int i = 0; i < count; i++) {
        MPI_Free_mem(blocks[i]);
    }
    return test_end();
}
