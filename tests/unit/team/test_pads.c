/*
 * test_pads.c - pads: which calls they are offered in, what they hold, how many there may be.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <string.h>

#include "heap/gpu/cuda_device.h"
#include "heap/team/pads.h"
#include "kernels/cuda/launch/copy.h"

enum { RANKS = 3, SIZE = RANKS * SYMM_PAD_ROW_FIRST, FIRST = 8, LITTLE = 64 };

static const size_t plenty = (size_t)64 << 20;
static const uint64_t calls_per_wipe = UINT64_C(1) << 31, flags = UINT64_C(1) << 32;

static bool offer(struct symm_pad *pad, struct symm_process *process, uint64_t sequence)
{
    return symm_pad_offer(pad, process, 0, RANKS, LITTLE, sequence, plenty);
}

/* A pad reads as zero at first, and once more before flags come again. */
static void test_content(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pad = {.heap = NULL};
    (void)context;
    FORK_CHECK(self, offer(&pad, process, FIRST));
    FORK_CHECK(self, pad.size == SIZE && pad.identity != 0 && pad.location.serial != 0);
    FORK_CHECK(self, device_is_zero(self, 0, pad.memory, SIZE));
    void *memory = pad.memory;
    device_fill(self, 0, memory, SIZE, 1);
    FORK_CHECK(self, offer(&pad, process, FIRST + 1) && pad.memory == memory);
    FORK_CHECK(self, offer(&pad, process, FIRST + calls_per_wipe - 1));
    FORK_CHECK(self, device_is_filled(self, 0, memory, SIZE, 1));
    FORK_CHECK(self, offer(&pad, process, FIRST + calls_per_wipe) && pad.memory == memory);
    FORK_CHECK(self, device_is_zero(self, 0, memory, SIZE));
    /* New pads hold the flag 0. */
    FORK_CHECK(self, !offer(&pad, process, flags));
    FORK_CHECK(self, offer(&pad, process, flags + 1));
    symm_pad_free(&pad);
    /* Memory that has been used before is wiped. */
    FORK_CHECK(self, offer(&pad, process, FIRST) && pad.memory == memory);
    FORK_CHECK(self, device_is_zero(self, 0, memory, SIZE));
    symm_pad_free(&pad);
}

static void test_limits(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pad = {.heap = NULL}, other = {.heap = NULL};
    (void)context;
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 0, RANKS, LITTLE, FIRST, 0));
    FORK_CHECK(self, symm_pad_offer(&pad, process, 0, RANKS, LITTLE, FIRST, SIZE));
    FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, LITTLE, FIRST, 2 * SIZE - 1));
    FORK_CHECK(self, other.offer_from > FIRST && other.memory == NULL);
    /* It is tried again after some calls. */
    FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, LITTLE, other.offer_from - 1,
                                     2 * SIZE));
    FORK_CHECK(self, symm_pad_offer(&other, process, 0, RANKS, LITTLE, other.offer_from, 2 * SIZE));
    symm_pad_free(&other);
    /* One that is lost counts for ever. */
    void *memory = pad.memory;
    symm_pad_lose(&pad, FIRST);
    FORK_CHECK(self, pad.memory == NULL && !offer(&pad, process, FIRST + 1));
    FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, LITTLE, FIRST, SIZE));
    other = (struct symm_pad){.heap = NULL};
    FORK_CHECK(self, symm_pad_offer(&other, process, 0, RANKS, LITTLE, FIRST, 2 * SIZE));
    FORK_CHECK(self, other.memory != memory);
    symm_pad_free(&other);
}

/* More data want longer rows, and a larger pad that is as empty as a new one. */
static void test_growth(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pad = {.heap = NULL}, other = {.heap = NULL};
    const uint64_t much = SYMM_PAD_ROW_FIRST / 2 + 1, most = SYMM_PAD_ROW_MOST / 2;
    const size_t large = RANKS * (size_t)SYMM_PAD_ROW_MOST;
    (void)context;
    FORK_CHECK(self, symm_pad_row(much - 1) == SYMM_PAD_ROW_FIRST &&
                         symm_pad_row(0) == SYMM_PAD_ROW_FIRST);
    FORK_CHECK(self, symm_pad_row(much) == SYMM_PAD_ROW_MOST);
    FORK_CHECK(self, symm_pad_row(most) == SYMM_PAD_ROW_MOST && symm_pad_row(most + 1) == 0);
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 0, RANKS, most + 1, FIRST, plenty));
    FORK_CHECK(self, offer(&pad, process, FIRST));
    /*
     * Where there is no room, the small one stays, and serves little data at once.  Long rows take
     * half of the limit.
     */
    void *memory = pad.memory;
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 0, RANKS, much, FIRST + 1, 2 * large - 2));
    FORK_CHECK(self, pad.memory == memory && pad.size == SIZE && offer(&pad, process, FIRST + 2));
    /* Long rows are tried again after some calls. */
    uint64_t again = pad.large_from;
    FORK_CHECK(self, again > FIRST + 100 && pad.offer_from == 0);
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 0, RANKS, much, again - 1, 2 * large));
    FORK_CHECK(self, symm_pad_offer(&pad, process, 0, RANKS, much, again, 2 * large));
    FORK_CHECK(self, pad.size == large && pad.wiped == again && pad.memory != memory);
    FORK_CHECK(self, device_is_zero(self, 0, pad.memory, large));
    memory = pad.memory;
    FORK_CHECK(self, offer(&pad, process, again + 1) && pad.memory == memory);
    /* What is in vain for much data is not for little. */
    symm_pad_is_vain(&pad, much, again + 1, false);
    FORK_CHECK(self, offer(&pad, process, again + 2) && pad.memory == memory);
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 0, RANKS, much, again + 2, plenty));
    FORK_CHECK(self, symm_pad_offer(&pad, process, 0, RANKS, much, pad.large_from, plenty));
    FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, LITTLE, FIRST, large + SIZE - 1));
    symm_pad_free(&pad);
    other = (struct symm_pad){.heap = NULL};
    FORK_CHECK(self, symm_pad_offer(&other, process, 0, RANKS, most, FIRST, 2 * large));
    symm_pad_free(&other);
}

static void test_use(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pad = {.heap = NULL}, other = {.heap = NULL};
    (void)context;
    FORK_CHECK(self, offer(&pad, process, FIRST));
    /* Ranks that have stopped at different calls begin again with the same one. */
    symm_pad_is_vain(&pad, LITTLE, FIRST, false);
    uint64_t again = pad.offer_from;
    FORK_CHECK(self, again > FIRST + 100 && again < FIRST + 10000 && pad.memory != NULL);
    FORK_CHECK(self, !offer(&pad, process, again - 1) && offer(&pad, process, again));
    symm_pad_is_vain(&other, LITTLE, again - 1, false);
    FORK_CHECK(self, other.offer_from == again);
    /* Useless ones take no memory. */
    symm_pad_is_vain(&pad, LITTLE, again, true);
    FORK_CHECK(self, pad.memory == NULL && pad.offer_from > again + 20000);
    again = pad.offer_from;
    FORK_CHECK(self, !offer(&pad, process, again - 1) && offer(&pad, process, again));
    /* Another device is another matter, but not at once: programs may use two by turns. */
    uint64_t identity = pad.identity;
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 1, RANKS, LITTLE, again + 1, plenty));
    FORK_CHECK(self, pad.memory == NULL);
    again = pad.offer_from;
    FORK_CHECK(self, symm_pad_offer(&pad, process, 1, RANKS, LITTLE, again, plenty));
    FORK_CHECK(self, pad.device == 1 && pad.identity != 0 && pad.identity != identity);
    symm_pad_free(&pad);
    FORK_CHECK(self, symm_cuda_device_identity(0) == identity);
    FORK_CHECK(self, symm_cuda_device_identity(77) == 0);
}

/* A lane has one for each of two devices; a third one's takes a place. */
static void test_devices(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pads[SYMM_PADS] = {{.heap = NULL}};
    void *memory[SYMM_PADS];
    (void)context;
    for (int device = 0; device < SYMM_PADS; device++) {
        struct symm_pad *pad = symm_pad_find(pads, device);
        FORK_CHECK(self, symm_pad_offer(pad, process, device, RANKS, LITTLE, FIRST, plenty));
        memory[device] = pad->memory;
    }
    for (int turn = 0; turn < 2 * SYMM_PADS; turn++) {
        struct symm_pad *pad = symm_pad_find(pads, turn % SYMM_PADS);
        FORK_CHECK(self, symm_pad_offer(pad, process, turn % SYMM_PADS, RANKS, LITTLE, FIRST + 1,
                                        plenty));
        FORK_CHECK(self, pad->memory == memory[turn % SYMM_PADS]);
    }
    struct symm_pad *pad = symm_pad_find(pads, SYMM_PADS);
    FORK_CHECK(self, pad >= pads && pad < pads + SYMM_PADS && pad->device != SYMM_PADS);
    for (int i = 0; i < SYMM_PADS; i++) {
        symm_pad_free(&pads[i]);
    }
}

UNIT_MAIN("test_pads", 60,
    FORK_TEST(test_content, 1),
    FORK_TEST(test_limits, 1),
    FORK_TEST(test_growth, 1),
    FORK_TEST(test_use, 1),
    FORK_TEST(test_devices, 1))
