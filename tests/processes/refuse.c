/*
 * A library for LD_PRELOAD that makes calls fail on one rank, as limits, namespaces and filters
 * would. Used by tests/processes/fallback.tap and tests/processes/environment.tap.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_REFUSE        connect: connections to sockets named ompi-symm-... are refused
 *                         memfd:   no memory file can be made
 *                         send:    no descriptor can be sent to another process
 *                         thread:  no thread can be made by our libraries
 *                         network: the first socket named ompi-symm-... lies in a network namespace
 *                                  of its own, for real, and so does the rank from then on
 * SYMM_TEST_REFUSE_RANK   the rank in MPI_COMM_WORLD on which that happens, or "all"
 * SYMM_TEST_REFUSE_AFTER  how many of these calls still succeed; 0 by default
 * SYMM_TEST_REFUSE_TIMES  how many fail then; all by default
 * SYMM_TEST_REFUSE_ERROR  the errno of a refused memory file; EMFILE by default
 *
 * SYMM_TEST_MAPPINGS      what vm.max_map_count seems to be to our libraries, on all ranks
 *
 * A program may call symm_test_refuse_memory(N), found with dlsym(): the N-th allocation of memory
 * from then on, counted from 0, that our libraries ask for fails, once; a negative N disarms. It
 * returns whether the one of the call before has failed.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
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
EXPORTED int bind(int descriptor, const struct sockaddr *address, socklen_t length);
EXPORTED ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags);
EXPORTED int memfd_create(const char *name, unsigned flags);
EXPORTED int open(const char *path, int flags, ...);
EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument);
EXPORTED void *malloc(size_t size);
EXPORTED void *calloc(size_t count, size_t size);
EXPORTED void *aligned_alloc(size_t alignment, size_t size);
EXPORTED char *strdup(const char *text);
EXPORTED int symm_test_refuse_memory(int after);

static bool variable_is(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text != NULL && strcmp(text, value) == 0;
}

static int variable(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? atoi(text) : otherwise;
}

/* Whether the next call of this sort is to fail. */
static bool refuses(const char *what)
{
    static atomic_int calls;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL || !variable_is("SYMM_TEST_REFUSE", what) ||
        (!variable_is("SYMM_TEST_REFUSE_RANK", rank) &&
         !variable_is("SYMM_TEST_REFUSE_RANK", "all"))) {
        return false;
    }
    int past = atomic_fetch_add(&calls, 1) - variable("SYMM_TEST_REFUSE_AFTER", 0);
    return past >= 0 && past < variable("SYMM_TEST_REFUSE_TIMES", INT_MAX);
}

/* Whether an address lies in our libraries. */
static bool is_our_code(void *address)
{
    Dl_info place;
    return dladdr(address, &place) != 0 && place.dli_fname != NULL &&
           (strstr(place.dli_fname, "mca_coll_symm") != NULL ||
            strstr(place.dli_fname, "libsymm") != NULL);
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

int bind(int descriptor, const struct sockaddr *address, socklen_t length)
{
    if (is_ours(address, length) && refuses("network")) {
        (void)syscall(SYS_close, descriptor); /* it belongs to the namespace it was made in */
        if (unshare(CLONE_NEWNET) != 0 ||
            socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) != descriptor) {
            abort();
        }
    }
    return (int)syscall(SYS_bind, descriptor, address, length);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags)
{
    if (message->msg_controllen > 0 && is_our_code(__builtin_return_address(0)) &&
        refuses("send")) {
        errno = ETOOMANYREFS;
        return -1;
    }
    return (ssize_t)syscall(SYS_sendmsg, descriptor, message, flags);
}

int memfd_create(const char *name, unsigned flags)
{
    if (refuses("memfd")) {
        errno = variable("SYMM_TEST_REFUSE_ERROR", EMFILE);
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

int open(const char *path, int flags, ...)
{
    const char *limit = getenv("SYMM_TEST_MAPPINGS");
    va_list rest;
    va_start(rest, flags);
    unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    if (limit == NULL || strcmp(path, "/proc/sys/vm/max_map_count") != 0 ||
        !is_our_code(__builtin_return_address(0))) {
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    }
    int file = (int)syscall(SYS_memfd_create, "limit", 0U);
    if (file >= 0 && pwrite(file, limit, strlen(limit), 0) < 0) {
        abort();
    }
    return file;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (is_our_code(__builtin_return_address(0)) && refuses("thread")) {
        return EAGAIN;
    }
    return real(thread, attributes, start, argument);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What the C library's own functions are called beside the names that are taken over here. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_int allocations_left = INT_MIN; /* until one fails; below 0: none will */

int symm_test_refuse_memory(int after)
{
    int left = atomic_exchange(&allocations_left, after < 0 ? INT_MIN : after);
    return left < 0 && left != INT_MIN;
}

static bool refuses_memory(void *caller)
{
    if (atomic_load(&allocations_left) < 0 || !is_our_code(caller) ||
        atomic_fetch_sub(&allocations_left, 1) != 0) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return refuses_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return refuses_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return refuses_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = refuses_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}
