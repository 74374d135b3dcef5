/*
 * peer.h - another process's heap, mapped into this one.
 *
 * A peer's window is reserved here with the peer's own size; its segments are mapped at their offsets
 * when a collective first names them.  So a peer's buffer is at symm_peer_address(peer, offset),
 * whatever either process has mapped elsewhere.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PEER_H
#define SYMM_HEAP_PEER_H

#include "heap/kind.h"
#include "heap/symm.h"

struct symm_peer;

/*
 * A peer known by its server's name.  Nothing is asked of it yet.  The name is copied.
 * Errors: NO_MEMORY.
 */
SYMM_API enum symm_status symm_peer_create(const struct symm_kind *kind, const char *name,
                                           struct symm_peer **peer);

/* Unmap everything. */
SYMM_API void symm_peer_destroy(struct symm_peer *peer);

/*
 * Map the peer's segment, if that has not happened yet.  Call until the answer is not SYMM_PENDING.
 * Errors: PENDING, and those of symm_request_test().
 */
SYMM_API enum symm_status symm_peer_map(struct symm_peer *peer,
                                        const struct symm_location *location);

/* The address of byte `offset` of the peer's window; its segment must be mapped. */
SYMM_API void *symm_peer_address(struct symm_peer *peer, uint64_t offset);

/*
 * Unmap what the peer has given back, if `retired` (the peer's count, quoted by it) is news.
 * No collective may be using such a segment, which follows from the peer having freed it.
 */
SYMM_API void symm_peer_collect(struct symm_peer *peer, uint32_t retired);

#endif /* SYMM_HEAP_PEER_H */
