/*
 * test_pattern.c - who sends what to whom: ranks agree about it, and a plain simulation of the
 * collectives gives their results.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "tests/unit/harness/unit.h"

#include "kernels/pattern.h"

enum { RANKS = 9 };

/* One byte is a block.  A rank's input has 16 * rank + block. */
static unsigned char inputs[RANKS][RANKS], outputs[RANKS][RANKS];

/* The ranks whose data each byte of an output has. */
static uint32_t reached[RANKS][RANKS];

static struct symm_pattern pattern_of(enum symm_collective collective, int rank, int ranks,
                                      int root, bool in_place)
{
    const bool is_root = rank == root;
    struct symm_pattern_call call = {
        .collective = collective, .rank = rank, .ranks = ranks, .root = root,
        .input = inputs[rank], .output = outputs[rank], .block = 1,
    };
    struct symm_pattern pattern;
    if (in_place && (collective == SYMM_ALLGATHER || (collective == SYMM_GATHER && is_root))) {
        call.input = outputs[rank] + rank;
    } else if (in_place && collective == SYMM_SCATTER && is_root) {
        call.output = inputs[rank] + rank;
    } else if (in_place && collective == SYMM_ALLTOALL) {
        call.input = outputs[rank];
    }
    assert_true(symm_pattern_get(&call, &pattern));
    assert_true((uint64_t)(pattern.targets | pattern.sources) >> ranks == 0);
    return pattern;
}

static void send_all(const struct symm_pattern patterns[RANKS], int ranks)
{
    memset(outputs, 0xff, sizeof(outputs));
    memset(reached, 0, sizeof(reached));
    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            const bool sends = (patterns[from].targets >> to & 1) != 0;
            assert_true(sends == ((patterns[to].sources >> from & 1) != 0));
            if (sends) {
                const size_t place = (size_t)from * patterns[to].output_step;
                outputs[to][place] = inputs[from][(size_t)to * patterns[from].input_step];
                reached[to][place] |= 1u << from;
            }
        }
    }
}

static bool is_wrong(enum symm_collective collective, int me, int ranks, int root, bool in_place)
{
    const uint32_t all = (1u << ranks) - 1, others = all & ~(1u << me);
    switch (collective) {
    case SYMM_ALLREDUCE:
    case SYMM_BARRIER:
        return reached[me][0] != all;
    case SYMM_REDUCE_SCATTER:
    case SYMM_REDUCE_SCATTER_BLOCK:
        return reached[me][0] != all || outputs[me][0] != 16 * (ranks - 1) + me;
    case SYMM_SCAN:
        return reached[me][0] != (all >> (ranks - 1 - me));
    case SYMM_EXSCAN:
        return reached[me][0] != (all >> (ranks - 1 - me) >> 1);
    case SYMM_REDUCE:
        return reached[me][0] != (me == root ? all : 0);
    case SYMM_BCAST:
        return reached[me][0] != (me == root ? 0 : 1u << root);
    case SYMM_SCATTER:
        return me == root ? (reached[me][0] != 0) == in_place : outputs[me][0] != 16 * root + me;
    default:
        break;
    }
    uint32_t come = 0;
    bool wrong = false;
    for (int rank = 0; rank < ranks; rank++) {
        come |= reached[me][rank];
        wrong |= reached[me][rank] != 0 &&
                 outputs[me][rank] != 16 * rank + (collective == SYMM_ALLTOALL ? me : 0);
    }
    return wrong || come != (collective == SYMM_GATHER && me != root ? 0 : in_place ? others : all);
}

static void test_patterns(void **state)
{
    static const enum symm_collective collectives[] = {
        SYMM_ALLREDUCE, SYMM_BARRIER, SYMM_REDUCE_SCATTER, SYMM_REDUCE_SCATTER_BLOCK, SYMM_SCAN,
        SYMM_EXSCAN, SYMM_REDUCE, SYMM_BCAST, SYMM_GATHER, SYMM_SCATTER, SYMM_ALLGATHER,
        SYMM_ALLTOALL,
    };
    (void)state;
    for (int i = 0; i < RANKS * RANKS; i++) {
        inputs[i / RANKS][i % RANKS] = (unsigned char)(16 * (i / RANKS) + i % RANKS);
    }
    for (size_t i = 0; i < sizeof(collectives) / sizeof(*collectives); i++) {
        for (int k = 0; k < 2 * RANKS * RANKS; k++) {
            const int ranks = k / 2 / RANKS + 1, root = k / 2 % RANKS % ranks;
            const bool in_place = k % 2 != 0;
            struct symm_pattern patterns[RANKS];
            for (int rank = 0; rank < ranks; rank++) {
                patterns[rank] = pattern_of(collectives[i], rank, ranks, root, in_place);
            }
            send_all(patterns, ranks);
            for (int rank = 0; rank < ranks; rank++) {
                assert_false(is_wrong(collectives[i], rank, ranks, root, in_place));
            }
        }
    }
}

/* Whose blocks are not alike has none. */
static void test_others(void **state)
{
    const struct symm_pattern_call call = {.collective = SYMM_ALLTOALLV, .ranks = 2};
    struct symm_pattern pattern;
    (void)state;
    assert_false(symm_pattern_get(&call, &pattern));
}

UNIT_MAIN("test_pattern", 10,
    cmocka_unit_test(test_patterns),
    cmocka_unit_test(test_others))
