/*
 * test_cuda_hold.c - reduce-scatters whose results are held until others have read what lies in
 * their place: blocks of many lengths, in place and not, with a rank that comes late, launches that
 * fail, runs that are given up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"
#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/cuda_reference.h"

#include <string.h>

enum { LATE = 4, TOO_LATE = 200 }; /* ms, longer than a kernel waits, and than all kernels do */

static unsigned char inputs[CUDA_RANKS_MOST][CUDA_BUFFER], before[CUDA_BUFFER], got[CUDA_BUFFER];

struct call {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    size_t counts[CUDA_RANKS_MOST]; /* elements */
    bool out_of_place;
    unsigned block_limit, first_limit; /* of rank 0 */
    size_t scratch_size; /* less than a block: by slices */
    size_t shift;        /* bytes of the buffers that are not used */
};

struct plan {
    size_t begins[CUDA_RANKS_MOST + 1];
    size_t extent;
};

static struct plan plan_of(const struct cuda_ranks *ranks, const struct call *call)
{
    struct plan plan = {.extent = symm_cuda_type_extent(call->type)};
    for (int rank = 0; rank < ranks->size; rank++) {
        plan.begins[rank + 1] = plan.begins[rank] + call->counts[rank];
    }
    return plan;
}

static void *buffer_of(struct cuda_ranks *ranks, const struct call *call, int rank, bool output)
{
    const struct cuda_rank *one = &ranks->ranks[rank];
    return (output && call->out_of_place ? one->output : one->input) + call->shift;
}

static void buffers_fill(struct cuda_ranks *ranks, const struct call *call,
                         const struct plan *plan)
{
    struct unit_random random = unit_random_start(85, ranks->sequence);
    unit_fill(before, CUDA_BUFFER, unit_random_start(86, ranks->sequence));
    for (int rank = 0; rank < ranks->size; rank++) {
        memcpy(inputs[rank], before, CUDA_BUFFER);
        for (size_t i = 0; i < plan->begins[ranks->size]; i++) {
            cuda_element_draw(call->type, &random, inputs[rank] + i * plan->extent);
        }
        cuda_ranks_put(ranks, rank, buffer_of(ranks, call, rank, true), before,
                       CUDA_BUFFER - call->shift);
        cuda_ranks_put(ranks, rank, buffer_of(ranks, call, rank, false), inputs[rank],
                       CUDA_BUFFER - call->shift);
    }
}

/* A rank's results are right, and everything else is as it was. */
static void buffers_check(struct cuda_ranks *ranks, const struct call *call,
                          const struct plan *plan)
{
    const unsigned char *sources[CUDA_RANKS_MOST];
    size_t all = CUDA_BUFFER - call->shift;
    for (int rank = 0; rank < ranks->size; rank++) {
        const unsigned char *rest = call->out_of_place ? before : inputs[rank];
        size_t bytes = call->counts[rank] * plan->extent;
        cuda_ranks_get(ranks, rank, buffer_of(ranks, call, rank, true), got, all);
        for (int source = 0; source < ranks->size; source++) {
            sources[source] = inputs[source] + plan->begins[rank] * plan->extent;
        }
        FORK_CHECK(ranks->self, cuda_reduced_wrong(call->type, call->op, ranks->size, sources,
                                                   call->counts[rank], got) < 0);
        FORK_CHECK(ranks->self, memcmp(got + bytes, rest + bytes, all - bytes) == 0);
    }
}

static void scatter_prepare(struct cuda_ranks *ranks, const struct call *call)
{
    static struct plan plan; /* which the runs point to */
    plan = plan_of(ranks, call);
    const struct symm_work prototype = {
        .algorithm = SYMM_REDUCE_SCATTER_CUDA_HOLD, .count = plan.begins[ranks->size],
        .begins = plan.begins, .cuda_type = call->type, .cuda_op = call->op,
        .block_limit = call->block_limit, .in_place = !call->out_of_place,
        .scratch_size = call->scratch_size != 0 ? call->scratch_size : CUDA_SCRATCH_MOST,
    };
    void *in[CUDA_RANKS_MOST], *out[CUDA_RANKS_MOST];
    for (int rank = 0; rank < ranks->size; rank++) {
        in[rank] = buffer_of(ranks, call, rank, false);
        out[rank] = buffer_of(ranks, call, rank, true);
    }
    buffers_fill(ranks, call, &plan);
    cuda_ranks_prepare(ranks, &prototype, in, out);
}

static enum symm_status scatter(struct cuda_ranks *ranks, const void *context)
{
    const struct call *call = context;
    struct plan plan = plan_of(ranks, call);
    scatter_prepare(ranks, call);
    cuda_ranks_make(ranks);
    if (cuda_ranks_failed(ranks) >= 0) {
        return SYMM_ERR_SYSTEM;
    }
    buffers_check(ranks, call, &plan);
    cuda_ranks_check_heads(ranks);
    return SYMM_OK;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Blocks that are alike, that a remainder makes longer, that are empty, and by slices. */
static void test_counts(struct cuda_ranks *ranks)
{
    static const struct call calls[] = {
        {.counts = {0}},
        {.counts = {1, 1, 1, 1, 1}},
        {.counts = {3, 3, 3, 3, 3}},
        {.counts = {1024, 1024, 1024, 1024, 1024}},
        {.counts = {1024, 1024, 1024, 1024, 1024}, .shift = 4},
        {.counts = {1701, 1700, 1700, 1700, 1700}},
        {.counts = {1701, 1701, 1700, 1700, 1700}, .scratch_size = 4096},
        {.counts = {700, 0, 300, 0, 5}},
        {.counts = {400, 1, 401, 802, 3}},
        {.counts = {0, 0, 500, 17, 500}},
        {.counts = {5, 2, 7, 11, 25}},
        {.counts = {900, 900, 900, 900, 900}, .out_of_place = true},
        {.counts = {0, 17, 900, 1, 33}, .out_of_place = true},
        {.counts = {1500, 20, 30, 1400, 9}, .block_limit = 1},
        {.counts = {1500, 1500, 1500, 1500, 1500}, .block_limit = 40},
        {.counts = {3000, 3000, 3000, 3000, 3000}},
        {.counts = {3000, 3000, 3000, 3000, 3000}, .block_limit = 2, .first_limit = 1},
        {.counts = {3000, 3000, 3000, 3000, 3000}, .block_limit = 1, .first_limit = 2},
        {.counts = {3001, 3001, 3001, 3001, 3001}, .block_limit = 1, .first_limit = 2},
    };
    for (size_t i = 0; i < 2 * sizeof(calls) / sizeof(*calls); i++) {
        struct call call = calls[i / 2];
        ranks->late_ms = i % 2 != 0 ? LATE : 0;
        ranks->first_limit = call.first_limit;
        call.type = i / 2 % 2 == 0 ? SYMM_CUDA_FLOAT : SYMM_CUDA_INT32;
        call.op = i / 2 % 3 == 0 ? SYMM_CUDA_MAX : SYMM_CUDA_SUM;
        FORK_CHECK(ranks->self, scatter(ranks, &call) == SYMM_OK);
    }
}

static void test_types(struct cuda_ranks *ranks)
{
    for (int type = 0; type < SYMM_CUDA_TYPE_COUNT; type++) {
        for (int op = 0; op < SYMM_CUDA_OP_COUNT; op++) {
            const struct call call = {.type = (enum symm_cuda_type)type,
                                      .op = (enum symm_cuda_op)op, .counts = {101, 101, 101}};
            if (cuda_op_is_allowed(call.type, call.op) && !symm_cuda_type_is_padded(call.type)) {
                FORK_CHECK(ranks->self, scatter(ranks, &call) == SYMM_OK);
            }
        }
    }
}

/* Rank 1 alone: nobody reads what its result is for.  It is given up after some steps. */
static void test_given_up(struct cuda_ranks *ranks)
{
    const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_MAX,
                              .counts = {900, 900, 900}};
    for (int steps = 1; steps < 8; steps++) {
        scatter_prepare(ranks, &call);
        (void)cuda_ranks_give_up(ranks, 1, steps);
        cuda_ranks_get(ranks, 1, ranks->ranks[1].input, got, CUDA_BUFFER); /* nothing has come */
        FORK_CHECK(ranks->self, memcmp(got, inputs[1], CUDA_BUFFER) == 0);
    }
    FORK_CHECK(ranks->self, scatter(ranks, &call) == SYMM_OK);
}

static const struct call products = {.type = SYMM_CUDA_DOUBLE, .op = SYMM_CUDA_PROD,
                                     .counts = {501, 501, 501, 501}};

UNIT_MAIN("test_cuda_hold", 90,
    CUDA_TEST_OF(test_counts, 2, CUDA_RANKS_MOST, NULL),
    CUDA_TEST(test_types, 3),
    /* A kernel of each of four ranks, and one more of those that wait for rank 0. */
    CUDA_FAULTS(scatter, &products, 7, TOO_LATE),
    CUDA_TEST(test_given_up, 3))
