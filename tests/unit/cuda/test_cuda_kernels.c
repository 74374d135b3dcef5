/*
 * test_cuda_kernels.c - the bodies of the device kernels, compiled for the host: every type with
 * every operation, odd counts, all alignments, one-shot and two-shot, against a reference of its
 * own.
 *
 * What a host cannot show: aliasing, memory ordering, and what nvcc makes of the same source.
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
    RANKS_MOST = 9, /* more than a thread loads from at a time, twice */
    COUNT_MOST = 700,
    GUARD = 64,
    BUFFER = 2 * GUARD + 16 + COUNT_MOST * 16,
};

static _Alignas(64) unsigned char inputs[RANKS_MOST][BUFFER], outputs[RANKS_MOST][BUFFER];
static unsigned char inputs_before[RANKS_MOST][BUFFER], outputs_before[RANKS_MOST][BUFFER];
static unsigned char first_result[COUNT_MOST * 16];

struct call {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    int ranks;
    size_t count;
    enum cuda_placement placement;
    bool in_place;
    unsigned blocks, block_threads;
    size_t input_shifts[RANKS_MOST], output_shifts[RANKS_MOST];
};

static const struct cuda_type *type_of(const struct call *call)
{
    return &cuda_types[call->type];
}

static unsigned char *input_of(const struct call *call, int rank)
{
    return inputs[rank] + GUARD + call->input_shifts[rank];
}

static unsigned char *output_of(const struct call *call, int rank)
{
    return call->in_place ? input_of(call, rank)
                          : outputs[rank] + GUARD + call->output_shifts[rank];
}

/* What lies beyond the call's elements and a guard is compared as well, but need not be new. */
static void call_prepare(struct call *call, struct unit_random *random)
{
    size_t common = unit_random_below(random, 16);
    size_t filled = 2 * GUARD + 16 + call->count * type_of(call)->form.extent;
    filled = filled < BUFFER ? filled : BUFFER;
    call->blocks = 1 + (unsigned)unit_random_below(random, 3);
    call->block_threads = 1 + (unsigned)unit_random_below(random, 40);
    for (int rank = 0; rank < call->ranks; rank++) {
        call->input_shifts[rank] =
            cuda_shift_draw(call->placement, &type_of(call)->form, random, common);
        call->output_shifts[rank] =
            cuda_shift_draw(call->placement, &type_of(call)->form, random, common);
        unit_fill(inputs[rank], filled, unit_random_start(unit_random_next(random), 1));
        unit_fill(outputs[rank], filled, unit_random_start(unit_random_next(random), 2));
        for (size_t i = 0; i < call->count; i++) {
            cuda_element_draw(call->type, random,
                              input_of(call, rank) + i * type_of(call)->form.extent);
        }
    }
    memcpy(inputs_before, inputs, sizeof(inputs));
    memcpy(outputs_before, outputs, sizeof(outputs));
}

/* The arguments of the launch that rank `rank` would make. */
static struct symm_cuda_reduce arguments_make(const struct call *call, int rank, bool two_shot)
{
    struct symm_cuda_reduce arguments = {
        .begin = 0, .end = call->count, .ranks = call->ranks,
        .output_count = two_shot ? call->ranks : 1,
    };
    for (int i = 0; i < call->ranks; i++) {
        arguments.inputs[i] = input_of(call, i);
        arguments.outputs[i] = output_of(call, (rank + i) % call->ranks);
    }
    if (two_shot) {
        size_t begin, end;
        symm_slice(call->count, type_of(call)->form.extent, rank, call->ranks, &begin, &end);
        arguments.begin = begin;
        arguments.end = end;
    }
    return arguments;
}

static void reduce_run(const struct call *call, const char *name,
                       struct symm_cuda_reduce *arguments)
{
    assert_true(kernel_run(symm_cuda_host_kernel_find(name), arguments, sizeof(*arguments),
                           &arguments->finish, call->blocks, call->block_threads));
}

static void call_fail(const struct call *call, const char *name, const char *what, int rank,
                      size_t i)
{
    fail_msg("%s, %d ranks, %zu elements, placement %d%s, %u blocks of %u: %s, rank %d, "
             "element %zu", name, call->ranks, call->count, (int)call->placement,
             call->in_place ? " in place" : "", call->blocks, call->block_threads, what, rank, i);
}

/* Everything that is not an element of an output is what it was, padding included. */
static bool is_untouched(const unsigned char *now, const unsigned char *before, size_t shift,
                         const struct call *call, bool is_output)
{
    const struct cuda_type *type = type_of(call);
    size_t first = GUARD + shift, end = first + call->count * type->form.extent;
    if (!is_output) {
        return memcmp(now, before, BUFFER) == 0;
    }
    if (memcmp(now, before, first) != 0 || memcmp(now + end, before + end, BUFFER - end) != 0) {
        return false;
    }
    for (size_t i = 0; i < call->count && type->form.family == FAMILY_PAIR; i++) {
        size_t element = first + i * type->form.extent;
        size_t used = test_scalar_size(type->form.scalar);
        size_t gap = type->form.second - used, tail = type->form.second + sizeof(int);
        if (memcmp(now + element + used, before + element + used, gap) != 0 ||
            memcmp(now + element + tail, before + element + tail, type->form.extent - tail) != 0) {
            return false;
        }
    }
    return true;
}

static void surroundings_check(const struct call *call, const char *name)
{
    for (int rank = 0; rank < call->ranks; rank++) {
        if (!is_untouched(inputs[rank], inputs_before[rank], call->input_shifts[rank], call,
                          call->in_place)) {
            call_fail(call, name, "stored beside the elements of an input", rank, 0);
        }
        if (!is_untouched(outputs[rank], outputs_before[rank], call->output_shifts[rank], call,
                          !call->in_place)) {
            call_fail(call, name, "stored beside the elements of an output", rank, 0);
        }
    }
}

static void results_check(const struct call *call, const char *name, const unsigned char *results)
{
    const unsigned char *sources[RANKS_MOST];
    for (int rank = 0; rank < call->ranks; rank++) {
        sources[rank] = inputs_before[rank] + GUARD + call->input_shifts[rank];
    }
    long wrong = cuda_reduced_wrong(call->type, call->op, call->ranks, sources, call->count,
                                    results);
    if (wrong >= 0) {
        call_fail(call, name, "wrong", 0, (size_t)wrong);
    }
}

/* All ranks have what rank 0 had from the first algorithm, in all bits that belong to elements. */
static void equality_check(const struct call *call, const char *name)
{
    const struct cuda_type *type = type_of(call);
    for (int rank = 0; rank < call->ranks; rank++) {
        for (size_t i = 0; i < call->count; i++) {
            if (!cuda_element_is_same(call->type, SYMM_CUDA_MIN, /* bit by bit */
                                      output_of(call, rank) + i * type->form.extent,
                                      first_result + i * type->form.extent)) {
                call_fail(call, name, "not the bits of the other algorithm", rank, i);
            }
        }
    }
}

/* One-shot on every rank, then two-shot; with the kernel `name` both times. */
static void call_check(struct call *call, const char *name, struct unit_random *random)
{
    size_t bytes = call->count * type_of(call)->form.extent;
    call_prepare(call, random);
    if (!call->in_place) {
        for (int rank = 0; rank < call->ranks; rank++) {
            struct symm_cuda_reduce arguments = arguments_make(call, rank, false);
            reduce_run(call, name, &arguments);
        }
        surroundings_check(call, name);
        memcpy(first_result, output_of(call, 0), bytes);
        results_check(call, name, first_result);
        equality_check(call, name);
        memcpy(outputs, outputs_before, sizeof(outputs));
    }
    for (int rank = 0; rank < call->ranks; rank++) {
        struct symm_cuda_reduce arguments = arguments_make(call, rank, true);
        reduce_run(call, name, &arguments);
    }
    surroundings_check(call, name);
    if (call->in_place) {
        memcpy(first_result, output_of(call, 0), bytes);
        results_check(call, name, first_result);
    }
    equality_check(call, name);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void combinations_check(enum symm_cuda_type type, enum symm_cuda_op op, int ranks,
                               const char *name)
{
    static const size_t counts[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 255, 257};
    struct unit_random random =
        unit_random_start(31, (uint64_t)type * 1000 + (uint64_t)op * 20 + (uint64_t)ranks);
    for (size_t i = 0; i <= sizeof(counts) / sizeof(*counts); i++) {
        for (int placement = 0; placement < CUDA_PLACEMENTS; placement++) {
            struct call call = {
                .type = type, .op = op, .ranks = ranks,
                .count = i < sizeof(counts) / sizeof(*counts)
                             ? counts[i] : 1 + unit_random_below(&random, COUNT_MOST),
                .placement = (enum cuda_placement)placement,
                .in_place = unit_random_below(&random, 3) == 0,
            };
            call_check(&call, name, &random);
        }
    }
}

static void test_types_and_operations(void **state)
{
    static const int ranks[] = {2, 3, 4, 5, 8, RANKS_MOST};
    int kernels = 0;
    (void)state;
    for (int type = 0; type < SYMM_CUDA_TYPE_COUNT; type++) {
        for (int op = 0; op < SYMM_CUDA_OP_COUNT; op++) {
            if (!cuda_op_is_allowed((enum symm_cuda_type)type, (enum symm_cuda_op)op)) {
                continue;
            }
            char name[64];
            enum symm_cuda_type kernel =
                cuda_kernel_type((enum symm_cuda_type)type, (enum symm_cuda_op)op);
            (void)snprintf(name, sizeof(name), "symm_reduce_%s_%s", cuda_types[kernel].name,
                           cuda_op_name(op));
            for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
                if (!unit_leaves_out((uint64_t)(kernels * 8) + i)) {
                    combinations_check((enum symm_cuda_type)type, (enum symm_cuda_op)op, ranks[i],
                                       name);
                }
            }
            kernels++;
        }
    }
    (void)printf("# %d combinations of type and operation\n", kernels);
}

static void test_sums_of_known_ranks(void **state)
{
    static const enum symm_cuda_type types[] = {SYMM_CUDA_FLOAT, SYMM_CUDA_HALF,
                                                SYMM_CUDA_BFLOAT16};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        for (int ranks = 2; ranks <= 8; ranks *= 2) {
            char name[64];
            (void)snprintf(name, sizeof(name), "symm_reduce_%s_sum_%d", cuda_types[types[i]].name,
                           ranks);
            combinations_check(types[i], SYMM_CUDA_SUM, ranks, name);
        }
    }
}

/* Every 16-bit float there is: as it is (one rank), and rounded from sums that lie between two. */
static void test_sixteen_bit_floats(void **state)
{
    static uint16_t left[65536], right[65536], result[65536];
    static const enum symm_cuda_type types[] = {SYMM_CUDA_HALF, SYMM_CUDA_BFLOAT16};
    struct unit_random random = unit_random_start(32, 0);
    (void)state;
    for (size_t i = 0; i < 2 * 40; i++) {
        enum symm_cuda_type type = types[i % 2];
        enum symm_cuda_op op = i / 2 % 2 == 0 ? SYMM_CUDA_SUM : SYMM_CUDA_PROD;
        struct call call = {.blocks = 2, .block_threads = 512};
        struct symm_cuda_reduce arguments = {.inputs = {left, right}, .outputs = {result},
                                             .end = 65536, .ranks = i < 4 ? 1 : 2,
                                             .output_count = 1};
        char name[64];
        for (size_t k = 0; k < 65536; k++) {
            left[k] = (uint16_t)k;
            right[k] = (uint16_t)unit_random_next(&random);
        }
        (void)snprintf(name, sizeof(name), "symm_reduce_%s_%s", cuda_types[type].name,
                       cuda_op_name(op));
        reduce_run(&call, name, &arguments);
        for (size_t k = 0; k < 65536; k++) {
            const void *elements[2] = {&left[k], &right[k]};
            uint16_t expected;
            cuda_reference(type, op, arguments.ranks, elements, &expected);
            if (result[k] != expected) {
                fail_msg("%s of %#x and %#x: %#x, not %#x", name, left[k], right[k], result[k],
                         expected);
            }
        }
    }
}

static void test_copy(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 7, 15, 16, 17, 63, 100, 1023, 4096, 5001, 9999};
    struct unit_random random = unit_random_start(33, 0);
    (void)state;
    for (size_t turn = 0; turn < 1000; turn++) {
        struct call call = {.type = SYMM_CUDA_BYTE, .ranks = 1 + (int)unit_random_below(&random, 5),
                            .count = counts[turn % (sizeof(counts) / sizeof(*counts))]};
        size_t unit = (size_t)1 << unit_random_below(&random, 5);
        size_t common = unit_random_below(&random, unit);
        struct symm_cuda_copy arguments = {.bytes = call.count, .output_count = call.ranks};
        call_prepare(&call, &random);
        for (int rank = 0; rank < call.ranks; rank++) {
            call.output_shifts[rank] = (common + unit * unit_random_below(&random, 16)) % 16;
            arguments.outputs[rank] = output_of(&call, rank);
        }
        arguments.input = inputs[0] + GUARD + common;
        assert_true(kernel_run(symm_cuda_host_kernel_find("symm_copy"), &arguments,
                               sizeof(arguments), &arguments.finish, call.blocks,
                               call.block_threads));
        surroundings_check(&call, "symm_copy");
        for (int rank = 0; rank < call.ranks; rank++) {
            assert_memory_equal(output_of(&call, rank), arguments.input, call.count);
        }
    }
}

UNIT_MAIN("test_cuda_kernels", 120,
    cmocka_unit_test(test_types_and_operations),
    cmocka_unit_test(test_sums_of_known_ranks),
    cmocka_unit_test(test_sixteen_bit_floats),
    cmocka_unit_test(test_copy))
