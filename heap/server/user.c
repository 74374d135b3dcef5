/*
 * user.c - see user.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heap/server/user.h"

/* The id under which the kernel shows users that a namespace does not map. */
static unsigned long overflow_id(void)
{
    unsigned long id = 65534;
    FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
    if (file != NULL) {
        id = fscanf(file, "%lu", &id) == 1 ? id : 65534;
        (void)fclose(file);
    }
    return id;
}

/* Whether this process's user namespace maps the id; without /proc that is not known, and false. */
static bool is_mapped(unsigned long id)
{
    unsigned long first, outside, count;
    bool found = false;
    FILE *file = fopen("/proc/self/uid_map", "re");
    if (file == NULL) {
        return false;
    }
    while (!found && fscanf(file, "%lu %lu %lu", &first, &outside, &count) == 3) {
        found = id >= first && id - first < count;
    }
    (void)fclose(file);
    return found;
}

enum symm_status symm_user_check_own(void)
{
    unsigned long own = geteuid();
    return own != overflow_id() || is_mapped(own) ? SYMM_OK : SYMM_ERR_NO_USER;
}

enum symm_status symm_user_check_peer(int descriptor)
{
    struct ucred credentials;
    socklen_t length = sizeof(credentials);
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
        return SYMM_ERR_SYSTEM;
    }
    return credentials.uid == geteuid() ? SYMM_OK : SYMM_ERR_PERMISSION;
}
