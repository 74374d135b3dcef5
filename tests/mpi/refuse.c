/*
 * A library for LD_PRELOAD that makes system calls fail on one rank, as limits and namespaces
 * would. Used by tests/fallback.tap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_REFUSE        connect: connections to sockets named ompi-symm-... are refused
 *                         memfd:   no memory file can be made
 * SYMM_TEST_REFUSE_RANK   the rank in MPI_COMM_WORLD on which that happens
 * SYMM_TEST_REFUSE_AFTER  how many of these calls still succeed; 0 by default
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int connect(int descriptor, const struct sockaddr *address, socklen_t length);
EXPORTED int memfd_create(const char *name, unsigned flags);

static bool variable_is(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text != NULL && strcmp(text, value) == 0;
}

/* Whether the next call of this sort is to fail. */
static bool refuses(const char *what)
{
    static atomic_int calls;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *after = getenv("SYMM_TEST_REFUSE_AFTER");
    return rank != NULL && variable_is("SYMM_TEST_REFUSE_RANK", rank) &&
           variable_is("SYMM_TEST_REFUSE", what) &&
           atomic_fetch_add(&calls, 1) >= (after != NULL ? atoi(after) : 0);
}

static bool is_ours(const struct sockaddr *address, socklen_t length)
{
    static const char prefix[] = "ompi-symm-";
    const size_t start = offsetof(struct sockaddr_un, sun_path) + 1; /* abstract: 0 comes first */
    return address->sa_family == AF_UNIX && length >= start + sizeof prefix - 1 &&
           memcmp((const char *)address + start, prefix, sizeof prefix - 1) == 0;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length)
{
    if (is_ours(address, length) && refuses("connect")) {
        errno = ECONNREFUSED;
        return -1;
    }
    return (int)syscall(SYS_connect, descriptor, address, length);
}

int memfd_create(const char *name, unsigned flags)
{
    if (refuses("memfd")) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}
