/*
 * pads.c - see pads.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <limits.h>
#include <stdatomic.h>

#include "heap/cuda_device.h"
#include "heap/heap_state.h"
#include "heap/pads.h"
#include "heap/process.h"

enum {
    CALLS_UNTIL_RETRY = 1000, /* a full device may have room later, but asking takes time */
};

/* A flag comes again after twice as many calls. */
static const uint64_t calls_per_wipe = UINT64_C(1) << 31;

static _Atomic size_t taken; /* bytes of all pads of the process */

static bool room_take(size_t size, size_t most)
{
    size_t before = atomic_load_explicit(&taken, memory_order_relaxed);
    do {
        if (size > most || before > most - size) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&taken, &before, before + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static bool is_wiped(struct symm_pad *pad, uint64_t sequence)
{
    const struct symm_kind *kind = pad->heap->kind;
    if (kind->clear(kind, pad->memory, pad->size) != SYMM_OK) {
        return false;
    }
    pad->wiped = sequence;
    return true;
}

void symm_pad_free(struct symm_pad *pad)
{
    if (pad->memory != NULL) {
        (void)symm_heap_free(pad->heap, pad->memory);
        (void)atomic_fetch_sub_explicit(&taken, pad->size, memory_order_relaxed);
    }
    *pad = (struct symm_pad){0};
}

void symm_pad_lose(struct symm_pad *pad)
{
    *pad = (struct symm_pad){.calls_until_offer = CALLS_UNTIL_RETRY};
}

/* Get memory for rows of `ranks`, which reads as zero. */
static bool pad_get(struct symm_pad *pad, struct symm_process *process, int device, int ranks,
                    uint64_t sequence, size_t most)
{
    size_t size = (size_t)ranks * SYMM_PAD_ROW;
    *pad = (struct symm_pad){.device = device, .size = size};
    if (symm_process_device_heap(process, device, &pad->heap) != SYMM_OK ||
        !room_take(size, most)) {
        return false;
    }
    if (symm_heap_alloc(pad->heap, size, 0, &pad->memory) != SYMM_OK) {
        (void)atomic_fetch_sub_explicit(&taken, size, memory_order_relaxed);
        pad->memory = NULL;
        return false;
    }
    pad->identity = symm_cuda_device_identity(device);
    return symm_process_locate(process, pad->memory, size, &pad->location) == SYMM_OK &&
           is_wiped(pad, sequence);
}

bool symm_pad_offer(struct symm_pad *pad, struct symm_process *process, int device, int ranks,
                    uint64_t sequence, size_t most)
{
    if (pad->memory != NULL && pad->device != device) {
        symm_pad_free(pad); /* ranks seldom change their devices */
    }
    if (most == 0 || (uint32_t)sequence == 0) { /* no packet has a flag of 0 */
        return false;
    }
    if (pad->calls_until_offer > 0) {
        pad->calls_until_offer -= pad->calls_until_offer != UINT_MAX;
        return false;
    }
    bool has_pad = pad->memory == NULL ? pad_get(pad, process, device, ranks, sequence, most)
                                       : sequence - pad->wiped < calls_per_wipe ||
                                             is_wiped(pad, sequence);
    if (!has_pad) {
        symm_pad_free(pad);
        pad->calls_until_offer = CALLS_UNTIL_RETRY;
    }
    return has_pad;
}

void symm_pad_is_vain(struct symm_pad *pad, bool for_ever)
{
    pad->calls_until_offer = for_ever ? UINT_MAX : CALLS_UNTIL_RETRY;
}
