/*
 * test_control_place.c - control memory: what is accepted as such, and its passing from team to
 * team.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/unit.h"

#include <stdlib.h>
#include <string.h>

#include "heap/team/control.h"

/* ---- placing and attaching ------------------------------------------------------------------- */

/* A chunk of private memory with control memory in it. */
struct chunk {
    unsigned char *memory;
    size_t size;
    struct symm_control control;
    struct symm_control_place place;
};

enum { CHUNK_BEFORE = 3 * SYMM_CONTROL_PAGE }; /* bytes of something else */

static struct chunk chunk_make(int size, const struct symm_control_config *config)
{
    struct chunk chunk = {.place = {.serial = 5, .start = 23, .offset = CHUNK_BEFORE, .chunk = 9}};
    symm_control_plan(&chunk.control, size, config);
    size_t stages = CHUNK_BEFORE + chunk.control.words_size;
    chunk.size = stages + chunk.control.stages_size;
    chunk.memory = aligned_alloc(SYMM_CONTROL_PAGE, chunk.size);
    assert_non_null(chunk.memory);
    memset(chunk.memory, 0, chunk.size);
    if (config->extra_size > 0) { /* in front */
        memcpy(chunk.memory, config->extra, config->extra_size < CHUNK_BEFORE ? config->extra_size
                                                                              : CHUNK_BEFORE);
        chunk.control.extra = chunk.memory;
    }
    symm_control_set(&chunk.control, chunk.memory + CHUNK_BEFORE, chunk.memory + stages);
    symm_control_begin(&chunk.control, &chunk.place, chunk.memory);
    return chunk;
}

static void test_sizes(void **state)
{
    static const char extra[CHUNK_BEFORE] = {1, 2, [CHUNK_BEFORE - 1] = 3};
    static const struct {
        struct symm_control_config config;
        size_t payload_size, piece_size;
    } cases[] = {{{0, 0, NULL, 0, 0, 0}, 64, 4096}, {{1, 1, "x", 1, 0, 0}, 64, 4096},
                 {{64, 4096, "some words", 11, 0, 0}, 64, 4096},
                 {{65, 4097, extra, sizeof(extra), 0, 0}, 128, 8192},
                 {{4096, 262144, extra, 100, 0, 7}, 4096, 262144}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (int size = 1; size <= 9; size += 4) {
            struct symm_control attached;
            struct chunk chunk = chunk_make(size, &cases[i].config);
            const struct symm_control *made = &chunk.control;
            assert_status(symm_control_attach(&attached, size, chunk.memory, chunk.size,
                                              &chunk.place), SYMM_OK);
            assert_int_equal(made->payload_size, cases[i].payload_size);
            assert_int_equal(attached.extra_size, cases[i].config.extra_size);
            if (attached.extra_size > 0) {
                assert_memory_equal(attached.extra, cases[i].config.extra, attached.extra_size);
            }
            assert_int_equal(made->piece_size, cases[i].piece_size);
            assert_int_equal(made->ring, size == 1 ? 64 : size == 5 ? 32 : 16);
            assert_int_equal(attached.ring, made->ring);
            assert_int_equal(made->grown, chunk.place.start + 1 + (cases[i].config.ring_calls != 0
                                                                        ? 7 : SYMM_RING_CALLS));
            assert_int_equal(attached.grown, made->grown);
            assert_int_equal(attached.payload_size, made->payload_size);
            assert_int_equal(attached.piece_size, made->piece_size);
            assert_int_equal(attached.words_size, made->words_size);
            assert_int_equal(attached.stages_size, made->stages_size);
            assert_int_equal(attached.size, size);
            assert_ptr_equal(attached.finished, made->finished);
            assert_ptr_equal(attached.stages, made->stages);
            free(chunk.memory);
        }
    }
}

/* A ring has the slots that are wanted, if that is not too many lines. */
static void test_rings(void **state)
{
    static const struct {
        int size;
        unsigned wanted, ring;
    } cases[] = {{1, 0, 64}, {2, 8, 8},  {2, 9, 8},   {2, 15, 8},  {2, 16, 16}, {2, 63, 32},
                 {2, 64, 64}, {4, 0, 64}, {5, 0, 32}, {8, 16, 16}, {16, 0, 16}, {17, 0, 8},
                 {64, 0, 8},  {64, 64, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct symm_control_config config = {.ring = cases[i].wanted};
        struct symm_control control;
        symm_control_plan(&control, cases[i].size, &config);
        assert_int_equal(control.ring, cases[i].ring);
    }
}

static void expect_refusal(const struct chunk *chunk, int size, size_t chunk_size,
                           struct symm_control_place place)
{
    struct symm_control control;
    assert_status(symm_control_attach(&control, size, chunk->memory, chunk_size, &place),
                  SYMM_ERR_PROTOCOL);
    assert_null(control.header);
}

static void test_wrong_places(void **state)
{
    const struct symm_control_config config = {.payload_size = 256, .piece_size = 8192};
    struct chunk chunk = chunk_make(3, &config);
    struct symm_control_header *header = chunk.control.header, right = {.size = 0};
    struct unit_random random = unit_random_start(1, 0);
    struct symm_control_place place = chunk.place;
    (void)state;
    memcpy(&right, header, offsetof(struct symm_control_header, last));
    expect_refusal(&chunk, 2, chunk.size, place); /* for another number of ranks */
    expect_refusal(&chunk, 4, chunk.size, place);
    expect_refusal(&chunk, 3, chunk.size - 1, place); /* it would not fit */
    expect_refusal(&chunk, 3, CHUNK_BEFORE + 8, place);
    expect_refusal(&chunk, 3, 0, place);
    place.serial++; /* of another team */
    expect_refusal(&chunk, 3, chunk.size, place);
    place = chunk.place;
    place.start += SYMM_RING_MOST;
    expect_refusal(&chunk, 3, chunk.size, place);
    place = chunk.place;
    place.offset -= 64;
    expect_refusal(&chunk, 3, chunk.size, place);
    place.offset = UINT64_MAX / SYMM_CONTROL_PAGE * SYMM_CONTROL_PAGE;
    expect_refusal(&chunk, 3, chunk.size, place);
    for (int turn = 0; turn < 1000; turn++) { /* sizes and offsets that nobody has written */
        uint64_t *words[] = {&header->payload_size, &header->piece_size, &header->stages,
                             &header->extra};
        uint64_t nonsense = unit_random_next(&random) >> unit_random_below(&random, 40);
        *words[turn % 4] = turn % 2 == 0 ? nonsense * SYMM_CONTROL_PAGE + chunk.size
                                         : chunk.size + 4096 + nonsense;
        if (turn % 4 == 3) {
            header->extra_size = 1;
        }
        expect_refusal(&chunk, 3, chunk.size, chunk.place);
        memcpy(header, &right, offsetof(struct symm_control_header, last));
    }
    header->extra_size = SYMM_EXTRA_MOST + 1;
    expect_refusal(&chunk, 3, chunk.size, chunk.place);
    memcpy(header, &right, offsetof(struct symm_control_header, last));
    for (uint32_t ring = 0; ring <= 256; ring += ring < 16 ? 4 : ring) {
        header->ring = ring;
        if (ring != 8 && ring != 16 && ring != 32 && ring != 64) {
            expect_refusal(&chunk, 3, chunk.size, chunk.place);
        }
    }
    free(chunk.memory);
}

/* ---- from team to team ----------------------------------------------------------------------- */

/* What a team leaves behind is older than all that the next one does. */
static void test_next_team(void **state)
{
    enum { RANKS = 3 };
    const struct symm_control_config config = {.payload_size = 64};
    struct chunk chunk = chunk_make(RANKS, &config);
    struct symm_control *control = &chunk.control;
    uint64_t start = chunk.place.start;
    (void)state;
    for (uint64_t calls = 0; calls < 30; calls++) {
        for (int rank = 0; rank < RANKS; rank++) {
            assert_int_equal(atomic_load(&control->finished[rank].value), start);
            for (uint64_t call = start + 1; call <= start + control->ring; call++) {
                int seen = 0;
                assert_false(symm_line_is_posted(symm_control_line(control, call, rank), call));
                assert_false(symm_phase_reached(control, call, 1, &seen));
                assert_int_equal(symm_phase_least(control, call), 0);
                assert_true(symm_control_enter(control, call, rank));
                assert_true(symm_control_is_inside(control, call, rank));
            }
        }
        uint64_t last = start + calls;
        for (uint64_t call = start + 1; call <= last; call++) {
            for (int rank = 0; rank < RANKS; rank++) {
                symm_line_post(symm_control_line(control, call, rank), call);
                symm_phase_raise(control, call, rank, 1000);
                atomic_store(&control->finished[rank].value, call);
            }
        }
        symm_control_leave(control, 1);
        for (int rank = 0; rank < RANKS; rank++) {
            assert_false(symm_control_is_left(control->header));
            symm_control_count_out(control, last - (rank == 2 && last > start));
        }
        assert_true(symm_control_is_left(control->header));
        start = symm_control_next_start(control->header);
        assert_in_range(start, last, last + SYMM_RING_MOST - 1);
        assert_int_equal((start + 1) % SYMM_RING_MOST, 0);
        chunk.place.start = start;
        chunk.place.serial++;
        symm_control_begin(control, &chunk.place, chunk.memory);
        assert_false(symm_control_is_left(control->header));
    }
    free(chunk.memory);
}

UNIT_MAIN("test_control_place", 60,
    cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_rings),
    cmocka_unit_test(test_wrong_places),
    cmocka_unit_test(test_next_team))
