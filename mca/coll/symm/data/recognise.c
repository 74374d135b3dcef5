/*
 * data/recognise.c - see data/recognise.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/recognise.h"

#include <stdatomic.h>

#include "heap/team/process.h"
#include "mca/ompi_compat.h"

/* ---- pages known to be the host's ------------------------------------------------------------ */

/*
 * The table is right for this reason.  The driver takes addresses that are free, so an address in
 * host memory can become one in device or managed memory only after the host memory has gone.
 * Memory goes by munmap(), by shrinking the break, or by being mapped over.  Open MPI's memory
 * hooks tell us about all of these, whoever makes the call, because they are patched into the C
 * library's functions.  The pages then leave the table before the memory goes.  The page of a
 * buffer that a call uses cannot go during the call.
 *
 * Pinned memory is not in the table, because the driver allocates it and may release it without
 * these calls.  The driver recognises such memory quickly.  Without the hooks the table stays
 * empty.
 */
_Atomic uintptr_t mca_coll_symm_known_pages[MCA_COLL_SYMM_KNOWN_SLOTS];
static bool watching;
static struct symm_process *process; /* whose heaps are ours */

static uintptr_t page_of(const void *address)
{
    return (uintptr_t)address >> MCA_COLL_SYMM_PAGE_BITS;
}

static void learn(const void *address)
{
    if (watching) {
        uintptr_t page = page_of(address);
        atomic_store_explicit(mca_coll_symm_known_slot(page), page, memory_order_relaxed);
    }
}

static void forget_page(uintptr_t page)
{
    _Atomic uintptr_t *slot = mca_coll_symm_known_slot(page);
    if (atomic_load_explicit(slot, memory_order_relaxed) == page) {
        atomic_store_explicit(slot, 0, memory_order_relaxed);
    }
}

static void forget_all(void)
{
    for (int slot = 0; slot < MCA_COLL_SYMM_KNOWN_SLOTS; slot++) {
        atomic_store_explicit(&mca_coll_symm_known_pages[slot], 0, memory_order_relaxed);
    }
}

/*
 * The hooks call this from within munmap() and similar functions, so it must neither allocate nor
 * lock.
 */
static void forget(void *address, size_t length, void *data, bool from_allocator)
{
    uintptr_t first = page_of(address);
    (void)data;
    (void)from_allocator;
    if (length >> MCA_COLL_SYMM_PAGE_BITS >= MCA_COLL_SYMM_KNOWN_SLOTS) {
        forget_all();
        return;
    }
    uintptr_t last = page_of((const unsigned char *)address + (length > 0 ? length - 1 : 0));
    for (uintptr_t page = first; page <= last; page++) {
        forget_page(page);
    }
}

void mca_coll_symm_recognise_open(struct symm_process *ours)
{
    process = ours;
    symm_cuda_notice();
    watching = symm_cuda_is_built() && symm_ompi_watch_releases(forget);
}

void mca_coll_symm_recognise_close(void)
{
    if (watching) {
        symm_ompi_unwatch_releases(forget);
        watching = false;
    }
    forget_all();
}

/* ---- recognising ----------------------------------------------------------------------------- */

/*
 * Whether we have allocated the memory.  Comparing addresses takes less time than asking the
 * driver.
 */
static bool is_ours(const void *address, struct symm_place *place)
{
    struct symm_location location;
    place->ours = symm_process_locate(process, address, 1, &location) == SYMM_OK;
    int device = place->ours ? symm_heap_device(symm_process_heap_at(process, location.heap))
                             : symm_cuda_plain_device(address);
    place->ours = place->ours || device >= 0;
    if (!place->ours) {
        return false;
    }
    place->memory = (struct symm_memory){
        .kind = device >= 0 ? SYMM_MEMORY_DEVICE : SYMM_MEMORY_HOST, .device = device};
    return true;
}

void mca_coll_symm_recognise(const void *address, enum symm_kinds kinds, struct symm_place *place)
{
    if (!is_ours(address, place)) {
        if (kinds != SYMM_KINDS_ANY) { /* the table of pages holds what has been found out only */
            place->memory = (struct symm_memory){.kind = SYMM_MEMORY_HOST, .device = -1};
            return;
        }
        (void)symm_cuda_memory_describe(address, &place->memory);
    }
    if (place->memory.kind == SYMM_MEMORY_HOST) {
        learn(address);
    }
}

int mca_coll_symm_device_of(const void *address, enum symm_kinds kinds)
{
    struct symm_place place;
    if (kinds == SYMM_KINDS_SYSTEM || mca_coll_symm_is_known_host(address) ||
        !symm_cuda_is_built()) {
        return -1;
    }
    mca_coll_symm_recognise(address, kinds, &place);
    return place.memory.device;
}
