/*
 * reclaim.c - see reclaim.h and heap_pages.h.
 *
 * The thread gives a chunk back without the heap's mutex, through a descriptor of its own, so that
 * neither allocating nor locating a buffer has to wait for it; but for a block that gets a place in
 * this very chunk.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/allocator.h"
#include "heap/heap_pages.h"
#include "heap/reclaim.h"

enum { EPOCH_MS = 400 }; /* memory goes when it has been idle for one to two epochs */

/* What is not worth a thread. */
static const size_t idle_least = SYMM_CHUNK_SIZE;

/*
 * Beyond that, and as much as there is in blocks, memory goes however young it is.  With less,
 * programs that write to blocks of up to 64 MiB and free them took ten times as long: what they
 * want again had gone.
 */
static const size_t idle_most = (size_t)256 << 20;

/* Beyond that, retired segments go at once. */
static const size_t remains_most = (size_t)1 << 30;

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool is_urgent(const struct symm_heap *heap)
{
    return heap->reclaim.idle > idle_most + symm_allocator_block_bytes(heap->allocator);
}

/* Whether somebody has to be told that there is something to do. */
static bool wake_is_due(struct symm_heap *heap)
{
    struct reclaim *reclaim = &heap->reclaim;
    bool urgent = is_urgent(heap);
    if (reclaim->wake == NULL || reclaim->idle <= idle_least ||
        (reclaim->scheduled && (!urgent || reclaim->urgent))) {
        return false;
    }
    reclaim->scheduled = true;
    reclaim->urgent = urgent;
    return true;
}

static void give_up(struct symm_heap *heap)
{
    (void)pthread_mutex_lock(&heap->mutex);
    heap->reclaim.wake = NULL;
    (void)symm_heap_remains_end(heap);
    (void)pthread_mutex_unlock(&heap->mutex);
}

void symm_heap_unlock(struct symm_heap *heap)
{
    bool (*wake)(void *) = heap->reclaim.wake;
    bool due = wake_is_due(heap);
    (void)pthread_mutex_unlock(&heap->mutex);
    if (due && !wake(heap->reclaim.data)) {
        give_up(heap);
    }
}

void symm_heap_pages_use(struct symm_heap *heap, uint64_t offset, size_t size)
{
    struct reclaim *reclaim = &heap->reclaim;
    const struct segment *segment = symm_heap_segment_at(heap, offset);
    if (segment->pages != NULL) {
        reclaim->idle -= symm_pages_idle(segment->pages);
        symm_pages_use(segment->pages, offset - segment->offset, size);
        reclaim->idle += symm_pages_idle(segment->pages);
    }
    /* The block is the caller's already, so what changes meanwhile does not matter. */
    while (reclaim->is_busy && offset < reclaim->busy + SYMM_CHUNK_SIZE &&
           reclaim->busy < offset + size) {
        /* Less than a millisecond, which waking up can take as well. */
        (void)pthread_mutex_unlock(&heap->mutex);
        (void)sched_yield();
        (void)pthread_mutex_lock(&heap->mutex);
    }
}

void symm_heap_pages_leave(struct symm_heap *heap, uint64_t offset, size_t size)
{
    const struct segment *segment = symm_heap_segment_at(heap, offset);
    if (segment->pages != NULL) {
        heap->reclaim.idle -= symm_pages_idle(segment->pages);
        symm_pages_leave(segment->pages, offset - segment->offset, size, heap->reclaim.epoch);
        heap->reclaim.idle += symm_pages_idle(segment->pages);
    }
}

/* ---- segments -------------------------------------------------------------------------------- */

void symm_heap_pages_begin(struct symm_heap *heap, struct segment *segment, bool adopted)
{
    /* Without it the segment's pages stay as long as the segment does. */
    segment->pages = heap->reclaim.wake != NULL ? symm_pages_create(segment->size) : NULL;
    if (adopted && segment->pages != NULL) {
        symm_pages_leave_all(segment->pages, heap->reclaim.epoch);
        heap->reclaim.idle += symm_pages_idle(segment->pages);
    }
}

void symm_heap_pages_end(struct symm_heap *heap, struct segment *segment)
{
    if (segment->pages != NULL) {
        heap->reclaim.idle -= symm_pages_idle(segment->pages);
        symm_pages_destroy(segment->pages);
        segment->pages = NULL;
    }
}

static size_t remains_size(const struct remains *remains)
{
    return remains->size - remains->done;
}

/* Nobody else knows of them any more; all of it in one go. */
static void remains_free(struct symm_heap *heap, struct remains **link)
{
    struct remains *remains = *link;
    *link = remains->next;
    heap->reclaim.idle -= remains_size(remains);
    if (remains->is_mapped) {
        (void)heap->kind->unmap(heap->kind, heap->window + remains->offset, remains->size);
    }
    heap->kind->release(heap->kind, remains->handle, remains->size, 1);
    free(remains);
}

bool symm_heap_remains_leave(struct symm_heap *heap, const struct segment *segment)
{
    struct reclaim *reclaim = &heap->reclaim;
    if (reclaim->wake == NULL || reclaim->idle > remains_most ||
        segment->size > remains_most - reclaim->idle) {
        return false;
    }
    struct remains *remains = malloc(sizeof(*remains));
    if (remains == NULL) {
        return false;
    }
    *remains = (struct remains){
        .offset = segment->offset,
        .size = segment->size,
        .handle = segment->handle,
        .left_in = reclaim->epoch,
        .is_mapped = true,
        .next = reclaim->remains,
    };
    reclaim->remains = remains;
    reclaim->idle += remains->size;
    return true;
}

bool symm_heap_remains_take(struct symm_heap *heap, struct segment *segment)
{
    struct remains **link = &heap->reclaim.remains;
    while (*link != NULL) {
        struct remains *remains = *link;
        bool apart = remains->offset >= segment->offset + segment->size ||
                     segment->offset >= remains->offset + remains->size;
        if (!remains->is_mapped || apart) {
            link = &remains->next;
        } else if (remains->offset == segment->offset && remains->size == segment->size) {
            segment->handle = remains->handle;
            heap->reclaim.idle -= remains_size(remains);
            *link = remains->next;
            free(remains);
            return true;
        } else {
            (void)heap->kind->unmap(heap->kind, heap->window + remains->offset, remains->size);
            remains->is_mapped = false;
            link = &remains->next;
        }
    }
    return false;
}

bool symm_heap_remains_end(struct symm_heap *heap)
{
    bool were_any = heap->reclaim.remains != NULL;
    while (heap->reclaim.remains != NULL) {
        remains_free(heap, &heap->reclaim.remains);
    }
    return were_any;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void symm_heap_defer(struct symm_heap *heap, bool (*wake)(void *data), void *data)
{
    if (heap->kind->discard != NULL) {
        heap->reclaim.wake = wake;
        heap->reclaim.data = data;
        heap->reclaim.epoch = 1;
    }
}

/* A chunk that is to be given back: of this memory, and where it is in the window. */
struct choice {
    symm_handle handle;
    uint64_t offset, place;
    bool is_mapped; /* at `place`, where another segment may lie otherwise */
};

/* From the oldest remains that were left before `epoch`; which end when nothing is left of them. */
static bool remains_choose(struct symm_heap *heap, uint32_t epoch, struct choice *choice)
{
    struct remains **link = &heap->reclaim.remains, **oldest = NULL;
    for (; *link != NULL; link = &(*link)->next) {
        oldest = (*link)->left_in < epoch ? link : oldest; /* new ones come first */
    }
    if (oldest == NULL) {
        return false;
    }
    struct remains *remains = *oldest;
    if (remains->done == remains->size) {
        remains_free(heap, oldest);
        return remains_choose(heap, epoch, choice);
    }
    *choice = (struct choice){.handle = remains->handle, .offset = remains->done,
                              .place = remains->offset + remains->done,
                              .is_mapped = remains->is_mapped};
    remains->done += SYMM_CHUNK_SIZE;
    return true;
}

static bool segments_choose(struct symm_heap *heap, uint32_t epoch, struct choice *choice)
{
    uint64_t offset;
    for (size_t i = 0; i < heap->segment_count; i++) {
        const struct segment *segment = &heap->segments[i];
        if (segment->pages != NULL && symm_pages_take(segment->pages, epoch, &offset)) {
            *choice = (struct choice){.handle = segment->handle, .offset = offset,
                                      .place = segment->offset + offset, .is_mapped = true};
            return true;
        }
    }
    return false;
}

/*
 * With the mutex: a chunk that was left before `epoch`, and that counts as given back from now on.
 */
static bool choose(struct symm_heap *heap, uint32_t epoch, struct choice *choice)
{
    bool found =
        remains_choose(heap, epoch, choice) || segments_choose(heap, epoch, choice);
    heap->reclaim.idle -= found ? SYMM_CHUNK_SIZE : 0;
    return found;
}

/*
 * With the mutex, which is let go of meanwhile.  Without a descriptor the pages stay, until the
 * chunk is used and left once more.
 */
static void discard(struct symm_heap *heap, const struct choice *choice)
{
    struct reclaim *reclaim = &heap->reclaim;
    int descriptor;
    if (heap->kind->export_handle(heap->kind, choice->handle, &descriptor) != SYMM_OK) {
        return;
    }
    reclaim->is_busy = true;
    reclaim->busy = choice->place;
    (void)pthread_mutex_unlock(&heap->mutex);
    /*
     * Caches of registrations (Open MPI's and UCX's) have to hear of pages that go from under an
     * address, and they listen to madvise(); to fallocate() nobody does.
     */
    if (choice->is_mapped) {
        (void)madvise(heap->window + choice->place, SYMM_CHUNK_SIZE, MADV_REMOVE);
    }
    heap->kind->discard(heap->kind, descriptor, choice->offset, SYMM_CHUNK_SIZE);
    (void)close(descriptor);
    (void)pthread_mutex_lock(&heap->mutex);
    reclaim->is_busy = false;
}

static int step(struct symm_heap *heap, uint64_t now)
{
    struct reclaim *reclaim = &heap->reclaim;
    struct choice choice;
    if (now >= reclaim->epoch_end) {
        reclaim->epoch++;
        reclaim->epoch_end = now + EPOCH_MS;
        reclaim->is_done = false;
    }
    reclaim->urgent = is_urgent(heap);
    if (reclaim->urgent || !reclaim->is_done) {
        if (choose(heap, reclaim->urgent ? UINT32_MAX : reclaim->epoch - 1, &choice)) {
            discard(heap, &choice);
            return 0;
        }
        reclaim->is_done = true; /* until the epoch has ended */
    }
    reclaim->scheduled = reclaim->idle > 0 || reclaim->remains != NULL;
    return reclaim->scheduled ? (int)(reclaim->epoch_end - now) : -1;
}

int symm_heap_reclaim(struct symm_heap *heap, uint64_t now)
{
    (void)pthread_mutex_lock(&heap->mutex);
    int pause = step(heap, now);
    (void)pthread_mutex_unlock(&heap->mutex);
    return pause;
}

size_t symm_heap_idle(struct symm_heap *heap)
{
    (void)pthread_mutex_lock(&heap->mutex);
    size_t idle = heap->reclaim.idle;
    (void)pthread_mutex_unlock(&heap->mutex);
    return idle;
}
