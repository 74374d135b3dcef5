/*
 * algorithm_plan.c - see algorithm_plan.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/algorithm_plan.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 192 };

/* ---- buffers with guards --------------------------------------------------------------------- */

struct buffer {
    unsigned char *memory, *data;
    size_t size;    /* of the data */
    bool in_heap;
    uint64_t mark;  /* what the guards are filled with */
    bool scribbled; /* the data, too */
};

static struct unit_random guard_contents(const struct buffer *buffer)
{
    return unit_random_start(7, buffer->mark);
}

/* `shift`: where the data begin beyond the guard, for addresses that are multiples of little. */
static struct buffer buffer_make(struct stage *stage, size_t size, size_t shift, bool in_heap)
{
    struct buffer buffer = {.size = size, .in_heap = in_heap, .mark = ++stage->calls};
    size_t bytes = size + 2 * GUARD + shift;
    void *memory = NULL;
    if (in_heap) {
        FORK_STATUS(stage->self, symm_heap_alloc(stage->heap, bytes, 0, &memory), SYMM_OK);
    } else {
        memory = malloc(bytes);
        FORK_CHECK(stage->self, memory != NULL);
    }
    buffer.memory = memory;
    buffer.data = buffer.memory + GUARD + shift;
    unit_fill(buffer.data - GUARD, GUARD, guard_contents(&buffer));
    unit_fill(buffer.data + size, GUARD, guard_contents(&buffer));
    return buffer;
}

static void buffer_scribble(struct buffer *buffer)
{
    memset(buffer->data, 0xdb, buffer->size);
    buffer->scribbled = true;
}

static void buffer_check(struct stage *stage, const struct buffer *buffer)
{
    struct unit_random contents = guard_contents(buffer);
    FORK_CHECK(stage->self, unit_is_filled(buffer->data - GUARD, GUARD, contents));
    FORK_CHECK(stage->self, unit_is_filled(buffer->data + buffer->size, GUARD, contents));
    FORK_CHECK(stage->self, !buffer->scribbled || unit_is_all(buffer->data, buffer->size, 0xdb));
}

static void buffer_free(struct stage *stage, struct buffer *buffer)
{
    buffer_check(stage, buffer);
    if (buffer->in_heap) {
        FORK_STATUS(stage->self, symm_heap_free(stage->heap, buffer->memory), SYMM_OK);
    } else {
        free(buffer->memory);
    }
}

/* ---- one call -------------------------------------------------------------------------------- */

static bool is_in_place(const struct stage *stage, const struct plan *plan)
{
    return !symm_algorithm_has((int)plan->algorithm, SYMM_NEEDS_OUT_OF_PLACE) &&
           (plan->in_place >> stage->self->rank & 1) != 0;
}

static uint32_t make(struct stage *stage, const struct plan *plan,
                     const struct symm_reduction *reduction, const void *input, void *output,
                     uint32_t flags)
{
    const struct collective call = {
        .algorithm = plan->algorithm, .count = plan->count, .reduction = reduction,
        .is_late = plan->is_late, .input = input, .output = output, .flags = flags,
        .begins = stage->begins,
    };
    return collective_make(stage->self, stage->team, &call, &stage->delays);
}

/* Buffers of a reduction, with this rank's elements; `input` is `output` in place. */
static void buffers_begin(struct stage *stage, const struct plan *plan, bool in_place,
                          size_t output_bytes, struct buffer *input, struct buffer *output)
{
    size_t shift = unit_random_below(&stage->delays, 20) * 4;
    *output = buffer_make(stage, output_bytes, shift,
        plan->others_in_heap || collective_reaches_outputs(plan->algorithm));
    *input = *output;
    buffer_scribble(output);
    if (!in_place) {
        *input = buffer_make(stage, plan->count * element_reductions[plan->type].extent, 76 - shift,
            plan->others_in_heap || collective_reaches_inputs(plan->algorithm));
    }
    elements_fill(plan->type, input->data, plan->count, plan->stream, stage->self->rank);
}

/* A call whose results have been looked at is over.  `input` is in place where it is `output`. */
static void buffers_end(struct stage *stage, const struct plan *plan, struct buffer *input,
                        struct buffer *output)
{
    buffer_scribble(output);
    if (plan->is_late) {
        fork_rank_barrier(stage->self);
    }
    if (input->memory != output->memory) {
        buffer_scribble(input);
        buffer_free(stage, input);
    }
    buffer_free(stage, output);
}

static uint32_t allreduce(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    const struct symm_reduction *reduction = &element_reductions[plan->type];
    size_t bytes = plan->count * reduction->extent;
    bool in_place = is_in_place(stage, plan);
    struct buffer input, output;
    buffers_begin(stage, plan, in_place, bytes, &input, &output);
    flags = make(stage, plan, reduction, input.data, output.data, flags);
    FORK_CHECK(stage->self, elements_are_reduced(plan->type, output.data, plan->count,
                                                 plan->stream, stage->self->size));
    if (!in_place) {
        unsigned char *again = malloc(bytes);
        FORK_CHECK(stage->self, again != NULL);
        elements_fill(plan->type, again, plan->count, plan->stream, stage->self->rank);
        FORK_CHECK(stage->self, memcmp(again, input.data, bytes) == 0);
        free(again);
    }
    buffers_end(stage, plan, &input, &output);
    return flags;
}

static struct unit_random block_contents(const struct plan *plan, int rank)
{
    return unit_random_start(plan->stream, 9000 + (uint64_t)rank);
}

static uint32_t allgather(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    int rank = stage->self->rank;
    size_t bytes = plan->count * (size_t)stage->self->size;
    bool in_place = is_in_place(stage, plan);
    struct buffer output = buffer_make(stage, bytes, unit_random_below(&stage->delays, 70),
        plan->others_in_heap || collective_reaches_outputs(plan->algorithm) ||
        (in_place && collective_reaches_inputs(plan->algorithm)));
    struct buffer input = output;
    input.data += (size_t)rank * plan->count;
    buffer_scribble(&output);
    if (!in_place) {
        input = buffer_make(stage, plan->count, unit_random_below(&stage->delays, 70),
            plan->others_in_heap || collective_reaches_inputs(plan->algorithm));
    }
    unit_fill(input.data, plan->count, block_contents(plan, rank));
    flags = make(stage, plan, NULL, input.data, output.data, flags);
    for (int other = 0; other < stage->self->size; other++) {
        FORK_CHECK(stage->self, unit_is_filled(output.data + (size_t)other * plan->count,
                                               plan->count, block_contents(plan, other)));
    }
    if (!in_place) {
        FORK_CHECK(stage->self,
                   unit_is_filled(input.data, plan->count, block_contents(plan, rank)));
    }
    buffers_end(stage, plan, &input, &output);
    return flags;
}

/* Blocks of any lengths, alike on all ranks. */
static void begins_draw(struct stage *stage, const struct plan *plan)
{
    struct unit_random common = unit_random_start(plan->stream, 8000);
    int ranks = stage->self->size;
    stage->begins[0] = 0;
    for (int rank = 0; rank < ranks; rank++) {
        size_t left = plan->count - stage->begins[rank];
        stage->begins[rank + 1] = rank + 1 == ranks ? plan->count
            : stage->begins[rank] + unit_random_below(&common, left + 1);
    }
}

/* What all ranks' inputs reduce to, in rank order, in memory that the caller frees. */
static unsigned char *reduced_make(struct stage *stage, const struct plan *plan)
{
    const struct symm_reduction *reduction = &element_reductions[plan->type];
    size_t bytes = plan->count * reduction->extent;
    unsigned char *result = malloc(bytes + 1), *input = malloc(bytes + 1);
    int last = stage->self->size - 1, first = reduction->ordered ? last : 0;
    FORK_CHECK(stage->self, result != NULL && input != NULL);
    elements_fill(plan->type, result, plan->count, plan->stream, first);
    for (int turn = 1; turn <= last; turn++) { /* operations that need no order commute */
        elements_fill(plan->type, input, plan->count, plan->stream,
                      reduction->ordered ? last - turn : turn);
        reduction->reduce(reduction->context, input, result, plan->count);
    }
    free(input);
    return result;
}

static uint32_t reduce_scatter(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    const struct symm_reduction *reduction = &element_reductions[plan->type];
    size_t extent = reduction->extent, bytes = plan->count * extent;
    int rank = stage->self->rank;
    bool in_place = is_in_place(stage, plan);
    begins_draw(stage, plan);
    size_t begin = stage->begins[rank] * extent, end = stage->begins[rank + 1] * extent;
    struct buffer input, output;
    buffers_begin(stage, plan, in_place, in_place ? bytes : end - begin, &input, &output);
    flags = make(stage, plan, reduction, input.data, output.data, flags);
    unsigned char *result = reduced_make(stage, plan);
    FORK_CHECK(stage->self, memcmp(output.data, result + begin, end - begin) == 0);
    elements_fill(plan->type, result, plan->count, plan->stream, rank);
    size_t same = in_place ? end - begin : 0; /* from there on, the input is what it was */
    FORK_CHECK(stage->self, memcmp(input.data + same, result + same, bytes - same) == 0);
    free(result);
    buffers_end(stage, plan, &input, &output);
    return flags;
}

/*
 * What the inputs of so many ranks reduce to, in memory that the caller frees.  In the scans, every
 * prefix is the one before it op the next input.
 */
static unsigned char *prefix_make(struct stage *stage, const struct plan *plan, int ranks)
{
    const struct symm_reduction *reduction = &element_reductions[plan->type];
    size_t bytes = plan->count * reduction->extent;
    unsigned char *prefix = malloc(bytes + 1), *next = malloc(bytes + 1);
    FORK_CHECK(stage->self, prefix != NULL && next != NULL);
    elements_fill(plan->type, prefix, plan->count, plan->stream, 0);
    for (int rank = 1; rank < ranks; rank++) {
        unsigned char *before = prefix;
        elements_fill(plan->type, next, plan->count, plan->stream, rank);
        reduction->reduce(reduction->context, before, next, plan->count);
        prefix = next;
        next = before;
    }
    free(next);
    return prefix;
}

static uint32_t scan(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    const struct symm_reduction *reduction = &element_reductions[plan->type];
    size_t bytes = plan->count * reduction->extent;
    int rank = stage->self->rank;
    bool exclusive = symm_algorithm_get(plan->algorithm)->collective == SYMM_EXSCAN;
    struct buffer input, output;
    buffers_begin(stage, plan, is_in_place(stage, plan), bytes, &input, &output);
    unsigned char *expected = prefix_make(stage, plan, rank + (exclusive ? 0 : 1));
    if (exclusive && rank == 0) { /* what was there stays */
        memcpy(expected, output.data, bytes);
    }
    flags = make(stage, plan, reduction, input.data, output.data, flags);
    FORK_CHECK(stage->self, memcmp(output.data, expected, bytes) == 0);
    free(expected);
    buffers_end(stage, plan, &input, &output);
    return flags;
}

bool plan_is_for(const struct plan *plan, enum symm_collective collective)
{
    return symm_algorithm_get(plan->algorithm)->collective == collective;
}

size_t plan_extent(const struct plan *plan)
{
    return plan_is_for(plan, SYMM_ALLGATHER) ? 1 : element_reductions[plan->type].extent;
}

uint32_t plan_make(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    return plan_is_for(plan, SYMM_ALLREDUCE)   ? allreduce(stage, plan, flags)
           : plan_is_for(plan, SYMM_ALLGATHER) ? allgather(stage, plan, flags)
           : plan_is_for(plan, SYMM_SCAN) || plan_is_for(plan, SYMM_EXSCAN)
               ? scan(stage, plan, flags)
               : reduce_scatter(stage, plan, flags);
}

bool plan_takes(enum symm_algorithm algorithm)
{
    enum symm_collective collective = symm_algorithm_get(algorithm)->collective;
    return !symm_algorithm_is_cuda(algorithm) && !symm_algorithm_is_multimem(algorithm) &&
           symm_collective_get(collective)->writes_outputs &&
           !symm_collective_get(collective)->is_rooted &&  /* test_rooted.c */
           !symm_collective_get(collective)->has_blocks;   /* tests/results/check_exchange.c */
}

bool plan_is_possible(const struct plan *plan)
{
    bool slot = symm_algorithm_get(plan->algorithm)->in_slot;
    size_t bytes = plan->count * plan_extent(plan);
    return plan_takes(plan->algorithm) && (!slot || bytes <= PLAN_PAYLOAD);
}
