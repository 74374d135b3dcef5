/*
 * test_cuda_packets.c - kernels of packets: one process is all ranks, which send and wait in turn,
 * so that the ranks before the last are late, and a second start finds everything there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/team/pads.h"
#include "kernels/cuda/launch/copy.h"
#include "kernels/cuda/launch/device_state.h"
#include "tests/unit/harness/cuda_reference.h"

enum {
    RANKS = SYMM_CUDA_SMALL_RANKS,
    BYTES_MOST = 10240, /* two ranks: more than a block's threads take at a time */
    GUARD = 64,
    ROW = RANKS * BYTES_MOST + 2 * GUARD, /* bytes of a buffer: a block for each rank */
    PAD_ROW = 2 * BYTES_MOST + 128,
    PAD = RANKS * PAD_ROW,
};

struct stage {
    struct fork_rank *self;
    struct symm_device *device;
    unsigned char *buffers; /* [2][RANKS][ROW]: inputs, outputs */
    unsigned char *pads;    /* [RANKS][PAD] */
    struct unit_random random;
    uint64_t flag;
};

static unsigned char before[2 * RANKS][ROW], after[2 * RANKS][ROW];

static void stage_begin(struct stage *stage, struct fork_rank *self, uint64_t seed)
{
    *stage = (struct stage){.self = self, .random = unit_random_start(52, seed)};
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "0", 1) == 0);
    struct symm_heap *heap = device_heap(self, device_process(self), 0);
    stage->buffers = device_alloc(self, heap, sizeof(before));
    stage->pads = device_alloc(self, heap, (size_t)RANKS * PAD);
    FORK_STATUS(self, symm_device_get(0, &stage->device), SYMM_OK);
}

static unsigned char *buffer_of(const struct stage *stage, int buffer)
{
    return stage->buffers + (size_t)buffer * ROW;
}

/* ---- a call ---------------------------------------------------------------------------------- */

enum pattern { ARRAY, BLOCKS, PREFIX, FROM_ROOT, TO_ROOT, PATTERNS };

struct plan {
    enum symm_cuda_type type; /* of a reduction */
    enum symm_cuda_op op;     /* SYMM_CUDA_OP_COUNT: a copy */
    enum pattern pattern;
    int ranks, root;
    size_t bytes, extent;     /* from one rank to another; of an element */
    size_t step;              /* from a block to the next */
    unsigned block_limit;
    bool in_place;
    size_t shifts[2 * RANKS];
};

static bool does_send(const struct plan *plan, int from, int to)
{
    switch (plan->pattern) {
    case PREFIX:
        return from <= to;
    case FROM_ROOT:
        return from == plan->root;
    case TO_ROOT:
        return to == plan->root;
    default:
        return true;
    }
}

static struct symm_cuda_packets packets_of(const struct stage *stage, const struct plan *plan,
                                           int rank)
{
    struct symm_cuda_packets packets = {
        .input = buffer_of(stage, rank) + GUARD + plan->shifts[rank],
        .input_step = plan->pattern == BLOCKS ? plan->step : 0,
        .output = buffer_of(stage, RANKS + rank) + GUARD + plan->shifts[RANKS + rank],
        .output_step = plan->step,
        .pad = stage->pads + (size_t)rank * PAD,
        .pad_row = PAD_ROW,
        .bytes = plan->bytes,
        .flag = stage->flag,
    };
    for (int other = 0; other < plan->ranks; other++) {
        if (does_send(plan, rank, other)) {
            packets.rows[other] = stage->pads + (size_t)other * PAD + (size_t)rank * PAD_ROW;
        }
        packets.sources |= (uint64_t)does_send(plan, other, rank) << other;
    }
    if (plan->in_place) {
        packets.output = (void *)(uintptr_t)packets.input;
    }
    return packets;
}

/* Returns whether it has come back late. */
static bool packets_make(struct stage *stage, const struct plan *plan,
                         const struct symm_cuda_packets *packets)
{
    struct symm_kernel kernel;
    struct symm_completion completion;
    FORK_STATUS(stage->self,
                plan->op == SYMM_CUDA_OP_COUNT
                    ? symm_device_start(stage->device,
                                        symm_kernel_packets_copy(&kernel, packets,
                                                                 plan->block_limit), &completion)
                    : symm_device_start(stage->device,
                                        symm_kernel_packets_reduce(&kernel, plan->type, plan->op,
                                                                   packets, plan->block_limit),
                                        &completion),
                SYMM_OK);
    device_completion_await(stage->self, stage->device, &completion);
    return completion.late;
}

static unsigned char *input_of(const struct plan *plan, int rank)
{
    return before[rank] + GUARD + plan->shifts[rank];
}

static void expected_reduce(const struct plan *plan, int rank, unsigned char *expected)
{
    size_t begin = plan->pattern == BLOCKS ? (size_t)rank * plan->step : 0;
    for (size_t at = 0; at < plan->bytes; at += plan->extent) {
        const void *elements[RANKS];
        int count = 0;
        for (int other = 0; other < plan->ranks; other++) {
            if (does_send(plan, other, rank)) {
                elements[count++] = input_of(plan, other) + begin + at;
            }
        }
        if (count > 0) {
            cuda_reference(plan->type, plan->op, count, elements, expected + at);
        }
    }
}

static void expected_copy(const struct plan *plan, int rank, unsigned char *expected)
{
    size_t begin = plan->pattern == BLOCKS ? (size_t)rank * plan->step : 0;
    for (int other = 0; other < plan->ranks; other++) {
        if (does_send(plan, other, rank)) {
            memcpy(expected + (size_t)other * plan->step, input_of(plan, other) + begin,
                   plan->bytes);
        }
    }
}

/* All results, computed before one of them is stored: in place they are where inputs were. */
static void expect(const struct plan *plan)
{
    static unsigned char results[RANKS][ROW];
    for (int rank = 0; rank < plan->ranks; rank++) {
        int buffer = plan->in_place ? rank : RANKS + rank;
        unsigned char *expected = results[rank] + GUARD + plan->shifts[buffer];
        memcpy(results[rank], before[buffer], ROW);
        if (plan->op == SYMM_CUDA_OP_COUNT) {
            expected_copy(plan, rank, expected);
        } else {
            expected_reduce(plan, rank, expected);
        }
    }
    for (int rank = 0; rank < plan->ranks; rank++) {
        memcpy(before[plan->in_place ? rank : RANKS + rank], results[rank], ROW);
    }
}

static bool buffer_is_right(const struct plan *plan, int buffer)
{
    bool is_result = buffer % RANKS < plan->ranks && plan->op != SYMM_CUDA_OP_COUNT &&
                     plan->in_place == (buffer < RANKS);
    size_t begin = GUARD + plan->shifts[buffer];
    if (!is_result) {
        return memcmp(before[buffer], after[buffer], ROW) == 0;
    }
    for (size_t at = 0; at < plan->bytes; at += plan->extent) {
        if (!cuda_element_is_same(plan->type, plan->op, before[buffer] + begin + at,
                                  after[buffer] + begin + at)) {
            return false;
        }
    }
    size_t end = begin + plan->bytes;
    return memcmp(before[buffer], after[buffer], begin) == 0 &&
           memcmp(before[buffer] + end, after[buffer] + end, ROW - end) == 0;
}

static void call_check(const struct stage *stage, const struct plan *plan)
{
    for (int buffer = 0; buffer < 2 * RANKS; buffer++) {
        if (!buffer_is_right(plan, buffer)) {
            (void)fprintf(stderr, "%s, pattern %d, %d ranks, root %d, %zu bytes, step %zu, at most "
                          "%u blocks%s: buffer %d is wrong\n",
                          plan->op == SYMM_CUDA_OP_COUNT ? "copy" : cuda_types[plan->type].name,
                          (int)plan->pattern, plan->ranks, plan->root, plan->bytes, plan->step,
                          plan->block_limit, plan->in_place ? ", in place" : "", buffer);
            FORK_CHECK(stage->self, false);
        }
    }
}

/* Whether a rank gets something from one that comes after it. */
static bool must_be_late(const struct plan *plan, int rank)
{
    for (int other = rank + 1; other < plan->ranks; other++) {
        if (does_send(plan, other, rank)) {
            return true;
        }
    }
    return false;
}

static void call_make(struct stage *stage, const struct plan *plan)
{
    bool late[RANKS];
    FORK_STATUS(stage->self, symm_cuda_copy(0, stage->buffers, before, sizeof(before)), SYMM_OK);
    stage->flag++;
    for (int rank = 0; rank < plan->ranks; rank++) {
        struct symm_cuda_packets packets = packets_of(stage, plan, rank);
        late[rank] = packets_make(stage, plan, &packets);
        FORK_CHECK(stage->self, late[rank] == must_be_late(plan, rank));
    }
    for (int rank = 0; rank < plan->ranks; rank++) {
        struct symm_cuda_packets packets = packets_of(stage, plan, rank);
        memset(packets.rows, 0, sizeof(packets.rows));
        FORK_CHECK(stage->self, !late[rank] || !packets_make(stage, plan, &packets));
    }
    expect(plan);
    FORK_STATUS(stage->self, symm_cuda_copy(0, after, stage->buffers, sizeof(after)), SYMM_OK);
    call_check(stage, plan);
}

/* ---- random calls ---------------------------------------------------------------------------- */

static void plan_draw(struct stage *stage, struct plan *plan)
{
    struct unit_random *random = &stage->random;
    plan->ranks = 1 + (int)unit_random_below(random, RANKS);
    plan->root = (int)unit_random_below(random, (uint64_t)plan->ranks);
    plan->pattern = (enum pattern)unit_random_below(random, PATTERNS);
    plan->block_limit = (unsigned)unit_random_below(random, 3);
    plan->in_place = unit_random_below(random, 3) == 0;
    unit_fill((unsigned char *)before, sizeof(before),
              unit_random_start(unit_random_next(random), 1));
}

static void test_reductions(struct fork_rank *self, void *context)
{
    struct stage stage;
    (void)context;
    stage_begin(&stage, self, 0);
    for (int i = 0; i < SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT * CUDA_PLACEMENTS; i++) {
        struct plan plan = {
            .type = (enum symm_cuda_type)(i / CUDA_PLACEMENTS / SYMM_CUDA_OP_COUNT),
            .op = (enum symm_cuda_op)(i / CUDA_PLACEMENTS % SYMM_CUDA_OP_COUNT),
        };
        const struct test_form *form = &cuda_types[plan.type].form;
        size_t common = unit_random_below(&stage.random, 16);
        if (!cuda_op_is_allowed(plan.type, plan.op) || unit_leaves_out((uint64_t)i)) {
            continue;
        }
        plan_draw(&stage, &plan);
        plan.extent = form->extent;
        size_t count = 1 + unit_random_below(&stage.random, BYTES_MOST / plan.extent);
        plan.bytes = plan.step = count * plan.extent;
        for (int buffer = 0; buffer < 2 * RANKS; buffer++) {
            plan.shifts[buffer] = cuda_shift_draw((enum cuda_placement)(i % CUDA_PLACEMENTS), form,
                                                  &stage.random, common);
            for (size_t k = 0; k < RANKS * count; k++) {
                cuda_element_draw(plan.type, &stage.random,
                                  before[buffer] + GUARD + plan.shifts[buffer] + k * plan.extent);
            }
        }
        call_make(&stage, &plan);
    }
    symm_device_close_all();
}

static void test_copies(struct fork_rank *self, void *context)
{
    struct stage stage;
    (void)context;
    stage_begin(&stage, self, 1);
    for (int turn = 0; turn < 200; turn++) {
        struct plan plan = {.op = SYMM_CUDA_OP_COUNT, .type = SYMM_CUDA_BYTE, .extent = 1};
        bool is_aligned = unit_random_below(&stage.random, 2) == 0;
        plan_draw(&stage, &plan);
        plan.pattern = plan.pattern == PREFIX ? BLOCKS : plan.pattern;
        plan.in_place = plan.in_place && plan.pattern == BLOCKS; /* as in an all-to-all */
        plan.bytes = 1 + unit_random_below(&stage.random, is_aligned ? BYTES_MOST : 40);
        plan.step = plan.bytes;
        for (int buffer = 0; buffer < 2 * RANKS; buffer++) {
            plan.shifts[buffer] = is_aligned ? 0 : unit_random_below(&stage.random, 16);
        }
        call_make(&stage, &plan);
    }
    symm_device_close_all();
}

/* ---- what cannot be, and waiting ------------------------------------------------------------- */

static void test_refusals(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    struct stage stage;
    struct plan plan = {.op = SYMM_CUDA_OP_COUNT, .ranks = 2, .bytes = 64, .step = 64,
                        .pattern = BLOCKS};
    struct symm_completion completion;
    (void)context;
    stage_begin(&stage, self, 2);
    stage.flag = 1;
    const struct symm_cuda_packets good = packets_of(&stage, &plan, 0);
    struct symm_cuda_packets bad[] = {good, good, good, good, good, good};
    bad[0].bytes = 0;
    bad[1].flag = 0;
    bad[2].flag = UINT64_C(1) << 32;
    bad[3].sources = 1 << RANKS;
    bad[4].pad = (const unsigned char *)good.pad + 8;
    bad[5].rows[1] = (unsigned char *)good.rows[1] + 8;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        FORK_STATUS(self, symm_device_start(stage.device,
                                            symm_kernel_packets_copy(&kernel, &bad[i], 0),
                                            &completion),
                    SYMM_ERR_ARGUMENT);
    }
    FORK_STATUS(self, symm_device_start(stage.device,
                                        symm_kernel_packets_reduce(&kernel, SYMM_CUDA_FLOAT,
                                                                   SYMM_CUDA_BAND, &good, 0),
                                        &completion),
                SYMM_ERR_ARGUMENT);
    symm_device_close_all();
}

/* A kernel with patience gives up all the same, and at the right time. */
static void test_patience(struct fork_rank *self, void *context)
{
    const uint64_t patience = 20 * 1000 * 1000;
    struct plan plan = {.op = SYMM_CUDA_OP_COUNT, .ranks = 2, .bytes = 4000, .step = 4000,
                        .pattern = BLOCKS};
    struct stage stage;
    (void)context;
    stage_begin(&stage, self, 3);
    stage.flag = 1;
    struct symm_cuda_packets packets = packets_of(&stage, &plan, 0);
    packets.patience = patience;
    double begin = unit_seconds();
    FORK_CHECK(self, packets_make(&stage, &plan, &packets));
    double seconds = unit_seconds() - begin;
    FORK_CHECK(self, seconds >= (double)patience / 1e9 && seconds < 20);
    symm_device_close_all();
}

UNIT_MAIN("test_cuda_packets", 120,
    FORK_TEST(test_reductions, 1),
    FORK_TEST(test_copies, 1),
    FORK_TEST(test_refusals, 1),
    FORK_TEST(test_patience, 1))
