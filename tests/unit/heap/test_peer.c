/*
 * test_peer.c - the heap of another process, mapped into this one.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/owner.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/directory.h"
#include "heap/heap.h"
#include "heap/memfd.h"
#include "heap/peer.h"

enum { BIG = 3 * OWNER_SEGMENT_SIZE / 2 }; /* has a segment of its own, which is never kept */

static enum symm_status map_wait(struct symm_peer *peer, const struct symm_location *location,
                                 double seconds)
{
    double end = unit_seconds() + seconds;
    unsigned polls = 0;
    enum symm_status status;
    while ((status = symm_peer_map(peer, location)) == SYMM_PENDING && unit_seconds() < end) {
        unit_pause(&polls);
    }
    return status;
}

static void *map_ok(struct symm_peer *peer, const struct symm_location *location)
{
    assert_status(map_wait(peer, location, 30), SYMM_OK);
    return symm_peer_address(peer, location->offset);
}

static struct symm_peer *peer_of(const char *name)
{
    struct symm_peer *peer = NULL;
    assert_status(symm_peer_create(&symm_kind_host, NULL, name, 0, &peer), SYMM_OK);
    return peer;
}

/* Segments that are mapped here; this process has no heap of its own in these tests. */
static size_t segments_here(void)
{
    return unit_mappings("symm-segment");
}

/* ---- data ------------------------------------------------------------------------------------ */

static void test_data_both_ways(void **state)
{
    static const size_t sizes[] = {1000, 100000, BIG, 256, OWNER_SEGMENT_SIZE - 4096};
    struct owner owner;
    struct symm_location locations[5];
    size_t descriptors = unit_open_descriptors(), space = unit_address_space();
    (void)state;
    owner_start(&owner);
    struct symm_peer *peer = peer_of(owner.name);
    size_t with_owner = unit_open_descriptors();
    for (unsigned i = 0; i < 5; i++) {
        locations[i] = owner_alloc(&owner, i, sizes[i]);
        owner_fill(&owner, i, i);
        void *there = map_ok(peer, &locations[i]);
        assert_true(unit_is_filled(there, sizes[i], unit_random_start(1000, i)));
        unit_fill(there, sizes[i], unit_random_start(1000, 100 + i));
        assert_true(owner_sees(&owner, i, 100 + i));
    }
    assert_int_equal(segments_here(), 3); /* three blocks share one */
    assert_int_equal(unit_open_descriptors(), with_owner); /* mappings need none */
    for (unsigned i = 0; i < 5; i++) {
        char *there = map_ok(peer, &locations[i]), *base = symm_peer_address(peer, 0);
        assert_ptr_equal(there, base + locations[i].offset);
        assert_true(unit_is_filled(there, sizes[i], unit_random_start(1000, 100 + i)));
    }
    assert_int_equal(segments_here(), 3);
    symm_peer_destroy(peer);
    assert_int_equal(segments_here(), 0);
    assert_int_equal(unit_mappings("symm-directory"), 0);
    assert_true(unit_address_space() < space + OWNER_WINDOW_SIZE / 2);
    owner_stop(&owner);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

/* ---- segments that come and go --------------------------------------------------------------- */

static void test_retired_segments_are_unmapped(void **state)
{
    struct owner owner;
    (void)state;
    owner_start(&owner);
    struct symm_peer *peer = peer_of(owner.name);
    symm_peer_collect(peer, 5); /* nothing is known of it yet: fine */
    struct symm_location kept = owner_alloc(&owner, 0, 1000), gone = owner_alloc(&owner, 1, BIG);
    owner_fill(&owner, 0, 7);
    owner_fill(&owner, 1, 8);
    char *kept_here = map_ok(peer, &kept), *gone_here = map_ok(peer, &gone);
    assert_true(unit_is_filled(gone_here, BIG, unit_random_start(1000, 8)));
    assert_int_equal(segments_here(), 2);

    /* Its owner gives the pages back to the system, whoever has them mapped. */
    uint32_t retired = owner_free(&owner, 1);
    assert_int_equal(retired, 1);
    assert_true(unit_is_zero(gone_here, BIG));
    symm_peer_collect(peer, 0); /* no news: nothing happens */
    assert_int_equal(segments_here(), 2);
    symm_peer_collect(peer, retired);
    assert_int_equal(segments_here(), 1);
    assert_true(unit_is_filled(kept_here, 1000, unit_random_start(1000, 7)));
    assert_int_equal(segments_here(), 1);
    symm_peer_destroy(peer);
    owner_stop(&owner);
}

/* A segment takes the place of a retired one that is still mapped here, collected or not. */
static void test_same_offset_again(void **state)
{
    struct owner owner;
    (void)state;
    owner_start(&owner);
    struct symm_peer *peer = peer_of(owner.name);
    struct symm_location last = {.serial = 0};
    for (unsigned round = 0; round < 6; round++) {
        struct symm_location location = owner_alloc(&owner, 0, BIG);
        owner_fill(&owner, 0, round);
        assert_int_equal(location.offset, 0);
        assert_true(location.serial > last.serial);
        char *there = map_ok(peer, &location);
        assert_true(unit_is_filled(there, BIG, unit_random_start(1000, round)));
        assert_int_equal(segments_here(), 1);
        unit_fill(there, BIG, unit_random_start(1000, 100 + round));
        assert_true(owner_sees(&owner, 0, 100 + round));
        uint32_t retired = owner_free(&owner, 0);
        if (round % 2 == 0) {
            symm_peer_collect(peer, retired);
            assert_int_equal(segments_here(), 0);
        }
        last = location;
    }
    symm_peer_destroy(peer);
    owner_stop(&owner);
}

/* A smaller segment in the place of a larger one, and others beside it, at random. */
static void test_random_life(void **state)
{
    struct owner owner;
    struct unit_random random = unit_random_start(1, 0);
    struct symm_location locations[OWNER_BLOCKS] = {{0}};
    size_t sizes[OWNER_BLOCKS] = {0};
    uint32_t retired = 0;
    (void)state;
    owner_start(&owner);
    struct symm_peer *peer = peer_of(owner.name);
    for (unsigned step = 0; step < 250; step++) {
        unsigned block = (unsigned)unit_random_below(&random, 12);
        if (sizes[block] == 0) {
            sizes[block] = 1 + unit_random_below(&random, 2 * OWNER_SEGMENT_SIZE);
            locations[block] = owner_alloc(&owner, block, sizes[block]);
            owner_fill(&owner, block, step);
            void *there = map_ok(peer, &locations[block]);
            assert_true(unit_is_filled(there, sizes[block], unit_random_start(1000, step)));
            unit_fill(there, sizes[block], unit_random_start(1000, 1000 + block));
        } else {
            assert_true(owner_sees(&owner, block, 1000 + block));
            assert_true(unit_is_filled(map_ok(peer, &locations[block]), sizes[block],
                                       unit_random_start(1000, 1000 + block)));
            retired = owner_free(&owner, block);
            sizes[block] = 0;
        }
        if (unit_random_below(&random, 4) == 0) {
            symm_peer_collect(peer, retired);
            assert_in_range(segments_here(), 0, 13);
        }
    }
    assert_true(retired > 10);
    symm_peer_destroy(peer);
    owner_stop(&owner);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void test_peer_dies(void **state)
{
    struct owner owner;
    size_t descriptors = unit_open_descriptors();
    (void)state;
    owner_start(&owner);
    struct symm_location mapped = owner_alloc(&owner, 0, 1000), other = mapped;
    owner_fill(&owner, 0, 3);
    struct symm_peer *peer = peer_of(owner.name), *late = peer_of(owner.name);
    void *there = map_ok(peer, &mapped);
    other.serial = 99;
    other.index = 5;
    owner_kill(&owner);
    assert_status(map_wait(peer, &other, 30), SYMM_ERR_UNREACHABLE);
    assert_status(map_wait(late, &mapped, 30), SYMM_ERR_UNREACHABLE);
    assert_status(map_wait(peer, &mapped, 30), SYMM_OK); /* it is here */
    assert_true(unit_is_filled(there, 1000, unit_random_start(1000, 3)));
    symm_peer_destroy(peer);
    symm_peer_destroy(late);
    symm_peer_destroy(NULL);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

static void test_impossible_locations(void **state)
{
    struct owner owner;
    size_t descriptors = unit_open_descriptors();
    (void)state;
    owner_start(&owner);
    struct symm_location location = owner_alloc(&owner, 0, 1000);
    struct symm_peer *peer = peer_of(owner.name);
    struct symm_location no_serial = location, no_index = location, other_heap = location;
    no_serial.serial = 0;
    no_index.index = SYMM_SEGMENTS_MAX;
    other_heap.heap = 1;
    for (unsigned round = 0; round < 2; round++) {
        assert_status(symm_peer_map(peer, &no_serial), SYMM_ERR_PROTOCOL);
        assert_status(symm_peer_map(peer, &no_index), SYMM_ERR_PROTOCOL);
        assert_status(symm_peer_map(peer, &other_heap), SYMM_ERR_PROTOCOL);
        (void)map_ok(peer, &location);
    }
    symm_peer_destroy(peer);
    owner_stop(&owner);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

/* A segment that has gone, or never was: that is said at once, and stands in nobody's way. */
static void test_segment_that_is_not_there(void **state)
{
    struct owner owner;
    (void)state;
    owner_start(&owner);
    struct symm_location kept = owner_alloc(&owner, 1, 1000), gone = owner_alloc(&owner, 0, BIG),
                         never = {.serial = 99, .index = 5};
    struct symm_peer *peer = peer_of(owner.name);
    assert_int_equal(owner_free(&owner, 0), 1);
    for (unsigned round = 0; round < 2; round++) {
        assert_status(map_wait(peer, &gone, 30), SYMM_ERR_NOT_FOUND);
        assert_status(map_wait(peer, &never, 30), SYMM_ERR_NOT_FOUND);
        (void)map_ok(peer, &kept);
    }
    symm_peer_destroy(peer);
    owner_stop(&owner);
}

/* A request that is under way ends with the peer's object, and leaves nothing. */
static void test_request_under_way(void **state)
{
    struct symm_server *server = NULL;
    struct symm_location location = {.serial = 1};
    size_t descriptors = unit_open_descriptors();
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK); /* does not answer */
    struct symm_peer *peer = peer_of(symm_server_name(server));
    assert_status(map_wait(peer, &location, 0.02), SYMM_PENDING);
    symm_peer_destroy(peer);
    symm_server_destroy(server);
    assert_int_equal(unit_open_descriptors(), descriptors);
}

static void export_file(struct symm_server *server, uint32_t what, uint32_t number, int descriptor,
                        uint64_t size, uint64_t offset)
{
    struct symm_object_id id = {.what = what, .number = number, .key = "host"};
    struct symm_object object = {.descriptor = descriptor, .size = size, .detail = offset};
    assert_status(symm_server_export(server, &id, &object), SYMM_OK);
}

/* Whether the peer's segment 1 is taken when it is in this file, of this kind. */
static enum symm_status map_of_file(struct symm_server *server, int file, size_t size)
{
    struct symm_location location = {.serial = 1, .index = 3};
    export_file(server, SYMM_OBJECT_SEGMENT, 1, file, size, 0);
    struct symm_peer *peer = peer_of(symm_server_name(server));
    enum symm_status status = map_wait(peer, &location, 30);
    symm_peer_destroy(peer);
    (void)close(file);
    return status;
}

/* Memory that the peer could shrink while it is used here is not mapped: SIGBUS would follow. */
static void test_unsealed_memory(void **state)
{
    enum { FILE_SIZE = 4 << 20 };
    struct symm_server *server = NULL;
    int unsealed = memfd_create("symm-test", MFD_CLOEXEC | MFD_ALLOW_SEALING), sealed = -1;
    int grows = memfd_create("symm-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    FILE *plain = tmpfile();
    void *memory;
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    struct symm_location location = {.serial = 1, .index = 3};
    struct symm_peer *peer = peer_of(symm_server_name(server));
    assert_int_equal(ftruncate(unsealed, FILE_SIZE), 0);
    export_file(server, SYMM_OBJECT_DIRECTORY, 0, unsealed, sizeof(struct symm_directory), 0);
    assert_status(map_wait(peer, &location, 30), SYMM_ERR_PROTOCOL);
    symm_peer_destroy(peer);

    assert_status(symm_memfd_create("symm-test", FILE_SIZE, &sealed), SYMM_OK);
    assert_status(symm_memfd_map(sealed, sizeof(struct symm_directory), &memory), SYMM_OK);
    ((struct symm_directory *)memory)->window_size = 64 << 20;
    atomic_store(&((struct symm_directory *)memory)->serial[3], 1);
    export_file(server, SYMM_OBJECT_DIRECTORY, 0, sealed, sizeof(struct symm_directory), 0);
    assert_int_equal(ftruncate(grows, FILE_SIZE), 0);
    assert_int_equal(fcntl(grows, F_ADD_SEALS, F_SEAL_GROW), 0);
    assert_non_null(plain);
    assert_int_equal(ftruncate(fileno(plain), FILE_SIZE), 0);
    assert_status(map_of_file(server, unsealed, FILE_SIZE), SYMM_ERR_PROTOCOL);
    assert_status(map_of_file(server, grows, FILE_SIZE), SYMM_ERR_PROTOCOL);
    assert_status(map_of_file(server, dup(fileno(plain)), FILE_SIZE), SYMM_ERR_PROTOCOL);
    assert_status(map_of_file(server, sealed, FILE_SIZE), SYMM_OK);
    (void)fclose(plain);
    (void)munmap(memory, sizeof(struct symm_directory));
    symm_server_destroy(server);
}

/* What a peer says is not believed where it would make this process crash. */
static void test_peer_lies(void **state)
{
    enum { MIB = 1 << 20, WINDOW = 64 * MIB, FILE_SIZE = 4 * MIB };
    static const struct {
        uint64_t size, offset;
    } lies[] = {{2 * FILE_SIZE, 0}, {FILE_SIZE, WINDOW}, {FILE_SIZE, WINDOW - 2 * MIB},
                {FILE_SIZE, UINT64_MAX - 4095}, {UINT64_MAX - 4095, 4096}};
    struct symm_server *server = NULL;
    struct symm_location location = {.serial = 1, .index = 3};
    int file = -1;
    void *memory;
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    assert_status(symm_memfd_create("symm-test", FILE_SIZE, &file), SYMM_OK);
    assert_status(symm_memfd_map(file, sizeof(struct symm_directory), &memory), SYMM_OK);
    struct symm_directory *directory = memory;
    directory->window_size = WINDOW;
    atomic_store(&directory->serial[3], 1);
    export_file(server, SYMM_OBJECT_DIRECTORY, 0, file, sizeof(*directory) + 8, 0);
    struct symm_peer *peer = peer_of(symm_server_name(server));
    assert_status(map_wait(peer, &location, 30), SYMM_ERR_PROTOCOL);
    export_file(server, SYMM_OBJECT_DIRECTORY, 0, file, sizeof(*directory), 0);
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        export_file(server, SYMM_OBJECT_SEGMENT, 1, file, lies[i].size, lies[i].offset);
        assert_status(map_wait(peer, &location, 30), SYMM_ERR_PROTOCOL);
    }
    export_file(server, SYMM_OBJECT_SEGMENT, 1, -1, 0, 0);
    assert_status(map_wait(peer, &location, 30), SYMM_ERR_NOT_FOUND);
    export_file(server, SYMM_OBJECT_SEGMENT, 1, file, FILE_SIZE, WINDOW - FILE_SIZE);
    location.offset = WINDOW - FILE_SIZE;
    assert_ptr_equal(((struct symm_directory *)map_ok(peer, &location))->window_size, WINDOW);
    symm_peer_destroy(peer);
    symm_server_destroy(server);
    (void)munmap(memory, sizeof(struct symm_directory));
    (void)close(file);
}

/* ---- threads, in one process ----------------------------------------------------------------- */

enum { THREADS = 4, BLOCKS = 24 };

struct mapper {
    struct symm_peer *peer;
    const struct symm_location *locations;
    size_t first, wrong;
};

static void *map_all(void *argument)
{
    struct mapper *mapper = argument;
    for (size_t i = 0; i < BLOCKS; i++) {
        const struct symm_location *location = &mapper->locations[(mapper->first + i) % BLOCKS];
        if (map_wait(mapper->peer, location, 30) != SYMM_OK) {
            mapper->wrong++;
            continue;
        }
        const uint32_t *there = symm_peer_address(mapper->peer, location->offset);
        mapper->wrong += *there != location->serial;
    }
    return NULL;
}

/* Several threads may want one peer's segments at a time, in different orders. */
static void test_threads(void **state)
{
    const struct symm_heap_config config = {.window_size = (size_t)1 << 30,
                                            .segment_size = OWNER_SEGMENT_SIZE};
    struct symm_server *server = NULL;
    struct symm_heap *heap = NULL;
    struct symm_location locations[BLOCKS];
    (void)state;
    assert_status(symm_server_create(&server), SYMM_OK);
    assert_status(symm_heap_create(&symm_kind_host, 0, server, &config, &heap), SYMM_OK);
    assert_status(symm_server_start_thread(server), SYMM_OK);
    for (size_t i = 0; i < BLOCKS; i++) {
        void *block = NULL;
        assert_status(symm_heap_alloc(heap, OWNER_SEGMENT_SIZE - 4096, 0, &block), SYMM_OK);
        assert_status(symm_heap_locate(heap, block, 1, &locations[i]), SYMM_OK);
        *(uint32_t *)block = locations[i].serial;
    }
    for (unsigned round = 0; round < 5; round++) {
        struct symm_peer *peer = peer_of(symm_server_name(server));
        pthread_t threads[THREADS];
        struct mapper mappers[THREADS];
        for (size_t i = 0; i < THREADS; i++) {
            mappers[i] =
                (struct mapper){.peer = peer, .locations = locations, .first = i * 5 % BLOCKS};
            assert_int_equal(pthread_create(&threads[i], NULL, map_all, &mappers[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) {
            (void)pthread_join(threads[i], NULL);
            assert_int_equal(mappers[i].wrong, 0);
        }
        symm_peer_destroy(peer);
    }
    symm_heap_destroy(heap, 0);
    symm_server_destroy(server);
}

UNIT_MAIN("test_peer", 150,
    cmocka_unit_test(test_data_both_ways),
    cmocka_unit_test(test_retired_segments_are_unmapped),
    cmocka_unit_test(test_same_offset_again),
    cmocka_unit_test(test_random_life),
    cmocka_unit_test(test_peer_dies),
    cmocka_unit_test(test_impossible_locations),
    cmocka_unit_test(test_segment_that_is_not_there),
    cmocka_unit_test(test_request_under_way),
    cmocka_unit_test(test_unsealed_memory),
    cmocka_unit_test(test_peer_lies),
    cmocka_unit_test(test_threads))
