/*
 * test_cuda_device.c - the algorithms on devices, on the stand-in driver: every type with every
 * operation, all all-reduces and all-gathers, ranks that give up, and each of the driver's
 * functions made to fail while they run.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/gpu/cuda_device.h"
#include "tests/unit/harness/cuda_reference.h"
#include "tests/unit/harness/device_memory.h"

enum { COUNT_MOST = 600, SHIFT_MOST = 16, BYTES_MOST = COUNT_MOST * 16 + SHIFT_MOST };

static unsigned char inputs[CUDA_RANKS_MOST][BYTES_MOST], before[BYTES_MOST], got[BYTES_MOST];

/* ---- all-reduce ------------------------------------------------------------------------------ */

struct plan {
    enum symm_algorithm algorithm;
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    size_t count, shift; /* elements, bytes */
    bool in_place;
};

/* Rank `rank`'s result is what it must be, and nothing beside it was touched. */
static void result_check(struct cuda_ranks *ranks, const struct plan *plan, int rank,
                         const void *output)
{
    const unsigned char *sources[CUDA_RANKS_MOST];
    size_t extent = cuda_types[plan->type].form.extent;
    cuda_ranks_get(ranks, rank, output, got, BYTES_MOST);
    for (int other = 0; other < ranks->size; other++) {
        sources[other] = inputs[other] + plan->shift;
    }
    long wrong = cuda_reduced_wrong(plan->type, plan->op, ranks->size, sources, plan->count,
                                    got + plan->shift);
    if (wrong >= 0) {
        (void)fprintf(stderr, "%s of %s, %s%s, %d ranks, %zu elements, shift %zu: rank %d, "
                      "element %ld is wrong\n", cuda_op_name(plan->op),
                      cuda_types[plan->type].name, symm_algorithm_name(plan->algorithm),
                      plan->in_place ? " in place" : "", ranks->size, plan->count, plan->shift,
                      rank, wrong);
        FORK_CHECK(ranks->self, false);
    }
    const unsigned char *beside = plan->in_place ? inputs[rank] : before;
    size_t end = plan->shift + plan->count * extent;
    FORK_CHECK(ranks->self, memcmp(got, beside, plan->shift) == 0);
    FORK_CHECK(ranks->self, memcmp(got + end, beside + end, BYTES_MOST - end) == 0);
}

/* How a call has ended on all ranks. */
static enum symm_status failure_of(struct cuda_ranks *ranks)
{
    return cuda_ranks_failed(ranks) < 0 ? SYMM_OK : SYMM_ERR_SYSTEM;
}

static enum symm_status allreduce(struct cuda_ranks *ranks, const struct plan *plan,
                                  struct unit_random *random)
{
    void *run_inputs[CUDA_RANKS_MOST], *run_outputs[CUDA_RANKS_MOST];
    const struct symm_work prototype = {
        .algorithm = plan->algorithm, .count = plan->count, .cuda_type = plan->type,
        .cuda_op = plan->op, .block_limit = (unsigned)unit_random_below(random, 3),
    };
    unit_fill(before, BYTES_MOST, unit_random_start(unit_random_next(random), 0));
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        unit_fill(inputs[rank], BYTES_MOST, unit_random_start(unit_random_next(random), 0));
        for (size_t i = 0; i < plan->count; i++) {
            cuda_element_draw(plan->type, random, inputs[rank] + plan->shift +
                                                      i * cuda_types[plan->type].form.extent);
        }
        cuda_ranks_put(ranks, rank, one->input, inputs[rank], BYTES_MOST);
        cuda_ranks_put(ranks, rank, one->output, before, BYTES_MOST);
        run_inputs[rank] = one->input + plan->shift;
        run_outputs[rank] = (plan->in_place ? one->input : one->output) + plan->shift;
    }
    cuda_ranks_call(ranks, &prototype, run_inputs, run_outputs);
    enum symm_status failure = failure_of(ranks);
    for (int rank = 0; rank < ranks->size && failure == SYMM_OK; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        result_check(ranks, plan, rank, plan->in_place ? one->input : one->output);
    }
    return failure;
}

static const enum symm_algorithm allreduces[] = {
    SYMM_ALLREDUCE_CUDA_PUSH, SYMM_ALLREDUCE_CUDA_COPY_ENGINE, SYMM_ALLREDUCE_CUDA_TWO_SHOT,
    SYMM_ALLREDUCE_CUDA_SCRATCH, SYMM_ALLREDUCE_CUDA_ONE_SHOT,
};

enum { ALLREDUCES = sizeof(allreduces) / sizeof(*allreduces) };

static void test_allreduce(struct cuda_ranks *ranks)
{
    struct fork_rank *self = ranks->self;
    struct unit_random random = unit_random_start(41, (uint64_t)ranks->size);
    for (int i = 0; i < SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT; i++) {
        struct plan plan = {
            .type = (enum symm_cuda_type)(i / SYMM_CUDA_OP_COUNT),
            .op = (enum symm_cuda_op)(i % SYMM_CUDA_OP_COUNT),
        };
        FORK_CHECK(self, symm_cuda_type_extent(plan.type) == cuda_types[plan.type].form.extent);
        FORK_CHECK(self, symm_device_can_reduce(plan.type, plan.op) ==
                             cuda_op_is_allowed(plan.type, plan.op));
        for (int turn = 0; turn < 2 * ALLREDUCES - 1 && symm_device_can_reduce(plan.type, plan.op);
             turn++) {
            plan.algorithm = allreduces[turn / 2];
            plan.in_place = turn % 2 != 0; /* one-shot is the last, since it cannot be */
            bool is_small = unit_random_below(&random, 2) == 0;
            plan.count = unit_random_below(&random, is_small ? 20 : COUNT_MOST);
            plan.shift = unit_random_below(&random, 2) == 0
                             ? 0 : unit_random_below(&random, SHIFT_MOST);
            FORK_CHECK(self, unit_leaves_out((uint64_t)(i * 2 * ALLREDUCES + turn)) ||
                                 allreduce(ranks, &plan, &random) == SYMM_OK);
        }
    }
}

/* ---- all-gather ------------------------------------------------------------------------------ */

struct gathering {
    enum symm_algorithm algorithm;
    size_t bytes, shift;
    bool in_place, beside;
};

static enum symm_status allgather(struct cuda_ranks *ranks, const struct gathering *plan,
                                  struct unit_random *random)
{
    static unsigned char all[CUDA_BUFFER];
    void *run_inputs[CUDA_RANKS_MOST], *run_outputs[CUDA_RANKS_MOST];
    const size_t bytes = plan->bytes, shift = plan->shift;
    const struct symm_work prototype = {
        .algorithm = plan->algorithm, .count = bytes, .beside = plan->beside,
    };
    size_t size = bytes * (size_t)ranks->size;
    uint64_t seed = unit_random_next(random);
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        size_t offset = (size_t)rank * bytes;
        unit_fill(all, size, unit_random_start(seed, 0));
        run_outputs[rank] = one->output + shift;
        run_inputs[rank] = plan->in_place ? one->output + shift + offset : one->input + shift / 2;
        cuda_ranks_put(ranks, rank, run_inputs[rank], all + offset, bytes);
        memset(all, 0xdb, sizeof(all)); /* everything around it */
        cuda_ranks_put(ranks, rank, one->output, all, shift + (plan->in_place ? offset : 0));
        cuda_ranks_put(ranks, rank, one->output + shift + size, all, 100);
    }
    cuda_ranks_call(ranks, &prototype, run_inputs, run_outputs);
    enum symm_status failure = failure_of(ranks);
    for (int rank = 0; rank < ranks->size && failure == SYMM_OK; rank++) {
        cuda_ranks_get(ranks, rank, run_outputs[rank], all, size + 100);
        FORK_CHECK(ranks->self, unit_is_filled(all, size, unit_random_start(seed, 0)));
        FORK_CHECK(ranks->self, all[size] == 0xdb && all[size + 99] == 0xdb);
    }
    return failure;
}

static const enum symm_algorithm allgathers[] = {
    SYMM_ALLGATHER_CUDA_KERNEL, SYMM_ALLGATHER_CUDA_COPY_ENGINE, SYMM_ALLGATHER_CUDA_SCRATCH,
};

enum { ALLGATHERS = sizeof(allgathers) / sizeof(*allgathers) };

static void test_allgather(struct cuda_ranks *ranks)
{
    static const size_t sizes[] = {1, 2, 7, 16, 100, 1000, 1024, 4097, 12000};
    struct unit_random random = unit_random_start(42, (uint64_t)ranks->size);
    for (size_t i = 0; i < 12 * sizeof(sizes) / sizeof(*sizes); i++) {
        const struct gathering plan = {
            .algorithm = allgathers[i % ALLGATHERS], .bytes = sizes[i / 12],
            .shift = unit_random_below(&random, 40), .in_place = i / ALLGATHERS % 2 != 0,
            .beside = unit_random_below(&random, 2) != 0,
        };
        FORK_CHECK(ranks->self, allgather(ranks, &plan, &random) == SYMM_OK);
    }
}

/*
 * Beside the program's own kernels copy engines do everything: no kernel can be launched here.  A
 * driver that is too old for the hint, and one that fails with it, have the plain copy.
 */
static void test_allgather_beside(struct fork_rank *self, void *context)
{
    const char *more = context;
    char faults[100];
    struct cuda_ranks ranks = {0};
    struct unit_random random = unit_random_start(46, 0);
    (void)snprintf(faults, sizeof(faults), "cuLaunchKernel:1+,cuGraphLaunch:1+%s", more);
    cuda_ranks_begin(self, faults);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    for (int i = 0; i < 4; i++) {
        struct gathering plan = {
            .algorithm = SYMM_ALLGATHER_CUDA_COPY_ENGINE, .bytes = 12000, .in_place = i % 2 != 0,
            .beside = true,
        };
        FORK_CHECK(self, allgather(&ranks, &plan, &random) == SYMM_OK);
        plan.beside = false;
        FORK_CHECK(self, (allgather(&ranks, &plan, &random) == SYMM_OK) == plan.in_place);
    }
    cuda_ranks_close(&ranks);
}

/* ---- giving up ------------------------------------------------------------------------------- */

/*
 * One of two ranks gives up in the middle of calls, as if the other had died: its work ends, every
 * slot comes back, and the next call works.
 */
static void test_given_up(struct cuda_ranks *ranks)
{
    struct unit_random random = unit_random_start(45, 0);
    unsigned waited = 0;
    struct cuda_rank *one = &ranks->ranks[0], *other = &ranks->ranks[1];
    for (int i = 0; i < SYMM_CUDA_SLOTS + ALLREDUCES; i++) {
        const struct symm_work prototype = {
            .algorithm = allreduces[i % ALLREDUCES], .count = COUNT_MOST,
            .cuda_type = SYMM_CUDA_FLOAT, .cuda_op = SYMM_CUDA_SUM,
        };
        void *run_inputs[] = {one->input, other->input};
        void *run_outputs[] = {one->output, other->output};
        cuda_ranks_prepare(ranks, &prototype, run_inputs, run_outputs);
        waited += cuda_ranks_give_up(ranks, 0, 1 + i % 3);
    }
    FORK_CHECK(ranks->self, waited > 0);
    for (int i = 0; i < ALLREDUCES; i++) {
        const struct plan plan = {
            .algorithm = allreduces[i], .type = SYMM_CUDA_INT32, .op = SYMM_CUDA_SUM, .count = 100,
        };
        FORK_CHECK(ranks->self, allreduce(ranks, &plan, &random) == SYMM_OK);
    }
}

/* ---- failures -------------------------------------------------------------------------------- */

/*
 * Whether a call must end in an error.  Questions to the driver are asked again, so there it
 * depends.
 */
static bool is_vital(const struct cuda_fault *fault)
{
    static const char *const vital[] = {"cuLaunchKernel", "cuMemcpyAsync", "cuEventRecord",
                                        "kernel", "copy"};
    for (size_t i = 0; i < sizeof(vital) / sizeof(*vital); i++) {
        if (strcmp(fault->what, vital[i]) == 0) {
            return true;
        }
    }
    return fault->use == 1 && (strcmp(fault->what, "cuEventCreate") == 0 ||
                               strcmp(fault->what, "cuStreamCreate") == 0 ||
                               strcmp(fault->what, "cuCtxPushCurrent") == 0 ||
                               strcmp(fault->what, "cuThreadExchangeStreamCaptureMode") == 0);
}

/*
 * A function fails in the middle of calls: all ranks are told, or the results are right.  Without
 * graphs, kernels are launched by cuLaunchKernel().
 */
static void run_with_fault(struct fork_rank *self, void *context)
{
    const struct cuda_fault *fault = context;
    struct unit_random random = unit_random_start(44, (uint64_t)fault->use);
    struct cuda_ranks ranks = {0};
    int failures = 0;
    cuda_fault_begin(&ranks, self, fault);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    symm_device_use_graphs(strcmp(fault->what, "cuLaunchKernel") != 0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    for (int i = 0; i < ALLREDUCES + 4 && (failures == 0 || !ranks.fault_is_for_good); i++) {
        struct plan plan = {
            .algorithm = allreduces[i % ALLREDUCES],
            .type = SYMM_CUDA_FLOAT, .op = SYMM_CUDA_SUM, .count = 500,
        };
        const struct gathering gathering = {
            .algorithm = allgathers[1 + i % 2], .bytes = 1000, .in_place = i % 3 == 0,
            .beside = i % 4 == 0,
        };
        failures += (i < ALLREDUCES ? allreduce(&ranks, &plan, &random)
                                    : allgather(&ranks, &gathering, &random)) != SYMM_OK;
    }
    FORK_CHECK(self, failures <= 1);
    FORK_CHECK(self, !is_vital(fault) || failures == 1);
    if (!ranks.fault_is_for_good) {
        cuda_ranks_close(&ranks);
    }
}

static void test_failures_in_running(void **state)
{
    static const char *const names[] = {
        "cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags",
        "cuGraphExecKernelNodeSetParams", "cuGraphLaunch", "cuLaunchKernel", "cuMemcpyAsync",
        "cuEventCreate", "cuEventRecord", "cuEventQuery", "cuStreamCreate", "cuStreamQuery",
        "cuStreamSynchronize", "cuCtxPushCurrent", "cuThreadExchangeStreamCaptureMode", "kernel",
        "copy",
    };
    (void)state;
    cuda_faults_run(names, sizeof(names) / sizeof(*names), 2 * unit_uses(4) - 1, 2, 1,
                    run_with_fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        /* Waiting for what is late takes most of the time: some numbers of ranks do without. */
        CUDA_TEST_OF(test_allreduce, 1, 1, "0"),
        CUDA_TEST_OF(test_allreduce, 2, 2, NULL),
        CUDA_TEST_OF(test_allreduce, 3, 4, "0"),
        CUDA_TEST_OF(test_allreduce, 5, 5, NULL),
        CUDA_TEST_OF(test_allgather, 1, CUDA_RANKS_MOST, NULL),
        FORK_TEST_WITH(test_allgather_beside, 1, (char[]){""}),
#if CUDA_VERSION >= 13000
        FORK_TEST_WITH(test_allgather_beside, 1, (char[]){",cuMemcpyBatchAsync:1+"}),
#endif
        CUDA_TEST_OF(test_given_up, 2, 2, "300"),
        cmocka_unit_test(test_failures_in_running),
    };
    unit_begin("test_cuda_device", 150);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
