/*
 * arena_chunk.c - see arena_chunk.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/memfd.h"
#include "heap/team/arena_chunk.h"

/* The copy of a class's extra. */
struct symm_arena_extra {
    struct symm_arena_extra *next;
    const void *class;
    size_t offset;
};

static size_t round_up(size_t size)
{
    return (size + SYMM_CONTROL_PAGE - 1) / SYMM_CONTROL_PAGE * SYMM_CONTROL_PAGE;
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct symm_object_id chunk_id(uint32_t serial)
{
    return (struct symm_object_id){.what = SYMM_OBJECT_ARENA, .number = serial};
}

static enum symm_status chunk_map(struct symm_arena_chunk *chunk, int descriptor)
{
    void *memory;
    enum symm_status status = symm_headroom_take(chunk->size);
    if (status != SYMM_OK) {
        return status;
    }
    status = symm_memfd_map(descriptor, chunk->size, &memory);
    if (status != SYMM_OK) {
        symm_headroom_give();
        return status;
    }
    chunk->memory = memory;
    return SYMM_OK;
}

static enum symm_status chunk_offer(struct symm_server *server,
                                    const struct symm_arena_chunk *chunk, int descriptor)
{
    struct symm_object_id id = chunk_id(chunk->serial);
    struct symm_object object = {.descriptor = descriptor, .size = chunk->size};
    return symm_server_export(server, &id, &object);
}

enum symm_status symm_arena_chunk_create(struct symm_server *server, uint32_t serial, size_t size,
                                         struct symm_arena_chunk **chunk)
{
    int descriptor;
    enum symm_status status = symm_memfd_create("symm-control", size, &descriptor);
    if (status != SYMM_OK) {
        return status;
    }
    struct symm_arena_chunk *created = calloc(1, sizeof(*created));
    status = SYMM_ERR_NO_MEMORY;
    if (created != NULL) {
        created->serial = serial;
        created->size = size;
        created->high = size;
        status = chunk_map(created, descriptor);
    }
    if (status == SYMM_OK) {
        status = chunk_offer(server, created, descriptor);
    }
    int error = errno;
    (void)close(descriptor);
    if (status != SYMM_OK) {
        symm_arena_chunk_destroy(server, created, false);
        errno = error;
        return status;
    }
    *chunk = created;
    return SYMM_OK;
}

static void extras_forget(struct symm_arena_chunk *chunk)
{
    while (chunk->extras != NULL) {
        struct symm_arena_extra *extra = chunk->extras;
        chunk->extras = extra->next;
        free(extra);
    }
}

void symm_arena_chunk_destroy(struct symm_server *server, struct symm_arena_chunk *chunk,
                              bool give_back)
{
    if (chunk == NULL) {
        return;
    }
    struct symm_object_id id = chunk_id(chunk->serial);
    symm_server_withdraw(server, &id);
    extras_forget(chunk);
    if (chunk->memory != NULL) {
        if (give_back && chunk->users == 0) { /* peers may keep the chunk mapped for long */
            (void)madvise(chunk->memory, chunk->size, MADV_REMOVE);
        }
        (void)munmap(chunk->memory, chunk->size);
        symm_headroom_give();
    }
    free(chunk);
}

bool symm_arena_chunk_clear(struct symm_arena_chunk *chunk)
{
    if (madvise(chunk->memory, chunk->size, MADV_REMOVE) != 0) {
        return false;
    }
    extras_forget(chunk);
    chunk->low = 0;
    chunk->high = chunk->size;
    return true;
}

/* ---- cutting --------------------------------------------------------------------------------- */

size_t symm_arena_chunk_need(const struct symm_control *plan)
{
    return plan->words_size + plan->stages_size + round_up(plan->extra_size);
}

static const struct symm_arena_extra *extra_find(const struct symm_arena_chunk *chunk,
                                                 const void *class)
{
    const struct symm_arena_extra *extra = chunk->extras;
    while (extra != NULL && extra->class != class) {
        extra = extra->next;
    }
    return extra;
}

const void *symm_arena_chunk_extra(const struct symm_arena_chunk *chunk, const void *class)
{
    const struct symm_arena_extra *extra = extra_find(chunk, class);
    return extra != NULL ? chunk->memory + extra->offset : NULL;
}

static bool extra_add(struct symm_arena_chunk *chunk, const void *class, const void *content,
                      size_t size)
{
    struct symm_arena_extra *extra = malloc(sizeof(*extra));
    if (extra == NULL) {
        return false;
    }
    *extra = (struct symm_arena_extra){
        .next = chunk->extras, .class = class, .offset = chunk->low};
    memcpy(chunk->memory + chunk->low, content, size);
    chunk->extras = extra;
    chunk->low += round_up(size);
    return true;
}

bool symm_arena_chunk_cut(struct symm_arena_chunk *chunk, const void *class, const void *extra,
                          const struct symm_control *plan, size_t *words, size_t *stages)
{
    bool is_new = plan->extra_size > 0 && extra_find(chunk, class) == NULL;
    size_t need = plan->words_size + plan->stages_size +
                  (is_new ? round_up(plan->extra_size) : 0);
    if (chunk->high - chunk->low < need ||
        (is_new && !extra_add(chunk, class, extra, plan->extra_size))) {
        return false;
    }
    *words = chunk->low;
    chunk->low += plan->words_size;
    chunk->high -= plan->stages_size;
    *stages = chunk->high;
    return true;
}
