/*
 * arena.h - shared memory for the control memory of teams: the owner's side.
 *
 * A process owns one arena, which consists of chunks.  A chunk is a memfd that the process's server
 * offers to peers; each of them maps it once (arena_peers.h), however many teams have memory in it.
 * So a team whose ranks have met needs neither a descriptor nor a mapping nor a request.
 *
 * Control memory of one lane is a block.  A chunk is filled with words from its beginning and with
 * staging buffers from its end: words are much used, and lie close together.  Blocks are cut once
 * and then used again for the same class: number of ranks, sizes, and the owner's extra, of which a
 * chunk has one copy for a class.
 *
 * A block's way: taken by a lane -> left by its owner -> free, when all other ranks have left it as
 * well.  Nobody says when that happens; the owner looks, whenever it takes or leaves a block.  A
 * block of which it is not known who uses it is never used again.  When a second chunk is entirely
 * free, its pages are given back, and the chunk is cut anew; one free chunk stays as it is, for
 * programs that make and free communicators in a loop.
 *
 * Thread-safe.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_HEAP_TEAM_ARENA_H
#define SYMM_HEAP_TEAM_ARENA_H

#include "heap/server/server.h"
#include "heap/team/control.h"

enum {
    /* bytes of the first chunk; each has twice those of the one before */
    SYMM_ARENA_FIRST = 1 << 20,
    SYMM_ARENA_MOST = 256 << 20, /* bytes of the largest, or of SYMM_ARENA_BLOCKS blocks */
    SYMM_ARENA_BLOCKS = 64,
};

struct symm_arena;
struct symm_arena_block;

/* `server` offers the chunks, and outlives the arena.  No chunk is made.  Errors: NO_MEMORY. */
enum symm_status symm_arena_create(struct symm_server *server, struct symm_arena **arena);

/*
 * Unmap the chunks.  Peers that have them mapped keep the memory; the pages of chunks that nobody
 * uses go.
 */
void symm_arena_destroy(struct symm_arena *arena);

/*
 * Take a block for a lane of a team of `size` ranks: *control is placed and begun, and *place is
 * for the other ranks.  Errors: NO_MEMORY, SYSTEM; errno where the operating system has one.
 */
enum symm_status symm_arena_take(struct symm_arena *arena, int size,
                                 const struct symm_control_config *config,
                                 struct symm_control *control,
                                 struct symm_control_place *place,
                                 struct symm_arena_block **block);

/* No other rank uses the block, or will: it is free. */
void symm_arena_give(struct symm_arena *arena, struct symm_arena_block *block);

/*
 * The owner has counted itself out (symm_control_count_out()); the block is free when all have.
 */
void symm_arena_leave(struct symm_arena *arena, struct symm_arena_block *block);

/* Nobody knows which ranks use the block: it is never used again. */
void symm_arena_abandon(struct symm_arena *arena, struct symm_arena_block *block);

/* What there is, for tests and reports. */
struct symm_arena_counts {
    size_t chunks, bytes;   /* bytes: of addresses */
    size_t blocks, free;    /* that have been cut, and of those the ones that nobody uses */
    size_t abandoned;
    size_t given_back;      /* times that a chunk's pages were */
};
void symm_arena_count(struct symm_arena *arena, struct symm_arena_counts *counts);

#endif /* SYMM_HEAP_TEAM_ARENA_H */
