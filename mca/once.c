/*
 * once.c - see once.h.
 *
 * The first process binds an abstract socket to a name made from user, job (or parent) and topic,
 * and keeps the socket.  The kernel gives that name to nobody else until the process ends.  Nothing
 * is left behind then.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/once.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Whether the name was free, which it no longer is.  `length` is what snprintf() has returned. */
static bool name_take(struct sockaddr_un *address, int length)
{
    int socket_kept = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (length < 0 || (size_t)length >= sizeof(address->sun_path) - 1 || socket_kept < 0) {
        return true; /* better tell the user several times than never */
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (bind(socket_kept, (const struct sockaddr *)address, size) == 0) {
        return true;
    }
    bool taken = errno == EADDRINUSE;
    (void)close(socket_kept);
    return !taken;
}

/* Abstract names begin with a null character. */

bool symm_once(const char *topic)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                          "ompi-symm-once-%lu-%lu-%s", (unsigned long)getuid(),
                          (unsigned long)OPAL_PROC_MY_NAME.jobid, topic);
    return name_take(&address, length);
}

bool symm_once_among_siblings(const char *topic)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *job = getenv("PMIX_NAMESPACE"); /* its end tells jobs apart */
    size_t job_length = job != NULL ? strlen(job) : 0;
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                          "ompi-symm-siblings-%lu-%lu-%s-%s", (unsigned long)getuid(),
                          (unsigned long)getppid(), job == NULL ? "" : job_length > 40 ? job + job_length - 40 : job,
                          topic);
    return name_take(&address, length);
}
