/*
 * test_rooted.c - every algorithm on host memory of the collectives with a root, among forked
 * ranks, against results computed here.
 *
 * As in test_algorithms.c a rank scribbles over its buffers as soon as its call returns, while
 * others may be late.  Ranks have no buffer where the collective has none for them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/collective.h"
#include "tests/unit/harness/elements.h"

#include <stdlib.h>
#include <string.h>

enum { PAYLOAD = 4096, PIECE = 4096, GUARD = 128 };

/* One rank's view of the test. */
struct stage {
    struct fork_rank *self;
    struct symm_team *team;
    struct symm_heap *heap;
    struct unit_random delays; /* of this rank alone */
};

/* What all ranks know alike of a call. */
struct plan {
    const struct symm_algorithm_row *row;
    enum element_type type;
    size_t count; /* elements of a reduce, or bytes of a block */
    uint64_t stream;
    int root;
    bool in_place, others_in_heap;
};

struct buffer {
    unsigned char *memory, *data;
    size_t bytes;
    bool in_heap;
};

static struct buffer buffer_make(struct stage *stage, size_t bytes, bool in_heap)
{
    struct buffer buffer = {.bytes = bytes, .in_heap = in_heap};
    size_t all = bytes + 2 * GUARD + 64, shift = unit_random_below(&stage->delays, 16) * 4;
    void *memory = NULL;
    if (in_heap) {
        FORK_STATUS(stage->self, symm_heap_alloc(stage->heap, all, 0, &memory), SYMM_OK);
    } else {
        memory = malloc(all);
        FORK_CHECK(stage->self, memory != NULL);
    }
    buffer.memory = memory;
    buffer.data = buffer.memory + GUARD + shift;
    memset(buffer.data - GUARD, 0xdb, bytes + 2 * GUARD);
    return buffer;
}

/* Scribble over it, and see somewhat later that nobody else has. */
static void buffer_end(struct stage *stage, struct buffer *buffer)
{
    FORK_CHECK(stage->self, unit_is_all(buffer->data - GUARD, buffer->bytes + 2 * GUARD, 0xdb));
    if (buffer->in_heap) {
        FORK_STATUS(stage->self, symm_heap_free(stage->heap, buffer->memory), SYMM_OK);
    } else {
        free(buffer->memory);
    }
}

static struct unit_random contents(const struct plan *plan, int rank)
{
    return unit_random_start(plan->stream, 9000 + (uint64_t)rank);
}

static bool is_for(const struct plan *plan, enum symm_collective collective)
{
    return plan->row->collective == collective;
}

static size_t extent_of(const struct plan *plan)
{
    return is_for(plan, SYMM_REDUCE) ? element_reductions[plan->type].extent : 1;
}

static size_t blocks_of(const struct plan *plan, int ranks)
{
    return is_for(plan, SYMM_GATHER) || is_for(plan, SYMM_SCATTER) ? (size_t)ranks : 1;
}

/* ---- one call -------------------------------------------------------------------------------- */

/* This rank's buffers.  One that it does not have has no bytes. */
struct buffers {
    struct buffer input, output;
    bool in_place; /* the other buffer is within the one that there is */
};

static struct buffers buffers_make(struct stage *stage, const struct plan *plan)
{
    const struct symm_collective_row *row = symm_collective_get(plan->row->collective);
    int algorithm = (int)plan->row->number;
    bool is_root = stage->self->rank == plan->root;
    size_t block = plan->count * extent_of(plan), all = block * blocks_of(plan, stage->self->size);
    bool in_place = is_root && (plan->in_place || is_for(plan, SYMM_BCAST));
    size_t input = row->from_root ? (is_root ? all : 0) : block;
    size_t output = row->to_root ? (is_root ? all : 0) : block;
    bool reach_input = plan->others_in_heap || symm_algorithm_has(algorithm, SYMM_NEEDS_INPUTS);
    bool reach_output = plan->others_in_heap || symm_algorithm_has(algorithm, SYMM_NEEDS_OUTPUTS);
    if (in_place && row->to_root) {
        input = 0;
        reach_output |= reach_input;
    } else if (in_place) {
        output = 0;
        reach_input |= reach_output;
    }
    return (struct buffers){.input = buffer_make(stage, input, reach_input),
                            .output = buffer_make(stage, output, reach_output),
                            .in_place = in_place};
}

static void input_fill(const struct plan *plan, struct stage *stage, unsigned char *input)
{
    int rank = stage->self->rank;
    size_t blocks = is_for(plan, SYMM_SCATTER) ? (size_t)stage->self->size : 1;
    if (is_for(plan, SYMM_REDUCE)) {
        elements_fill(plan->type, input, plan->count, plan->stream, rank);
        return;
    }
    for (size_t i = 0; i < blocks; i++) {
        unit_fill(input + i * plan->count, plan->count, contents(plan, blocks > 1 ? (int)i : rank));
    }
}

static void output_check(const struct plan *plan, struct stage *stage, const unsigned char *output)
{
    int rank = stage->self->rank;
    if (is_for(plan, SYMM_REDUCE)) {
        FORK_CHECK(stage->self, elements_are_reduced(plan->type, output, plan->count, plan->stream,
                                                     stage->self->size));
        return;
    }
    size_t blocks = is_for(plan, SYMM_GATHER) ? (size_t)stage->self->size : 1;
    for (size_t i = 0; i < blocks; i++) {
        int owner = blocks > 1 ? (int)i : is_for(plan, SYMM_BCAST) ? plan->root : rank;
        FORK_CHECK(stage->self, unit_is_filled(output + i * plan->count, plan->count,
                                               contents(plan, owner)));
    }
}

static void call_make(struct stage *stage, const struct plan *plan)
{
    const struct symm_collective_row *row = symm_collective_get(plan->row->collective);
    struct buffers buffers = buffers_make(stage, plan);
    bool is_root = stage->self->rank == plan->root;
    bool has_input = is_root || !row->from_root, has_output = is_root || !row->to_root;
    unsigned char *input = buffers.input.data, *output = buffers.output.data;
    size_t own = blocks_of(plan, stage->self->size) > 1
                     ? (size_t)stage->self->rank * plan->count : 0;
    if (buffers.in_place && row->to_root) {
        input = output + own;
    } else if (buffers.in_place) {
        output = input + own;
    }
    struct collective call = {
        .algorithm = plan->row->number, .count = plan->count, .is_late = true,
        .reduction = is_for(plan, SYMM_REDUCE) ? &element_reductions[plan->type] : NULL,
        .input = has_input ? input : output, .output = has_output ? output : input,
        .is_rooted = true, .root = plan->root,
        .input_bytes = buffers.in_place && row->to_root ? plan->count * extent_of(plan)
                                                        : buffers.input.bytes,
        .output_bytes = buffers.in_place && !row->to_root ? plan->count : buffers.output.bytes,
    };
    if (has_input) {
        input_fill(plan, stage, input);
    }
    (void)collective_make(stage->self, stage->team, &call, &stage->delays);
    if (has_output) {
        output_check(plan, stage, output);
    }
    memset(buffers.input.data, 0xdb, buffers.input.bytes);
    memset(buffers.output.data, 0xdb, buffers.output.bytes);
    if (plan->stream % 2 == 0) { /* the others have time to do harm */
        fork_rank_barrier(stage->self);
    }
    buffer_end(stage, &buffers.input);
    buffer_end(stage, &buffers.output);
}

/* ---- the ranks ------------------------------------------------------------------------------- */

static bool is_possible(const struct plan *plan, int ranks)
{
    size_t bytes = plan->count * extent_of(plan);
    size_t line = is_for(plan, SYMM_SCATTER) ? bytes * (size_t)ranks : bytes;
    const struct symm_collective_row *row = symm_collective_get(plan->row->collective);
    return row->is_rooted && !row->has_blocks && /* exchanges have a test of their own */
           plan->row->memory == SYMM_ALGORITHM_HOST && (!plan->row->in_slot || line <= PAYLOAD);
}

/* Sizes around pieces and rows of them, and of many pieces. */
static void test_rooted(struct fork_rank *self, void *context)
{
    static const size_t bytes[] = {1, 4, 60, 819, 832, 1000, 1365, 4092, 4096, 4100, 16384, 16388,
                                   65604, 300004};
    struct symm_process *process = fork_team_process(self);
    struct stage stage = {
        .self = self, .heap = symm_process_heap(process),
        .team = fork_team_create(self, process),
        .delays = unit_random_start(21, (uint64_t)self->rank),
    };
    struct unit_random common = unit_random_start(22, 0);
    (void)context;
    FORK_STATUS(self, fork_team_set_up(self, stage.team, PAYLOAD, PIECE), SYMM_OK);
    for (size_t i = 0; i < 4 * sizeof(bytes) / sizeof(*bytes); i++) {
        for (int algorithm = 0; algorithm < SYMM_ALGORITHM_COUNT; algorithm++) {
            struct plan plan = {
                .row = symm_algorithm_get((enum symm_algorithm)algorithm),
                .type = (enum element_type)unit_random_below(&common, ELEMENT_TYPES),
                .stream = unit_random_below(&common, 1000000),
                .root = (int)unit_random_below(&common, (uint64_t)self->size),
                .in_place = unit_random_below(&common, 2) == 0,
                .others_in_heap = unit_random_below(&common, 2) == 0,
            };
            plan.count = 1 + bytes[i / 4] / extent_of(&plan);
            if (is_possible(&plan, self->size)) {
                call_make(&stage, &plan);
            }
        }
    }
    fork_rank_barrier(self);
    symm_team_destroy(stage.team);
    symm_process_release(process);
}

UNIT_MAIN("test_rooted", 120,
    FORK_TEST_OF(test_rooted, 2, 5))
