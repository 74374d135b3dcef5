/*
 * test_reclaim.c - memory of a heap that is given back little by little: when, how much at a time,
 * and that nothing else of the heap depends on it.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heap/headroom.h"
#include "heap/pages.h"
#include "heap/reclaim.h"

enum { MIB = 1 << 20, SEGMENT_SIZE = 8 * MIB, LATER = 10000 };

static const struct symm_heap_config config = {
    .window_size = (size_t)4 << 30, .segment_size = SEGMENT_SIZE};

static unsigned wakes;
static bool wake_answer;
static uint64_t now; /* milliseconds */

static bool count_wakes(void *data)
{
    (void)data;
    wakes++;
    return wake_answer;
}

static struct symm_heap *heap_create(bool deferred)
{
    struct symm_heap *heap = NULL;
    assert_status(symm_heap_create(&symm_kind_host, 0, NULL, &config, &heap), SYMM_OK);
    wakes = 0;
    wake_answer = true;
    if (deferred) {
        symm_heap_defer(heap, count_wakes, NULL);
        now += LATER;
    }
    return heap;
}

/* Bytes of memory that segments have, those that have been given back included. */
static size_t resident(void)
{
    size_t bytes = 0;
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[300], target[300] = "";
        struct stat file;
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
        ssize_t length = readlink(path, target, sizeof(target) - 1);
        if (length > 0 && strncmp(target, "/memfd:symm-segment", 19) == 0 &&
            stat(path, &file) == 0) {
            bytes += (size_t)file.st_blocks * 512;
        }
    }
    (void)closedir(folder);
    return bytes;
}

static unsigned char *alloc_written(struct symm_heap *heap, size_t size)
{
    void *block = NULL;
    assert_status(symm_heap_alloc(heap, size, 0, &block), SYMM_OK);
    memset(block, 0x5a, size);
    return block;
}

static void free_ok(struct symm_heap *heap, void *block)
{
    assert_status(symm_heap_free(heap, block), SYMM_OK);
}

/* Until there is nothing to do for now; each step must be a small one. */
static int reclaim_some(struct symm_heap *heap)
{
    int pause;
    size_t before = resident();
    while ((pause = symm_heap_reclaim(heap, now)) == 0) {
        size_t after = resident();
        assert_true(after <= before && before - after <= SYMM_CHUNK_SIZE);
        before = after;
    }
    return pause;
}

static void reclaim_all(struct symm_heap *heap)
{
    for (int round = 0; round < 4 && reclaim_some(heap) > 0; round++) {
        now += LATER;
    }
    assert_int_equal(symm_heap_idle(heap), 0);
}

/* What a segment takes over goes as well, where no block uses it. */
static void test_adopted(void **state)
{
    void *first, *second, *small;
    (void)state;
    struct symm_heap *heap = heap_create(true);
    first = alloc_written(heap, SEGMENT_SIZE);
    second = alloc_written(heap, SEGMENT_SIZE);
    free_ok(heap, first);
    free_ok(heap, second); /* a spare, and remains */
    assert_status(symm_heap_alloc(heap, SEGMENT_SIZE, 0, &first), SYMM_OK); /* in the spare */
    /* a segment in place of the remains */
    assert_status(symm_heap_alloc(heap, 64, 0, &small), SYMM_OK);
    free_ok(heap, first);
    reclaim_all(heap);
    assert_true(resident() <= SYMM_CHUNK_SIZE);
    symm_heap_destroy(heap, 0);
}

/* ---- bookkeeping ----------------------------------------------------------------------------- */

static void test_pages(void **state)
{
    struct symm_pages *pages = symm_pages_create((size_t)5 * SYMM_CHUNK_SIZE);
    uint64_t offset = 99;
    (void)state;
    assert_false(symm_pages_take(pages, UINT32_MAX, &offset));
    symm_pages_use(pages, SYMM_CHUNK_SIZE - 1, 2); /* the first two */
    symm_pages_use(pages, SYMM_CHUNK_SIZE, 3 * SYMM_CHUNK_SIZE); /* the second to the fourth */
    assert_int_equal(symm_pages_idle(pages), 0);
    symm_pages_leave(pages, SYMM_CHUNK_SIZE, 3 * SYMM_CHUNK_SIZE, 7);
    assert_int_equal(symm_pages_idle(pages), 2 * SYMM_CHUNK_SIZE);
    assert_false(symm_pages_take(pages, 7, &offset));
    assert_true(symm_pages_take(pages, 8, &offset));
    assert_int_equal(offset, 2 * SYMM_CHUNK_SIZE);
    symm_pages_use(pages, 3 * SYMM_CHUNK_SIZE, 1);
    assert_int_equal(symm_pages_idle(pages), 0);
    assert_false(symm_pages_take(pages, UINT32_MAX, &offset));
    symm_pages_leave(pages, SYMM_CHUNK_SIZE - 1, 2, 8);
    symm_pages_leave(pages, 3 * SYMM_CHUNK_SIZE, 1, 9);
    unsigned seen = 0;
    while (symm_pages_take(pages, 10, &offset)) {
        seen |= 1U << offset / SYMM_CHUNK_SIZE;
    }
    assert_int_equal(seen, 1 | 2 | 8);
    symm_pages_destroy(pages);
}

/* ---- when and how much ----------------------------------------------------------------------- */

/* What is taken again soon stays; what is not goes, in steps, and leaves blocks alone. */
static void test_idle_memory_goes(void **state)
{
    struct symm_heap *heap = heap_create(true);
    (void)state;
    assert_int_equal(symm_heap_reclaim(heap, now), -1);
    unsigned char *kept = alloc_written(heap, 1000), *gone = alloc_written(heap, 6 * MIB);
    assert_int_equal(wakes, 0);
    free_ok(heap, gone);
    assert_int_equal(wakes, 1);
    for (int round = 0; round < 20; round++) { /* a loop finds its pages there */
        assert_true(reclaim_some(heap) > 0);
        now += 100;
        gone = alloc_written(heap, 6 * MIB);
        assert_true(resident() >= 6 * MIB);
        free_ok(heap, gone);
        assert_true(resident() >= 6 * MIB);
    }
    assert_int_equal(wakes, 1); /* somebody calls already */
    reclaim_all(heap);
    assert_true(resident() <= 2 * SYMM_CHUNK_SIZE); /* where the other block begins and ends */
    assert_true(kept[0] == 0x5a && kept[999] == 0x5a);
    assert_int_equal(symm_heap_reclaim(heap, now), -1);
    gone = alloc_written(heap, 6 * MIB); /* and all over */
    free_ok(heap, gone);
    assert_int_equal(wakes, 2);
    free_ok(heap, kept);
    reclaim_all(heap);
    assert_int_equal(resident(), 0);
    symm_heap_destroy(heap, 0);
}

/* A peer's mapping of what has gone reads zeros, and shows what is written after. */
static void test_other_mappings(void **state)
{
    struct symm_heap *heap = heap_create(true);
    (void)state;
    unsigned char *first = alloc_written(heap, 1000), *block = alloc_written(heap, 5 * MIB);
    unsigned char *there = mmap(NULL, 5 * MIB, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(there != MAP_FAILED);
    there = mremap(block, 0, 5 * MIB, MREMAP_MAYMOVE | MREMAP_FIXED, there); /* the same pages */
    assert_true(there != MAP_FAILED);
    assert_true(there[3 * MIB] == 0x5a);
    free_ok(heap, block);
    reclaim_all(heap);
    assert_true(unit_is_zero(there + 2 * MIB, 2 * MIB));
    assert_ptr_equal(alloc_written(heap, 5 * MIB), block);
    assert_true(there[3 * MIB] == 0x5a && there[5 * MIB - 1] == 0x5a);
    assert_int_equal(munmap(there, 5 * MIB), 0);
    assert_true(first[999] == 0x5a);
    symm_heap_destroy(heap, 0);
}

/* Segments that have been given back: at once in name, and step by step in memory. */
static void test_remains(void **state)
{
    struct symm_heap *heap = heap_create(true);
    struct symm_location before, after;
    (void)state;
    unsigned char *small = alloc_written(heap, 1000), *big = alloc_written(heap, 30 * MIB);
    assert_status(symm_heap_locate(heap, big, 1, &before), SYMM_OK);
    free_ok(heap, big);
    assert_int_equal(symm_heap_retired(heap), 1);
    assert_status(symm_heap_locate(heap, big, 1, &after), SYMM_ERR_FOREIGN);
    assert_true(resident() >= 30 * MIB);
    void *again = NULL; /* takes over what is left, with a name of its own */
    assert_status(symm_heap_alloc(heap, 30 * MIB, 0, &again), SYMM_OK);
    assert_ptr_equal(again, big);
    assert_status(symm_heap_locate(heap, again, 1, &after), SYMM_OK);
    assert_true(after.serial > before.serial && after.offset == before.offset);
    assert_int_equal(unit_mappings("symm-segment"), 2);
    memset(again, 0x77, 30 * MIB);
    now += LATER;
    (void)reclaim_some(heap);
    now += LATER;
    (void)reclaim_some(heap);
    assert_true(big[0] == 0x77 && big[15 * MIB] == 0x77 && big[30 * MIB - 1] == 0x77);
    free_ok(heap, again);
    unsigned char *other = alloc_written(heap, 20 * MIB); /* over a part of what is left */
    assert_ptr_equal(other, big);
    reclaim_all(heap);
    assert_true(resident() < 20 * MIB + 2 * SYMM_CHUNK_SIZE);
    assert_true(other[0] == 0x5a && other[20 * MIB - 1] == 0x5a && small[999] == 0x5a);
    free_ok(heap, other);
    free_ok(heap, small);
    reclaim_all(heap);
    assert_int_equal(resident(), 0);
    assert_int_equal(unit_mappings("symm-segment"), 1); /* the spare */
    other = alloc_written(heap, 20 * MIB);
    free_ok(heap, other);
    symm_heap_destroy(heap, 0); /* with remains */
    assert_int_equal(resident(), 0);
}

/* Remains have a descriptor each, which a new segment may need. */
static void test_no_descriptors(void **state)
{
    struct symm_heap *heap = heap_create(true);
    struct rlimit before, little;
    (void)state;
    unsigned char *small = alloc_written(heap, 1000);
    free_ok(heap, alloc_written(heap, 30 * MIB));
    enum { LEFT = SYMM_HEADROOM_DESCRIPTORS + SYMM_HEADROOM_PASSING + 1 }; /* one is missing */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    little = (struct rlimit){.rlim_cur = unit_descriptor_limit(LEFT), .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &little), 0);
    unsigned char *other = alloc_written(heap, 20 * MIB);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    free_ok(heap, other);
    free_ok(heap, small);
    symm_heap_destroy(heap, 0);
}

/* Much that is idle is not left to wait. */
static void test_much_idle_memory(void **state)
{
    struct symm_heap *heap = heap_create(true);
    (void)state;
    for (int i = 0; i < 12; i++) { /* sizes that do not take over each other's remains */
        void *block = NULL;
        assert_status(symm_heap_alloc(heap, (size_t)(20 + 4 * i) * MIB, 0, &block), SYMM_OK);
        free_ok(heap, block);
    }
    assert_true(symm_heap_idle(heap) > 256 * MIB);
    (void)reclaim_some(heap);
    assert_true(symm_heap_idle(heap) <= 256 * MIB);
    symm_heap_destroy(heap, 0);
}

/* Nobody can be found to do it: the heap does without. */
static void test_nobody_to_wake(void **state)
{
    struct symm_heap *heap = heap_create(true);
    (void)state;
    wake_answer = false;
    free_ok(heap, alloc_written(heap, 30 * MIB));
    assert_int_equal(wakes, 1);
    assert_int_equal(resident(), 0);
    free_ok(heap, alloc_written(heap, 30 * MIB));
    assert_int_equal(wakes, 1);
    assert_int_equal(resident(), 0);
    symm_heap_destroy(heap, 0);
}

/* Where blocks lie does not depend on whether, and when, memory is given back. */
static void test_equal_offsets(void **state)
{
    struct symm_heap *heaps[] = {heap_create(true), heap_create(false)};
    struct unit_random random = unit_random_start(1, 0);
    struct symm_location places[2];
    void *blocks[2][60] = {{NULL}};
    (void)state;
    for (unsigned step = 0; step < 3000; step++) {
        size_t i = unit_random_below(&random, 60);
        size_t most = unit_random_below(&random, 10) == 0 ? 20 * MIB : 300000;
        size_t size = 1 + unit_random_below(&random, most);
        for (size_t h = 0; h < 2; h++) {
            if (blocks[h][i] != NULL) {
                free_ok(heaps[h], blocks[h][i]);
                blocks[h][i] = NULL;
                continue;
            }
            assert_status(symm_heap_alloc(heaps[h], size, 0, &blocks[h][i]), SYMM_OK);
            *(unsigned char *)blocks[h][i] = 1;
            assert_status(symm_heap_locate(heaps[h], blocks[h][i], size, &places[h]), SYMM_OK);
        }
        assert_true(blocks[0][i] == NULL || (places[0].offset == places[1].offset &&
                                             places[0].serial == places[1].serial &&
                                             places[0].index == places[1].index));
        if (unit_random_below(&random, 4) == 0) {
            now += unit_random_below(&random, 1000);
            (void)symm_heap_reclaim(heaps[0], now);
        }
    }
    assert_int_equal(symm_heap_retired(heaps[0]), symm_heap_retired(heaps[1]));
    symm_heap_destroy(heaps[0], 0);
    symm_heap_destroy(heaps[1], 0);
}

/* ---- threads --------------------------------------------------------------------------------- */

static _Atomic bool stopping;

/* Time flies here, so that memory goes at every moment. */
static void *reclaim_run(void *argument)
{
    for (uint64_t time = now; !atomic_load(&stopping); time += 200) {
        (void)symm_heap_reclaim(argument, time);
    }
    return NULL;
}

static void test_beside_a_thread(void **state)
{
    enum { BLOCKS = 40, STEPS = 3000 };
    struct symm_heap *heap = heap_create(true);
    struct unit_random random = unit_random_start(2, 0);
    struct {
        unsigned char *address;
        size_t size;
        uint64_t step;
    } blocks[BLOCKS] = {{NULL, 0, 0}};
    pthread_t thread;
    (void)state;
    atomic_store(&stopping, false);
    assert_int_equal(pthread_create(&thread, NULL, reclaim_run, heap), 0);
    for (uint64_t step = 0; step < STEPS; step++) {
        size_t i = unit_random_below(&random, BLOCKS);
        void *address = NULL;
        if (blocks[i].address != NULL) {
            assert_true(unit_is_filled(blocks[i].address, blocks[i].size,
                                       unit_random_start(3, blocks[i].step)));
            free_ok(heap, blocks[i].address);
            blocks[i].address = NULL;
            continue;
        }
        size_t most = unit_random_below(&random, 40) == 0 ? 10 * MIB : 200000;
        blocks[i].size = 1 + unit_random_below(&random, most);
        blocks[i].step = step;
        assert_status(symm_heap_alloc(heap, blocks[i].size, 0, &address), SYMM_OK);
        blocks[i].address = address;
        unit_fill(address, blocks[i].size, unit_random_start(3, step));
    }
    atomic_store(&stopping, true);
    (void)pthread_join(thread, NULL);
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].address != NULL) {
            assert_true(unit_is_filled(blocks[i].address, blocks[i].size,
                                       unit_random_start(3, blocks[i].step)));
            free_ok(heap, blocks[i].address);
        }
    }
    now += 1000 * (uint64_t)LATER * LATER; /* beyond the thread's time */
    reclaim_all(heap);
    assert_int_equal(resident(), 0);
    symm_heap_destroy(heap, 0);
}

UNIT_MAIN("test_reclaim", 100,
    cmocka_unit_test(test_pages),
    cmocka_unit_test(test_idle_memory_goes),
    cmocka_unit_test(test_adopted),
    cmocka_unit_test(test_other_mappings),
    cmocka_unit_test(test_remains),
    cmocka_unit_test(test_no_descriptors),
    cmocka_unit_test(test_much_idle_memory),
    cmocka_unit_test(test_nobody_to_wake),
    cmocka_unit_test(test_equal_offsets),
    cmocka_unit_test(test_beside_a_thread))
