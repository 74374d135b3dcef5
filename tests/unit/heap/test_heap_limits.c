/*
 * test_heap_limits.c - a heap when something runs out or is refused, and what it leaves behind.
 *
 * The memory kind of most of these tests is the host's with every call counted; any one call can
 * be made to fail.  mmap() is wrapped (-Wl,--wrap), so that a reservation can begin at any page.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"
#include "tests/unit/heap/counting_kind.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "heap/heap.h"

enum { MIB = 1 << 20, SEGMENT_SIZE = 2 * MIB };

/* ---- reservations that begin at an odd page -------------------------------------------------- */

void *__real_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset);

static bool mmap_is_odd;

/* Newer kernels begin large mappings at huge page borders by themselves, older ones anywhere. */
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int descriptor,
                  off_t offset)
{
    if (!mmap_is_odd || descriptor >= 0) {
        return __real_mmap(address, size, protection, flags, descriptor, offset);
    }
    char *mapped =
        __real_mmap(NULL, size + 3 * SEGMENT_SIZE, protection, flags, descriptor, offset);
    if (mapped == MAP_FAILED) {
        return mapped;
    }
    size_t skip = SEGMENT_SIZE - (uintptr_t)mapped % SEGMENT_SIZE + 3 * 4096;
    (void)munmap(mapped, skip);
    (void)munmap(mapped + skip + size, 3 * SEGMENT_SIZE - skip);
    return mapped + skip;
}

/* ---- helpers --------------------------------------------------------------------------------- */

static struct symm_heap *create_ok(const struct symm_kind *kind, struct symm_server *server,
                                   size_t window_size, size_t segment_size)
{
    struct symm_heap *heap = NULL;
    const struct symm_heap_config config = {
        .window_size = window_size, .segment_size = segment_size};
    assert_status(symm_heap_create(kind, 0, server, &config, &heap), SYMM_OK);
    return heap;
}

static void *alloc_ok(struct symm_heap *heap, size_t size, size_t alignment)
{
    void *block = NULL;
    assert_status(symm_heap_alloc(heap, size, alignment, &block), SYMM_OK);
    return block;
}

static struct symm_heap_stats stats_of(struct symm_heap *heap)
{
    struct symm_heap_stats stats;
    symm_heap_get_stats(heap, &stats);
    return stats;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void test_config(void **state)
{
    static const struct symm_heap_config wrong[] = {
        {.window_size = 1}, {.window_size = ((size_t)1 << 30) + 2048}, {.segment_size = 100},
        {.window_size = (size_t)1 << 30, .segment_size = SEGMENT_SIZE + 1}};
    struct symm_heap *heap = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        assert_status(symm_heap_create(&symm_kind_host, 0, NULL, &wrong[i], &heap),
                      SYMM_ERR_ARGUMENT);
        assert_null(heap);
    }
    assert_status(symm_heap_create(&symm_kind_host, 0, NULL, NULL, &heap), SYMM_OK);
    assert_true(stats_of(heap).window_size >= (size_t)1 << 30);
    (void)alloc_ok(heap, 1, 0);
    assert_int_equal(stats_of(heap).segment_bytes, 64 * MIB);
    symm_heap_destroy(heap, 0);
    symm_heap_destroy(NULL, 0);
}

/* A window that the system refuses is halved, but not below 1 GiB. */
static void test_window_is_halved(void **state)
{
    struct symm_kind kind = counting_kind();
    const struct symm_heap_config config = {.window_size = (size_t)8 << 30};
    struct symm_heap *heap = NULL;
    (void)state;
    counting.refuse_in[COUNTING_RESERVE] = 1;
    assert_status(symm_heap_create(&kind, 0, NULL, &config, &heap), SYMM_OK);
    assert_int_equal(stats_of(heap).window_size, (size_t)4 << 30);
    symm_heap_destroy(heap, 0);
    heap = create_ok(&symm_kind_host, NULL, (size_t)1 << 62, 0);
    assert_true(stats_of(heap).window_size >= (size_t)1 << 30);
    assert_true(stats_of(heap).window_size < (size_t)1 << 62);
    symm_heap_destroy(heap, 0);
    heap = NULL;
    const struct symm_heap_config least = {.window_size = (size_t)1 << 30};
    counting.refuse_in[COUNTING_RESERVE] = 1;
    assert_status(symm_heap_create(&kind, 0, NULL, &least, &heap), SYMM_ERR_NO_MEMORY);
    assert_null(heap);
    assert_int_equal(counting.reservations, 0);
}

static void test_window_exhaustion(void **state)
{
    enum { SEGMENTS = 4 };
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, SEGMENTS * SEGMENT_SIZE,
                                       SEGMENT_SIZE);
    void *blocks[SEGMENTS], *block;
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i < SEGMENTS; i++) {
            blocks[i] = alloc_ok(heap, SEGMENT_SIZE - 4096, 0);
            memset(blocks[i], 1, SEGMENT_SIZE - 4096);
        }
        struct symm_heap_stats before = stats_of(heap);
        assert_status(symm_heap_alloc(heap, 8192, 0, &block), SYMM_ERR_NO_MEMORY);
        assert_status(symm_heap_alloc(heap, (size_t)1 << 40, 0, &block), SYMM_ERR_NO_MEMORY);
        assert_status(symm_heap_alloc(heap, SIZE_MAX / 2, 0, &block), SYMM_ERR_NO_MEMORY);
        struct symm_heap_stats after = stats_of(heap);
        assert_memory_equal(&before, &after, sizeof(before));
        (void)alloc_ok(heap, 4096, 0); /* what is left of a segment still serves */
        size_t middle = 1 + round % 2;
        assert_status(symm_heap_free(heap, blocks[middle]), SYMM_OK);
        assert_ptr_equal(alloc_ok(heap, SEGMENT_SIZE - 4096, 0), blocks[middle]);
        for (size_t i = 0; i < SEGMENTS; i++) {
            assert_status(symm_heap_free(heap, blocks[i]), SYMM_OK);
        }
        assert_int_equal(stats_of(heap).blocks, round + 1);
    }
    symm_heap_destroy(heap, 0);
}

/* What is left at the end of the window is too small by a little. */
static void test_end_of_window(void **state)
{
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, 5 * SEGMENT_SIZE, SEGMENT_SIZE);
    void *block;
    (void)state;
    (void)alloc_ok(heap, 2 * SEGMENT_SIZE - 4096, 0);
    assert_status(symm_heap_alloc(heap, 4 * SEGMENT_SIZE - 4096, 0, &block), SYMM_ERR_NO_MEMORY);
    (void)alloc_ok(heap, 3 * SEGMENT_SIZE - 4096, 0);
    assert_status(symm_heap_alloc(heap, 4096, 0, &block), SYMM_OK); /* the rest of a segment */
    assert_int_equal(stats_of(heap).segments, 2);
    symm_heap_destroy(heap, 0);
}

/* A window or a gap smaller than a segment is memory that can be had. */
static void test_window_smaller_than_a_segment(void **state)
{
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, 3 * SEGMENT_SIZE, 64 * MIB);
    (void)state;
    (void)alloc_ok(heap, 1000, 0);
    (void)alloc_ok(heap, SEGMENT_SIZE, 0);
    symm_heap_destroy(heap, 0);
    heap = create_ok(&symm_kind_host, NULL, 5 * SEGMENT_SIZE, 2 * SEGMENT_SIZE);
    for (size_t i = 0; i < 2; i++) {
        (void)alloc_ok(heap, 2 * SEGMENT_SIZE - 4096, 0);
    }
    (void)alloc_ok(heap, SEGMENT_SIZE - 4096, 0);
    symm_heap_destroy(heap, 0);
}

/* An empty segment that is kept as a spare does not stand in the way of a block. */
static void test_spare_gives_way(void **state)
{
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, 4 * SEGMENT_SIZE, SEGMENT_SIZE);
    (void)state;
    assert_status(symm_heap_free(heap, alloc_ok(heap, 1000, 0)), SYMM_OK);
    (void)alloc_ok(heap, 4 * SEGMENT_SIZE - 4096, 0);
    symm_heap_destroy(heap, 0);
}

/* Segments grow with their number, so that 1024 of them are enough for any window. */
static void test_many_segments(void **state)
{
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, (size_t)4 << 30, SEGMENT_SIZE);
    (void)state;
    for (size_t i = 0; i < 192; i++) {
        (void)alloc_ok(heap, SEGMENT_SIZE - 4096, 0);
    }
    struct symm_heap_stats stats = stats_of(heap);
    assert_int_equal(stats.blocks, 192);
    assert_in_range(stats.segments, 65, 150);
    symm_heap_destroy(heap, 0);
}

/*
 * A spare is kept of whatever size is usual by then: a loop of allocating and freeing costs no
 * calls.
 */
static void test_spare_of_many_segments(void **state)
{
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, (size_t)4 << 30, SEGMENT_SIZE);
    (void)state;
    while (stats_of(heap).segments < 70) {
        (void)alloc_ok(heap, SEGMENT_SIZE - 4096, 0);
    }
    /* the newest has twice the size: now it is full */
    (void)alloc_ok(heap, SEGMENT_SIZE - 4096, 0);
    uint64_t retired = stats_of(heap).segments_retired;
    for (unsigned i = 0; i < 10; i++) {
        assert_status(symm_heap_free(heap, alloc_ok(heap, SEGMENT_SIZE - 4096, 0)), SYMM_OK);
    }
    assert_int_equal(stats_of(heap).segments_retired, retired);
    symm_heap_destroy(heap, 0);
}

/* An alignment is the address's, wherever in the address space the window begins. */
static void test_alignment_in_an_odd_window(void **state)
{
    struct symm_kind kind = counting_kind();
    (void)state;
    for (unsigned odd = 0; odd < 2; odd++) {
        mmap_is_odd = odd == 1;
        struct symm_heap *heap = create_ok(&kind, NULL, (size_t)1 << 30, SEGMENT_SIZE);
        mmap_is_odd = false;
        for (size_t alignment = 1; alignment <= symm_kind_host.granularity; alignment *= 2) {
            void *block = alloc_ok(heap, 1 + alignment / 2, alignment);
            assert_int_equal((uintptr_t)block % alignment, 0);
        }
        symm_heap_destroy(heap, 0);
    }
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Whatever step of making a segment fails, the heap is as before, and the next try succeeds. */
static void test_refused_segments(void **state)
{
    struct symm_kind kind = counting_kind();
    struct symm_server *server = NULL;
    void *block;
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    struct symm_heap *heap = create_ok(&kind, server, (size_t)1 << 30, SEGMENT_SIZE);
    size_t mappings = unit_mappings("symm-segment");
    for (enum counting_call call = COUNTING_CREATE; call < COUNTING_CALLS; call++) {
        struct symm_heap_stats before = stats_of(heap);
        size_t descriptors = unit_open_descriptors();
        counting.refuse_in[call] = 1;
        assert_status(symm_heap_alloc(heap, SEGMENT_SIZE - 4096, 0, &block), SYMM_ERR_NO_MEMORY);
        assert_int_equal(counting.refuse_in[call], 0);
        struct symm_heap_stats after = stats_of(heap);
        assert_memory_equal(&before, &after, sizeof(before));
        assert_int_equal(counting.handles, before.segments);
        assert_int_equal(unit_mappings("symm-segment"), mappings + before.segments);
        assert_int_equal(unit_open_descriptors(), descriptors);
        memset(alloc_ok(heap, SEGMENT_SIZE - 4096, 0), 1, SEGMENT_SIZE - 4096);
        assert_int_equal(stats_of(heap).segments, before.segments + 1);
    }
    symm_heap_destroy(heap, 0);
    symm_server_destroy(server);
    assert_int_equal(counting.reservations, 0);
    assert_int_equal(counting.handles, 0);
}

/* A process may run out of descriptors at any point; that is an error, and passes. */
static void test_no_descriptors(void **state)
{
    struct symm_server *servers[2] = {NULL, NULL}; /* a server has one heap of a kind */
    struct rlimit limit;
    bool allocated = false, created = false;
    (void)state;
    assert_status(symm_server_create(&servers[0]), SYMM_OK);
    assert_status(symm_server_create(&servers[1]), SYMM_OK);
    struct symm_heap *heap = create_ok(&symm_kind_host, servers[0], (size_t)1 << 30, SEGMENT_SIZE);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    size_t before = unit_open_descriptors();
    struct rlimit tight = {.rlim_cur = 3, .rlim_max = limit.rlim_max};
    for (; !allocated || !created; tight.rlim_cur++) {
        struct symm_heap *other = NULL;
        void *block = NULL;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
        enum symm_status alloc_status = symm_heap_alloc(heap, 3 * MIB, 0, &block);
        enum symm_status create_status =
            symm_heap_create(&symm_kind_host, 0, servers[1], NULL, &other);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        allocated = alloc_status == SYMM_OK;
        created = create_status == SYMM_OK;
        assert_status(alloc_status, allocated ? SYMM_OK : SYMM_ERR_NO_MEMORY);
        assert_status(create_status, created ? SYMM_OK : SYMM_ERR_NO_MEMORY);
        assert_int_equal(stats_of(heap).segments, allocated);
        if (allocated) {
            assert_status(symm_heap_free(heap, block), SYMM_OK); /* of a large segment */
        }
        symm_heap_destroy(other, 0);
        assert_int_equal(unit_open_descriptors(), before);
    }
    assert_true(tight.rlim_cur > 4);
    symm_heap_destroy(heap, 0);
    symm_server_destroy(servers[0]);
    symm_server_destroy(servers[1]);
}

/* A limit on the size of files is an error as well, not the signal that ends the process. */
static void test_file_size_limit(void **state)
{
    struct symm_heap *heap = create_ok(&symm_kind_host, NULL, (size_t)1 << 30, SEGMENT_SIZE);
    struct rlimit limit;
    void *block;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    struct rlimit tight = {.rlim_cur = MIB, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    enum symm_status status = symm_heap_alloc(heap, 1000, 0, &block);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_status(status, SYMM_ERR_NO_MEMORY);
    (void)alloc_ok(heap, 1000, 0);
    symm_heap_destroy(heap, 0);
}

/* Where address space is limited, the window takes a small part of it. */
static void test_address_space_limit(void **state)
{
    const size_t space = (size_t)1 << 47, part = space / 64;
    const struct symm_heap_config config = {.window_size = (size_t)1 << 62};
    struct symm_heap *heap = NULL;
    struct rlimit limit;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    struct rlimit wide = {.rlim_cur = space, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &wide), 0);
    enum symm_status status = symm_heap_create(&symm_kind_host, 0, NULL, &config, &heap);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_status(status, SYMM_OK);
    assert_true(stats_of(heap).window_size <= part);
    symm_heap_destroy(heap, 0);
}

static void test_nothing_is_left(void **state)
{
    struct symm_kind kind = counting_kind();
    struct symm_server *server = NULL;
    size_t descriptors = unit_open_descriptors(), mappings = unit_mappings("symm-");
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    struct symm_heap *heap = create_ok(&kind, server, (size_t)1 << 30, SEGMENT_SIZE);
    for (size_t i = 0; i < 10; i++) {
        void *block = alloc_ok(heap, SEGMENT_SIZE, 0);
        if (i % 2 == 0) {
            assert_status(symm_heap_free(heap, block), SYMM_OK);
        }
    }
    symm_heap_destroy(heap, 0);
    symm_server_destroy(server);
    assert_int_equal(counting.reservations, 0);
    assert_int_equal(counting.handles, 0);
    assert_int_equal(unit_open_descriptors(), descriptors);
    assert_int_equal(unit_mappings("symm-"), mappings);
}

/* The window can outlive the heap, for pointers that the program still holds. */
static void test_kept_memory(void **state)
{
    struct symm_kind kind = counting_kind();
    struct symm_heap *heap = create_ok(&kind, NULL, (size_t)64 << 20, SEGMENT_SIZE);
    size_t descriptors = unit_open_descriptors();
    (void)state;
    char *block = alloc_ok(heap, 10000, 0), *window = symm_heap_address(heap, 0);
    memset(block, 7, 10000);
    symm_heap_destroy(heap, 1);
    assert_true(block[0] == 7 && block[9999] == 7);
    memset(block, 8, 10000);
    assert_int_equal(counting.handles, 0);
    assert_int_equal(unit_open_descriptors(), descriptors - 1); /* the directory's */
    assert_int_equal(munmap(window, (size_t)64 << 20), 0);
}

UNIT_MAIN("test_heap_limits", 100,
    cmocka_unit_test(test_config),
    cmocka_unit_test(test_window_is_halved),
    cmocka_unit_test(test_window_exhaustion),
    cmocka_unit_test(test_end_of_window),
    cmocka_unit_test(test_window_smaller_than_a_segment),
    cmocka_unit_test(test_spare_gives_way),
    cmocka_unit_test(test_many_segments),
    cmocka_unit_test(test_spare_of_many_segments),
    cmocka_unit_test(test_alignment_in_an_odd_window),
    cmocka_unit_test(test_refused_segments),
    cmocka_unit_test(test_no_descriptors),
    cmocka_unit_test(test_file_size_limit),
    cmocka_unit_test(test_address_space_limit),
    cmocka_unit_test(test_nothing_is_left),
    cmocka_unit_test(test_kept_memory))
