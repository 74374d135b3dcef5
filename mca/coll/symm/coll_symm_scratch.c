/*
 * coll_symm_scratch.c - see coll_symm_scratch.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/coll_symm_scratch.h"

#include <stdatomic.h>

#include "heap/cuda_device.h"
#include "mca/coll/symm/coll_symm.h"

/* A device that is full now may have room later, but asking takes as long as a small call. */
enum { CALLS_UNTIL_RETRY = 100 };

/* All but `taken` belongs to whoever has taken it. */
struct scratch {
    _Atomic bool taken;
    struct symm_heap *heap;
    void *memory; /* NULL: not got yet */
    int calls_until_retry;
};

static struct scratch scratches[SYMM_CUDA_DEVICES_MAX];

static void scratch_get(struct scratch *scratch, int device)
{
    size_t size = mca_coll_symm_component.device_scratch;
    if (scratch->calls_until_retry > 0) {
        scratch->calls_until_retry--;
        return;
    }
    if (symm_process_device_heap(mca_coll_symm_component.process, device, &scratch->heap) !=
            SYMM_OK ||
        symm_heap_alloc(scratch->heap, size, 0, &scratch->memory) != SYMM_OK) {
        scratch->memory = NULL;
        scratch->calls_until_retry = CALLS_UNTIL_RETRY;
    }
}

void *mca_coll_symm_scratch_take(int device, size_t *size)
{
    struct scratch *scratch = &scratches[device];
    *size = mca_coll_symm_component.device_scratch;
    if (*size == 0 || atomic_exchange_explicit(&scratch->taken, true, memory_order_acquire)) {
        return NULL;
    }
    if (scratch->memory == NULL) {
        scratch_get(scratch, device);
    }
    void *memory = scratch->memory;
    if (memory == NULL) {
        mca_coll_symm_scratch_give(device);
    }
    return memory;
}

void mca_coll_symm_scratch_give(int device)
{
    atomic_store_explicit(&scratches[device].taken, false, memory_order_release);
}

void mca_coll_symm_scratch_close(void)
{
    for (int device = 0; device < SYMM_CUDA_DEVICES_MAX; device++) {
        struct scratch *scratch = &scratches[device];
        if (scratch->memory != NULL) {
            (void)symm_heap_free(scratch->heap, scratch->memory);
            scratch->memory = NULL;
        }
    }
}
