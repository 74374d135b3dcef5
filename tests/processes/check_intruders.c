/*
 * While ranks share memory, others try to get at it:
 *
 *     check_intruders COMMAND [--quick]
 *
 * Rank 0 runs COMMAND, which starts intruder.c in some way, with the numbers of all ranks' sockets
 * behind it.  What it finds is for the script to look at; the ranks are not disturbed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"
#include "tests/harness/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 200000, SOCKETS = 32, RANKS = 4, NUMBER = 12 };

/* The inodes of this process's sockets, as text. */
static void sockets_list(char text[SOCKETS * NUMBER])
{
    int length = 0, found = 0;
    for (int fd = 0; fd < 1024 && found < SOCKETS; fd++) {
        char path[40], link[40];
        unsigned long inode;
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        ssize_t size = readlink(path, link, sizeof(link) - 1);
        link[size > 0 ? size : 0] = '\0';
        if (sscanf(link, "socket:[%lu]", &inode) == 1) {
            length += snprintf(text + length, NUMBER, " %lu", inode % 10000000000);
            found++;
        }
    }
}

/* Run the command with all ranks' sockets. */
static void intrude(const char *command)
{
    static char own[SOCKETS * NUMBER], all[RANKS][SOCKETS * NUMBER], line[sizeof(all) + 1000];
    sockets_list(own);
    MPI_Gather(own, sizeof(own), MPI_CHAR, all, sizeof(own), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (test_rank == 0) {
        int length = snprintf(line, sizeof(line), "%s", command);
        for (int rank = 0; rank < test_size; rank++) {
            length += snprintf(line + length, sizeof(line) - (size_t)length, "%s", all[rank]);
        }
        test_case("%s", command);
        test_check(system(line) == 0, "a command that ends well");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: check_intruders COMMAND [--quick]\n");
        return 2;
    }
    const char *command = argv[1];
    test_begin(argc - 1, argv + 1, "check_intruders", MPI_THREAD_SINGLE);
    test_case("before");
    test_exercise(MPI_COMM_WORLD, 1, BYTES);
    variables_open();
    int refused = variables_find("coll_symm_requests_refused");
    intrude(command);
    bool counted = refused >= 0 && variables_read(refused) > 0;
    variables_close();
    test_check(counted == (strcmp(command, "true") != 0), "refusals are counted");
    test_case("after");
    test_exercise(MPI_COMM_WORLD, 2, BYTES);
    return test_end();
}
