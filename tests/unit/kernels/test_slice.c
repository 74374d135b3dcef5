/*
 * test_slice.c - the slices of symm_slice(): complete, fair, and on cache lines.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include "kernels/slice.h"

static void check_slices(size_t count, size_t extent, int ranks)
{
    size_t expected = 0, largest = 0;
    for (int rank = 0; rank < ranks; rank++) {
        size_t begin, end;
        symm_slice(count, extent, rank, ranks, &begin, &end);
        assert_int_equal(begin, expected); /* complete, disjoint and in order of ranks */
        assert_true(end >= begin && end <= count);
        if (begin < count) {
            assert_int_equal(begin * extent % 64, 0);
        }
        largest = end - begin > largest ? end - begin : largest;
        expected = end;
    }
    assert_int_equal(expected, count);
    /* Fair, but for the rounding to cache lines, which comes in at most 64 elements. */
    assert_true(largest <= count / (size_t)ranks + 1 + 64);
}

static void test_slices(void **state)
{
    static const size_t extents[] = {1,  2,  4,  8,  12,  16,  20,   24,
                                     32, 40, 64, 96, 100, 128, 4096, 65536};
    struct unit_random random = unit_random_start(1, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(extents) / sizeof(*extents); i++) {
        for (int ranks = 1; ranks <= 64; ranks++) {
            for (size_t count = 0; count < 70; count++) {
                check_slices(count, extents[i], ranks);
            }
            for (unsigned turn = 0; turn < 20; turn++) {
                check_slices(unit_random_below(&random, (size_t)1 << (1 + turn * 2)), extents[i],
                             ranks);
            }
        }
    }
    for (unsigned turn = 0; turn < 20000; turn++) {
        size_t count = unit_random_below(&random, 100000);
        size_t extent = 1 + unit_random_below(&random, 3000);
        check_slices(count, extent, 1 + (int)unit_random_below(&random, 300));
    }
}

/* A rank of many that have one element each gets it exactly when it lies in its cache line. */
static void test_small_slices(void **state)
{
    size_t begin, end;
    (void)state;
    symm_slice(1, 4, 0, 4, &begin, &end);
    assert_true(begin == 0 && end == 1);
    symm_slice(1, 4, 3, 4, &begin, &end);
    assert_true(begin == 1 && end == 1);
    symm_slice(17, 4, 1, 4, &begin, &end);
    assert_true(begin == 16 && end == 17);
    symm_slice(64, 4, 2, 4, &begin, &end);
    assert_true(begin == 32 && end == 48);
}

UNIT_MAIN("test_slice", 100,
    cmocka_unit_test(test_slices),
    cmocka_unit_test(test_small_slices))
