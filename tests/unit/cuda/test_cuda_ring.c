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

#include <stdio.h>
#include <stdlib.h>
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
    size_t extent = extent_of(call), bytes = call->count * extent;
    size_t all = CUDA_BUFFER - call->shift;
    cuda_ranks_get(ranks, call->root, buffer_of(ranks, call, call->root, true), got, all);
    for (size_t i = 0; i < call->count; i++) {
        const void *elements[CUDA_RANKS_MOST];
        unsigned char wanted[16];
        for (int rank = 0; rank < ranks->size; rank++) {
            elements[rank] = inputs[rank] + i * extent;
        }
        cuda_reference(call->type, call->op, ranks->size, elements, wanted);
        FORK_CHECK(ranks->self, cuda_element_is_same(call->type, call->op, got + i * extent,
                                                     wanted));
    }
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

static enum symm_status reduce(struct cuda_ranks *ranks, const struct call *call)
{
    const struct symm_run prototype = {
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
    cuda_ranks_call(ranks, &prototype, in, out);
    if (cuda_ranks_failed(ranks) >= 0) {
        return SYMM_ERR_SYSTEM;
    }
    buffers_check(ranks, call);
    cuda_ranks_check_heads(ranks);
    return SYMM_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void run_sizes(struct fork_rank *self, void *context)
{
    static const size_t counts[] = {0, 1, 3, 4, 5, 513, 4097, 16000};
    struct cuda_ranks ranks = {0};
    int size = *(const int *)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, size));
    for (int root = 0; root < size; root++) {
        for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
            for (int in_place = 0; in_place < 2; in_place++) {
                const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_SUM,
                                          .count = counts[i], .root = root,
                                          .in_place = in_place != 0};
                FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
            }
        }
    }
    cuda_ranks_close(&ranks);
}

/* Also those for which there is no ring, and buffers where vectors cannot be. */
static void run_types(struct fork_rank *self, void *context)
{
    struct cuda_ranks ranks = {0};
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    for (int type = 0; type < SYMM_CUDA_TYPE_COUNT; type++) {
        for (int op = 0; op < SYMM_CUDA_OP_COUNT; op++) {
            struct call call = {.type = (enum symm_cuda_type)type, .op = (enum symm_cuda_op)op,
                                .count = 301, .root = (type + op) % 3};
            if (cuda_op_is_allowed(call.type, call.op)) {
                FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
                call.shift = extent_of(&call);
                FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
            }
        }
    }
    cuda_ranks_close(&ranks);
}

/* More blocks than have a flag each, and fewer than there are tracks. */
static void run_blocks(struct fork_rank *self, void *context)
{
    static const unsigned limits[] = {0, 1, 3, 40};
    struct cuda_ranks ranks = {0};
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        for (int big = 0; big < 2; big++) {
            const struct call call = {.type = SYMM_CUDA_INT64, .op = SYMM_CUDA_MIN, .count = 8001,
                                      .root = (int)i % 3, .block_limit = limits[i],
                                      .beside = i == 1 && big == 1,
                                      .scratch_size = big ? CUDA_SCRATCH_MOST : CUDA_SCRATCH};
            FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
        }
    }
    cuda_ranks_close(&ranks);
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

/* A kernel of some rank does not start, or fails on its way: the call ends on all ranks. */
static void run_with_fault(struct fork_rank *self, void *context)
{
    const struct cuda_fault *fault = context;
    const struct call call = {.type = SYMM_CUDA_DOUBLE, .op = SYMM_CUDA_PROD, .count = 2001};
    struct cuda_ranks ranks = {0};
    char text[100];
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    cuda_ranks_begin(self, text);
    device_driver_symbol(self, "symm_standin_watch", &ranks.watch);
    ranks.watch(0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 4));
    symm_device_use_graphs(false);
    FORK_CHECK(self, reduce(&ranks, &call) == SYMM_ERR_SYSTEM);
    int failed = failed_count(&ranks);
    if (strcmp(fault->what, "kernel") != 0) { /* which a context does not survive */
        FORK_CHECK(self, failed == 1);
        for (int rank = 0; rank < ranks.size; rank++) {
            cuda_ranks_clear(&ranks, rank);
        }
        FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
        cuda_ranks_close(&ranks);
    }
}

/* A run of rank 1, whose peers do nothing. */
struct alone {
    const void *in[CUDA_RANKS_MOST];
    void *out[CUDA_RANKS_MOST], *scratches[CUDA_RANKS_MOST];
    struct symm_run run;
};

static void alone_begin(struct cuda_ranks *ranks, const struct call *call, struct alone *alone)
{
    struct cuda_rank *one = &ranks->ranks[1];
    for (int rank = 0; rank < ranks->size; rank++) {
        alone->in[rank] = ranks->ranks[rank].input;
        alone->out[rank] = ranks->ranks[rank].output;
        alone->scratches[rank] = ranks->ranks[rank].scratch;
    }
    alone->run = (struct symm_run){
        .algorithm = SYMM_REDUCE_CUDA_RING, .count = call->count, .cuda_type = call->type,
        .cuda_op = call->op, .scratch_size = CUDA_SCRATCH, .team = &one->team,
        .device = one->device, .sequence = ++ranks->sequence, .input = alone->in[1],
        .output = alone->out[1], .inputs = alone->in, .outputs = alone->out,
        .scratches = alone->scratches,
    };
}

/* It gives up, as if the others had died: nothing of it goes on. */
static void alone_end(struct cuda_ranks *ranks, struct alone *alone)
{
    static const struct symm_ticket none;
    unsigned polls = 0;
    while (symm_run_give_up(&alone->run) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    FORK_CHECK(ranks->self, alone->run.ticket.sequence == none.sequence);
    FORK_CHECK(ranks->self, alone->run.tickets[0].sequence == none.sequence);
    for (int rank = 0; rank < ranks->size; rank++) {
        cuda_ranks_clear(ranks, rank);
    }
}

static void run_given_up(struct fork_rank *self, void *context)
{
    const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_MAX, .count = 9000};
    struct cuda_ranks ranks = {0};
    struct alone alone;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    for (int steps = 1; steps < 8; steps++) {
        alone_begin(&ranks, &call, &alone);
        for (int step = 0; step < steps; step++) {
            FORK_STATUS(self, symm_run_step(&alone.run), SYMM_PENDING);
        }
        alone_end(&ranks, &alone);
    }
    FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
    cuda_ranks_close(&ranks);
}

/* A kernel that has come back late is started again also if all slots are taken just then. */
static void run_without_slots(struct fork_rank *self, void *context)
{
    const struct call call = {.type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_SUM, .count = 9000};
    struct symm_ticket tickets[SYMM_CUDA_SLOTS];
    struct cuda_ranks ranks = {0};
    struct alone alone;
    unsigned polls = 0;
    int taken = 0;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    alone_begin(&ranks, &call, &alone);
    struct cuda_rank *one = &ranks.ranks[1];
    struct symm_cuda_copy copy = {.input = one->input, .bytes = 16, .output_count = 1,
                                  .outputs = {one->output}};
    FORK_STATUS(self, symm_run_step(&alone.run), SYMM_PENDING);
    while (alone.run.ticket.sequence == ((struct symm_ticket){0}).sequence) {
        FORK_STATUS(self, symm_run_step(&alone.run), SYMM_PENDING);
    }
    unsigned passing = alone.run.stage;
    while (alone.run.stage == passing) { /* until it is late, with no slot left but its own */
        while (taken < SYMM_CUDA_SLOTS &&
               symm_device_copy_start(one->device, &copy, 1, &tickets[taken]) == SYMM_OK) {
            taken++;
        }
        FORK_STATUS(self, symm_run_step(&alone.run), SYMM_PENDING);
        unit_pause(&polls);
    }
    while (taken < SYMM_CUDA_SLOTS &&
           symm_device_copy_start(one->device, &copy, 1, &tickets[taken]) == SYMM_OK) {
        taken++;
    }
    FORK_CHECK(self, taken == SYMM_CUDA_SLOTS);
    for (int step = 0; step < 10; step++) {
        FORK_STATUS(self, symm_run_step(&alone.run), SYMM_PENDING);
        FORK_CHECK(self, !symm_run_rank_reached(&alone.run, 1, 1));
    }
    for (int i = 0; i < taken; i++) {
        while (symm_device_ticket_test(one->device, &tickets[i]) == SYMM_PENDING) {
            unit_pause(&polls);
        }
    }
    FORK_STATUS(self, symm_run_step(&alone.run), SYMM_PENDING);
    FORK_CHECK(self, alone.run.stage == passing);
    alone_end(&ranks, &alone);
    FORK_CHECK(self, reduce(&ranks, &call) == SYMM_OK);
    cuda_ranks_close(&ranks);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    (void)state;
    for (int size = 2; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_sizes, &size);
    }
}

static void test_types(void **state)
{
    (void)state;
    fork_ranks_run(1, run_types, NULL);
}

static void test_faults(void **state)
{
    static const char *const names[] = {"cuLaunchKernel", "kernel"};
    (void)state;
    cuda_faults_run(names, sizeof(names) / sizeof(*names), 9, run_with_fault);
}

static void test_blocks(void **state)
{
    (void)state;
    fork_ranks_run(1, run_blocks, NULL);
}

static void test_without_slots(void **state)
{
    (void)state;
    fork_ranks_run(1, run_without_slots, NULL);
}

static void test_given_up(void **state)
{
    (void)state;
    fork_ranks_run(1, run_given_up, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_without_slots),
        cmocka_unit_test(test_given_up),
    };
    unit_begin("test_cuda_ring", 60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
