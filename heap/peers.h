/*
 * peers.h - the heaps of other processes that are mapped here: one object for each, whoever uses
 * it.
 *
 * Thread-safe, but for the end.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PEERS_H
#define SYMM_HEAP_PEERS_H

#include <pthread.h>

#include "heap/peer.h"

/* Set up by symm_peers_begin(). */
struct symm_peers {
    pthread_mutex_t mutex;
    struct symm_peers_entry *entries;
};

void symm_peers_begin(struct symm_peers *peers);

/* Unmap all of them. */
void symm_peers_end(struct symm_peers *peers);

/* Heap `heap` of the process with this server's name, if it is there. */
bool symm_peers_get_known(struct symm_peers *peers, const char *name, uint32_t heap,
                          struct symm_peer **peer);

/*
 * Heap `heap` of the process with this server's name.  Made as by symm_peer_create() if there is
 * none yet; then `kind` and `own_name` count.  Errors: NO_MEMORY.
 */
enum symm_status symm_peers_get(struct symm_peers *peers, const struct symm_kind *kind,
                                const char *own_name, const char *name, uint32_t heap,
                                struct symm_peer **peer);

/* Give it back; with its last user it goes. */
void symm_peers_put(struct symm_peers *peers, struct symm_peer *peer);

/*
 * Unmap device memory that its owners have given back.  Host memory is free without that.  By any
 * thread: nobody uses such memory.
 */
void symm_peers_collect(struct symm_peers *peers);

#endif /* SYMM_HEAP_PEERS_H */
