/*
 * test_cuda_ring.c - reduces that go from rank to rank: parts of many sizes, all roots, in place,
 * operations that are allowed, launches that fail, runs that are given up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"
#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/cuda_reference.h"
#include "tests/unit/harness/device_memory.h"

#include <string.h>

static unsigned char inputs[CUDA_RANKS_MOST][CUDA_BUFFER], before[CUDA_BUFFER], got[CUDA_BUFFER];

struct call {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    size_t count;
    int root;
    bool in_place; /* at the root */
    bool beside;   /* not by a ring */
    unsigned block_limit;
    size_t scratch_size;
    size_t shift;  /* bytes; not a multiple of sixteen: not by a ring */
};

static size_t extent_of(const struct call *call)
{
    return symm_cuda_type_extent(call->type);
}

static void *buffer_of(struct cuda_ranks *ranks, const struct call *call, int rank, bool output)
{
    const struct cuda_rank *one = &ranks->ranks[rank];
    bool own_output = output && !(call->in_place && rank == call->root);
    return (own_output ? one->output : one->input) + call->shift;
}

static void buffers_fill(struct cuda_ranks *ranks, const struct call *call)
{
    struct unit_random random = unit_random_start(83, ranks->sequence);
    unit_fill(before, CUDA_BUFFER, unit_random_start(84, ranks->sequence));
    for (int rank = 0; rank < ranks->size; rank++) {
        memcpy(inputs[rank], before, CUDA_BUFFER);
        for (size_t i = 0; i < call->count; i++) {
            cuda_element_draw(call->type, &random, inputs[rank] + i * extent_of(call));
        }
        cuda_ranks_put(ranks, rank, buffer_of(ranks, call, rank, false), inputs[rank],
                       CUDA_BUFFER - call->shift);
        if (buffer_of(ranks, call, rank, true) != buffer_of(ranks, call, rank, false)) {
            cuda_ranks_put(ranks, rank, buffer_of(ranks, call, rank, true), before,
                           CUDA_BUFFER - call->shift);
        }
    }
}

/* The root's output is right, and everything else as it was. */
static void buffers_check(struct cuda_ranks *ranks, const struct call *call)
{
    const unsigned char *sources[CUDA_RANKS_MOST];
    size_t bytes = call->count * extent_of(call);
    size_t all = CUDA_BUFFER - call->shift;
    cuda_ranks_get(ranks, call->root, buffer_of(ranks, call, call->root, true), got, all);
    for (int rank = 0; rank < ranks->size; rank++) {
        sources[rank] = inputs[rank];
    }
    FORK_CHECK(ranks->self, cuda_reduced_wrong(call->type, call->op, ranks->size, sources,
                                               call->count, got) < 0);
    FORK_CHECK(ranks->self, memcmp(got + bytes, before + bytes, all - bytes) == 0);
    for (int rank = 0; rank < ranks->size; rank++) {
        if (rank != call->root || !call->in_place) {
            cuda_ranks_get(ranks, rank, buffer_of(ranks, call, rank, false), got, all);
            FORK_CHECK(ranks->self, memcmp(got, inputs[rank], all) == 0);
        }
        if (rank != call->root) {
            cuda_ranks_get(ranks, rank, buffer_of(ranks, call, rank, true), got, all);
            FORK_CHECK(ranks->self, memcmp(got, before, all) == 0);
        }
    }
}

/* How many ranks say of the last call that they are the one that has failed. */
static int failed_count(const struct cuda_ranks *ranks)
{
    const struct symm_control *control = &ranks->ranks[0].team.control;
    const struct symm_word *phases = symm_control_phases(control, ranks->sequence);
    uint64_t failed = (ranks->sequence << SYMM_PHASE_BITS) + SYMM_CUDA_STEP_FAILED;
    int count = 0;
    for (int rank = 0; rank < ranks->size; rank++) {
        count += atomic_load(&phases[rank].value) == failed;
    }
    return count;
}

static void reduce_prepare(struct cuda_ranks *ranks, const struct call *call)
{
    const struct symm_work prototype = {
        .algorithm = SYMM_REDUCE_CUDA_RING, .count = call->count, .root = call->root,
        .cuda_type = call->type, .cuda_op = call->op, .beside = call->beside,
        .block_limit = call->block_limit, .scratch_size = call->scratch_size,
    };
    void *in[CUDA_RANKS_MOST], *out[CUDA_RANKS_MOST];
    for (int rank = 0; rank < ranks->size; rank++) {
        in[rank] = buffer_of(ranks, call, rank, false);
        out[rank] = buffer_of(ranks, call, rank, true);
    }
    buffers_fill(ranks, call);
    cuda_ranks_prepare(ranks, &prototype, in, out);
}

static enum symm_status reduce(struct cuda_ranks *ranks, const void *context)
{
    const struct call *call = context;
    reduce_prepare(ranks, call);
    cuda_ranks_make(ranks);
    if (cuda_ranks_failed(ranks) >= 0) {
        FORK_CHECK(ranks->self, ranks->fault_is_for_good || failed_count(ranks) == 1);
        return SYMM_ERR_SYSTEM;
    }
    buffers_check(ranks, call);
    cuda_ranks_check_heads(ranks);
    return SYMM_OK;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_sizes(struct cuda_ranks *ranks)
{
    static const size_t counts[] = {0, 1, 3, 4, 5, 513, 4097, 16000};
    for (int root = 0; root < ranks->size; root++) {
        for (size_t i = 0; i < 2 * sizeof(counts) / sizeof(*counts); i++) {
            const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_SUM,
                                      .count = counts[i / 2], .root = root,
                                      .in_place = i % 2 != 0};
            FORK_CHECK(ranks->self, unit_leaves_out(i * CUDA_RANKS_MOST + (size_t)root) ||
                                        reduce(ranks, &call) == SYMM_OK);
        }
    }
}

/* Also those for which there is no ring, and buffers where vectors cannot be. */
static void test_types(struct cuda_ranks *ranks)
{
    for (int type = 0; type < SYMM_CUDA_TYPE_COUNT; type++) {
        for (int op = 0; op < SYMM_CUDA_OP_COUNT; op++) {
            struct call call = {.type = (enum symm_cuda_type)type, .op = (enum symm_cuda_op)op,
                                .count = 301, .root = (type + op) % 3};
            if (cuda_op_is_allowed(call.type, call.op)) {
                FORK_CHECK(ranks->self, reduce(ranks, &call) == SYMM_OK);
                call.shift = extent_of(&call);
                FORK_CHECK(ranks->self, reduce(ranks, &call) == SYMM_OK);
            }
        }
    }
}

/* More blocks than have a flag each, and fewer than there are tracks. */
static void test_blocks(struct cuda_ranks *ranks)
{
    static const unsigned limits[] = {0, 1, 3, 40};
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        for (int big = 0; big < 2; big++) {
            const struct call call = {.type = SYMM_CUDA_INT64, .op = SYMM_CUDA_MIN, .count = 8001,
                                      .root = (int)i % 3, .block_limit = limits[i],
                                      .beside = i == 1 && big == 1,
                                      .scratch_size = big ? CUDA_SCRATCH_MOST : CUDA_SCRATCH};
            FORK_CHECK(ranks->self, reduce(ranks, &call) == SYMM_OK);
        }
    }
}

/* Rank 1, whose peers do nothing, gives up. */
static void test_given_up(struct cuda_ranks *ranks)
{
    const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_MAX, .count = 9000};
    for (int steps = 1; steps < 8; steps++) {
        reduce_prepare(ranks, &call);
        (void)cuda_ranks_give_up(ranks, 1, steps);
        cuda_ranks_clear(ranks);
    }
    FORK_CHECK(ranks->self, reduce(ranks, &call) == SYMM_OK);
}

/* Take all slots of a rank's device that there are. */
static void slots_take(struct cuda_rank *one, struct symm_completion *completions, int *taken)
{
    struct symm_kernel kernel;
    struct symm_cuda_copy copy = {.input = one->input, .bytes = 16, .output_count = 1,
                                  .outputs = {one->output}};
    while (*taken < SYMM_CUDA_SLOTS &&
           symm_device_start(one->device, symm_kernel_copy(&kernel, &copy, 1),
                             &completions[*taken]) == SYMM_OK) {
        ++*taken;
    }
}

/* A kernel that has come back late is started again also if all slots are taken just then. */
static void test_without_slots(struct cuda_ranks *ranks)
{
    const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_SUM, .count = 9000};
    struct symm_completion completions[SYMM_CUDA_SLOTS];
    struct cuda_rank *one = &ranks->ranks[1];
    unsigned polls = 0;
    int taken = 0;
    reduce_prepare(ranks, &call);
    do {
        FORK_STATUS(ranks->self, symm_run_step(&one->run), SYMM_PENDING);
    } while (one->run.completion.sequence == 0);
    unsigned passing = one->run.stage;
    while (one->run.stage == passing) { /* until it is late, with no slot left but its own */
        slots_take(one, completions, &taken);
        FORK_STATUS(ranks->self, symm_run_step(&one->run), SYMM_PENDING);
        unit_pause(&polls);
    }
    slots_take(one, completions, &taken);
    FORK_CHECK(ranks->self, taken == SYMM_CUDA_SLOTS);
    for (int step = 0; step < 10; step++) {
        FORK_STATUS(ranks->self, symm_run_step(&one->run), SYMM_PENDING);
        FORK_CHECK(ranks->self, !symm_work_rank_reached(&one->work, 1, 1));
    }
    for (int i = 0; i < taken; i++) {
        device_completion_await(ranks->self, one->device, &completions[i]);
    }
    FORK_STATUS(ranks->self, symm_run_step(&one->run), SYMM_PENDING);
    FORK_CHECK(ranks->self, one->run.stage == passing);
    (void)cuda_ranks_give_up(ranks, 1, 0);
    cuda_ranks_clear(ranks);
    FORK_CHECK(ranks->self, reduce(ranks, &call) == SYMM_OK);
}

static const struct call products = {.type = SYMM_CUDA_DOUBLE, .op = SYMM_CUDA_PROD, .count = 2001};

UNIT_MAIN("test_cuda_ring", 60,
    CUDA_TEST_OF(test_sizes, 2, CUDA_RANKS_MOST, NULL),
    CUDA_TEST(test_types, 3),
    CUDA_TEST(test_blocks, 3),
    CUDA_FAULTS(reduce, &products, 9, 0),
    CUDA_TEST(test_without_slots, 3),
    CUDA_TEST(test_given_up, 3))
