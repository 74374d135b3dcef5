/*
 * test_cuda_scans.c - the bodies of the kernels of scans, compiled for the host: every type with
 * every operation, odd counts, all alignments, any ranks in place, inclusive and exclusive, against
 * a reference of its own and against the reductions of as many inputs, bit by bit.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_reference.h"
#include "tests/unit/harness/kernel_flags.h"

#include <stdio.h>
#include <string.h>

#include "kernels/slice.h"

enum {
    RANKS_MOST = 9, /* more than a thread loads from at a time, several times */
    COUNT_MOST = 300,
    GUARD = 64,
    BUFFER = 2 * GUARD + 64 + COUNT_MOST * 16,
};

static _Alignas(64) unsigned char inputs[RANKS_MOST][BUFFER], outputs[RANKS_MOST][BUFFER];
static _Alignas(64) unsigned char inputs_before[RANKS_MOST][BUFFER],
    outputs_before[RANKS_MOST][BUFFER];
static _Alignas(64) unsigned char expected[BUFFER];

_Static_assert(BUFFER % 64 == 0, "all buffers are aligned alike");

struct call {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    bool exclusive;
    int ranks;
    size_t count;
    enum cuda_placement placement;
    unsigned in_place; /* a bit for each rank */
    unsigned blocks, block_threads;
    size_t input_shifts[RANKS_MOST], output_shifts[RANKS_MOST];
    char scan[64], reduce[64]; /* kernels */
};

static size_t extent_of(const struct call *call)
{
    return cuda_types[call->type].form.extent;
}

static bool is_in_place(const struct call *call, int rank)
{
    return (call->in_place >> rank & 1) != 0;
}

/* Where the result of a rank begins in its buffer. */
static size_t result_shift(const struct call *call, int rank)
{
    return GUARD + (is_in_place(call, rank) ? call->input_shifts : call->output_shifts)[rank];
}

static unsigned char *result_buffer(const struct call *call, int rank)
{
    return is_in_place(call, rank) ? inputs[rank] : outputs[rank];
}

/* Ranks of whose inputs a result consists. */
static int length_of(const struct call *call, int rank)
{
    return call->exclusive ? rank : rank + 1;
}

static void call_fail(const struct call *call, const char *what, int rank, size_t i)
{
    fail_msg("%s%s, %d ranks, %zu elements, placement %d, in place %#x, %u blocks of %u: %s, "
             "rank %d, element %zu", call->scan, call->exclusive ? " exclusive" : "", call->ranks,
             call->count, (int)call->placement, call->in_place, call->blocks, call->block_threads,
             what, rank, i);
}

/* ---- the call -------------------------------------------------------------------------------- */

static void call_prepare(struct call *call, struct unit_random *random)
{
    size_t common = unit_random_below(random, 16);
    call->blocks = 1 + (unsigned)unit_random_below(random, 3);
    call->block_threads = 1 + (unsigned)unit_random_below(random, 40);
    for (int rank = 0; rank < call->ranks; rank++) {
        call->input_shifts[rank] =
            cuda_shift_draw(call->placement, &cuda_types[call->type].form, random, common);
        call->output_shifts[rank] =
            cuda_shift_draw(call->placement, &cuda_types[call->type].form, random, common);
        unit_fill(inputs[rank], BUFFER, unit_random_start(unit_random_next(random), 1));
        unit_fill(outputs[rank], BUFFER, unit_random_start(unit_random_next(random), 2));
        for (size_t i = 0; i < call->count; i++) {
            cuda_element_draw(call->type, random, inputs[rank] + GUARD + call->input_shifts[rank] +
                                                      i * extent_of(call));
        }
    }
    memcpy(inputs_before, inputs, sizeof(inputs));
    memcpy(outputs_before, outputs, sizeof(outputs));
}

static void reduce_run(const struct call *call, const char *name,
                       struct symm_cuda_reduce *arguments)
{
    assert_true(kernel_run(symm_cuda_host_kernel_find(name), arguments, sizeof(*arguments),
                           &arguments->finish, call->blocks, call->block_threads));
}

/* The launch that rank `owner` would make. */
static void slice_run(const struct call *call, int owner)
{
    int first = call->exclusive ? 1 : 0;
    size_t begin, end;
    symm_slice(call->count, extent_of(call), owner, call->ranks, &begin, &end);
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = call->ranks - first,
        .output_count = call->ranks - first,
    };
    for (int i = 0; i < call->ranks - first; i++) {
        arguments.inputs[i] = inputs[i] + GUARD + call->input_shifts[i];
        arguments.outputs[i] =
            result_buffer(call, i + first) + result_shift(call, i + first);
    }
    if (begin < end) {
        reduce_run(call, call->scan, &arguments);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

/* What a rank's buffer holds then: a reduction of the inputs as they were, and nothing else. */
static void expected_make(const struct call *call, int rank)
{
    struct symm_cuda_reduce arguments = {
        .end = call->count, .ranks = length_of(call, rank), .output_count = 1,
        .outputs = {expected + result_shift(call, rank)},
    };
    memcpy(expected, (is_in_place(call, rank) ? inputs_before : outputs_before)[rank], BUFFER);
    for (int i = 0; i < arguments.ranks; i++) {
        arguments.inputs[i] = inputs_before[i] + GUARD + call->input_shifts[i];
    }
    if (arguments.ranks > 0) {
        reduce_run(call, call->reduce, &arguments);
    }
}

static void reference_check(const struct call *call, int rank)
{
    const unsigned char *sources[RANKS_MOST];
    for (int k = 0; k < length_of(call, rank); k++) {
        sources[k] = inputs_before[k] + GUARD + call->input_shifts[k];
    }
    long wrong = cuda_reduced_wrong(call->type, call->op, length_of(call, rank), sources,
                                    length_of(call, rank) > 0 ? call->count : 0,
                                    result_buffer(call, rank) + result_shift(call, rank));
    if (wrong >= 0) {
        call_fail(call, "wrong", rank, (size_t)wrong);
    }
}

static void call_check(struct call *call, struct unit_random *random)
{
    call_prepare(call, random);
    for (int i = 0; i < call->ranks; i++) {
        slice_run(call, (i + (int)(call->count % 3)) % call->ranks);
    }
    for (int rank = 0; rank < call->ranks; rank++) {
        reference_check(call, rank);
        expected_make(call, rank);
        for (size_t i = 0; i < BUFFER; i++) {
            if (result_buffer(call, rank)[i] != expected[i]) {
                call_fail(call, "not what a reduction leaves", rank,
                          (i - result_shift(call, rank)) / extent_of(call));
            }
        }
        if (!is_in_place(call, rank) &&
            memcmp(inputs[rank], inputs_before[rank], BUFFER) != 0) {
            call_fail(call, "stored to an input", rank, 0);
        }
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void combinations_check(struct call *call)
{
    static const size_t counts[] = {1, 2, 3, 7, 8, 9, 16, 17, 33, 65, 257};
    enum { COUNTS = sizeof(counts) / sizeof(*counts) };
    struct unit_random random = unit_random_start(
        34, (uint64_t)call->type * 1000 + (uint64_t)call->op * 20 + (uint64_t)call->ranks);
    for (int i = 0; i < (COUNTS + 1) * CUDA_PLACEMENTS * 2; i++) {
        size_t which = (size_t)(i / (CUDA_PLACEMENTS * 2));
        call->count = which < COUNTS ? counts[which] : 1 + unit_random_below(&random, COUNT_MOST);
        call->placement = (enum cuda_placement)(i / 2 % CUDA_PLACEMENTS);
        call->exclusive = i % 2 == 1;
        switch (unit_random_below(&random, 3)) {
        case 0:
            call->in_place = 0;
            break;
        case 1:
            call->in_place = (1u << call->ranks) - 1;
            break;
        default: /* some ranks */
            call->in_place = (unsigned)unit_random_below(&random, (size_t)1 << call->ranks);
        }
        call_check(call, &random);
    }
}

static void test_types_and_operations(void **state)
{
    static const int ranks[] = {2, 3, 4, 5, RANKS_MOST};
    int kernels = 0;
    (void)state;
    for (int type = 0; type < SYMM_CUDA_TYPE_COUNT; type++) {
        for (int op = 0; op < SYMM_CUDA_OP_COUNT; op++) {
            struct call call = {.type = (enum symm_cuda_type)type, .op = (enum symm_cuda_op)op};
            if (!cuda_op_is_allowed(call.type, call.op)) {
                continue;
            }
            enum symm_cuda_type kernel = cuda_kernel_type(call.type, call.op);
            (void)snprintf(call.scan, sizeof(call.scan), "symm_scan_%s_%s",
                           cuda_types[kernel].name, cuda_op_name(call.op));
            (void)snprintf(call.reduce, sizeof(call.reduce), "symm_reduce_%s_%s",
                           cuda_types[kernel].name, cuda_op_name(call.op));
            for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
                call.ranks = ranks[i];
                if (!unit_leaves_out((uint64_t)(kernels * 8) + i)) {
                    combinations_check(&call);
                }
            }
            kernels++;
        }
    }
    (void)printf("# %d combinations of type and operation\n", kernels);
}

UNIT_MAIN("test_cuda_scans", 120,
    cmocka_unit_test(test_types_and_operations))
