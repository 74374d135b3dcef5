/*
 * pads.c - see pads.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdatomic.h>

#include "heap/gpu/cuda_device.h"
#include "heap/team/pads.h"
#include "heap/team/process.h"

/*
 * After an offer that has failed or was in vain, the next one is in a call whose number is a
 * multiple of this.  So ranks that have stopped at different calls begin again with the same one.
 */
enum { CALLS_UNTIL_RETRY = 1 << 10, CALLS_WHILE_USELESS = 1 << 16 };

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
    if (symm_heap_clear(pad->heap, pad->memory, pad->size) != SYMM_OK) {
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
    *pad = (struct symm_pad){.offer_from = pad->offer_from, .large_from = pad->large_from};
}

static uint64_t round_number(uint64_t after, uint64_t unit)
{
    return (after / unit + 1) * unit;
}

void symm_pad_lose(struct symm_pad *pad, uint64_t sequence)
{
    *pad = (struct symm_pad){.offer_from = round_number(sequence, CALLS_UNTIL_RETRY)};
}

static bool is_large(uint64_t data)
{
    return symm_pad_row(data) > SYMM_PAD_ROW_FIRST;
}

void symm_pad_is_vain(struct symm_pad *pad, uint64_t data, uint64_t sequence, bool is_useless)
{
    if (is_useless) {
        pad->offer_from = round_number(sequence, CALLS_WHILE_USELESS);
        symm_pad_free(pad);
    } else if (is_large(data)) {
        pad->large_from = round_number(sequence, CALLS_UNTIL_RETRY);
    } else {
        pad->offer_from = round_number(sequence, CALLS_UNTIL_RETRY);
    }
}

/* Get memory of `size` bytes, which reads as zero. */
static bool pad_get(struct symm_pad *pad, struct symm_process *process, int device, size_t size,
                    uint64_t sequence, size_t most)
{
    *pad = (struct symm_pad){.device = device, .size = size, .offer_from = pad->offer_from,
                             .large_from = pad->large_from};
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

struct symm_pad *symm_pad_find(struct symm_pad pads[SYMM_PADS], int device)
{
    struct symm_pad *unused = NULL;
    for (int i = 0; i < SYMM_PADS; i++) {
        if (pads[i].memory != NULL && pads[i].device == device) {
            return &pads[i];
        }
        unused = pads[i].memory == NULL && unused == NULL ? &pads[i] : unused;
    }
    return unused != NULL ? unused : &pads[device % SYMM_PADS];
}

/*
 * A larger pad takes the place of this one, if there is one.  False: there is no larger one, and
 * the small one stays.  A full device may have room later, but asking takes time.
 */
static bool pad_grow(struct symm_pad *pad, struct symm_process *process, int device, size_t size,
                     uint64_t sequence, size_t most)
{
    struct symm_pad larger = {.offer_from = pad->offer_from, .large_from = pad->large_from};
    /* The small one is counted until it is free. */
    if (!pad_get(&larger, process, device, size, sequence, most + pad->size)) {
        symm_pad_free(&larger);
        pad->large_from = round_number(sequence, CALLS_UNTIL_RETRY);
        return false;
    }
    symm_pad_free(pad);
    *pad = larger;
    return true;
}

bool symm_pad_offer(struct symm_pad *pad, struct symm_process *process, int device, int ranks,
                    uint64_t data, uint64_t sequence, size_t most)
{
    size_t size = (size_t)ranks * symm_pad_row(data);
    if (pad->memory != NULL && pad->device != device) { /* the peers' offers are in vain now */
        symm_pad_free(pad);
        pad->offer_from = round_number(sequence, CALLS_UNTIL_RETRY);
    }
    /* No packet has a flag of 0. */
    if (most == 0 || size == 0 || (uint32_t)sequence == 0 || sequence < pad->offer_from ||
        (is_large(data) && sequence < pad->large_from)) {
        return false;
    }
    if (is_large(data) && pad->size < size) {
        return pad_grow(pad, process, device, size, sequence, most / 2);
    }
    bool has_pad = pad->memory == NULL ? pad_get(pad, process, device, size, sequence, most)
                                       : sequence - pad->wiped < calls_per_wipe ||
                                             is_wiped(pad, sequence);
    if (!has_pad) {
        symm_pad_free(pad);
        pad->offer_from = round_number(sequence, CALLS_UNTIL_RETRY);
    }
    return has_pad;
}
