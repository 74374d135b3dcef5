/*
 * test_allocator.c - the sub-allocator, on random sequences against a model and one thing at a
 * time.
 *
 * malloc() and calloc() are wrapped (-Wl,--wrap), so that they can be made to fail.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/allocator_model.h"

#include <stdlib.h>

/* ---- memory that can be refused -------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

static unsigned refuse_in; /* the n-th request from now is refused, and no other; 0: none */

static bool is_refused(void)
{
    return refuse_in > 0 && --refuse_in == 0;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

/* ---- random sequences ------------------------------------------------------------------------ */

static struct model model_of_test, other_model; /* too large for a stack */

static void test_random_sequences(void **state)
{
    (void)state;
    for (uint64_t sequence = 0; sequence < 100; sequence++) {
        struct unit_random random = unit_random_start(1, sequence);
        struct model *model = &model_of_test;
        model_setup(model);
        for (unsigned step = 0; step < 2000; step++) {
            /* Phases of growing and of shrinking, so that it is full and nearly empty at times. */
            bool growing = step / 250 % 2 == 0;
            if (model->count == 0 || unit_random_below(&random, 8) < (growing ? 5 : 3)) {
                size_t size = model_random_size(&random);
                model_alloc(model, size, model_random_alignment(&random));
            } else {
                model_free(model, unit_random_below(&random, model->count));
            }
            model_check_counts(model);
        }
        model_check_coalesced(model);
        symm_allocator_destroy(model->allocator);
    }
}

/* The same calls give the same offsets, whatever addresses malloc() hands out. */
static void test_determinism(void **state)
{
    (void)state;
    struct unit_random random = unit_random_start(2, 0);
    model_setup(&model_of_test);
    void *disturbances[64] = {NULL};
    for (size_t i = 0; i < 64; i++) {
        disturbances[i] = malloc(16 + unit_random_below(&random, 200));
    }
    for (size_t i = 0; i < 64; i += 2) {
        free(disturbances[i]);
        disturbances[i] = NULL;
    }
    model_setup(&other_model);
    for (unsigned step = 0; step < 5000; step++) {
        struct model *models[] = {&model_of_test, &other_model};
        bool allocates = model_of_test.count == 0 || unit_random_below(&random, 5) < 3;
        size_t size = model_random_size(&random), alignment = model_random_alignment(&random);
        size_t victim = allocates ? 0 : unit_random_below(&random, model_of_test.count);
        for (size_t i = 0; i < 2; i++) {
            if (allocates) {
                model_alloc(models[i], size, alignment);
            } else {
                model_free(models[i], victim);
            }
        }
        assert_int_equal(model_of_test.count, other_model.count);
        assert_memory_equal(model_of_test.blocks, other_model.blocks,
                            model_of_test.count * sizeof(*model_of_test.blocks));
    }
    symm_allocator_destroy(model_of_test.allocator);
    symm_allocator_destroy(other_model.allocator);
    for (size_t i = 0; i < 64; i++) {
        free(disturbances[i]);
    }
}

/* ---- one thing at a time --------------------------------------------------------------------- */

static int setup(void **state)
{
    *state = symm_allocator_create();
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    symm_allocator_destroy(*state);
    return 0;
}

static uint64_t alloc_ok(struct symm_allocator *allocator, size_t size, size_t alignment)
{
    uint64_t offset = UINT64_MAX;
    assert_status(symm_allocator_alloc(allocator, size, alignment, &offset), SYMM_OK);
    return offset;
}

static bool free_ok(struct symm_allocator *allocator, uint64_t offset)
{
    uint32_t segment;
    bool empty;
    assert_status(symm_allocator_free(allocator, offset, &segment, &empty), SYMM_OK);
    return empty;
}

static void test_nothing_to_give(void **state)
{
    uint64_t offset;
    assert_status(symm_allocator_alloc(*state, 1, 0, &offset), SYMM_ERR_NO_MEMORY);
    assert_int_equal(symm_allocator_empty_segments(*state), 0);
}

static void test_arguments(void **state)
{
    uint64_t offset;
    assert_status(symm_allocator_add_segment(*state, 1, 0, SEGMENT_SIZE), SYMM_OK);
    assert_status(symm_allocator_alloc(*state, 0, 0, &offset), SYMM_ERR_ARGUMENT);
    assert_status(symm_allocator_alloc(*state, 1, 3, &offset), SYMM_ERR_ARGUMENT);
    assert_status(symm_allocator_alloc(*state, 1, 4097, &offset), SYMM_ERR_ARGUMENT);
    assert_status(symm_allocator_alloc(*state, SIZE_MAX, 0, &offset), SYMM_ERR_ARGUMENT);
    assert_status(symm_allocator_alloc(*state, SIZE_MAX / 2, 0, &offset), SYMM_ERR_NO_MEMORY);
    assert_int_equal(symm_allocator_blocks(*state), 0);
    assert_int_equal(symm_allocator_empty_segments(*state), 1);
}

static void test_wrong_frees(void **state)
{
    struct symm_allocator *allocator = *state;
    const uint64_t base = SEGMENT_SIZE;
    uint32_t segment;
    bool empty;
    assert_status(symm_allocator_add_segment(allocator, 1, base, SEGMENT_SIZE), SYMM_OK);
    uint64_t first = alloc_ok(allocator, 1000, 0), second = alloc_ok(allocator, 1000, 0);
    static const uint64_t inside[] = {1, 255, 256, 512, 1023};
    for (size_t i = 0; i < sizeof(inside) / sizeof(*inside); i++) {
        assert_status(symm_allocator_free(allocator, second + inside[i], &segment, &empty),
                      SYMM_ERR_INTERIOR);
    }
    assert_false(free_ok(allocator, first));
    assert_status(symm_allocator_free(allocator, first, &segment, &empty), SYMM_ERR_FREED);
    assert_status(symm_allocator_free(allocator, first + 256, &segment, &empty), SYMM_ERR_FREED);
    assert_status(symm_allocator_free(allocator, base + SEGMENT_SIZE - 1, &segment, &empty),
                  SYMM_ERR_FREED);
    static const uint64_t outside[] = {0, SEGMENT_SIZE - 1, 2 * SEGMENT_SIZE, UINT64_MAX};
    for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
        assert_status(symm_allocator_free(allocator, outside[i], &segment, &empty),
                      SYMM_ERR_FOREIGN);
    }
    assert_int_equal(symm_allocator_blocks(allocator), 1); /* errors change nothing */
    assert_int_equal(symm_allocator_block_bytes(allocator), 1024);
    assert_true(free_ok(allocator, second));
    assert_status(symm_allocator_free(allocator, second, &segment, &empty), SYMM_ERR_FREED);
}

/* A loop that allocates and frees stays where it is. */
static void test_reuse(void **state)
{
    assert_status(symm_allocator_add_segment(*state, 1, 0, SEGMENT_SIZE), SYMM_OK);
    uint64_t keep = alloc_ok(*state, 3000, 0), first = alloc_ok(*state, 20000, 0);
    uint64_t behind = alloc_ok(*state, 100, 0);
    for (unsigned i = 0; i < 1000; i++) {
        assert_false(free_ok(*state, first));
        assert_int_equal(alloc_ok(*state, 20000, 0), first);
    }
    assert_false(free_ok(*state, keep));
    assert_false(free_ok(*state, first));
    assert_true(free_ok(*state, behind));
}

/* All orders of freeing four neighbours leave one extent. */
static void test_coalescing_orders(void **state)
{
    static const size_t size = SEGMENT_SIZE / 4;
    assert_status(symm_allocator_add_segment(*state, 1, 0, SEGMENT_SIZE), SYMM_OK);
    for (unsigned order = 0; order < 256; order++) {
        bool freed[4] = {false, false, false, false}, empty = false;
        uint64_t blocks[4];
        for (size_t i = 0; i < 4; i++) {
            blocks[i] = alloc_ok(*state, size, 0);
        }
        for (unsigned turn = 0; turn < 4; turn++) {
            unsigned index = order >> 2 * turn & 3;
            while (freed[index]) {
                index = (index + 1) % 4;
            }
            freed[index] = true;
            empty = free_ok(*state, blocks[index]);
            assert_int_equal(empty, turn == 3);
        }
        assert_true(free_ok(*state, alloc_ok(*state, SEGMENT_SIZE, 0)));
    }
}

static void test_segments_stay_apart(void **state)
{
    uint64_t offset;
    uint32_t segment;
    bool empty;
    assert_status(symm_allocator_add_segment(*state, 7, 0, SEGMENT_SIZE), SYMM_OK);
    assert_status(symm_allocator_add_segment(*state, 8, SEGMENT_SIZE, SEGMENT_SIZE), SYMM_OK);
    uint64_t one = alloc_ok(*state, SEGMENT_SIZE, 0), two = alloc_ok(*state, SEGMENT_SIZE, 0);
    assert_status(symm_allocator_alloc(*state, 1, 0, &offset), SYMM_ERR_NO_MEMORY);
    assert_status(symm_allocator_free(*state, one, &segment, &empty), SYMM_OK);
    assert_int_equal(segment, one == 0 ? 7 : 8);
    assert_true(empty);
    assert_status(symm_allocator_free(*state, two, &segment, &empty), SYMM_OK);
    assert_int_equal(segment, two == 0 ? 7 : 8);
    assert_true(empty);
    assert_int_equal(symm_allocator_empty_segments(*state), 2);
    assert_status(symm_allocator_alloc(*state, SEGMENT_SIZE + 1, 0, &offset), SYMM_ERR_NO_MEMORY);
}

static void test_segment_removal(void **state)
{
    uint64_t offset;
    uint32_t segment;
    bool empty;
    assert_status(symm_allocator_add_segment(*state, 1, 0, SEGMENT_SIZE), SYMM_OK);
    uint64_t block = alloc_ok(*state, 1000, 0);
    symm_allocator_remove_segment(*state, 0); /* not empty: it stays */
    assert_true(free_ok(*state, block));
    symm_allocator_remove_segment(*state, 0);
    assert_int_equal(symm_allocator_empty_segments(*state), 0);
    assert_status(symm_allocator_alloc(*state, 1000, 0, &offset), SYMM_ERR_NO_MEMORY);
    assert_status(symm_allocator_free(*state, block, &segment, &empty), SYMM_ERR_FOREIGN);
    assert_status(symm_allocator_add_segment(*state, 2, 0, SEGMENT_SIZE), SYMM_OK);
    assert_int_equal(alloc_ok(*state, SEGMENT_SIZE, 0), 0);
}

/* A segment of the footprint's size holds the block, wherever the segment lies. */
static void test_footprint(void **state)
{
    struct unit_random random = unit_random_start(3, 0);
    for (unsigned i = 0; i < 2000; i++) {
        size_t size = model_random_size(&random), alignment = model_random_alignment(&random);
        size_t bytes = symm_allocator_footprint(size, alignment);
        uint64_t base = (uint64_t)SYMM_ALIGNMENT_BIG * unit_random_below(&random, 1000);
        assert_true(bytes >= size);
        bytes = (bytes + SYMM_ALIGNMENT_BIG - 1) / SYMM_ALIGNMENT_BIG * SYMM_ALIGNMENT_BIG;
        assert_status(symm_allocator_add_segment(*state, 1, base, bytes), SYMM_OK);
        assert_true(free_ok(*state, alloc_ok(*state, size, alignment)));
        symm_allocator_remove_segment(*state, base);
    }
    assert_int_equal(symm_allocator_footprint(SIZE_MAX, 0), 0);
    assert_int_equal(symm_allocator_footprint(SIZE_MAX - 4096, 8192), 0);
    assert_int_equal(symm_allocator_footprint(1, (size_t)1 << 63), ((size_t)1 << 63) + UNIT);
    assert_int_equal(symm_allocator_footprint((size_t)1 << 63, (size_t)1 << 63), 0);
}

/* A refused piece of bookkeeping is an error that leaves everything as it was. */
static void test_refused_bookkeeping(void **state)
{
    struct unit_random random = unit_random_start(4, 0);
    uint64_t offset;
    (void)state;
    model_setup(&model_of_test);
    for (unsigned step = 0; step < 3000; step++) {
        size_t size = model_random_size(&random), alignment = model_random_alignment(&random);
        if (unit_random_below(&random, 4) == 0) {
            /* The hash grows if it can: only of the block's own bookkeeping is failure an error. */
            refuse_in = 1 + (unsigned)unit_random_below(&random, 3);
            bool has_room = model_has_room(&model_of_test, size, alignment);
            enum symm_status got =
                symm_allocator_alloc(model_of_test.allocator, size, alignment, &offset);
            bool was_refused = refuse_in == 0;
            refuse_in = 0;
            if (got == SYMM_OK) {
                model_take(&model_of_test, offset, size, alignment);
            } else {
                assert_status(got, SYMM_ERR_NO_MEMORY);
                assert_true(was_refused || !has_room);
            }
        } else if (model_of_test.count > 0 && unit_random_below(&random, 3) == 0) {
            model_free(&model_of_test, unit_random_below(&random, model_of_test.count));
        } else {
            model_alloc(&model_of_test, size, alignment);
        }
        model_check_counts(&model_of_test);
    }
    model_check_coalesced(&model_of_test);
    for (refuse_in = 1; refuse_in <= 2;) {
        unsigned which = refuse_in;
        assert_status(
            symm_allocator_add_segment(model_of_test.allocator, 9, 1U << 30, SEGMENT_SIZE),
            SYMM_ERR_NO_MEMORY);
        refuse_in = which + 1;
    }
    refuse_in = 1;
    assert_null(symm_allocator_create());
    refuse_in = 2;
    assert_null(symm_allocator_create());
    refuse_in = 0;
    symm_allocator_destroy(model_of_test.allocator);
}

UNIT_MAIN("test_allocator", 100,
    cmocka_unit_test(test_random_sequences),
    cmocka_unit_test(test_determinism),
    cmocka_unit_test_setup_teardown(test_nothing_to_give, setup, teardown),
    cmocka_unit_test_setup_teardown(test_arguments, setup, teardown),
    cmocka_unit_test_setup_teardown(test_wrong_frees, setup, teardown),
    cmocka_unit_test_setup_teardown(test_reuse, setup, teardown),
    cmocka_unit_test_setup_teardown(test_coalescing_orders, setup, teardown),
    cmocka_unit_test_setup_teardown(test_segments_stay_apart, setup, teardown),
    cmocka_unit_test_setup_teardown(test_segment_removal, setup, teardown),
    cmocka_unit_test_setup_teardown(test_footprint, setup, teardown),
    cmocka_unit_test(test_refused_bookkeeping))
