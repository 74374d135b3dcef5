/*
 * test_cuda_multimem.c - the kernels of multicast, with loops over the replicas for its accesses,
 * on the stand-in driver and by themselves: every type with every operation that the switch has,
 * two-shot and one-shot, in place and not, odd counts, all alignments, and copies of blocks.
 *
 * SYMM_TEST_GPUS=1 takes the machine's own driver and GPUs, one or two; this needs a build
 * configured with --enable-multicast=unicast, since elsewhere the instructions themselves would
 * meet ordinary memory.
 *
 * What the loops cannot show, tests/device/multimem_ptx.tap looks for in what nvcc makes of the
 * same source.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/multimem.h"
#include "kernels/slice.h"
#include "tests/unit/harness/cuda_reference.h"
#include "tests/unit/harness/kernel_flags.h"

enum { COUNT_MOST = 1500, SHIFT_MOST = 32, BYTES_MOST = COUNT_MOST * 8 + 2 * SHIFT_MOST };

static unsigned char inputs[CUDA_RANKS_MOST][BYTES_MOST], before[BYTES_MOST], got[BYTES_MOST];

/*
 * Kernels are run on devices by the launch layer, or, without a process, as they are on memory of
 * this one: there a thread has many turns, as it has on a device with large arrays.
 */
struct host_buffers {
    _Alignas(64) unsigned char input[CUDA_BUFFER], output[CUDA_BUFFER];
};

static bool is_on_host(const struct cuda_ranks *ranks)
{
    return ranks->process == NULL;
}

static void put(struct cuda_ranks *ranks, int rank, void *memory, const void *from, size_t size)
{
    if (is_on_host(ranks)) {
        memcpy(memory, from, size);
    } else {
        cuda_ranks_put(ranks, rank, memory, from, size);
    }
}

static void get(struct cuda_ranks *ranks, int rank, const void *memory, void *to, size_t size)
{
    if (is_on_host(ranks)) {
        memcpy(to, memory, size);
    } else {
        cuda_ranks_get(ranks, rank, memory, to, size);
    }
}

static void ranks_on_host(struct cuda_ranks *ranks, struct fork_rank *self, int size)
{
    static struct host_buffers buffers[CUDA_RANKS_MOST];
    *ranks = (struct cuda_ranks){.self = self, .size = size};
    for (int rank = 0; rank < size; rank++) {
        ranks->ranks[rank].input = buffers[rank].input;
        ranks->ranks[rank].output = buffers[rank].output;
    }
}

static bool is_on_gpus(void)
{
    return getenv("SYMM_TEST_GPUS") != NULL;
}

static void ranks_open(struct cuda_ranks *ranks, struct fork_rank *self, int size)
{
    struct symm_device *second;
    if (!is_on_gpus()) {
        cuda_ranks_begin(self, NULL);
    } else {
        ranks->devices = symm_device_get(1, &second) == SYMM_OK ? 2 : 1;
    }
    FORK_CHECK(self, cuda_ranks_open(ranks, self, size));
    for (int rank = 0; rank < size; rank++) {
        FORK_STATUS(self, symm_device_multimem_load(ranks->ranks[rank].device), SYMM_OK);
    }
}

/* Run a kernel with a few threads. */
static void body_run(struct cuda_ranks *ranks, const char *name, size_t size, void *arguments,
                     struct symm_cuda_finish *finish, struct unit_random *random)
{
    const struct symm_cuda_host_kernel *(*find)(const char *name);
    unsigned blocks = 1 + (unsigned)unit_random_below(random, 3);
    device_driver_symbol(ranks->self, "symm_cuda_host_kernel_find", &find);
    FORK_CHECK(ranks->self, kernel_run(find(name), arguments, size, finish, blocks,
                                       1 + (unsigned)unit_random_below(random, 40)));
}

static void completions_finish(struct cuda_ranks *ranks, struct symm_completion *completions)
{
    unsigned polls = 0;
    for (int rank = 0; rank < ranks->size; rank++) {
        enum symm_status status;
        do {
            status = symm_completion_test(ranks->ranks[rank].device, &completions[rank]);
            unit_pause(&polls);
        } while (status == SYMM_PENDING);
        FORK_STATUS(ranks->self, status, SYMM_OK);
    }
}

/* ---- all-reduce ------------------------------------------------------------------------------ */

struct plan {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    bool one_shot, in_place;
    size_t count, input_shift, output_shift; /* elements, bytes, bytes */
};

static void complain(struct cuda_ranks *ranks, const struct plan *plan, int rank, const char *what,
                     size_t i)
{
    (void)fprintf(stderr, "%s of %s, %s%s, %d ranks, %zu elements, shifts %zu and %zu: rank %d, "
                  "%s %zu\n", cuda_op_name(plan->op), cuda_types[plan->type].name,
                  plan->one_shot ? "one-shot" : "two-shot", plan->in_place ? " in place" : "",
                  ranks->size, plan->count, plan->input_shift, plan->output_shift, rank, what, i);
    FORK_CHECK(ranks->self, false);
}

static void result_check(struct cuda_ranks *ranks, const struct plan *plan, int rank)
{
    const unsigned char *sources[CUDA_RANKS_MOST];
    const struct cuda_rank *one = &ranks->ranks[rank];
    const unsigned char *beside = plan->in_place ? inputs[rank] : before;
    size_t extent = cuda_types[plan->type].form.extent, shift = plan->output_shift;
    size_t end = shift + plan->count * extent;
    get(ranks, rank, plan->in_place ? one->input : one->output, got, BYTES_MOST);
    for (int other = 0; other < ranks->size; other++) {
        sources[other] = inputs[other] + plan->input_shift;
    }
    long wrong = cuda_reduced_wrong(plan->type, plan->op, ranks->size, sources, plan->count,
                                    got + shift);
    if (wrong >= 0) {
        complain(ranks, plan, rank, "wrong element", (size_t)wrong);
    }
    for (size_t i = 0; i < BYTES_MOST; i++) {
        if ((i < shift || i >= end) && got[i] != beside[i]) {
            complain(ranks, plan, rank, "stored beside the output, byte", i);
        }
    }
    if (!plan->in_place) {
        get(ranks, rank, one->input, got, BYTES_MOST);
        FORK_CHECK(ranks->self, memcmp(got, inputs[rank], BYTES_MOST) == 0);
    }
}

static void inputs_draw(struct cuda_ranks *ranks, const struct plan *plan,
                        struct unit_random *random)
{
    unit_fill(before, BYTES_MOST, unit_random_start(unit_random_next(random), 0));
    for (int rank = 0; rank < ranks->size; rank++) {
        unit_fill(inputs[rank], BYTES_MOST, unit_random_start(unit_random_next(random), 0));
        for (size_t i = 0; i < plan->count; i++) {
            cuda_element_draw(plan->type, random, inputs[rank] + plan->input_shift +
                                                      i * cuda_types[plan->type].form.extent);
        }
        put(ranks, rank, ranks->ranks[rank].input, inputs[rank], BYTES_MOST);
        put(ranks, rank, ranks->ranks[rank].output, before, BYTES_MOST);
    }
}

/*
 * What rank `rank` would start.  Where accesses are loops, any replica's address is as good as that
 * of multicast.
 */
static struct symm_cuda_multimem arguments_make(struct cuda_ranks *ranks, const struct plan *plan,
                                                int rank)
{
    struct symm_cuda_multimem arguments = {
        .unicast = {.ranks = ranks->size, .end = plan->count,
                    .output_count = plan->one_shot ? 1 : ranks->size},
    };
    for (int i = 0; i < ranks->size; i++) {
        const struct cuda_rank *other = &ranks->ranks[(rank + i) % ranks->size];
        arguments.unicast.inputs[i] = ranks->ranks[i].input + plan->input_shift;
        arguments.unicast.outputs[i] =
            (plan->in_place ? other->input : other->output) + plan->output_shift;
    }
    arguments.input = arguments.unicast.inputs[rank];
    if (!plan->one_shot) {
        size_t begin, end;
        symm_slice(plan->count, cuda_types[plan->type].form.extent, rank, ranks->size, &begin,
                   &end);
        arguments.unicast.begin = begin;
        arguments.unicast.end = end;
        arguments.output = arguments.unicast.outputs[0];
    }
    return arguments;
}

static void device_reduce(struct cuda_ranks *ranks, const struct plan *plan,
                          struct unit_random *random)
{
    struct symm_kernel kernel;
    struct symm_completion completions[CUDA_RANKS_MOST];
    for (int rank = 0; rank < ranks->size; rank++) {
        const struct symm_cuda_multimem arguments = arguments_make(ranks, plan, rank);
        FORK_STATUS(ranks->self,
                    symm_device_start(ranks->ranks[rank].device,
                                      symm_kernel_multimem(&kernel, plan->type, plan->op,
                                                           &arguments,
                                                           (unsigned)unit_random_below(random, 3)),
                                      &completions[rank]), SYMM_OK);
    }
    completions_finish(ranks, completions);
}

/* Bits have kernels of bytes, sums of signed integers those of unsigned ones. */
static void host_reduce(struct cuda_ranks *ranks, const struct plan *plan,
                        struct unit_random *random)
{
    bool is_bits = plan->op >= SYMM_CUDA_BAND;
    enum symm_cuda_type type = plan->type;
    char name[64];
    if (plan->op == SYMM_CUDA_SUM && type <= SYMM_CUDA_INT64) {
        type = (enum symm_cuda_type)(type + (SYMM_CUDA_UINT8 - SYMM_CUDA_INT8));
    }
    (void)snprintf(name, sizeof(name), "symm_multimem_%s%s_%s", plan->one_shot ? "one_shot_" : "",
                   is_bits ? "bits" : cuda_types[type].name, cuda_op_name(plan->op));
    for (int rank = 0; rank < ranks->size; rank++) {
        struct symm_cuda_multimem arguments = arguments_make(ranks, plan, rank);
        arguments.unicast.begin *= is_bits ? cuda_types[type].form.extent : 1;
        arguments.unicast.end *= is_bits ? cuda_types[type].form.extent : 1;
        body_run(ranks, name, sizeof(arguments), &arguments, &arguments.finish, random);
    }
}

static void allreduce(struct cuda_ranks *ranks, const struct plan *plan, struct unit_random *random)
{
    inputs_draw(ranks, plan, random);
    if (is_on_host(ranks)) {
        host_reduce(ranks, plan, random);
    } else {
        device_reduce(ranks, plan, random);
    }
    for (int rank = 0; rank < ranks->size; rank++) {
        result_check(ranks, plan, rank);
    }
}

/*
 * Placements in turn: aligned, both shifted alike by elements, differently by elements, by any
 * bytes.  In place there is one shift.
 */
static void plan_place(struct plan *plan, int placement, struct unit_random *random)
{
    size_t unit = placement == 3 ? 1 : test_form_unit(&cuda_types[plan->type].form);
    plan->input_shift = plan->output_shift = 0;
    if (placement > 0) {
        plan->input_shift = unit_random_below(random, SHIFT_MOST / unit) * unit;
        plan->output_shift = placement == 1 || plan->in_place
                                 ? plan->input_shift
                                 : unit_random_below(random, SHIFT_MOST / unit) * unit;
    }
}

static void combination_check(struct cuda_ranks *ranks, enum symm_cuda_type type,
                              enum symm_cuda_op op, struct unit_random *random)
{
    bool is_small = false;
    for (int form = 0; form < 3; form++) {
        struct plan plan = {.type = type, .op = op, .one_shot = form == 2, .in_place = form == 1};
        /* All with the kernels by themselves, every second one on devices, which takes longer. */
        for (int placement = is_on_host(ranks) ? 0 : form % 2; placement < 4;
             placement += is_on_host(ranks) ? 1 : 2) {
            if (!symm_multimem_can_reduce(type, op, plan.one_shot)) {
                continue;
            }
            plan_place(&plan, placement, random);
            is_small = !is_small;
            plan.count = unit_random_below(random, is_small ? 40 : COUNT_MOST);
            allreduce(ranks, &plan, random);
        }
    }
}

static void run_allreduces(struct fork_rank *self, void *context)
{
    int size = *(const int *)context;
    struct cuda_ranks ranks[2] = {{0}};
    struct unit_random random = unit_random_start(51, (uint64_t)size);
    ranks_open(&ranks[0], self, size);
    ranks_on_host(&ranks[1], self, size);
    for (int i = 0; i < 2 * SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT; i++) {
        combination_check(&ranks[i % 2], (enum symm_cuda_type)(i / 2 / SYMM_CUDA_OP_COUNT),
                          (enum symm_cuda_op)(i / 2 % SYMM_CUDA_OP_COUNT), &random);
    }
    cuda_ranks_close(&ranks[0]);
}

/* ---- all-gather ------------------------------------------------------------------------------ */

struct block {
    size_t bytes, shift, input_shift;
    bool in_place;
};

static void allgather(struct cuda_ranks *ranks, const struct block *block,
                      struct unit_random *random)
{
    struct symm_kernel kernel;
    static unsigned char all[CUDA_BUFFER], result[CUDA_BUFFER];
    struct symm_completion completions[CUDA_RANKS_MOST];
    size_t size = block->bytes * (size_t)ranks->size, covered = block->shift + size + 100;
    FORK_CHECK(ranks->self, covered <= CUDA_BUFFER);
    unit_fill(all, covered, unit_random_start(unit_random_next(random), 0));
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        size_t offset = block->shift + (size_t)rank * block->bytes;
        memset(result, 0xdb, covered);
        put(ranks, rank, one->output, result, covered);
        put(ranks, rank,
                       block->in_place ? one->output + offset : one->input + block->input_shift,
                       all + offset, block->bytes);
    }
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        size_t offset = block->shift + (size_t)rank * block->bytes;
        struct symm_cuda_multimem_copy copy = {
            .unicast = {.bytes = block->bytes, .output_count = ranks->size},
            .output = one->output + offset,
        };
        copy.unicast.input = block->in_place ? one->output + offset
                                             : one->input + block->input_shift;
        for (int i = 0; i < ranks->size; i++) {
            copy.unicast.outputs[i] = ranks->ranks[i].output + offset;
        }
        if (is_on_host(ranks)) {
            body_run(ranks, "symm_multimem_copy", sizeof(copy), &copy, &copy.finish, random);
        } else {
            FORK_STATUS(ranks->self,
                        symm_device_start(one->device, symm_kernel_multimem_copy(&kernel, &copy, 1),
                                          &completions[rank]),
                        SYMM_OK);
        }
    }
    if (!is_on_host(ranks)) {
        completions_finish(ranks, completions);
    }
    memset(all, 0xdb, block->shift);
    memset(all + block->shift + size, 0xdb, 100);
    for (int rank = 0; rank < ranks->size; rank++) {
        get(ranks, rank, ranks->ranks[rank].output, result, covered);
        FORK_CHECK(ranks->self, memcmp(result, all, covered) == 0);
    }
}

static void run_allgathers(struct fork_rank *self, void *context)
{
    static const size_t sizes[] = {0, 1, 2, 7, 15, 16, 17, 32, 100, 1000, 1024, 4097, 12000};
    int size = *(const int *)context;
    struct cuda_ranks ranks[2] = {{0}};
    struct unit_random random = unit_random_start(52, (uint64_t)size);
    ranks_open(&ranks[0], self, size);
    ranks_on_host(&ranks[1], self, size);
    for (size_t i = 0; i < 20 * sizeof(sizes) / sizeof(*sizes); i++) {
        size_t unit = (size_t)1 << i / 2 % 5; /* what the shifts are multiples of */
        struct block block = {
            .bytes = sizes[i / 20], .in_place = i % 20 >= 10,
            .shift = unit_random_below(&random, 32 / unit) * unit,
            .input_shift = unit_random_below(&random, 32 / unit) * unit,
        };
        allgather(&ranks[i % 2], &block, &random);
    }
    cuda_ranks_close(&ranks[0]);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* GPUs are for kernels with loops only. */
static void skip_unless_possible(void)
{
#ifndef SYMM_MULTIMEM_UNICAST
    if (is_on_gpus()) {
        print_message("# not a build with --enable-multicast=unicast\n");
        skip();
    }
#endif
}

static void test_allreduce(void **state)
{
    (void)state;
    skip_unless_possible();
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_allreduces, &size);
    }
}

static void test_allgather(void **state)
{
    (void)state;
    skip_unless_possible();
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_allgathers, &size);
    }
}

UNIT_MAIN("test_cuda_multimem", 120,
    cmocka_unit_test(test_allreduce),
    cmocka_unit_test(test_allgather))
