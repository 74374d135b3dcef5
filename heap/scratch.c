/*
 * scratch.c - see scratch.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "heap/allocator.h"
#include "heap/scratch.h"

/* A free block begins with where the next one is. */
struct block {
    struct block *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static unsigned in_use;

static struct block *block_pop(void)
{
    (void)pthread_mutex_lock(&mutex);
    struct block *block = blocks;
    if (block != NULL) {
        blocks = block->next;
        in_use++;
    }
    (void)pthread_mutex_unlock(&mutex);
    return block;
}

static void *block_make(void)
{
    return aligned_alloc(SYMM_ALIGNMENT_BIG, SYMM_SCRATCH_SIZE);
}

enum symm_status symm_scratch_reserve(void)
{
    (void)pthread_mutex_lock(&mutex);
    if (blocks == NULL && in_use == 0) {
        blocks = block_make();
        if (blocks != NULL) {
            blocks->next = NULL;
        }
    }
    bool has_one = blocks != NULL || in_use > 0;
    (void)pthread_mutex_unlock(&mutex);
    return has_one ? SYMM_OK : SYMM_ERR_NO_MEMORY;
}

void *symm_scratch_take(void)
{
    struct block *block = block_pop();
    if (block == NULL && (block = block_make()) != NULL) {
        (void)pthread_mutex_lock(&mutex);
        in_use++;
        (void)pthread_mutex_unlock(&mutex);
    }
    while (block == NULL) {
        (void)sched_yield();
        block = block_pop();
    }
    return block;
}

void symm_scratch_give(void *scratch)
{
    struct block *block = scratch;
    (void)pthread_mutex_lock(&mutex);
    block->next = blocks;
    blocks = block;
    in_use--;
    (void)pthread_mutex_unlock(&mutex);
}

void symm_scratch_end(void)
{
    struct block *block;
    while ((block = blocks) != NULL) {
        blocks = block->next;
        free(block);
    }
}
