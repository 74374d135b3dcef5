/*
 * resources/scratch_pieces.c - see resources/scratch_pieces.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/resources/scratch_pieces.h"

#include <stdatomic.h>

#include "heap/gpu/cuda_device.h"
#include "heap/team/process.h"
#include "kernels/run.h"
#include "mca/coll/symm/base/component.h"

enum {
    SIZE_LEAST = 1 << 20,
    CALLS_UNTIL_RETRY = 100, /* a full device may have room later, but asking takes time */
    PIECES = 32, /* a communicator has five lanes, and each persistent operation one */
};

/* All fields but `taken` belong to the call that has taken the piece. */
struct piece {
    _Atomic bool taken;
    struct symm_heap *heap;
    void *memory; /* a head (kernels/run.h), and what calls get; NULL: not allocated yet */
    size_t size;  /* without the head */
    uint64_t identity; /* of the device */
    int calls_until_retry;
};

/* The first piece is taken first.  So programs with one call at a time have no other. */
static struct device_scratch {
    struct piece pieces[PIECES];
    _Atomic size_t total; /* bytes of all pieces, those that are being got included */
} devices[SYMM_CUDA_DEVICES_MAX];

/* ---- how much -------------------------------------------------------------------------------- */

/*
 * Sizes are powers of two, so that arrays which grow little by little do not each want new scratch.
 */
static size_t size_round(size_t wanted)
{
    size_t limit = mca_coll_symm_component.device_scratch, size = SIZE_LEAST;
    while (size < wanted && size < limit) {
        size *= 2;
    }
    return size < limit ? size : limit;
}

static bool total_raise(struct device_scratch *device, size_t bytes)
{
    size_t limit = mca_coll_symm_component.device_scratch;
    size_t total = atomic_load_explicit(&device->total, memory_order_relaxed);
    while (total + bytes <= limit) {
        if (atomic_compare_exchange_weak_explicit(&device->total, &total, total + bytes,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

static void total_lower(struct device_scratch *device, size_t bytes)
{
    (void)atomic_fetch_sub_explicit(&device->total, bytes, memory_order_relaxed);
}

/* ---- memory of a piece that this call has taken ---------------------------------------------- */

static void piece_free(struct piece *piece)
{
    if (piece->memory != NULL) {
        (void)symm_heap_free(piece->heap, piece->memory);
        piece->memory = NULL;
        piece->size = 0;
    }
}

static bool piece_alloc(struct piece *piece, size_t size)
{
    void *memory = NULL;
    if (symm_heap_alloc(piece->heap, SYMM_SCRATCH_HEAD + size, 0, &memory) != SYMM_OK) {
        return false;
    }
    if (symm_heap_clear(piece->heap, memory, SYMM_SCRATCH_HEAD) != SYMM_OK) {
        (void)symm_heap_free(piece->heap, memory);
        return false;
    }
    piece_free(piece);
    piece->memory = memory;
    piece->size = size;
    return true;
}

/* Get memory of this size in the place of the old.  If that fails, get the old size again. */
static void piece_get(struct piece *piece, int device, size_t size)
{
    size_t before = piece->size;
    if (piece->calls_until_retry > 0) {
        piece->calls_until_retry--;
        return;
    }
    bool has_heap = symm_process_device_heap(mca_coll_symm_component.process, device,
                                             &piece->heap) == SYMM_OK;
    if (piece->identity == 0) {
        piece->identity = symm_cuda_device_identity(device);
    }
    if (has_heap && piece_alloc(piece, size)) {
        return;
    }
    piece->calls_until_retry = CALLS_UNTIL_RETRY;
    if (has_heap && before > 0) { /* there may be room in its place */
        piece_free(piece);
        if (!piece_alloc(piece, size)) {
            (void)piece_alloc(piece, before);
        }
    }
}

/* Free what this call has, or what nobody has. */
static bool piece_spare(struct device_scratch *device, struct piece *piece)
{
    bool was_any = piece->memory != NULL;
    total_lower(device, piece->size);
    piece_free(piece);
    return was_any;
}

/* ---- taking and giving ----------------------------------------------------------------------- */

static bool piece_take(struct piece *piece)
{
    return !atomic_exchange_explicit(&piece->taken, true, memory_order_acquire);
}

static void piece_give(struct piece *piece)
{
    atomic_store_explicit(&piece->taken, false, memory_order_release);
}

bool mca_coll_symm_scratch_spare(int number)
{
    struct device_scratch *device = &devices[number];
    bool was_any = false;
    for (int i = 0; i < PIECES; i++) {
        struct piece *piece = &device->pieces[i];
        if (piece_take(piece)) {
            was_any |= piece_spare(device, piece);
            piece_give(piece);
        }
    }
    return was_any;
}

/*
 * What a piece may grow by: all that is left, if it is the only one, and else half of it, so that
 * some is left for the next.
 */
static size_t growth_most(const struct device_scratch *device, size_t before)
{
    size_t limit = mca_coll_symm_component.device_scratch;
    size_t total = atomic_load_explicit(&device->total, memory_order_relaxed);
    size_t left = total < limit ? limit - total : 0;
    return total == before ? left : left / 2;
}

/* Have so many bytes, if they can be had, or what pieces of other calls leave. */
static void piece_grow(struct piece *piece, int number, size_t wanted)
{
    struct device_scratch *device = &devices[number];
    size_t before = piece->size;
    while (wanted > before && (wanted - before > growth_most(device, before) ||
                               !total_raise(device, wanted - before))) {
        if (!mca_coll_symm_scratch_spare(number)) {
            wanted = wanted > SIZE_LEAST ? wanted / 2 : 0;
        }
    }
    if (wanted > before) {
        piece_get(piece, number, wanted);
        total_lower(device, wanted - piece->size);
    }
}

void *mca_coll_symm_scratch_take(int device, size_t *size, int *taken)
{
    struct piece *pieces = devices[device].pieces;
    size_t wanted = size_round(*size);
    int i = 0;
    while (wanted > 0 && i < PIECES && !piece_take(&pieces[i])) {
        i++;
    }
    if (wanted == 0 || i == PIECES) {
        return NULL;
    }
    struct piece *piece = &pieces[i];
    if (piece->size < wanted) {
        piece_grow(piece, device, wanted);
    }
    *taken = i;
    *size = piece->size;
    if (piece->memory == NULL) {
        piece_give(piece);
        return NULL;
    }
    return (unsigned char *)piece->memory + SYMM_SCRATCH_HEAD;
}

uint64_t mca_coll_symm_scratch_identity(int device, int piece)
{
    return devices[device].pieces[piece].identity;
}

void mca_coll_symm_scratch_give(int device, int piece)
{
    piece_give(&devices[device].pieces[piece]);
}

void mca_coll_symm_scratch_lose(int device, int piece)
{
    (void)piece_spare(&devices[device], &devices[device].pieces[piece]);
    mca_coll_symm_scratch_give(device, piece);
}

void mca_coll_symm_scratch_close(void)
{
    for (int device = 0; device < SYMM_CUDA_DEVICES_MAX; device++) {
        (void)mca_coll_symm_scratch_spare(device);
    }
}
