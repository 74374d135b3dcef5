/*
 * once.c - see once.h.
 *
 * The first process binds an abstract socket to a name made from user, job (or parent) and topic,
 * and keeps the socket.  The kernel gives that name to nobody else until the process ends.  Nothing
 * is left behind then.  Everybody can bind such a name, so that no process of the job would speak.
 * So a process that finds the name taken asks the kernel whose it is.
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
#include <time.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/server/user.h"

struct name {
    struct sockaddr_un address;
    socklen_t size; /* 0: there is no such name */
};

static int socket_open(void)
{
    return symm_headroom_descriptor(SYMM_DESCRIPTOR_LASTING) == SYMM_OK
               ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
               : -1;
}

/* A process that has just bound a name listens in a moment. */
static bool name_connect(const struct name *name, int asking)
{
    enum { TRIES = 100 };
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    int error = connect(asking, (const struct sockaddr *)&name->address, name->size);
    for (int i = 1; i < TRIES && error != 0 && errno == ECONNREFUSED; i++) {
        (void)nanosleep(&pause, NULL);
        error = connect(asking, (const struct sockaddr *)&name->address, name->size);
    }
    return error == 0;
}

/*
 * Those who have asked stay in the holder's queue, which 128 fill where net.core.somaxconn is
 * small.  So few ask, and are enough to speak for all.
 */
static bool may_ask(void)
{
    enum { ASKERS = 64 };
    return opal_process_info.my_local_rank < ASKERS;
}

/* Whether the name has been taken by a process of this user. */
static bool name_is_ours(const struct name *name)
{
    int asking = socket_open();
    bool ours = asking >= 0 && name_connect(name, asking) &&
                symm_user_check_peer(asking) == SYMM_OK;
    if (asking >= 0) {
        (void)close(asking);
    }
    return ours;
}

/*
 * Whether the name was free, which it no longer is.  Where that cannot be found out, it was: better
 * tell the user several times than never.
 */
static bool name_take(const struct name *name)
{
    int kept = name->size > 0 ? socket_open() : -1;
    if (kept < 0) {
        return true;
    }
    if (bind(kept, (const struct sockaddr *)&name->address, name->size) == 0) {
        (void)listen(kept, SOMAXCONN); /* so that its user can be asked; nobody is answered */
        return true;
    }
    bool taken = errno == EADDRINUSE;
    (void)close(kept);
    return !taken || (may_ask() && !name_is_ours(name));
}

/* `length` is what snprintf() has returned for the text after the first character, a null. */
static bool name_take_of_length(struct name *name, int length)
{
    bool fits = length >= 0 && (size_t)length < sizeof(name->address.sun_path) - 1;
    name->size =
        fits ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length) : 0;
    return name_take(name);
}

bool symm_once(const char *topic)
{
    struct name name = {.address.sun_family = AF_UNIX};
    int length = snprintf(name.address.sun_path + 1, sizeof(name.address.sun_path) - 1,
                          "ompi-symm-once-%lu-%lu-%s", (unsigned long)getuid(),
                          (unsigned long)OPAL_PROC_MY_NAME.jobid, topic);
    return name_take_of_length(&name, length);
}

bool symm_once_among_siblings(const char *topic)
{
    struct name name = {.address.sun_family = AF_UNIX};
    const char *job = getenv("PMIX_NAMESPACE"); /* its end tells jobs apart */
    size_t job_length = job != NULL ? strlen(job) : 0;
    const char *end = job == NULL ? "" : job_length > 40 ? job + job_length - 40 : job;
    int length = snprintf(name.address.sun_path + 1, sizeof(name.address.sun_path) - 1,
                          "ompi-symm-siblings-%lu-%lu-%s-%s", (unsigned long)getuid(),
                          (unsigned long)getppid(), end, topic);
    return name_take_of_length(&name, length);
}
