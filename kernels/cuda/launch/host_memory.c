/*
 * host_memory.c - see host_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/host_memory.h"

/* A call needs two blocks at most.  Few threads make calls, but several calls may be pending. */
enum { KEPT = 16 };
static const size_t least_kept = 64 << 10;
static size_t limit = (size_t)1 << 30; /* of all blocks that are kept; under the mutex */

static struct kept {
    void *memory; /* NULL: none yet */
    size_t size;
    int device;    /* in whose context it was pinned */
    uint32_t generation; /* of its context; in a later generation it has to be pinned anew */
    bool busy;
} kept[KEPT];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- pages ----------------------------------------------------------------------------------- */

enum { HUGE_PAGE = 2 << 20 };

void *symm_host_pages_map(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    (void)madvise(pages, size, MADV_DONTFORK);
    if (size >= HUGE_PAGE) {
        (void)madvise(pages, size, MADV_HUGEPAGE);
    }
    return pages;
}

void symm_host_pages_unmap(void *pages, size_t size)
{
    (void)munmap(pages, size);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/*
 * Unpin a block and unmap its pages; false if its device cannot be entered.  Pages that the driver
 * does not let go of stay mapped.
 */
static bool unpin(struct kept *block)
{
    struct symm_cuda_scope scope;
    CUresult result = CUDA_SUCCESS;
    if (block->memory == NULL) {
        return true;
    }
    if (symm_cuda_enter_to_release(block->device, &scope) != SYMM_OK) {
        return false;
    }
    if (scope.generation == block->generation) {
        result = scope.cuda->cuMemHostUnregister(block->memory);
    }
    symm_cuda_leave(&scope);
    if (result == CUDA_SUCCESS) {
        symm_host_pages_unmap(block->memory, block->size);
    }
    block->memory = NULL;
    block->size = 0;
    return true;
}

/*
 * Sizes grow in steps of a quarter, so that a program with growing buffers pins few blocks, and
 * none of them is much too large.  Two blocks of up to half the limit have room side by side.
 */
static size_t size_kept(size_t wanted)
{
    enum { PAGE = 4096 };
    size_t size = least_kept, most = wanted <= limit / 2 ? limit / 2 : limit;
    while (size < wanted && size <= most) {
        size += (size / 4 + PAGE - 1) / PAGE * PAGE;
    }
    return size < most ? size : most;
}

static bool pages_pin(void *pages, size_t size, int device, uint32_t *generation)
{
    struct symm_cuda_scope scope;
    if (symm_cuda_enter(device, &scope) != SYMM_OK) {
        return false;
    }
    CUresult result = scope.cuda->cuMemHostRegister(pages, size, CU_MEMHOSTREGISTER_PORTABLE);
    *generation = scope.generation;
    symm_cuda_leave(&scope);
    return result == CUDA_SUCCESS;
}

static void pin(struct kept *block, int device, size_t size)
{
    void *pages = symm_host_pages_map(size);
    if (pages != NULL && pages_pin(pages, size, device, &block->generation)) {
        block->memory = pages;
        block->size = size;
        block->device = device;
    } else if (pages != NULL) {
        symm_host_pages_unmap(pages, size);
    }
}

/* Pin a block again after a reset of its device.  If this fails, copies are slower. */
static void pin_again(struct kept *block)
{
    uint32_t generation;
    if (block->generation != symm_cuda_device_generation(block->device) &&
        pages_pin(block->memory, block->size, block->device, &generation)) {
        block->generation = generation;
    }
}

/*
 * Under the mutex: the smallest idle block that is large enough; otherwise the smallest idle one.
 */
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

/*
 * Under the mutex: whether `size` bytes more may be pinned.  Idle blocks are given back for them,
 * if that is enough.
 */
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
        pin_again(&kept[slot]);
        kept[slot].busy = true;
        *block = (struct symm_host_block){kept[slot].memory, kept[slot].size, slot};
    }
    (void)pthread_mutex_unlock(&mutex);
    return got;
}

/*
 * Memory of malloc.  A large block is new to the process in each call, and touching its pages for
 * the first time takes longer than the copy, unless they are huge.
 */
static void *ordinary_get(size_t size)
{
    if (size < HUGE_PAGE) {
        return malloc(size > 0 ? size : 1);
    }
    size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = whole >= size ? aligned_alloc(HUGE_PAGE, whole) : NULL;
    if (memory != NULL) {
        (void)madvise(memory, whole, MADV_HUGEPAGE);
    }
    return memory;
}

enum symm_status symm_host_block_get(int device, size_t size, struct symm_host_block *block)
{
    if (kept_get(device, size, block)) {
        return SYMM_OK;
    }
    *block = (struct symm_host_block){ordinary_get(size), size, -1};
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
