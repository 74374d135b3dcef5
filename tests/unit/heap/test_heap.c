/*
 * test_heap.c - what programs see of a symmetric heap: blocks, growth, addresses, errors, threads.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "heap/directory.h"
#include "heap/heap.h"

enum { MIB = 1 << 20, SEGMENT_SIZE = 2 * MIB };

static const struct symm_heap_config small_segments = {
    .window_size = (size_t)1 << 30, .segment_size = SEGMENT_SIZE};

static int setup(void **state)
{
    struct symm_heap *heap = NULL;
    if (symm_heap_create(&symm_kind_host, 0, NULL, &small_segments, &heap) != SYMM_OK) {
        return -1;
    }
    *state = heap;
    return 0;
}

static int teardown(void **state)
{
    symm_heap_destroy(*state, 0);
    return 0;
}

static void *alloc_ok(struct symm_heap *heap, size_t size, size_t alignment)
{
    void *block = NULL;
    assert_status(symm_heap_alloc(heap, size, alignment, &block), SYMM_OK);
    assert_non_null(block);
    return block;
}

static void free_ok(struct symm_heap *heap, void *block)
{
    assert_status(symm_heap_free(heap, block), SYMM_OK);
}

static struct symm_heap_stats stats_of(struct symm_heap *heap)
{
    struct symm_heap_stats stats;
    symm_heap_get_stats(heap, &stats);
    return stats;
}

static struct symm_location locate_ok(struct symm_heap *heap, const void *address, size_t size)
{
    struct symm_location location = {0};
    assert_status(symm_heap_locate(heap, address, size, &location), SYMM_OK);
    assert_true(location.serial != 0 && location.index < SYMM_SEGMENTS_MAX);
    assert_ptr_equal(symm_heap_address(heap, location.offset), address);
    return location;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct block {
    unsigned char *address;
    size_t size;
    struct unit_random contents;
};

static void block_check_and_free(struct symm_heap *heap, const struct block *block)
{
    assert_true(unit_is_filled(block->address, block->size, block->contents));
    (void)locate_ok(heap, block->address, block->size);
    free_ok(heap, block->address);
}

/* Blocks are aligned, writable to the last byte, and do not touch each other. */
static void test_random_blocks(void **state)
{
    enum { BLOCKS = 200 };
    struct unit_random random = unit_random_start(1, 0);
    struct block blocks[BLOCKS] = {{.address = NULL}};
    for (uint64_t step = 0; step < 2000; step++) {
        struct block *block = &blocks[unit_random_below(&random, BLOCKS)];
        if (block->address != NULL) {
            block_check_and_free(*state, block);
            block->address = NULL;
            continue;
        }
        size_t most = unit_random_below(&random, 50) == 0 ? 3 * SEGMENT_SIZE : 40000;
        size_t alignment = unit_random_below(&random, 2) == 0
                               ? 0
                               : (size_t)1 << unit_random_below(&random, 22);
        block->size = 1 + unit_random_below(&random, most);
        block->address = alloc_ok(*state, block->size, alignment);
        size_t least = block->size >= 16 * 1024 ? 4096 : 256;
        assert_int_equal((uintptr_t)block->address % (alignment > least ? alignment : least), 0);
        block->contents = unit_random_start(2, step);
        unit_fill(block->address, block->size, block->contents);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].address != NULL) {
            block_check_and_free(*state, &blocks[i]);
        }
    }
    struct symm_heap_stats stats = stats_of(*state);
    assert_int_equal(stats.blocks, 0);
    assert_int_equal(stats.block_bytes, 0);
    assert_true(stats.segments <= 1); /* at most a spare */
}

static void test_growth_and_stats(void **state)
{
    struct symm_heap_stats stats = stats_of(*state);
    assert_int_equal(stats.window_size, small_segments.window_size);
    assert_int_equal(stats.segments + stats.segment_bytes + stats.blocks + stats.block_bytes, 0);
    void *small = alloc_ok(*state, 1000, 0);
    stats = stats_of(*state);
    assert_int_equal(stats.segments, 1);
    assert_int_equal(stats.segment_bytes, SEGMENT_SIZE);
    assert_int_equal(stats.blocks, 1);
    assert_int_equal(stats.block_bytes, 1024);
    void *big = alloc_ok(*state, 5 * MIB + 1, 0);
    stats = stats_of(*state);
    assert_int_equal(stats.segments, 2);
    assert_true(stats.segment_bytes >= SEGMENT_SIZE + 5 * MIB + 1);
    assert_int_equal(stats.segment_bytes % SEGMENT_SIZE, 0);
    assert_int_equal(stats.blocks, 2);
    assert_int_equal(stats.block_bytes, 1024 + 5 * MIB + 256);
    /* What fits a segment that exists makes no new one. */
    void *another = alloc_ok(*state, MIB, 0);
    assert_int_equal(stats_of(*state).segments, 2);
    free_ok(*state, small);
    free_ok(*state, big);
    free_ok(*state, another);
    assert_int_equal(stats_of(*state).blocks, 0);
}

/* New memory reads as zero, that of a segment which takes a retired one's place as well. */
static void test_new_memory_is_zero(void **state)
{
    uint32_t serial = 0;
    for (unsigned round = 0; round < 4; round++) {
        void *big = alloc_ok(*state, 3 * MIB, 0);
        struct symm_location location = locate_ok(*state, big, 3 * MIB);
        assert_true(unit_is_zero(big, 3 * MIB));
        assert_true(location.serial > serial);
        assert_int_equal(location.offset, 0);
        serial = location.serial;
        memset(big, 0xa5, 3 * MIB);
        free_ok(*state, big);
        assert_int_equal(symm_heap_retired(*state), round + 1);
    }
}

static void test_wrong_frees(void **state)
{
    int local = 0;
    struct symm_heap *heap = *state, *other = NULL;
    void *foreign = malloc(1);
    unsigned char *block = alloc_ok(heap, 5000, 0);
    void *big = alloc_ok(heap, 3 * MIB, 0);
    struct symm_heap_stats before = stats_of(heap);
    assert_status(symm_heap_create(&symm_kind_host, 0, NULL, &small_segments, &other), SYMM_OK);
    assert_status(symm_heap_free(heap, &local), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_free(heap, foreign), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_free(heap, NULL), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_free(heap, symm_heap_address(heap, before.window_size)),
                  SYMM_ERR_FOREIGN);
    assert_status(symm_heap_free(other, block), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_free(heap, block + 1), SYMM_ERR_INTERIOR);
    assert_status(symm_heap_free(heap, block + 4096), SYMM_ERR_INTERIOR);
    assert_status(symm_heap_free(heap, block + MIB), SYMM_ERR_FREED);
    struct symm_heap_stats after = stats_of(heap);
    assert_memory_equal(&before, &after, sizeof(before));
    free_ok(heap, big);
    assert_status(symm_heap_free(heap, big), SYMM_ERR_FREED); /* its segment is gone, too */
    free_ok(heap, block);
    assert_status(symm_heap_free(heap, block), SYMM_ERR_FREED);
    symm_heap_destroy(other, 0);
    free(foreign);
}

static void test_wrong_arguments(void **state)
{
    void *block;
    assert_status(symm_heap_alloc(*state, 0, 0, &block), SYMM_ERR_ARGUMENT);
    assert_status(symm_heap_alloc(*state, 100, 3, &block), SYMM_ERR_ARGUMENT);
    assert_status(symm_heap_alloc(*state, 100, 384, &block), SYMM_ERR_ARGUMENT);
    assert_status(symm_heap_alloc(*state, 100, (size_t)1 << 40, &block), SYMM_ERR_ARGUMENT);
    assert_int_equal(stats_of(*state).segments, 0);
}

/* ---- where an address lies ------------------------------------------------------------------- */

static void test_locate(void **state)
{
    struct symm_heap *heap = *state;
    struct symm_location location;
    int local = 0;
    assert_status(symm_heap_locate(heap, symm_heap_address(heap, 0), 1, &location),
                  SYMM_ERR_FOREIGN); /* reserved, but no segment yet */
    unsigned char *first = alloc_ok(heap, 10000, 0);
    unsigned char *second = alloc_ok(heap, SEGMENT_SIZE - 8192, 0);
    struct symm_location one = locate_ok(heap, first, 1000), two = locate_ok(heap, second, 1);
    assert_int_not_equal(one.serial, two.serial);
    assert_int_not_equal(one.index, two.index);

    /* To the last byte of the segment, which need not be the block's, but no further. */
    unsigned char *segment = first - one.offset % SEGMENT_SIZE;
    location = locate_ok(heap, segment, SEGMENT_SIZE);
    assert_int_equal(location.serial, one.serial);
    location = locate_ok(heap, segment + SEGMENT_SIZE - 1, 1);
    assert_int_equal(location.serial, one.serial);
    location = locate_ok(heap, segment + SEGMENT_SIZE, 1);
    assert_int_equal(location.serial, two.serial);
    static const struct {
        size_t offset, size;
    } across[] = {{0, SEGMENT_SIZE + 1}, {SEGMENT_SIZE - 1, 2}, {1, SEGMENT_SIZE}, {1, SIZE_MAX},
                  {SEGMENT_SIZE, SEGMENT_SIZE + 1}, {2 * SEGMENT_SIZE, 1}};
    for (size_t i = 0; i < sizeof(across) / sizeof(*across); i++) {
        assert_status(symm_heap_locate(heap, segment + across[i].offset, across[i].size, &location),
                      SYMM_ERR_FOREIGN);
    }
    assert_status(symm_heap_locate(heap, segment - 1, 2, &location), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_locate(heap, &local, 1, &location), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_locate(heap, NULL, 1, &location), SYMM_ERR_FOREIGN);
    assert_status(symm_heap_locate(heap, symm_heap_address(heap, small_segments.window_size), 1,
                                   &location),
                  SYMM_ERR_FOREIGN);
    free_ok(heap, first); /* the spare: still there */
    (void)locate_ok(heap, first, 1000);
    free_ok(heap, second);
    assert_status(symm_heap_locate(heap, second, 1, &location), SYMM_ERR_FOREIGN);
}

/* Heaps on which the same calls are made give the same offsets. */
static void test_equal_offsets(void **state)
{
    struct symm_heap *other = NULL;
    struct unit_random random = unit_random_start(3, 0);
    void *blocks[2][100] = {{NULL}};
    assert_status(symm_heap_create(&symm_kind_host, 0, NULL, &small_segments, &other), SYMM_OK);
    struct symm_heap *heaps[] = {*state, other};
    for (unsigned step = 0; step < 1000; step++) {
        size_t place = unit_random_below(&random, 100), offsets[2] = {0, 0};
        size_t size = 1 + unit_random_below(&random, 300000);
        for (size_t i = 0; i < 2; i++) {
            if (blocks[i][place] != NULL) {
                free_ok(heaps[i], blocks[i][place]);
                blocks[i][place] = NULL;
            } else {
                blocks[i][place] = alloc_ok(heaps[i], size, 0);
                offsets[i] = locate_ok(heaps[i], blocks[i][place], size).offset;
            }
        }
        assert_int_equal(offsets[0], offsets[1]);
    }
    symm_heap_destroy(other, 0);
}

/* ---- segments that become empty -------------------------------------------------------------- */

static void test_spare_segment(void **state)
{
    for (unsigned i = 0; i < 100; i++) { /* a loop makes no segment anew */
        free_ok(*state, alloc_ok(*state, MIB, 0));
    }
    assert_int_equal(stats_of(*state).segments, 1);
    assert_int_equal(stats_of(*state).segments_retired, 0);
    assert_int_equal(symm_heap_retired(*state), 0);

    /* Of several, one is kept. */
    void *blocks[4];
    for (size_t i = 0; i < 4; i++) {
        blocks[i] = alloc_ok(*state, SEGMENT_SIZE - 4096, 0);
    }
    assert_int_equal(stats_of(*state).segments, 4);
    assert_int_equal(unit_mappings("symm-segment"), 4);
    for (size_t i = 0; i < 4; i++) {
        free_ok(*state, blocks[i]);
    }
    struct symm_heap_stats stats = stats_of(*state);
    assert_int_equal(stats.segments, 1);
    assert_int_equal(stats.segment_bytes, SEGMENT_SIZE);
    assert_int_equal(stats.segments_retired, 3);
    assert_int_equal(symm_heap_retired(*state), 3);
    assert_int_equal(unit_mappings("symm-segment"), 1);

    /* A large one goes at once, even if it is the only empty one. */
    void *small = alloc_ok(*state, 1000, 0), *big = alloc_ok(*state, 10 * MIB, 0);
    free_ok(*state, big);
    stats = stats_of(*state);
    assert_int_equal(stats.segments, 1);
    assert_int_equal(stats.segments_retired, 4);
    free_ok(*state, small);
    assert_int_equal(stats_of(*state).segments_retired, 4);
}

/* Serial numbers name one segment for ever; places in the directory are reused. */
static void test_serials_and_places(void **state)
{
    enum { BLOCKS = 20 };
    struct unit_random random = unit_random_start(4, 0);
    void *blocks[BLOCKS] = {NULL};
    struct symm_location places[BLOCKS] = {{0}};
    uint32_t newest = 0;
    for (unsigned step = 0; step < 1000; step++) {
        size_t mine = unit_random_below(&random, BLOCKS);
        if (blocks[mine] != NULL) {
            free_ok(*state, blocks[mine]);
            blocks[mine] = NULL;
            continue;
        }
        blocks[mine] = alloc_ok(*state, SEGMENT_SIZE - 4096, 0);
        places[mine] = locate_ok(*state, blocks[mine], SEGMENT_SIZE - 4096);
        assert_true(places[mine].index <= BLOCKS); /* one more for a spare */
        for (size_t i = 0; i < BLOCKS; i++) {
            if (i != mine && blocks[i] != NULL) {
                assert_int_not_equal(places[i].serial, places[mine].serial);
                assert_int_not_equal(places[i].index, places[mine].index);
            }
        }
        newest = places[mine].serial > newest ? places[mine].serial : newest;
    }
    assert_int_equal(newest, stats_of(*state).segments_retired + stats_of(*state).segments);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, THREAD_STEPS = 3000 };

struct hammer {
    struct symm_heap *heap;
    uint64_t number;
    const char *complaint;
};

static _Atomic unsigned hammers_running;

static const char *hammer_step(struct hammer *hammer, struct block *block, uint64_t step,
                               struct unit_random *random)
{
    struct symm_location location;
    if (block->address == NULL) {
        void *address;
        block->size = 1 + unit_random_below(random, unit_random_below(random, 30) == 0 ? 3 * MIB
                                                                                        : 20000);
        if (symm_heap_alloc(hammer->heap, block->size, 0, &address) != SYMM_OK) {
            return "allocation";
        }
        block->address = address;
        block->contents = unit_random_start(hammer->number, step);
        unit_fill(block->address, block->size, block->contents);
        return NULL;
    }
    if (symm_heap_locate(hammer->heap, block->address, block->size, &location) != SYMM_OK ||
        symm_heap_address(hammer->heap, location.offset) != (void *)block->address) {
        return "location";
    }
    if (!unit_is_filled(block->address, block->size, block->contents)) {
        return "contents";
    }
    bool freed = symm_heap_free(hammer->heap, block->address) == SYMM_OK;
    block->address = NULL;
    return freed ? NULL : "freeing";
}

static void *hammer_run(void *argument)
{
    struct hammer *hammer = argument;
    struct block blocks[8] = {{.address = NULL}};
    struct unit_random random = unit_random_start(5, hammer->number);
    for (uint64_t step = 0; step < THREAD_STEPS && hammer->complaint == NULL; step++) {
        hammer->complaint = hammer_step(hammer, &blocks[step % 8], step, &random);
    }
    for (size_t i = 0; i < 8 && hammer->complaint == NULL; i++) {
        if (blocks[i].address != NULL) {
            hammer->complaint = hammer_step(hammer, &blocks[i], 0, &random);
        }
    }
    atomic_fetch_sub(&hammers_running, 1);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[THREADS];
    struct hammer hammers[THREADS];
    atomic_store(&hammers_running, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        hammers[i] = (struct hammer){.heap = *state, .number = 100 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, hammer_run, &hammers[i]), 0);
    }
    uint64_t retired = 0;
    while (atomic_load(&hammers_running) > 0) { /* and one more that only looks */
        struct symm_heap_stats stats = stats_of(*state);
        assert_true(stats.block_bytes <= stats.segment_bytes);
        assert_true(stats.segments_retired >= retired);
        retired = stats.segments_retired;
        (void)symm_heap_retired(*state);
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
        if (hammers[i].complaint != NULL) {
            fail_msg("thread %zu: %s is wrong", i, hammers[i].complaint);
        }
    }
    assert_int_equal(stats_of(*state).blocks, 0);
    assert_true(stats_of(*state).segments <= 1);
}

UNIT_MAIN("test_heap", 100,
    cmocka_unit_test_setup_teardown(test_random_blocks, setup, teardown),
    cmocka_unit_test_setup_teardown(test_growth_and_stats, setup, teardown),
    cmocka_unit_test_setup_teardown(test_new_memory_is_zero, setup, teardown),
    cmocka_unit_test_setup_teardown(test_wrong_frees, setup, teardown),
    cmocka_unit_test_setup_teardown(test_wrong_arguments, setup, teardown),
    cmocka_unit_test_setup_teardown(test_locate, setup, teardown),
    cmocka_unit_test_setup_teardown(test_equal_offsets, setup, teardown),
    cmocka_unit_test_setup_teardown(test_spare_segment, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serials_and_places, setup, teardown),
    cmocka_unit_test_setup_teardown(test_threads, setup, teardown))
