/*
 * host_memory.c - see host_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "heap/cuda_context.h"
#include "kernels/cuda/host_memory.h"

/* A call needs two blocks at most, and few threads make calls at a time. */
enum { KEPT = 4 };
static const size_t least_kept = 64 << 10;
static size_t limit = (size_t)256 << 20; /* of all blocks that are kept; under the mutex */

static struct kept {
    void *memory; /* NULL: none yet */
    size_t size;
    int device; /* in whose context it was pinned */
    bool busy;
} kept[KEPT];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Not of a device that cannot be entered any more. */
static bool unpin(struct kept *block)
{
    struct symm_cuda_scope scope;
    if (block->memory == NULL) {
        return true;
    }
    if (symm_cuda_enter(block->device, &scope) != SYMM_OK) {
        return false;
    }
    (void)scope.cuda->cuMemFreeHost(block->memory); /* it fails where the program has reset the device */
    symm_cuda_leave(&scope);
    block->memory = NULL;
    block->size = 0;
    return true;
}

/* In steps of a quarter, so that a program with growing buffers pins few blocks, and not much too much. */
static size_t size_kept(size_t wanted)
{
    enum { PAGE = 4096 };
    size_t size = least_kept;
    while (size < wanted && size <= limit) {
        size += (size / 4 + PAGE - 1) / PAGE * PAGE;
    }
    return size < limit ? size : limit;
}

static void pin(struct kept *block, int device, size_t size)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter(device, &scope) != SYMM_OK) {
        return;
    }
    if (scope.cuda->cuMemHostAlloc(&block->memory, size, CU_MEMHOSTALLOC_PORTABLE) == CUDA_SUCCESS) {
        block->size = size;
        block->device = device;
    } else {
        block->memory = NULL;
    }
    symm_cuda_leave(&scope);
}

/* Under the mutex: the smallest idle block that is large enough; otherwise the smallest idle one. */
static int slot_choose(size_t size)
{
    int chosen = -1;
    for (int slot = 0; slot < KEPT; slot++) {
        if (kept[slot].busy) {
            continue;
        }
        bool fits = kept[slot].size >= size;
        bool chosen_fits = chosen >= 0 && kept[chosen].size >= size;
        bool smaller = chosen >= 0 && kept[slot].size < kept[chosen].size;
        if (chosen < 0 || (fits && !chosen_fits) || (fits == chosen_fits && smaller)) {
            chosen = slot;
        }
    }
    return chosen;
}

/* Under the mutex: whether `size` bytes more may be pinned; idle blocks go for their sake, if that is enough. */
static bool room_make(size_t size)
{
    size_t pinned = 0, busy = 0;
    for (int slot = 0; slot < KEPT; slot++) {
        pinned += kept[slot].size;
        busy += kept[slot].busy ? kept[slot].size : 0;
    }
    if (size > limit || busy > limit - size) {
        return false;
    }
    for (int slot = 0; slot < KEPT && pinned > limit - size; slot++) {
        size_t freed = kept[slot].size;
        if (!kept[slot].busy && unpin(&kept[slot])) {
            pinned -= freed;
        }
    }
    return pinned <= limit - size;
}

static bool kept_get(int device, size_t wanted, struct symm_host_block *block)
{
    (void)pthread_mutex_lock(&mutex);
    int slot = slot_choose(wanted);
    if (slot >= 0 && kept[slot].size < wanted) {
        size_t size = size_kept(wanted);
        if (size >= wanted && room_make(size) && unpin(&kept[slot])) {
            pin(&kept[slot], device, size);
        }
    }
    bool got = slot >= 0 && kept[slot].size >= wanted && kept[slot].memory != NULL;
    if (got) {
        kept[slot].busy = true;
        *block = (struct symm_host_block){kept[slot].memory, kept[slot].size, slot};
    }
    (void)pthread_mutex_unlock(&mutex);
    return got;
}

enum symm_status symm_host_block_get(int device, size_t size, struct symm_host_block *block)
{
    if (kept_get(device, size, block)) {
        return SYMM_OK;
    }
    *block = (struct symm_host_block){malloc(size > 0 ? size : 1), size, -1};
    return block->memory != NULL ? SYMM_OK : SYMM_ERR_NO_MEMORY;
}

void symm_host_block_put(struct symm_host_block *block)
{
    if (block->memory != NULL && block->slot >= 0) {
        (void)pthread_mutex_lock(&mutex);
        kept[block->slot].busy = false;
        (void)pthread_mutex_unlock(&mutex);
    } else {
        free(block->memory);
    }
    block->memory = NULL;
}

void symm_host_blocks_limit(size_t bytes)
{
    (void)pthread_mutex_lock(&mutex);
    limit = bytes;
    for (int slot = 0; slot < KEPT; slot++) {
        if (!kept[slot].busy) {
            unpin(&kept[slot]);
        }
    }
    (void)pthread_mutex_unlock(&mutex);
}

void symm_host_blocks_close(void)
{
    (void)pthread_mutex_lock(&mutex);
    for (int slot = 0; slot < KEPT; slot++) {
        unpin(&kept[slot]);
    }
    (void)pthread_mutex_unlock(&mutex);
}
