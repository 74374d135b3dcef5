/*
 * test_stream_packets.c - calls on a stream lane by packets: one process is all ranks, each with a
 * stream of its own, and none waits for another one but in kernels.  So ranks are as many calls
 * apart as the lane lets them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_ranks.h"

#include <stdio.h>
#include <string.h>

#include "kernels/collective.h"
#include "tests/unit/harness/cuda_reference.h"

enum {
    RANKS = SYMM_STREAM_RANKS,
    CALLS = 16,             /* under way at a time */
    AREA = 128 << 10,       /* bytes of a rank's input, and of its output, in a call */
    GUARD = 64,
    ROUNDS = 12,
};

struct stage {
    struct stream_ranks ranks;
    struct unit_random random;
};

static unsigned char inputs[RANKS][CALLS][AREA], before[RANKS][CALLS][AREA],
    outputs[RANKS][CALLS][AREA];

/* ---- calls ----------------------------------------------------------------------------------- */

struct plan {
    enum symm_collective collective;
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    size_t count, block; /* as struct symm_stream_call has it; bytes of a block */
    int root;
    bool in_place;
    size_t shift; /* of all buffers, bytes */
};

static const enum symm_collective served[] = {
    SYMM_ALLREDUCE, SYMM_ALLREDUCE, SYMM_ALLGATHER, SYMM_ALLTOALL, SYMM_REDUCE_SCATTER_BLOCK,
    SYMM_BARRIER, SYMM_BCAST, SYMM_REDUCE, SYMM_GATHER, SYMM_SCATTER,
};

static bool reduces(const struct plan *plan)
{
    return symm_collective_get(plan->collective)->reduces;
}

static void plan_draw(struct stage *stage, struct plan *plan)
{
    struct unit_random *random = &stage->random;
    *plan = (struct plan){
        .collective = served[unit_random_below(random, sizeof(served) / sizeof(*served))],
        .root = (int)unit_random_below(random, (uint64_t)stage->ranks.size),
        .in_place = unit_random_below(random, 3) == 0,
        .shift = unit_random_below(random, 2) == 0 ? 0 : 1 + unit_random_below(random, GUARD - 1),
    };
    if (unit_random_below(random, 3) == 0) { /* what has kernels of its own */
        plan->type = SYMM_CUDA_FLOAT;
        plan->op = SYMM_CUDA_SUM;
    } else {
        do {
            plan->type = (enum symm_cuda_type)unit_random_below(random, SYMM_CUDA_TYPE_COUNT);
            plan->op = (enum symm_cuda_op)unit_random_below(random, SYMM_CUDA_OP_COUNT);
        } while (!cuda_op_is_allowed(plan->type, plan->op));
    }
    const size_t extent = reduces(plan) ? symm_cuda_type_extent(plan->type) : 1;
    const bool is_array = plan->collective == SYMM_ALLREDUCE || plan->collective == SYMM_BCAST ||
                          plan->collective == SYMM_REDUCE;
    const size_t most = (AREA - 2 * GUARD) / (is_array ? 1 : (size_t)stage->ranks.size) / extent;
    const unsigned size = (unsigned)unit_random_below(random, 8);
    plan->count = unit_random_below(random, size == 0   ? most
                                            : size == 1 ? most / 8
                                            : size < 4  ? 2000 / extent
                                                        : 64 / extent + 2);
    plan->block = plan->count * extent;
}

static bool is_from_root(const struct plan *plan)
{
    return symm_collective_get(plan->collective)->from_root;
}

/* Where a rank has data of the block of `other`, in a copy of its input or output. */
static size_t input_at(const struct plan *plan, int other)
{
    bool has_blocks = plan->collective == SYMM_ALLTOALL || plan->collective == SYMM_SCATTER ||
                      plan->collective == SYMM_REDUCE_SCATTER_BLOCK;
    return plan->shift + (has_blocks ? (size_t)other * plan->block : 0);
}

static bool gathers(const struct plan *plan)
{
    return plan->collective == SYMM_ALLGATHER || plan->collective == SYMM_ALLTOALL ||
           plan->collective == SYMM_GATHER;
}

/* Of calls in place input and output are one; here is what a rank hands over. */
static struct symm_stream_call call_of(const struct stage *stage, const struct plan *plan, int rank,
                                       int number)
{
    const struct stream_rank *own = &stage->ranks.all[rank];
    unsigned char *output = own->output + (size_t)number * AREA + plan->shift;
    unsigned char *input = own->input + (size_t)number * AREA + plan->shift;
    bool is_root = rank == plan->root;
    struct symm_stream_call call = {
        .collective = plan->collective, .input = input, .output = output, .count = plan->count,
        .type = plan->type, .op = plan->op, .root = plan->root,
    };
    if (plan->collective == SYMM_BARRIER) {
        call.input = call.output = NULL;
    } else if (plan->collective == SYMM_BCAST) {
        call.input = call.output = output;
    } else if (plan->in_place) {
        switch (plan->collective) {
        case SYMM_ALLGATHER:
            call.input = output + (size_t)rank * plan->block;
            break;
        case SYMM_GATHER:
            call.input = is_root ? output + (size_t)rank * plan->block : input;
            break;
        case SYMM_SCATTER:
            call.output = is_root ? input + (size_t)rank * plan->block : output;
            break;
        case SYMM_REDUCE:
            call.input = is_root ? output : input;
            break;
        default:
            call.input = output;
        }
    }
    return call;
}

static bool input_is_output(const struct plan *plan, int rank)
{
    bool is_root = rank == plan->root;
    return plan->collective == SYMM_BCAST ||
           (plan->in_place && (is_root || !symm_collective_get(plan->collective)->is_rooted) &&
            plan->collective != SYMM_SCATTER);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void bytes_draw(struct stage *stage, unsigned char *to)
{
    for (size_t at = 0; at < AREA; at += sizeof(uint64_t)) {
        const uint64_t word = unit_random_next(&stage->random);
        memcpy(to + at, &word, sizeof(word));
    }
}

static void input_draw(struct stage *stage, const struct plan *plan, int rank, int number)
{
    unsigned char *to = inputs[rank][number];
    bytes_draw(stage, to);
    const size_t extent = symm_cuda_type_extent(plan->type);
    const size_t end = input_at(plan, stage->ranks.size - 1);
    for (size_t at = plan->shift; reduces(plan) && at < end + plan->block; at += extent) {
        cuda_element_draw(plan->type, &stage->random, to + at);
    }
}

/* What a rank sends lies in its output where that is its input, too. */
static void data_put(struct stage *stage, const struct plan *plan, int rank, int number)
{
    input_draw(stage, plan, rank, number);
    bytes_draw(stage, before[rank][number]);
    if (input_is_output(plan, rank)) {
        size_t from = plan->shift, to = plan->shift;
        size_t size = AREA - GUARD;
        if (plan->collective == SYMM_ALLGATHER || plan->collective == SYMM_GATHER) {
            to += (size_t)rank * plan->block;
            size = plan->block;
        }
        memcpy(before[rank][number] + to, inputs[rank][number] + from,
               size > AREA - to ? AREA - to : size);
    }
}

/* Whether the rank has a result. */
static bool has_result(const struct plan *plan, int rank)
{
    bool to_root = symm_collective_get(plan->collective)->to_root;
    return plan->collective != SYMM_BARRIER && plan->block > 0 && (!to_root || rank == plan->root);
}

/* What a copy makes of the output. */
static void copies_expect(const struct stage *stage, const struct plan *plan, int rank, int number,
                          unsigned char *expected)
{
    for (int other = 0; other < (gathers(plan) ? stage->ranks.size : 1); other++) {
        int source = is_from_root(plan) ? plan->root : other;
        memcpy(expected + plan->shift + (size_t)other * plan->block,
               inputs[source][number] + input_at(plan, rank), plan->block);
    }
}

/* Everything but the result is as it was. */
static bool result_is_right(struct stage *stage, const struct plan *plan, int rank, int number)
{
    static unsigned char expected[AREA];
    const unsigned char *elements[RANKS];
    const size_t extent = symm_cuda_type_extent(plan->type);
    if (plan->collective == SYMM_SCATTER && plan->in_place && rank == plan->root) {
        return memcmp(outputs[rank][number], before[rank][number], AREA) == 0;
    }
    memcpy(expected, before[rank][number], AREA);
    if (has_result(plan, rank) && reduces(plan)) {
        for (int other = 0; other < stage->ranks.size; other++) {
            elements[other] = inputs[other][number] + input_at(plan, rank);
        }
        if (cuda_reduced_wrong(plan->type, plan->op, stage->ranks.size, elements, plan->count,
                               outputs[rank][number] + plan->shift) >= 0) {
            return false;
        }
        /* Padding stays, which of these pairs is behind the rest. */
        const size_t own = extent - symm_cuda_type_padding(plan->type);
        for (size_t at = plan->shift; at < plan->shift + plan->block; at += extent) {
            memcpy(expected + at, outputs[rank][number] + at, own);
        }
    } else if (has_result(plan, rank)) {
        copies_expect(stage, plan, rank, number, expected);
    }
    if (plan->type == SYMM_CUDA_SHORT_INT && reduces(plan)) {
        return true; /* padding between the two members: types.tap looks at it */
    }
    return memcmp(outputs[rank][number], expected, AREA) == 0;
}

static void describe(const struct stage *stage, const struct plan *plan, int rank, int number)
{
    char text[200];
    (void)snprintf(text, sizeof(text),
                   "%s of %zu bytes, type %d, op %d, root %d, in place %d, shift %zu: rank %d of "
                   "%d, call %d",
                   symm_collective_get(plan->collective)->name, plan->block, (int)plan->type,
                   (int)plan->op, plan->root, plan->in_place, plan->shift, rank, stage->ranks.size,
                   number);
    fork_rank_check(stage->ranks.self, false, text, __FILE__, __LINE__);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Some calls of a rank, queued at once. */
static void calls_queue(struct stage *stage, const struct plan *plans, int rank, int first, int end)
{
    for (int number = first; number < end; number++) {
        struct symm_stream_call call = call_of(stage, &plans[number], rank, number);
        stream_ranks_queue(&stage->ranks, rank, &call);
    }
}

/* Ranks differ in what they have in graphs: the first calls, or the last ones, or none. */
static void rank_queue(struct stage *stage, const struct plan *plans, int rank)
{
    const int first = (int)unit_random_below(&stage->random, CALLS);
    const int end = first + (int)unit_random_below(&stage->random, CALLS - (size_t)first + 1);
    calls_queue(stage, plans, rank, 0, first);
    stream_ranks_capture(&stage->ranks, rank);
    calls_queue(stage, plans, rank, first, end);
    CUgraphExec exec = stream_ranks_captured(&stage->ranks, rank);
    stream_ranks_launch(&stage->ranks, rank, exec);
    stream_ranks_forget(&stage->ranks, rank, exec);
    calls_queue(stage, plans, rank, end, CALLS);
}

static void round_make(struct stage *stage)
{
    struct plan plans[CALLS];
    for (int number = 0; number < CALLS; number++) {
        plan_draw(stage, &plans[number]);
    }
    for (int rank = 0; rank < stage->ranks.size; rank++) {
        for (int number = 0; number < CALLS; number++) {
            data_put(stage, &plans[number], rank, number);
        }
        const struct stream_rank *own = &stage->ranks.all[rank];
        stream_ranks_put(&stage->ranks, rank, own->input, inputs[rank], sizeof(inputs[0]));
        stream_ranks_put(&stage->ranks, rank, own->output, before[rank], sizeof(before[0]));
    }
    for (int rank = 0; rank < stage->ranks.size; rank++) {
        rank_queue(stage, plans, rank);
    }
    for (int rank = 0; rank < stage->ranks.size; rank++) {
        stream_ranks_get(&stage->ranks, rank, outputs[rank], stage->ranks.all[rank].output,
                         sizeof(outputs[0]));
        FORK_CHECK(stage->ranks.self,
                   stream_ranks_poison(&stage->ranks, rank) == SYMM_STREAM_SOUND);
        for (int number = 0; number < CALLS; number++) {
            if (!result_is_right(stage, &plans[number], rank, number)) {
                describe(stage, &plans[number], rank, number);
            }
        }
    }
}

static void random_calls(struct fork_rank *self, void *context)
{
    struct stage stage;
    const int ranks = *(const int *)context;
    stage.random = unit_random_start(81, (uint64_t)ranks);
    stream_ranks_begin(&stage.ranks, self, ranks, sizeof(inputs[0]));
    for (int i = 0; i < ROUNDS; i++) {
        if (i == ROUNDS / 2) { /* the last epochs, and those that come again */
            stream_ranks_set_epoch(&stage.ranks, SYMM_STREAM_EPOCH_LAST - CALLS / 2);
        }
        round_make(&stage);
    }
    stream_ranks_end(&stage.ranks);
}

static void test_random_calls(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= RANKS; ranks++) {
        if (ranks == 2 || ranks == 3 || !unit_leaves_out((uint64_t)ranks)) {
            fork_ranks_run(1, random_calls, &ranks);
        }
    }
}

UNIT_MAIN("test_stream_packets", 120,
    cmocka_unit_test(test_random_calls))
