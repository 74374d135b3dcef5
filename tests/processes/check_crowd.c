/*
 * Many communicators that are all used and all alive:
 *
 *     check_crowd COMMUNICATORS WHAT [--quick]
 *
 * WHAT is taken from all ranks before the first collective; see deprive.h. Every call's result is
 * right, whether shared memory serves it or not; what the user is told is for the script to look
 * at.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/harness/deprive.h"
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 4000, BYTES = 64 };

static MPI_Comm comms[MOST];

/* A job that has used so many communicators must still be able to map something. */
static void map_some(void)
{
    enum { PAGES = 50, PAGE = 4096 };
    void *pages[PAGES];
    for (int i = 0; i < PAGES; i++) {
        pages[i] = mmap(NULL, PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        test_check(pages[i] != MAP_FAILED, "mappings for the program");
    }
    for (int i = 0; i < PAGES; i++) {
        if (pages[i] != MAP_FAILED) {
            munmap(pages[i], PAGE);
        }
    }
}

/* And to open files. */
static void open_some(void)
{
    enum { FILES = 64 };
    int files[FILES], opened = 0;
    while (opened < FILES && (files[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
        opened++;
    }
    test_check(opened == FILES, "64 descriptors for the program");
    while (opened > 0) {
        close(files[--opened]);
    }
}

int main(int argc, char **argv)
{
    int64_t words[2 * BYTES / sizeof(int64_t)];
    struct test_memory memory = {words, words + BYTES / sizeof(int64_t), BYTES};
    int count = argc < 3 ? 0 : atoi(argv[1]);
    if (count < 1 || count > MOST) {
        fprintf(stderr, "usage: check_crowd COMMUNICATORS WHAT [--quick]\n");
        return 2;
    }
    test_begin(argc - 2, argv + 2, "check_crowd", MPI_THREAD_SINGLE);
    if (!test_deprive(argv[2])) {
        test_deprive_end();
        return test_skip("this may not be taken from a process here");
    }
    for (int i = 0; i < count; i++) {
        test_case("communicator %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        test_exercise_allreduce(comms[i], (uint64_t)i, memory, BYTES);
    }
    test_case("after %d communicators", count);
    map_some();
    open_some();
    for (int i = 0; i < count; i++) {
        test_case("communicator %d once more", i);
        test_exercise_allreduce(comms[i], (uint64_t)(MOST + i), memory, BYTES);
        MPI_Comm_free(&comms[i]);
    }
    test_deprive_end();
    return test_end();
}
