/*
 * peer.h - a heap of another process, mapped into this one: life of the object; symm.h has its use.
 *
 * A peer's window is reserved here with the peer's own size; its segments are mapped at their
 * offsets when a collective first names them.  So a peer's buffer is at symm_peer_address(peer,
 * offset), whatever either process has mapped elsewhere.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_PEER_H
#define SYMM_HEAP_PEER_H

#include "heap/heap.h"

/*
 * Heap number `heap` of the peer with this server's name, to be mapped with our own `kind`.
 * Nothing is asked of it yet.  The name is copied.  `own_name` is that of this process's server,
 * which the peer tells when segments have gone (NULL: it cannot), and must outlive the object.
 * Errors: NO_MEMORY.
 */
enum symm_status symm_peer_create(const struct symm_kind *kind, const char *own_name,
                                  const char *name, uint32_t heap,
                                  struct symm_peer **peer);

/* Unmap everything. */
void symm_peer_destroy(struct symm_peer *peer);

/*
 * As symm_peer_collect(), with the count of retired segments that the peer's directory shows now.
 */
void symm_peer_refresh(struct symm_peer *peer);

/* As symm_heap_segment(), of a segment that is mapped here.  Errors: NOT_FOUND. */
enum symm_status symm_peer_segment(struct symm_peer *peer,
                                   const struct symm_location *location,
                                   struct symm_segment_place *place);

#endif /* SYMM_HEAP_PEER_H */
