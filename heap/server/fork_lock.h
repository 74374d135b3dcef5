/*
 * fork_lock.h - taking a lock around fork(), in a thread that may hold it already.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_FORK_LOCK_H
#define SYMM_HEAP_SERVER_FORK_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* Longer than anybody holds one of these locks. */
enum { SYMM_FORK_WAIT_NS = 200000000 };

/*
 * fork() may be called by a signal handler that has interrupted the very code that holds the lock:
 * debuggers are started like that.  So the wait is bounded.  False: the lock was not to be had, and
 * a child may find it taken.
 */
static inline bool symm_fork_lock(pthread_mutex_t *mutex)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += SYMM_FORK_WAIT_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return pthread_mutex_timedlock(mutex, &until) == 0;
}

#endif /* SYMM_HEAP_SERVER_FORK_LOCK_H */
