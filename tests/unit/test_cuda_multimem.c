/*
 * test_cuda_multimem.c - the kernels of multicast and their launch layer, on the stand-in driver, whose
 * accesses by multicast are loops over the replicas: every type with every operation that the switch has,
 * two-shot and one-shot, in place and not, odd counts, all alignments, and copies of blocks.
 *
 * What the loops cannot show, tests/multimem_ptx.tap looks for in what nvcc makes of the same source.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/cuda_ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/cuda_device.h"
#include "kernels/cuda/multimem.h"
#include "kernels/reduction.h"
#include "tests/unit/cuda_reference.h"

enum { COUNT_MOST = 1500, SHIFT_MOST = 32, BYTES_MOST = COUNT_MOST * 8 + 2 * SHIFT_MOST };

static unsigned char inputs[CUDA_RANKS_MOST][BYTES_MOST], before[BYTES_MOST], got[BYTES_MOST];

static void ranks_open(struct cuda_ranks *ranks, struct fork_rank *self, int size)
{
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(ranks, self, size));
    for (int rank = 0; rank < size; rank++) {
        FORK_STATUS(self, symm_device_multimem_load(ranks->ranks[rank].device), SYMM_OK);
    }
}

static void tickets_finish(struct cuda_ranks *ranks, struct symm_ticket *tickets)
{
    unsigned polls = 0;
    for (int rank = 0; rank < ranks->size; rank++) {
        enum symm_status status;
        do {
            status = symm_device_ticket_test(ranks->ranks[rank].device, &tickets[rank]);
            unit_pause(&polls);
        } while (status == SYMM_PENDING);
        FORK_STATUS(ranks->self, status, SYMM_OK);
    }
}

/* ---- all-reduce -------------------------------------------------------------------------------- */

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
                  "%s %zu\n", cuda_ops[plan->op], cuda_types[plan->type].name,
                  plan->one_shot ? "one-shot" : "two-shot", plan->in_place ? " in place" : "",
                  ranks->size, plan->count, plan->input_shift, plan->output_shift, rank, what, i);
    FORK_CHECK(ranks->self, false);
}

static void result_check(struct cuda_ranks *ranks, const struct plan *plan, int rank)
{
    const struct cuda_rank *one = &ranks->ranks[rank];
    const unsigned char *beside = plan->in_place ? inputs[rank] : before;
    size_t extent = cuda_types[plan->type].extent, shift = plan->output_shift;
    size_t end = shift + plan->count * extent;
    cuda_ranks_get(ranks, rank, plan->in_place ? one->input : one->output, got, BYTES_MOST);
    for (size_t i = 0; i < plan->count; i++) {
        const void *elements[CUDA_RANKS_MOST];
        unsigned char expected[16];
        for (int other = 0; other < ranks->size; other++) {
            elements[other] = inputs[other] + plan->input_shift + i * extent;
        }
        cuda_reference(plan->type, plan->op, ranks->size, elements, expected);
        if (!cuda_element_is_same(plan->type, plan->op, got + shift + i * extent, expected)) {
            complain(ranks, plan, rank, "wrong element", i);
        }
    }
    for (size_t i = 0; i < BYTES_MOST; i++) {
        if ((i < shift || i >= end) && got[i] != beside[i]) {
            complain(ranks, plan, rank, "stored beside the output, byte", i);
        }
    }
    if (!plan->in_place) {
        cuda_ranks_get(ranks, rank, one->input, got, BYTES_MOST);
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
                                                      i * cuda_types[plan->type].extent);
        }
        cuda_ranks_put(ranks, rank, ranks->ranks[rank].input, inputs[rank], BYTES_MOST);
        cuda_ranks_put(ranks, rank, ranks->ranks[rank].output, before, BYTES_MOST);
    }
}

/* What rank `rank` would start.  Where accesses are loops, any replica's address is as good as multicast's. */
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
        symm_slice(plan->count, cuda_types[plan->type].extent, rank, ranks->size, &begin, &end);
        arguments.unicast.begin = begin;
        arguments.unicast.end = end;
        arguments.output = arguments.unicast.outputs[0];
    }
    return arguments;
}

static void allreduce(struct cuda_ranks *ranks, const struct plan *plan, struct unit_random *random)
{
    struct symm_ticket tickets[CUDA_RANKS_MOST];
    inputs_draw(ranks, plan, random);
    for (int rank = 0; rank < ranks->size; rank++) {
        const struct symm_cuda_multimem arguments = arguments_make(ranks, plan, rank);
        FORK_STATUS(ranks->self,
                    symm_device_multimem_start(ranks->ranks[rank].device, plan->type, plan->op,
                                               &arguments, (unsigned)unit_random_below(random, 3),
                                               &tickets[rank]), SYMM_OK);
    }
    tickets_finish(ranks, tickets);
    for (int rank = 0; rank < ranks->size; rank++) {
        result_check(ranks, plan, rank);
    }
}

/*
 * Placements in turn: aligned, both shifted alike by elements, differently by elements, by any bytes.  In
 * place there is one shift.
 */
static void plan_place(struct plan *plan, int placement, struct unit_random *random)
{
    size_t unit = placement == 3 ? 1 : cuda_types[plan->type].alignment;
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
        for (int placement = 0; placement < 4; placement++) {
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
    struct cuda_ranks ranks = {0};
    struct unit_random random = unit_random_start(51, (uint64_t)size);
    ranks_open(&ranks, self, size);
    for (int i = 0; i < SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT; i++) {
        combination_check(&ranks, (enum symm_cuda_type)(i / SYMM_CUDA_OP_COUNT),
                          (enum symm_cuda_op)(i % SYMM_CUDA_OP_COUNT), &random);
    }
    cuda_ranks_close(&ranks);
}

/* ---- all-gather -------------------------------------------------------------------------------- */

struct block {
    size_t bytes, shift, input_shift;
    bool in_place;
};

static void allgather(struct cuda_ranks *ranks, const struct block *block,
                      struct unit_random *random)
{
    static unsigned char all[CUDA_BUFFER], result[CUDA_BUFFER];
    struct symm_ticket tickets[CUDA_RANKS_MOST];
    size_t size = block->bytes * (size_t)ranks->size, covered = block->shift + size + 100;
    FORK_CHECK(ranks->self, covered <= CUDA_BUFFER);
    unit_fill(all, covered, unit_random_start(unit_random_next(random), 0));
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        size_t offset = block->shift + (size_t)rank * block->bytes;
        memset(result, 0xdb, covered);
        cuda_ranks_put(ranks, rank, one->output, result, covered);
        cuda_ranks_put(ranks, rank,
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
        FORK_STATUS(ranks->self,
                    symm_device_multimem_copy_start(one->device, &copy, 1, &tickets[rank]),
                    SYMM_OK);
    }
    tickets_finish(ranks, tickets);
    memset(all, 0xdb, block->shift);
    memset(all + block->shift + size, 0xdb, 100);
    for (int rank = 0; rank < ranks->size; rank++) {
        cuda_ranks_get(ranks, rank, ranks->ranks[rank].output, result, covered);
        FORK_CHECK(ranks->self, memcmp(result, all, covered) == 0);
    }
}

static void run_allgathers(struct fork_rank *self, void *context)
{
    static const size_t sizes[] = {0, 1, 2, 7, 15, 16, 17, 32, 100, 1000, 1024, 4097, 12000};
    int size = *(const int *)context;
    struct cuda_ranks ranks = {0};
    struct unit_random random = unit_random_start(52, (uint64_t)size);
    ranks_open(&ranks, self, size);
    for (size_t i = 0; i < 10 * sizeof(sizes) / sizeof(*sizes); i++) {
        size_t unit = (size_t)1 << i % 5; /* what the shifts are multiples of */
        struct block block = {
            .bytes = sizes[i / 10], .in_place = i % 10 >= 5,
            .shift = unit_random_below(&random, 32 / unit) * unit,
            .input_shift = unit_random_below(&random, 32 / unit) * unit,
        };
        allgather(&ranks, &block, &random);
    }
    cuda_ranks_close(&ranks);
}

/* ---- the launch layer -------------------------------------------------------------------------- */

/* Written down once more, from what the switch is documented to do. */
static bool is_in_table(enum symm_cuda_type type, enum symm_cuda_op op, bool one_shot)
{
    bool is_order = op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX, is_sum = op == SYMM_CUDA_SUM;
    switch (type) {
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_DOUBLE:
        return is_sum && !one_shot;
    case SYMM_CUDA_HALF:
    case SYMM_CUDA_BFLOAT16:
        return (is_sum || is_order) && !one_shot;
    case SYMM_CUDA_INT32:
    case SYMM_CUDA_INT64:
    case SYMM_CUDA_UINT32:
    case SYMM_CUDA_UINT64:
        return is_sum || is_order || (op >= SYMM_CUDA_BAND && op <= SYMM_CUDA_BXOR);
    case SYMM_CUDA_INT8:
    case SYMM_CUDA_INT16:
    case SYMM_CUDA_UINT8:
    case SYMM_CUDA_UINT16:
    case SYMM_CUDA_BYTE:
        return op >= SYMM_CUDA_BAND && op <= SYMM_CUDA_BXOR;
    default:
        return false;
    }
}

static void run_wrong_arguments(struct fork_rank *self, void *context)
{
    struct cuda_ranks ranks = {0};
    struct symm_ticket ticket;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 1));
    struct cuda_rank *one = &ranks.ranks[0];
    struct symm_cuda_multimem reduce = {
        .unicast = {.inputs = {one->input}, .outputs = {one->output}, .end = 1, .ranks = 1,
                    .output_count = 1},
        .input = one->input, .output = one->output,
    };
    FORK_STATUS(self, symm_device_multimem_start(one->device, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM,
                                                 &reduce, 0, &ticket), SYMM_ERR_ARGUMENT);
    FORK_STATUS(self, symm_device_multimem_load(one->device), SYMM_OK);
    FORK_STATUS(self, symm_device_multimem_start(one->device, SYMM_CUDA_FLOAT, SYMM_CUDA_MIN,
                                                 &reduce, 0, &ticket), SYMM_ERR_ARGUMENT);
    reduce.output = NULL; /* would be one-shot */
    FORK_STATUS(self, symm_device_multimem_start(one->device, SYMM_CUDA_FLOAT, SYMM_CUDA_SUM,
                                                 &reduce, 0, &ticket), SYMM_ERR_ARGUMENT);
    reduce.unicast.output_count = 2;
    FORK_STATUS(self, symm_device_multimem_start(one->device, SYMM_CUDA_INT32, SYMM_CUDA_SUM,
                                                 &reduce, 0, &ticket), SYMM_ERR_ARGUMENT);
    cuda_ranks_close(&ranks);
}

static symm_standin_fail_function *fail_find(struct fork_rank *self)
{
    symm_standin_fail_function *found;
    void *driver = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW);
    FORK_CHECK(self, driver != NULL);
    void *symbol = dlsym(driver, "symm_standin_fail");
    FORK_CHECK(self, symbol != NULL);
    memcpy(&found, &symbol, sizeof(found));
    return found;
}

/* What fails is named, leaves nothing (SYMM_STANDIN_STRICT), and works the next time. */
static void run_load_with_faults(struct fork_rank *self, void *context)
{
    static const char *const faults[] = {
        "cuDeviceGetAttribute:1", "cuModuleLoadData:1", "cuModuleGetFunction:1",
        "cuModuleGetFunction:2", "cuModuleGetFunction:35", "cuCtxPushCurrent:1",
    };
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context", 1) == 0);
    symm_standin_fail_function *set_fault = fail_find(self);
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        char failure[SYMM_CUDA_TEXT_SIZE] = "";
        struct symm_device *device;
        FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
        set_fault(faults[i]);
        symm_cuda_forget_failure();
        FORK_CHECK(self, symm_device_multimem_load(device) != SYMM_OK);
        symm_cuda_last_failure(failure, sizeof(failure));
        FORK_CHECK(self, strncmp(failure, faults[i], strcspn(faults[i], ":")) == 0);
        FORK_STATUS(self, symm_device_multimem_load(device), SYMM_OK);
        FORK_STATUS(self, symm_device_multimem_load(device), SYMM_OK);
        set_fault("");
        symm_device_close_all();
    }
}

static void run_older_device(struct fork_rank *self, void *context)
{
    struct symm_device *device;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_CAPABILITY", "8", 1) == 0);
    FORK_STATUS(self, symm_device_get(0, &device), SYMM_OK);
    FORK_STATUS(self, symm_device_multimem_load(device), SYMM_ERR_NOT_FOUND);
    symm_device_close_all();
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void test_table(void **state)
{
    (void)state;
    for (int i = 0; i < SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT * 2; i++) {
        enum symm_cuda_type type = (enum symm_cuda_type)(i / 2 / SYMM_CUDA_OP_COUNT);
        enum symm_cuda_op op = (enum symm_cuda_op)(i / 2 % SYMM_CUDA_OP_COUNT);
        assert_int_equal(symm_multimem_can_reduce(type, op, i % 2 != 0),
                         is_in_table(type, op, i % 2 != 0));
    }
}

static void test_allreduce(void **state)
{
    (void)state;
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_allreduces, &size);
    }
}

static void test_allgather(void **state)
{
    (void)state;
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_allgathers, &size);
    }
}

static void test_launches(void **state)
{
    (void)state;
    fork_ranks_run(1, run_wrong_arguments, NULL);
    fork_ranks_run(1, run_load_with_faults, NULL);
    fork_ranks_run(1, run_older_device, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_allreduce),
        cmocka_unit_test(test_allgather),
        cmocka_unit_test(test_launches),
    };
    unit_begin("test_cuda_multimem", 120);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
