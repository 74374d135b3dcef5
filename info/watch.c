/*
 * watch.c - see watch.h.
 *
 * MPI_Init may end the process without a call of exit(), and a component may crash.  A child that
 * waits at a pipe notices both.  It is in a session of its own, because mpirun ends the processes
 * of a job that fails.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "info/print.h"
#include "info/watch.h"

enum { STARTED = 's', ENDED = 'e' };

static int writing_end = -1;
static pid_t watcher;

static void print(const char *name, const struct findings *findings, bool json, bool started)
{
    struct node node = {.ranks = 1, .findings = *findings};
    const struct nodes nodes = {.list = &node, .count = 1, .is_job = true};
    (void)snprintf(node.name, sizeof(node.name), "%s", name);
    finding_add(&node.findings, TOPIC_SERVED, FINDING_PROBLEM, "init",
                started ? "a rank has ended while the ranks made collectives; these are the "
                          "findings of rank 0"
                        : "MPI_Init has ended the job; these are the findings of rank 0");
    finding_remedy(&node.findings,
                   "see the other problems, and Open MPI's messages on standard error");
    (void)nodes_print(&nodes, json);
}

static _Noreturn void watch(int descriptor, const char *name, const struct findings *findings,
                            bool json)
{
    char stage = 0, byte;
    ssize_t got;
    (void)setsid();
    do {
        got = read(descriptor, &byte, 1);
        stage = got == 1 ? byte : stage;
    } while (got == 1 || (got < 0 && errno == EINTR));
    if (stage != ENDED) {
        print(name, findings, json, stage == STARTED);
    }
    _exit(0);
}

void watch_begin(const char *name, const struct findings *findings, bool json)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return;
    }
    (void)fflush(NULL);
    watcher = fork();
    if (watcher == 0) {
        (void)close(ends[1]);
        watch(ends[0], name, findings, json);
    }
    (void)close(ends[0]);
    writing_end = ends[1];
}

static void stage_write(char stage)
{
    if (writing_end >= 0) {
        (void)!write(writing_end, &stage, 1);
    }
}

void watch_started(void)
{
    stage_write(STARTED);
}

void watch_end(void)
{
    stage_write(ENDED);
    if (writing_end >= 0) {
        (void)close(writing_end);
        if (watcher > 0) {
            (void)waitpid(watcher, NULL, 0);
        }
        writing_end = -1;
    }
}
