/*
 * test_algorithms.c - every algorithm among forked ranks, against results computed here.
 *
 * All algorithms get the same inputs, and their results must have the same bits.  As soon as a
 * call returns on a rank, that rank scribbles over its input and, once it has been compared, its
 * output: who still reads the one or writes the other is found out.  Pieces are 4096 bytes, so
 * that there are many.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/collective.h"
#include "tests/unit/elements.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOAD = 4096, PIECE = 4096, GUARD = 192, LAST_CALL = 1 };

/* One rank's view of the test. */
struct stage {
    struct fork_rank *self;
    struct symm_team *team;
    struct symm_heap *heap;
    struct unit_random delays; /* of this rank alone */
    uint64_t calls;
    size_t begins[6]; /* of blocks in a reduce-scatter of up to five ranks */
};

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
    for (size_t i = 0; buffer->scribbled && i < buffer->size; i++) {
        FORK_CHECK(stage->self, buffer->data[i] == 0xdb);
    }
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

/* What all ranks know alike of a call. */
struct plan {
    enum symm_algorithm algorithm;
    enum element_type type;
    size_t count;
    uint64_t stream;  /* of the random inputs */
    unsigned in_place; /* a bit for each rank */
    bool is_late;
    bool others_in_heap; /* also buffers that need not be */
};

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

static uint32_t allreduce(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    const struct symm_reduction *reduction = &element_reductions[plan->type];
    size_t bytes = plan->count * reduction->extent;
    size_t shift = unit_random_below(&stage->delays, 20) * 4;
    int rank = stage->self->rank;
    bool in_place = is_in_place(stage, plan);
    struct buffer output = buffer_make(stage, bytes, shift,
        plan->others_in_heap || collective_reaches_outputs(plan->algorithm));
    struct buffer input = output;
    buffer_scribble(&output);
    if (!in_place) {
        input = buffer_make(stage, bytes, 76 - shift,
            plan->others_in_heap || collective_reaches_inputs(plan->algorithm));
    }
    elements_fill(plan->type, input.data, plan->count, plan->stream, rank);
    flags = make(stage, plan, reduction, input.data, output.data, flags);
    FORK_CHECK(stage->self, elements_are_reduced(plan->type, output.data, plan->count,
                                                 plan->stream, stage->self->size));
    if (!in_place) {
        unsigned char *again = malloc(bytes);
        FORK_CHECK(stage->self, again != NULL);
        elements_fill(plan->type, again, plan->count, plan->stream, rank);
        FORK_CHECK(stage->self, memcmp(again, input.data, bytes) == 0);
        free(again);
        buffer_scribble(&input);
    }
    buffer_scribble(&output);
    if (plan->is_late) { /* the others have time to do harm */
        fork_rank_barrier(stage->self);
    }
    if (!in_place) {
        buffer_free(stage, &input);
    }
    buffer_free(stage, &output);
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
    struct buffer input = {.data = output.data + (size_t)rank * plan->count};
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
        buffer_scribble(&input);
    }
    buffer_scribble(&output);
    if (plan->is_late) {
        fork_rank_barrier(stage->self);
    }
    if (!in_place) {
        buffer_free(stage, &input);
    }
    buffer_free(stage, &output);
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
    size_t shift = unit_random_below(&stage->delays, 20) * 4;
    int rank = stage->self->rank;
    bool in_place = is_in_place(stage, plan);
    begins_draw(stage, plan);
    size_t begin = stage->begins[rank] * extent, end = stage->begins[rank + 1] * extent;
    struct buffer output =
        buffer_make(stage, in_place ? bytes : end - begin, shift, plan->others_in_heap);
    struct buffer input = output;
    buffer_scribble(&output);
    if (!in_place) {
        input = buffer_make(stage, bytes, 76 - shift,
            plan->others_in_heap || collective_reaches_inputs(plan->algorithm));
    }
    elements_fill(plan->type, input.data, plan->count, plan->stream, rank);
    flags = make(stage, plan, reduction, input.data, output.data, flags);
    unsigned char *result = reduced_make(stage, plan);
    FORK_CHECK(stage->self, memcmp(output.data, result + begin, end - begin) == 0);
    elements_fill(plan->type, result, plan->count, plan->stream, rank);
    size_t same = in_place ? end - begin : 0; /* from there on, the input is what it was */
    FORK_CHECK(stage->self, memcmp(input.data + same, result + same, bytes - same) == 0);
    free(result);
    buffer_scribble(&output);
    if (plan->is_late) {
        fork_rank_barrier(stage->self);
    }
    if (!in_place) {
        buffer_scribble(&input);
        buffer_free(stage, &input);
    }
    buffer_free(stage, &output);
    return flags;
}

static bool is_for(const struct plan *plan, enum symm_collective collective)
{
    return symm_algorithm_get(plan->algorithm)->collective == collective;
}

static size_t plan_extent(const struct plan *plan)
{
    return is_for(plan, SYMM_ALLGATHER) ? 1 : element_reductions[plan->type].extent;
}

static uint32_t any(struct stage *stage, const struct plan *plan, uint32_t flags)
{
    return is_for(plan, SYMM_ALLREDUCE)   ? allreduce(stage, plan, flags)
           : is_for(plan, SYMM_ALLGATHER) ? allgather(stage, plan, flags)
                                          : reduce_scatter(stage, plan, flags);
}

/* Whether these tests can make it: on data in host memory, which is mapped as it is. */
static bool is_on_host(enum symm_algorithm algorithm)
{
    enum symm_collective collective = symm_algorithm_get(algorithm)->collective;
    return !symm_algorithm_is_cuda(algorithm) && !symm_algorithm_is_multimem(algorithm) &&
           symm_collective_get(collective)->writes_outputs &&
           !symm_collective_get(collective)->is_rooted; /* test_rooted.c */
}

static bool is_possible(const struct plan *plan)
{
    bool slot = symm_algorithm_get(plan->algorithm)->in_slot;
    return is_on_host(plan->algorithm) && (!slot || plan->count * plan_extent(plan) <= PAYLOAD);
}

/* ---- the ranks ------------------------------------------------------------------------------- */

static struct stage stage_open(struct fork_rank *self)
{
    struct symm_process *process = fork_team_process(self);
    struct stage stage = {
        .self = self,
        .heap = symm_process_heap(process),
        .team = fork_team_create(self, process),
        .delays = unit_random_start(10, (uint64_t)self->rank),
    };
    FORK_STATUS(self, fork_team_set_up(self, stage.team, PAYLOAD, PIECE), SYMM_OK);
    return stage;
}

static void stage_close(struct stage *stage)
{
    struct symm_heap_stats stats;
    struct symm_process *process = stage->team->process;
    fork_rank_barrier(stage->self);
    symm_heap_get_stats(stage->heap, &stats);
    FORK_CHECK(stage->self, stats.blocks == 0);
    symm_team_destroy(stage->team);
    symm_process_release(process);
}

/* Counts around pieces (4096 bytes), blocks (64 KiB), and slices of several blocks. */
static void run_reductions(struct fork_rank *self, void *context)
{
    static const size_t bytes[] = {4, 12, 60, 252, 4092, 4096, 4100, 8192, 12300, 65532, 65536,
                                   65604, 401200};
    struct stage stage = stage_open(self);
    (void)context;
    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        for (enum element_type type = 0; type < ELEMENT_TYPES; type++) {
            struct unit_random common = unit_random_start(11 + i, type);
            struct plan plan = {
                .type = type, .stream = 100 + i,
                .count = bytes[i] / element_reductions[type].extent + (bytes[i] < 12),
                .is_late = bytes[i] < 100000};
            for (plan.algorithm = 0; plan.algorithm < SYMM_ALGORITHM_COUNT; plan.algorithm++) {
                plan.in_place = (unsigned)unit_random_below(&common, 32);
                plan.others_in_heap = unit_random_below(&common, 2) == 0;
                if (!is_for(&plan, SYMM_ALLGATHER) && is_possible(&plan)) {
                    (void)any(&stage, &plan, 0);
                }
            }
        }
    }
    stage_close(&stage);
}

static void run_allgathers(struct fork_rank *self, void *context)
{
    static const size_t bytes[] = {1, 3, 64, 1000, 4095, 4096, 4097, 8192, 12289, 65535, 65536,
                                   65537, 300001};
    struct stage stage = stage_open(self);
    struct unit_random common = unit_random_start(12, 0);
    (void)context;
    for (size_t i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
        for (unsigned turn = 0; turn < 3; turn++) { /* in place: nobody, everybody, some */
            struct plan plan = {.count = bytes[i], .stream = 200 + 3 * i + turn,
                                .is_late = bytes[i] < 100000};
            for (plan.algorithm = 0; plan.algorithm < SYMM_ALGORITHM_COUNT; plan.algorithm++) {
                plan.in_place = turn == 0   ? 0
                                : turn == 1 ? 31
                                            : (unsigned)unit_random_below(&common, 32);
                plan.others_in_heap = unit_random_below(&common, 2) == 0;
                if (is_for(&plan, SYMM_ALLGATHER) && is_possible(&plan)) {
                    (void)allgather(&stage, &plan, 0);
                }
            }
        }
    }
    stage_close(&stage);
}

static enum symm_algorithm host_algorithm_draw(struct unit_random *random)
{
    enum symm_algorithm algorithm;
    do {
        algorithm = (enum symm_algorithm)unit_random_below(random, SYMM_ALGORITHM_COUNT);
    } while (!is_on_host(algorithm));
    return algorithm;
}

/* Short calls of all algorithms one after the other, as fast as they go. */
static void run_mixture(struct fork_rank *self, void *context)
{
    enum { CALLS_MOST = 3000 };
    struct stage stage = stage_open(self);
    double end = unit_seconds() + 0.8;
    uint64_t call = 0;
    uint32_t flags = 0;
    (void)context;
    while ((flags & LAST_CALL) == 0) {
        struct unit_random common = unit_random_start(13, ++call);
        struct plan plan = {
            .algorithm = host_algorithm_draw(&common),
            .type = (enum element_type)unit_random_below(&common, ELEMENT_TYPES),
            .stream = 10000 + call,
            .in_place = (unsigned)unit_random_below(&common, 32),
        };
        size_t most = unit_random_below(&common, 4) == 0 ? 20000 : 600;
        plan.count = 1 + unit_random_below(&common, most) / plan_extent(&plan);
        plan.others_in_heap = unit_random_below(&common, 2) == 0;
        if (!is_possible(&plan)) {
            plan.count = PAYLOAD / plan_extent(&plan);
        }
        bool is_last = self->rank == 0 && (call == CALLS_MOST || unit_seconds() > end);
        flags = any(&stage, &plan, is_last ? LAST_CALL : 0);
    }
    (void)fork_send(self->channel, &call, sizeof(call));
    stage_close(&stage);
}

/* Nothing to reduce or to gather is done at once, also between other calls. */
static void run_nothing(struct fork_rank *self, void *context)
{
    struct stage stage = stage_open(self);
    (void)context;
    for (uint64_t turn = 0; turn < 3; turn++) {
        struct plan plan = {.type = ELEMENT_FLOAT, .stream = turn};
        for (plan.algorithm = 0; plan.algorithm < SYMM_ALGORITHM_COUNT; plan.algorithm++) {
            plan.count = turn == 1 ? 10 : 0;
            if (is_on_host(plan.algorithm)) {
                (void)any(&stage, &plan, 0);
            }
        }
    }
    stage_close(&stage);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_reductions(void **state)
{
    (void)state;
    for (int size = 1; size <= 5; size++) {
        fork_ranks_run(size, run_reductions, NULL);
    }
}

static void test_allgather(void **state)
{
    (void)state;
    for (int size = 1; size <= 5; size++) {
        fork_ranks_run(size, run_allgathers, NULL);
    }
}

static void test_mixture(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++) {
        struct fork_ranks ranks;
        uint64_t calls = 0;
        fork_ranks_start(&ranks, size, run_mixture, NULL);
        (void)fork_receive(ranks.channels[0], &calls, sizeof(calls));
        fork_ranks_join(&ranks);
        (void)printf("# %d ranks: %llu calls\n", size, (unsigned long long)calls);
    }
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    fork_ranks_run(1, run_nothing, NULL);
    fork_ranks_run(3, run_nothing, NULL);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_SLOT), "slot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_STAGED), "staged");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_STAGED_ONE_SHOT), "staged_one_shot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_ONE_SHOT), "one_shot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_TWO_SHOT), "two_shot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_SLOT), "slot");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_STAGED), "staged");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_PULL), "pull");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_PUSH), "push");
    assert_string_equal(symm_algorithm_name(SYMM_ALLREDUCE_MULTIMEM), "multimem");
    assert_string_equal(symm_algorithm_name(SYMM_ALLGATHER_MULTIMEM), "multimem");
}

/* Each row is at its number, complete, and alone with its word. */
static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        const struct symm_algorithm_row *row = symm_algorithm_get((enum symm_algorithm)i);
        assert_int_equal(row->number, i);
        assert_non_null(row->step);
        assert_true((row->memory == SYMM_ALGORITHM_DEVICE) ==
                    (strncmp(row->name, "cuda_", strlen("cuda_")) == 0));
        assert_true(row->memory == SYMM_ALGORITHM_DEVICE || row->keeps_order);
        assert_true((row->cost.rate > 0) == (row->cost.link_bytes != NULL));
        assert_true((row->scratch_wanted != NULL) ==
                    symm_algorithm_has(i, SYMM_NEEDS_SLICE_SCRATCH | SYMM_NEEDS_RELAY_SCRATCH));
        assert_true((row->scratch_least != NULL && row->scratch_fair != NULL) ==
                    symm_algorithm_has(i, SYMM_NEEDS_SLICE_SCRATCH));
        for (int k = 0; k < i; k++) {
            const struct symm_algorithm_row *other = symm_algorithm_get((enum symm_algorithm)k);
            assert_true(other->collective != row->collective ||
                        strcmp(other->name, row->name) != 0);
        }
        if (row->memory == SYMM_ALGORITHM_HOST) {
            const struct symm_algorithm_row *like = NULL;
            for (int k = 0; k < SYMM_ALGORITHM_COUNT; k++) {
                if (symm_algorithm_is_for(k, row->collective, SYMM_ALGORITHM_DEVICE) &&
                    strcmp(symm_algorithm_word(symm_algorithm_get((enum symm_algorithm)k)),
                           row->name) == 0) {
                    like = symm_algorithm_get((enum symm_algorithm)k);
                }
            }
            assert_int_equal(row->on_device, like != NULL ? like->number : 0);
        }
    }
    for (int i = 0; i < SYMM_COLLECTIVE_COUNT; i++) {
        const struct symm_collective_row *collective = symm_collective_get((enum symm_collective)i);
        const struct symm_algorithm_row *slot =
            symm_algorithm_get((enum symm_algorithm)collective->slot_algorithm);
        assert_true(slot->in_slot && slot->collective == (enum symm_collective)i);
    }
    assert_false(symm_algorithm_has(-1, UINT_MAX));
    assert_false(symm_algorithm_has(SYMM_ALGORITHM_COUNT, UINT_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_allgather),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_rows),
    };
    unit_begin("test_algorithms", 220);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
