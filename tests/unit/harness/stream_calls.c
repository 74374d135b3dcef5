/*
 * stream_calls.c - see stream_calls.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_calls.h"

#include <stdio.h>
#include <string.h>

#include "kernels/collective.h"
#include "tests/unit/harness/cuda_reference.h"

enum { RANKS = SYMM_STREAM_RANKS, GUARD = 64 };

static unsigned char inputs[RANKS][STREAM_CALLS][STREAM_AREA],
    before[RANKS][STREAM_CALLS][STREAM_AREA], outputs[RANKS][STREAM_CALLS][STREAM_AREA];

/* ---- calls ----------------------------------------------------------------------------------- */

struct plan {
    enum symm_collective collective;
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    size_t count, block; /* as struct symm_stream_call has it; bytes of a block */
    int root;
    bool in_place;
    size_t shift; /* of all buffers, bytes */
    uint64_t packets; /* the limit of them in this call */
};

static const enum symm_collective served[] = {
    SYMM_ALLREDUCE, SYMM_ALLREDUCE, SYMM_ALLGATHER, SYMM_ALLTOALL, SYMM_REDUCE_SCATTER_BLOCK,
    SYMM_BARRIER, SYMM_BCAST, SYMM_REDUCE, SYMM_GATHER, SYMM_SCATTER,
};

static bool reduces(const struct plan *plan)
{
    return symm_collective_get(plan->collective)->reduces;
}

static void plan_draw(struct stream_stage *stage, struct plan *plan)
{
    struct unit_random *random = &stage->random;
    *plan = (struct plan){
        .collective = served[unit_random_below(random, sizeof(served) / sizeof(*served))],
        .root = (int)unit_random_below(random, (uint64_t)stage->ranks.size),
        .in_place = unit_random_below(random, 3) == 0,
        .shift = unit_random_below(random, 2) == 0 ? 0 : 1 + unit_random_below(random, GUARD - 1),
        .packets = stage->packets[unit_random_below(random, 2)],
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
    const size_t blocks = is_array ? 1 : (size_t)stage->ranks.size;
    const size_t most = (STREAM_AREA - 2 * GUARD) / blocks / extent;
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
static struct symm_stream_call call_of(const struct stream_stage *stage, const struct plan *plan,
                                       int rank, int number)
{
    const struct stream_rank *own = &stage->ranks.all[rank];
    unsigned char *output = own->output + (size_t)number * STREAM_AREA + plan->shift;
    unsigned char *input = own->input + (size_t)number * STREAM_AREA + plan->shift;
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

static void bytes_draw(struct stream_stage *stage, unsigned char *to)
{
    for (size_t at = 0; at < STREAM_AREA; at += sizeof(uint64_t)) {
        const uint64_t word = unit_random_next(&stage->random);
        memcpy(to + at, &word, sizeof(word));
    }
}

static void input_draw(struct stream_stage *stage, const struct plan *plan, int rank, int number)
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
static void data_put(struct stream_stage *stage, const struct plan *plan, int rank, int number)
{
    input_draw(stage, plan, rank, number);
    bytes_draw(stage, before[rank][number]);
    if (input_is_output(plan, rank)) {
        size_t from = plan->shift, to = plan->shift;
        size_t size = STREAM_AREA - GUARD;
        if (plan->collective == SYMM_ALLGATHER || plan->collective == SYMM_GATHER) {
            to += (size_t)rank * plan->block;
            size = plan->block;
        }
        memcpy(before[rank][number] + to, inputs[rank][number] + from,
               size > STREAM_AREA - to ? STREAM_AREA - to : size);
    }
}

/* Whether the rank has a result. */
static bool has_result(const struct plan *plan, int rank)
{
    bool to_root = symm_collective_get(plan->collective)->to_root;
    return plan->collective != SYMM_BARRIER && plan->block > 0 && (!to_root || rank == plan->root);
}

/* What a copy makes of the output. */
static void copies_expect(const struct stream_stage *stage, const struct plan *plan, int rank,
                          int number, unsigned char *expected)
{
    for (int other = 0; other < (gathers(plan) ? stage->ranks.size : 1); other++) {
        int source = is_from_root(plan) ? plan->root : other;
        memcpy(expected + plan->shift + (size_t)other * plan->block,
               inputs[source][number] + input_at(plan, rank), plan->block);
    }
}

/* Everything but the result is as it was. */
static bool result_is_right(struct stream_stage *stage, const struct plan *plan, int rank,
                            int number)
{
    static unsigned char expected[STREAM_AREA];
    const unsigned char *elements[RANKS];
    const size_t extent = symm_cuda_type_extent(plan->type);
    if (plan->collective == SYMM_SCATTER && plan->in_place && rank == plan->root) {
        return memcmp(outputs[rank][number], before[rank][number], STREAM_AREA) == 0;
    }
    memcpy(expected, before[rank][number], STREAM_AREA);
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
    return memcmp(outputs[rank][number], expected, STREAM_AREA) == 0;
}

static void describe(const struct stream_stage *stage, const struct plan *plan, int rank,
                     int number)
{
    char text[200];
    (void)snprintf(text, sizeof(text),
                   "%s of %zu bytes, type %d, op %d, root %d, in place %d, shift %zu, packets to "
                   "%llu: rank %d of %d, call %d",
                   symm_collective_get(plan->collective)->name, plan->block, (int)plan->type,
                   (int)plan->op, plan->root, plan->in_place, plan->shift,
                   (unsigned long long)plan->packets, rank, stage->ranks.size, number);
    fork_rank_check(stage->ranks.self, false, text, __FILE__, __LINE__);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Some calls of a rank, queued at once. */
static void calls_queue(struct stream_stage *stage, const struct plan *plans, int rank, int first,
                        int end)
{
    for (int number = first; number < end; number++) {
        struct symm_stream_call call = call_of(stage, &plans[number], rank, number);
        stage->ranks.limits.packets = plans[number].packets;
        stream_ranks_queue(&stage->ranks, rank, &call);
    }
}

/* Ranks differ in what they have in graphs: the first calls, or the last ones, or none. */
static void rank_queue(struct stream_stage *stage, const struct plan *plans, int rank)
{
    const int first = (int)unit_random_below(&stage->random, STREAM_CALLS);
    const size_t left = STREAM_CALLS - (size_t)first;
    const int end = first + (int)unit_random_below(&stage->random, left + 1);
    calls_queue(stage, plans, rank, 0, first);
    stream_ranks_capture(&stage->ranks, rank);
    calls_queue(stage, plans, rank, first, end);
    CUgraphExec exec = stream_ranks_captured(&stage->ranks, rank);
    stream_ranks_launch(&stage->ranks, rank, exec);
    stream_ranks_forget(&stage->ranks, rank, exec);
    calls_queue(stage, plans, rank, end, STREAM_CALLS);
}

void stream_calls_round(struct stream_stage *stage)
{
    struct plan plans[STREAM_CALLS];
    for (int number = 0; number < STREAM_CALLS; number++) {
        plan_draw(stage, &plans[number]);
    }
    for (int rank = 0; rank < stage->ranks.size; rank++) {
        for (int number = 0; number < STREAM_CALLS; number++) {
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
        for (int number = 0; number < STREAM_CALLS; number++) {
            if (!result_is_right(stage, &plans[number], rank, number)) {
                describe(stage, &plans[number], rank, number);
            }
        }
    }
}
