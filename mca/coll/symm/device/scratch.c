/*
 * device/scratch.c - see device/scratch.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/scratch.h"

#include <stdatomic.h>

#include "heap/cuda_device.h"
#include "heap/process.h"
#include "kernels/run.h"
#include "mca/coll/symm/base/component.h"

enum {
    SIZE_LEAST = 1 << 20,
    CALLS_UNTIL_RETRY = 100, /* a full device may have room later, but asking takes time */
};

/* All fields but `taken` belong to the call that has taken the scratch. */
struct scratch {
    _Atomic bool taken;
    struct symm_heap *heap;
    void *memory; /* a head (kernels/run.h), and what calls get; NULL: not allocated yet */
    size_t size;  /* without the head */
    uint64_t identity; /* of the device */
    int calls_until_retry;
};

static struct scratch scratches[SYMM_CUDA_DEVICES_MAX];

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

static void scratch_free(struct scratch *scratch)
{
    if (scratch->memory != NULL) {
        (void)symm_heap_free(scratch->heap, scratch->memory);
        scratch->memory = NULL;
        scratch->size = 0;
    }
}

static bool scratch_alloc(struct scratch *scratch, size_t size)
{
    void *memory = NULL;
    if (symm_heap_alloc(scratch->heap, SYMM_SCRATCH_HEAD + size, 0, &memory) != SYMM_OK) {
        return false;
    }
    if (symm_heap_clear(scratch->heap, memory, SYMM_SCRATCH_HEAD) != SYMM_OK) {
        (void)symm_heap_free(scratch->heap, memory);
        return false;
    }
    scratch_free(scratch);
    scratch->memory = memory;
    scratch->size = size;
    return true;
}

/* Get scratch of this size in the place of the old.  If that fails, get the old size again. */
static void scratch_get(struct scratch *scratch, int device, size_t size)
{
    size_t before = scratch->size;
    if (scratch->calls_until_retry > 0) {
        scratch->calls_until_retry--;
        return;
    }
    bool has_heap = symm_process_device_heap(mca_coll_symm_component.process, device,
                                             &scratch->heap) == SYMM_OK;
    if (scratch->identity == 0) {
        scratch->identity = symm_cuda_device_identity(device);
    }
    if (has_heap && scratch_alloc(scratch, size)) {
        return;
    }
    scratch->calls_until_retry = CALLS_UNTIL_RETRY;
    if (has_heap && before > 0) { /* there may be room in its place */
        scratch_free(scratch);
        if (!scratch_alloc(scratch, size)) {
            (void)scratch_alloc(scratch, before);
        }
    }
}

void *mca_coll_symm_scratch_take(int device, size_t *size)
{
    struct scratch *scratch = &scratches[device];
    size_t wanted = size_round(*size);
    if (wanted == 0 || atomic_exchange_explicit(&scratch->taken, true, memory_order_acquire)) {
        return NULL;
    }
    if (scratch->size < wanted) {
        scratch_get(scratch, device, wanted);
    }
    void *memory = scratch->memory;
    *size = scratch->size;
    if (memory == NULL) {
        mca_coll_symm_scratch_give(device);
        return NULL;
    }
    return (unsigned char *)memory + SYMM_SCRATCH_HEAD;
}

uint64_t mca_coll_symm_scratch_identity(int device)
{
    return scratches[device].identity;
}

void mca_coll_symm_scratch_lose(int device)
{
    scratch_free(&scratches[device]);
    mca_coll_symm_scratch_give(device);
}

void mca_coll_symm_scratch_give(int device)
{
    atomic_store_explicit(&scratches[device].taken, false, memory_order_release);
}

bool mca_coll_symm_scratch_spare(int device)
{
    struct scratch *scratch = &scratches[device];
    if (atomic_exchange_explicit(&scratch->taken, true, memory_order_acquire)) {
        return false;
    }
    bool was_any = scratch->memory != NULL;
    scratch_free(scratch);
    mca_coll_symm_scratch_give(device);
    return was_any;
}

void mca_coll_symm_scratch_close(void)
{
    for (int device = 0; device < SYMM_CUDA_DEVICES_MAX; device++) {
        scratch_free(&scratches[device]);
    }
}
