/*
 * test_pads.c - pads: which calls they are offered in, what they hold, how many there may be.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/device_memory.h"

#include <string.h>

#include "heap/cuda_device.h"
#include "heap/pads.h"
#include "kernels/cuda/copy.h"

enum { RANKS = 3, SIZE = RANKS * SYMM_PAD_ROW, FIRST = 8 };

static const size_t plenty = (size_t)64 << 20;
static const uint64_t calls_per_wipe = UINT64_C(1) << 31, flags = UINT64_C(1) << 32;

static bool offer(struct symm_pad *pad, struct symm_process *process, uint64_t sequence)
{
    return symm_pad_offer(pad, process, 0, RANKS, sequence, plenty);
}

/* A pad reads as zero at first, and once more before flags come again. */
static void run_content(struct fork_rank *self, void *context)
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

static void run_limits(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pad = {.heap = NULL}, other = {.heap = NULL};
    (void)context;
    FORK_CHECK(self, !symm_pad_offer(&pad, process, 0, RANKS, FIRST, 0));
    FORK_CHECK(self, symm_pad_offer(&pad, process, 0, RANKS, FIRST, SIZE));
    FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, FIRST, 2 * SIZE - 1));
    FORK_CHECK(self, other.calls_until_offer > 0 && other.memory == NULL);
    /* It is tried again after some calls. */
    uint64_t sequence = FIRST;
    while (other.calls_until_offer > 0) {
        FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, ++sequence, 2 * SIZE));
    }
    FORK_CHECK(self, symm_pad_offer(&other, process, 0, RANKS, ++sequence, 2 * SIZE));
    symm_pad_free(&other);
    /* One that is lost counts for ever. */
    void *memory = pad.memory;
    symm_pad_lose(&pad);
    FORK_CHECK(self, pad.memory == NULL && !offer(&pad, process, FIRST));
    FORK_CHECK(self, !symm_pad_offer(&other, process, 0, RANKS, FIRST, SIZE));
    other = (struct symm_pad){.heap = NULL};
    FORK_CHECK(self, symm_pad_offer(&other, process, 0, RANKS, FIRST, 2 * SIZE));
    FORK_CHECK(self, other.memory != memory);
    symm_pad_free(&other);
}

static void run_use(struct fork_rank *self, void *context)
{
    struct symm_process *process = device_process(self);
    struct symm_pad pad = {.heap = NULL};
    (void)context;
    FORK_CHECK(self, offer(&pad, process, FIRST));
    symm_pad_is_vain(&pad, false);
    unsigned calls = 0;
    while (!offer(&pad, process, FIRST + 1 + calls)) {
        calls++;
    }
    FORK_CHECK(self, calls >= 100 && calls <= 10000);
    symm_pad_is_vain(&pad, true);
    for (uint64_t i = 0; i < 20000; i++) {
        FORK_CHECK(self, !offer(&pad, process, 20000 + i));
    }
    /* Another device is another matter. */
    uint64_t identity = pad.identity;
    FORK_CHECK(self, symm_pad_offer(&pad, process, 1, RANKS, 50000, plenty));
    FORK_CHECK(self, pad.device == 1 && pad.identity != 0 && pad.identity != identity);
    symm_pad_free(&pad);
    FORK_CHECK(self, symm_cuda_device_identity(0) == identity);
    FORK_CHECK(self, symm_cuda_device_identity(77) == 0);
}

static void test_content(void **state)
{
    (void)state;
    fork_ranks_run(1, run_content, NULL);
}

static void test_limits(void **state)
{
    (void)state;
    fork_ranks_run(1, run_limits, NULL);
}

static void test_use(void **state)
{
    (void)state;
    fork_ranks_run(1, run_use, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_use),
    };
    unit_begin("test_pads", 60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
