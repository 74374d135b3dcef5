/*
 * ordering_set.c - see ordering_set.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_set.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/harness/unit.h"

static void hash(const unsigned char *bytes, size_t size, uint64_t sum[2])
{
    sum[0] = UINT64_C(0x243f6a8885a308d3);
    sum[1] = UINT64_C(0x13198a2e03707344);
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof(word));
        sum[0] = (sum[0] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum[1] = (sum[1] ^ word) * UINT64_C(0xd6e8feb86659fd93);
        sum[0] ^= sum[0] >> 29;
        sum[1] ^= sum[1] >> 29;
    }
    sum[0] |= 1; /* 0 is for an empty place */
}

static bool place(uint64_t (*sums)[2], size_t room, const uint64_t sum[2])
{
    size_t at = (size_t)sum[1] & (room - 1);
    while (sums[at][0] != 0) {
        if (sums[at][0] == sum[0] && sums[at][1] == sum[1]) {
            return false;
        }
        at = (at + 1) & (room - 1);
    }
    sums[at][0] = sum[0];
    sums[at][1] = sum[1];
    return true;
}

static void resize(struct ordering_set *set, size_t room)
{
    uint64_t (*sums)[2] = calloc(room, sizeof(*sums));
    assert_non_null(sums);
    for (size_t i = 0; i < set->room; i++) {
        if (set->sums[i][0] != 0) {
            (void)place(sums, room, set->sums[i]);
        }
    }
    free(set->sums);
    set->sums = sums;
    set->room = room;
}

void ordering_set_open(struct ordering_set *set)
{
    *set = (struct ordering_set){.room = 0};
    resize(set, 1 << 12);
}

void ordering_set_close(struct ordering_set *set)
{
    free(set->sums);
}

bool ordering_set_insert(struct ordering_set *set, const void *bytes, size_t size)
{
    uint64_t sum[2];
    hash(bytes, size, sum);
    if (!place(set->sums, set->room, sum)) {
        return false;
    }
    if (++set->count * 2 > set->room) {
        resize(set, set->room * 2);
    }
    return true;
}
