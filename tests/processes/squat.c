/*
 * Start a program while another user holds the name by which its rank would find out whether it is
 * the first to say something (mca/once.h):
 *
 *     squat TOPIC PROGRAM [ARGUMENTS]
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { OTHER_USER = 65534, KEPT = 40 };

static int name_bind(const char *topic, unsigned long user, unsigned long parent)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *job = getenv("PMIX_NAMESPACE");
    size_t length = job != NULL ? strlen(job) : 0;
    int size = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                        "ompi-symm-siblings-%lu-%lu-%s-%s", user, parent,
                        job == NULL ? "" : job + (length > KEPT ? length - KEPT : 0), topic);
    int bound = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    return bind(bound, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size)) == 0
               ? listen(bound, 1)
               : -1;
}

/* Holds the name until the program has ended. */
static void squatter_live(const char *topic, unsigned long user, unsigned long parent, int ready)
{
    char done = setgid(OTHER_USER) == 0 && setuid(OTHER_USER) == 0;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    done = (char)(done && name_bind(topic, user, parent) == 0);
    (void)!write(ready, &done, 1);
    (void)close(ready);
    for (;;) {
        pause();
    }
}

int main(int argc, char **argv)
{
    int ready[2];
    char done = 0;
    unsigned long user = getuid(), parent = (unsigned long)getppid();
    if (argc < 3 || pipe(ready) != 0) {
        return 2;
    }
    if (fork() == 0) {
        squatter_live(argv[1], user, parent, ready[1]);
    }
    if (read(ready[0], &done, 1) == 1 && done) {
        printf("squat: %s is taken\n", argv[1]);
        (void)fflush(stdout);
    }
    (void)close(ready[0]);
    (void)close(ready[1]);
    (void)execvp(argv[2], argv + 2);
    return 2;
}
