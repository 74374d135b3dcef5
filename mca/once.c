/*
 * once.c - see once.h.
 *
 * The first process binds an abstract socket to a name made from user, job and topic, and keeps the
 * socket.  The kernel gives that name to nobody else until the process ends.  Nothing is left
 * behind then.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/once.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool symm_once(const char *topic)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *name = address.sun_path + 1; /* abstract names begin with a null character */
    int length = snprintf(name, sizeof(address.sun_path) - 1, "ompi-symm-once-%lu-%lu-%s",
                          (unsigned long)getuid(), (unsigned long)OPAL_PROC_MY_NAME.jobid, topic);
    int socket_kept = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (length < 0 || (size_t)length >= sizeof(address.sun_path) - 1 || socket_kept < 0) {
        return true; /* better tell the user several times than never */
    }
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (bind(socket_kept, (const struct sockaddr *)&address, size) == 0) {
        return true;
    }
    bool taken = errno == EADDRINUSE;
    (void)close(socket_kept);
    return !taken;
}
