/*
 * process_state.h - what a process holds; for process.c and process_peers.c.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_PROCESS_STATE_H
#define SYMM_HEAP_TEAM_PROCESS_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "heap/peers.h"
#include "heap/server/recall.h"
#include "heap/team/process.h"

struct symm_process {
    unsigned users;
    pid_t pid; /* a child of fork() has no thread of the server's, and gives nothing back */
    struct symm_server *server;
    struct symm_recall *recall; /* who has memory of ours mapped, or we have theirs */
    struct symm_heap_config config;
    /* Without gaps, host memory first.  Added to under the mutex, read without. */
    _Atomic(struct symm_heap *) heaps[SYMM_HEAPS_MAX];
    pthread_mutex_t heaps_mutex;
    /* NULL until first asked for.  Made under heaps_mutex, read without. */
    _Atomic(struct symm_exports *) exports;
    _Atomic(struct symm_imports *) imports;
    struct symm_peers peers;
    struct symm_arena *arena; /* of ours */
    struct symm_arena_peers arena_peers;
    bool (*_Atomic spare)(int device);
    int (*_Atomic tick)(void);
};

#endif /* SYMM_HEAP_TEAM_PROCESS_STATE_H */
