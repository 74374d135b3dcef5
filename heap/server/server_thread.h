/*
 * server_thread.h - what a server holds, and the thread that answers requests; for server.c.
 *
 * `mutex` guards the objects and the fact whether the thread runs.  Connections belong to the
 * thread alone.  An export while the thread runs writes to an eventfd, which makes the thread look
 * again at the requests that wait.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_SERVER_SERVER_THREAD_H
#define SYMM_HEAP_SERVER_SERVER_THREAD_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "heap/server/objects.h"
#include "heap/server/server.h"

enum { SYMM_CONNECTIONS_MAX = 1024, SYMM_POLL_FIXED = 2 };

struct symm_connection {
    int descriptor;
    bool waiting; /* `id` has been asked for and is not there yet */
    struct symm_secret answer;
    struct symm_object_id id;
    char requester[SYMM_NAME_SIZE];
};

struct symm_server {
    int listener;
    int wake; /* eventfd: something was exported, or the thread is to stop */
    int spare; /* a descriptor to give up when there is none to accept a connection with; or -1 */
    int pause; /* milliseconds until the next try to accept; 0: the last one has not failed */
    struct symm_name identity;
    struct symm_secret tell; /* good for SYMM_OBJECT_NOTHING only */
    char name[SYMM_NAME_SIZE], name_to_tell[SYMM_NAME_SIZE]; /* with one word or the other */
    atomic_uint_fast64_t refused; /* strangers */
    void (*refused_warn)(void); /* NULL: not wanted, or done; guarded by the mutex, as is: */
    bool telling;               /* it is being called */
    pthread_cond_t told;        /* it no longer is */
    pthread_mutex_t mutex;
    struct symm_objects objects;
    bool running, stopping;
    atomic_bool polite; /* the thread does not preempt others when it wakes */
    struct symm_server_thread_hook hook; /* its functions may be NULL */
    pthread_t thread;
    struct symm_connection connections[SYMM_CONNECTIONS_MAX];
    size_t connection_count;
    struct pollfd polled[SYMM_POLL_FIXED + SYMM_CONNECTIONS_MAX];
};

/* Begin the thread.  Returns 0 or an error number. */
int symm_server_thread_begin(struct symm_server *server);

/* Make it look for what there is to do, or stop if it is to stop. */
void symm_server_thread_wake(struct symm_server *server);

/*
 * Whether the thread, which exists, preempts others when it wakes.  It preempts the thread that
 * wakes it if both are bound to one core, which took 0.7 ms of an MPI_Free_mem; with the policy
 * SCHED_BATCH it does not.  Peers' requests are to be answered at once, so the thread is polite
 * only while it works for its own process, and only where nobody has given it another policy.
 */
void symm_server_thread_set_polite(struct symm_server *server, bool polite);

/* The descriptor that is kept to be given up; -1: there is none. */
int symm_server_spare_open(void);

#endif /* SYMM_HEAP_SERVER_SERVER_THREAD_H */
