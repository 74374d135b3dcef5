/*
 * arena.c - see arena.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/team/arena.h"
#include "heap/team/arena_chunk.h"

/* How many blocks that are being left are looked at, each time; those in use take a new turn. */
enum { LOOKS = 8 };

/* Blocks of one class have the same layout and the same extra. */
struct class {
    struct class *next;
    struct symm_control plan;
    void *extra;
    struct symm_arena_block *free; /* the one that was given last comes first: its pages are warm */
};

struct symm_arena_block {
    struct symm_arena_block *next; /* in the list that it is in, if any */
    struct symm_arena_block *next_known; /* of all that have been cut */
    struct class *class;
    struct symm_arena_chunk *chunk;
    size_t words, stages; /* offsets in the chunk */
    uint64_t start;       /* of the next team */
};

struct symm_arena {
    pthread_mutex_t mutex;
    pid_t pid; /* in a child of fork() the memory is its parent's */
    struct symm_server *server;
    struct symm_arena_chunk *chunks; /* the newest first */
    struct class *classes;
    struct symm_arena_block *known;
    struct symm_arena_block *leaving, **leaving_end; /* the first are looked at first */
    struct symm_arena_chunk *spare; /* entirely free, with its pages; NULL: none */
    size_t next_size;    /* of the next chunk, where there is room for it */
    uint32_t chunk_serial;
    uint64_t serial;
    struct symm_arena_counts counts;
};

/* ---- life ------------------------------------------------------------------------------------ */

enum symm_status symm_arena_create(struct symm_server *server, struct symm_arena **arena)
{
    struct symm_arena *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    (void)pthread_mutex_init(&created->mutex, NULL);
    created->pid = getpid();
    created->server = server;
    created->leaving_end = &created->leaving;
    created->next_size = SYMM_ARENA_FIRST;
    *arena = created;
    return SYMM_OK;
}

static void leaving_look(struct symm_arena *arena, size_t looks);

void symm_arena_destroy(struct symm_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    bool is_own = arena->pid == getpid();
    if (is_own) {
        leaving_look(arena, arena->counts.blocks);
    }
    while (arena->known != NULL) {
        struct symm_arena_block *block = arena->known;
        arena->known = block->next_known;
        free(block);
    }
    while (arena->chunks != NULL) {
        struct symm_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        symm_arena_chunk_destroy(arena->server, chunk, is_own);
    }
    while (arena->classes != NULL) {
        struct class *class = arena->classes;
        arena->classes = class->next;
        free(class->extra);
        free(class);
    }
    (void)pthread_mutex_destroy(&arena->mutex);
    free(arena);
}

/* ---- classes --------------------------------------------------------------------------------- */

static bool class_is_for(const struct class *class, const struct symm_control *plan,
                         const void *extra)
{
    return class->plan.size == plan->size && class->plan.ring == plan->ring &&
           class->plan.payload_size == plan->payload_size &&
           class->plan.piece_size == plan->piece_size &&
           class->plan.extra_size == plan->extra_size &&
           (plan->extra_size == 0 || memcmp(class->extra, extra, plan->extra_size) == 0);
}

static struct class *class_make(struct symm_arena *arena, const struct symm_control *plan,
                                const void *extra)
{
    struct class *class = calloc(1, sizeof(*class));
    void *copy = malloc(plan->extra_size + 1);
    if (class == NULL || copy == NULL) {
        free(class);
        free(copy);
        return NULL;
    }
    if (plan->extra_size > 0) {
        memcpy(copy, extra, plan->extra_size);
    }
    *class = (struct class){.next = arena->classes, .plan = *plan, .extra = copy};
    arena->classes = class;
    return class;
}

static struct class *class_get(struct symm_arena *arena, const struct symm_control *plan,
                               const void *extra)
{
    struct class *class = arena->classes;
    while (class != NULL && !class_is_for(class, plan, extra)) {
        class = class->next;
    }
    return class != NULL ? class : class_make(arena, plan, extra);
}

/* ---- free chunks ----------------------------------------------------------------------------- */

/* Forget the blocks of a chunk, which are all free. */
static void chunk_blocks_forget(struct symm_arena *arena, const struct symm_arena_chunk *chunk)
{
    for (struct class *class = arena->classes; class != NULL; class = class->next) {
        struct symm_arena_block **link = &class->free;
        while (*link != NULL) {
            if ((*link)->chunk == chunk) {
                *link = (*link)->next;
            } else {
                link = &(*link)->next;
            }
        }
    }
    struct symm_arena_block **link = &arena->known;
    while (*link != NULL) {
        struct symm_arena_block *block = *link;
        if (block->chunk == chunk) {
            *link = block->next_known;
            free(block);
            arena->counts.blocks--;
            arena->counts.free--;
        } else {
            link = &block->next_known;
        }
    }
}

/* The chunk is as new after that, if its pages can be given back; otherwise it stays as it is. */
static bool chunk_clear(struct symm_arena *arena, struct symm_arena_chunk *chunk)
{
    bool cleared = symm_arena_chunk_clear(chunk);
    if (cleared) {
        chunk_blocks_forget(arena, chunk);
        arena->counts.given_back++;
    }
    return cleared;
}

/* A chunk is entirely free now.  One such chunk keeps its pages: the smaller one goes. */
static void chunk_is_free(struct symm_arena *arena, struct symm_arena_chunk *chunk)
{
    struct symm_arena_chunk *spare = arena->spare;
    if (spare == chunk) {
        return;
    }
    arena->spare = chunk;
    if (spare != NULL && spare->users == 0) {
        bool keeps = spare->size > chunk->size;
        arena->spare = keeps ? spare : chunk;
        (void)chunk_clear(arena, keeps ? chunk : spare);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void block_free(struct symm_arena *arena, struct symm_arena_block *block)
{
    struct symm_arena_chunk *chunk = block->chunk;
    block->next = block->class->free;
    block->class->free = block;
    arena->counts.free++;
    if (--chunk->users == 0) {
        chunk_is_free(arena, chunk);
    }
}

static const struct symm_control_header *header_of(const struct symm_arena_block *block)
{
    return (const struct symm_control_header *)(const void *)(block->chunk->memory + block->words);
}

static void leaving_add(struct symm_arena *arena, struct symm_arena_block *block)
{
    block->next = NULL;
    *arena->leaving_end = block;
    arena->leaving_end = &block->next;
}

static struct symm_arena_block *leaving_take(struct symm_arena *arena)
{
    struct symm_arena_block *block = arena->leaving;
    arena->leaving = block->next;
    if (arena->leaving == NULL) {
        arena->leaving_end = &arena->leaving;
    }
    return block;
}

/* Find blocks that all ranks have left. */
static void leaving_look(struct symm_arena *arena, size_t looks)
{
    for (; looks > 0 && arena->leaving != NULL; looks--) {
        struct symm_arena_block *block = leaving_take(arena);
        if (symm_control_is_left(header_of(block))) {
            block->start = symm_control_next_start(header_of(block));
            block_free(arena, block);
        } else {
            leaving_add(arena, block);
        }
    }
}

/* The block gets a place in the chunk, if there is room. */
static bool block_cut(struct symm_arena *arena, struct symm_arena_block *block,
                      struct symm_arena_chunk *chunk)
{
    struct class *class = block->class;
    if (!symm_arena_chunk_cut(chunk, class, class->extra, &class->plan, &block->words,
                              &block->stages)) {
        return false;
    }
    block->chunk = chunk;
    block->start = symm_control_first_start;
    block->next_known = arena->known;
    arena->known = block;
    arena->counts.blocks++;
    return true;
}

static enum symm_status chunk_add(struct symm_arena *arena, size_t size)
{
    struct symm_arena_chunk *chunk;
    enum symm_status status =
        symm_arena_chunk_create(arena->server, arena->chunk_serial + 1, size, &chunk);
    if (status == SYMM_OK) {
        arena->chunk_serial++;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
        arena->counts.chunks++;
        arena->counts.bytes += size;
    }
    return status;
}

/* Where there is no room for a chunk of the usual size there may be room for one block. */
static enum symm_status chunk_make(struct symm_arena *arena, size_t need)
{
    size_t most = SYMM_ARENA_MOST;
    if (need > most / SYMM_ARENA_BLOCKS && need < SIZE_MAX / SYMM_ARENA_BLOCKS) {
        most = need * SYMM_ARENA_BLOCKS;
    }
    size_t size = arena->next_size < most ? arena->next_size : most;
    size = size > need ? size : need;
    enum symm_status status = chunk_add(arena, size);
    if (status == SYMM_ERR_NO_MEMORY && size > need) {
        return chunk_add(arena, need);
    }
    if (status == SYMM_OK) {
        arena->next_size = 2 * size;
    }
    return status;
}

/* In a chunk that has room, in one that is entirely free, or in a new one. */
static enum symm_status block_place(struct symm_arena *arena, struct symm_arena_block *block)
{
    size_t need = symm_arena_chunk_need(&block->class->plan);
    for (struct symm_arena_chunk *chunk = arena->chunks; chunk != NULL; chunk = chunk->next) {
        if (block_cut(arena, block, chunk)) {
            return SYMM_OK;
        }
    }
    for (struct symm_arena_chunk *chunk = arena->chunks; chunk != NULL; chunk = chunk->next) {
        if (chunk->users == 0 && chunk->size >= need && chunk_clear(arena, chunk)) {
            return block_cut(arena, block, chunk) ? SYMM_OK : SYMM_ERR_NO_MEMORY;
        }
    }
    enum symm_status status = chunk_make(arena, need);
    if (status == SYMM_OK && !block_cut(arena, block, arena->chunks)) {
        status = SYMM_ERR_NO_MEMORY;
    }
    return status;
}

static enum symm_status block_new(struct symm_arena *arena, struct class *class,
                                  struct symm_arena_block **block)
{
    struct symm_arena_block *created = calloc(1, sizeof(*created));
    if (created == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    created->class = class;
    enum symm_status status = block_place(arena, created);
    if (status != SYMM_OK) {
        free(created);
        return status;
    }
    *block = created;
    return SYMM_OK;
}

static enum symm_status block_get(struct symm_arena *arena, const struct symm_control *plan,
                                  const void *extra, struct symm_arena_block **block)
{
    leaving_look(arena, LOOKS);
    struct class *class = class_get(arena, plan, extra);
    if (class == NULL) {
        return SYMM_ERR_NO_MEMORY;
    }
    if (class->free == NULL) {
        enum symm_status status = block_new(arena, class, block);
        if (status != SYMM_OK) {
            return status;
        }
    } else {
        *block = class->free;
        class->free = (*block)->next;
        arena->counts.free--;
    }
    (*block)->chunk->users++;
    return SYMM_OK;
}

enum symm_status symm_arena_take(struct symm_arena *arena, int size,
                                 const struct symm_control_config *config,
                                 struct symm_control *control, struct symm_control_place *place,
                                 struct symm_arena_block **block)
{
    struct symm_arena_block *taken;
    struct symm_control plan;
    symm_control_plan(&plan, size, config);
    (void)pthread_mutex_lock(&arena->mutex);
    enum symm_status status = block_get(arena, &plan, config->extra, &taken);
    if (status == SYMM_OK) {
        plan.extra = symm_arena_chunk_extra(taken->chunk, taken->class);
        place->serial = ++arena->serial;
    }
    (void)pthread_mutex_unlock(&arena->mutex);
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_arena_chunk *chunk = taken->chunk; /* it stays while the block is used */
    place->start = taken->start;
    place->offset = taken->words;
    place->chunk = chunk->serial;
    place->fill = 0;
    symm_control_set(&plan, chunk->memory + taken->words, chunk->memory + taken->stages);
    symm_control_begin(&plan, place, chunk->memory);
    *control = plan;
    *block = taken;
    return SYMM_OK;
}

void symm_arena_give(struct symm_arena *arena, struct symm_arena_block *block)
{
    (void)pthread_mutex_lock(&arena->mutex);
    block_free(arena, block);
    (void)pthread_mutex_unlock(&arena->mutex);
}

void symm_arena_leave(struct symm_arena *arena, struct symm_arena_block *block)
{
    (void)pthread_mutex_lock(&arena->mutex);
    leaving_add(arena, block);
    leaving_look(arena, LOOKS);
    (void)pthread_mutex_unlock(&arena->mutex);
}

void symm_arena_abandon(struct symm_arena *arena, struct symm_arena_block *block)
{
    (void)block; /* it stays in use, and its chunk with it */
    (void)pthread_mutex_lock(&arena->mutex);
    arena->counts.abandoned++;
    (void)pthread_mutex_unlock(&arena->mutex);
}

void symm_arena_count(struct symm_arena *arena, struct symm_arena_counts *counts)
{
    (void)pthread_mutex_lock(&arena->mutex);
    *counts = arena->counts;
    (void)pthread_mutex_unlock(&arena->mutex);
}
