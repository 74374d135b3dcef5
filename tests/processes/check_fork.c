/*
 * Programs that start other programs: fork, exec and system() between and during collectives. The
 * parent's calls go on right, and a program that a child executes inherits nothing of ours.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Children leave all buffers alone, except in one case: memory from MPI_Alloc_mem is documented to
 * stay shared with them. SYMM_TEST_SURVIVOR=SECONDS makes rank 0 leave two children behind, one
 * that has executed a program and one that has not, and prints their process ids:
 * tests/processes/lifecycle.tap looks at what they hold when the job has ended.
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIDDLE = 65536, CHILDREN = 4 };

static uint64_t number;

/* The request starts or wakes the thread that coll_symm_progress_thread asks for. */
static void exercise(void)
{
    MPI_Request request;
    test_exercise(MPI_COMM_WORLD, ++number, MIDDLE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static pid_t start(void)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) {
        fprintf(stderr, "check_fork: cannot fork: %s\n", strerror(errno));
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return pid;
}

static void await(pid_t pid, int expected)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != expected) {
        test_fail("child: expected exit status %d, found wait status %#x", expected, status);
    }
}

/* A shell that finds one of our memfds or sockets among its descriptors ends with status 1. Sockets
 * have no names there, but a shell has none of its own, and Open MPI closes its at exec as well. */
static void execute_shell(void)
{
    execl("/bin/sh", "sh", "-c",
          "for fd in /proc/$$/fd/*; do case $(readlink \"$fd\") in"
          " */memfd:symm*|anon_inode:*eventfd*) exit 1;; esac; done; exit 7",
          (char *)NULL);
    _exit(99);
}

/* What a rank's child does. */
static void child(int what)
{
    switch (what % CHILDREN) {
    case 0:
        _exit(7); /* at once */
    case 1:
        test_delay(30000); /* while the parent is in collectives */
        _exit(7);
    case 2:
        execute_shell();
        break;
    default:
        test_delay(5000);
        execute_shell();
    }
    _exit(98);
}

static void forks(int first, int ranks, const char *who)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = -1;
        test_case("%s, child %d", who, i);
        exercise();
        if (test_rank >= first && test_rank < first + ranks) {
            pid = start();
            if (pid == 0) {
                child(i + test_rank);
            }
        }
        exercise(); /* while the child lives, in some cases */
        if (pid > 0) {
            await(pid, 7);
        }
        exercise();
    }
}

/* Memory that came before, during and after a child's life, and communicators likewise. */
static void across_changes(void)
{
    MPI_Comm before;
    MPI_Comm meanwhile;
    test_case("communicators and memory made during a child's life");
    MPI_Comm_dup(MPI_COMM_WORLD, &before);
    test_exercise(before, ++number, MIDDLE);
    pid_t pid = start();
    if (pid == 0) {
        test_delay(50000);
        _exit(7);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &meanwhile);
    test_exercise(meanwhile, ++number, 8 * MIDDLE);
    test_exercise(before, ++number, MIDDLE);
    MPI_Comm_free(&before);
    await(pid, 7);
    test_exercise(meanwhile, ++number, 8 * MIDDLE);
    MPI_Comm_free(&meanwhile);
}

static void shell_commands(void)
{
    for (int i = 0; i < 3; i++) {
        test_case("system(), time %d", i);
        exercise();
        int status = system("exit 5");
        test_check(WIFEXITED(status) && WEXITSTATUS(status) == 5, "the command's exit status");
        exercise();
    }
}

/* As documented: what a child writes into MPI_Alloc_mem memory is there in the parent. */
static void shared_memory(void)
{
    volatile unsigned char *block = NULL;
    test_case("memory shared with a child");
    MPI_Alloc_mem(4096, MPI_INFO_NULL, (void *)&block);
    block[100] = 1;
    pid_t pid = start();
    if (pid == 0) {
        block[100]++;
        _exit(7);
    }
    await(pid, 7);
    test_check(!test_expects_symm() || block[100] == 2, "the child's value");
    MPI_Free_mem((void *)(uintptr_t)block);
}

/*
 * A child that gives back a block, as a language's collector of garbage may do, takes nothing from
 * its parent: no thread of the child's empties the memory that both have.
 */
static void freed_by_child(void)
{
    enum { SIZE = 16 << 20 };
    unsigned char *block = NULL;
    test_case("a block that a child gives back");
    MPI_Alloc_mem(SIZE, MPI_INFO_NULL, &block);
    memset(block, 'A', SIZE);
    pid_t pid = start();
    if (pid == 0) {
        MPI_Free_mem(block);
        test_delay(1200000); /* idle memory goes within 0.8 s */
        _exit(7);
    }
    await(pid, 7);
    test_check(block[0] == 'A' && memcmp(block, block + 1, SIZE - 1) == 0, "the parent's values");
    MPI_Free_mem(block);
}

/* Children that outlive the job must not hold its output, which mpirun waits for. */
static void detach(void)
{
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd < 3; fd++) {
        dup2(null, fd);
    }
    setsid();
}

static void leave_survivors(const char *seconds)
{
    pid_t forked = start();
    if (forked == 0) {
        detach();
        test_delay((unsigned)atoi(seconds) * 1000000u);
        _exit(0);
    }
    pid_t executed = start();
    if (executed == 0) {
        detach();
        execlp("sleep", "sleep", seconds, (char *)NULL);
        _exit(1);
    }
    printf("survivors: forked %ld executed %ld\n", (long)forked, (long)executed);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_fork", MPI_THREAD_SINGLE);
    const char *survivor = getenv("SYMM_TEST_SURVIVOR");
    pid_t pid = start(); /* before any collective */
    if (pid == 0) {
        _exit(7);
    }
    await(pid, 7);
    freed_by_child(); /* nor any thread of the library's yet */
    forks(0, 1, "rank 0 forks");
    forks(test_size - 1, 1, "the last rank forks");
    forks(0, test_size, "all ranks fork");
    across_changes();
    shell_commands();
    shared_memory();
    if (survivor != NULL && test_rank == 0) {
        leave_survivors(survivor);
    }
    exercise();
    return test_end();
}
