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

#include "heap/cuda_device.h"
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
    size_t extent = cuda_types[plan->type].form.extent;
    cuda_ranks_get(ranks, rank, output, got, BYTES_MOST);
    for (size_t i = 0; i < plan->count; i++) {
        const void *elements[CUDA_RANKS_MOST];
        unsigned char expected[16];
        size_t offset = plan->shift + i * extent;
        for (int other = 0; other < ranks->size; other++) {
            elements[other] = inputs[other] + offset;
        }
        cuda_reference(plan->type, plan->op, ranks->size, elements, expected);
        if (!cuda_element_is_same(plan->type, plan->op, got + offset, expected)) {
            (void)fprintf(stderr, "%s of %s, %s%s, %d ranks, %zu elements, shift %zu: rank %d, "
                          "element %zu is wrong\n", cuda_op_name(plan->op),
                          cuda_types[plan->type].name, symm_algorithm_name(plan->algorithm),
                          plan->in_place ? " in place" : "", ranks->size, plan->count, plan->shift,
                          rank, i);
            FORK_CHECK(ranks->self, false);
        }
    }
    const unsigned char *beside = plan->in_place ? inputs[rank] : before;
    size_t end = plan->shift + plan->count * extent;
    FORK_CHECK(ranks->self, memcmp(got, beside, plan->shift) == 0);
    FORK_CHECK(ranks->self, memcmp(got + end, beside + end, BYTES_MOST - end) == 0);
}

/* Returns how it ended on all ranks. */
static enum symm_status allreduce(struct cuda_ranks *ranks, const struct plan *plan,
                                  struct unit_random *random)
{
    void *run_inputs[CUDA_RANKS_MOST], *run_outputs[CUDA_RANKS_MOST];
    const struct symm_run prototype = {
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
    enum symm_status failure = ranks->ranks[0].run.failure;
    for (int rank = 0; rank < ranks->size; rank++) {
        struct cuda_rank *one = &ranks->ranks[rank];
        FORK_CHECK(ranks->self, (one->run.failure == SYMM_OK) == (failure == SYMM_OK));
        FORK_CHECK(ranks->self, one->run.failed_rank == ranks->ranks[0].run.failed_rank);
        FORK_CHECK(ranks->self, (one->run.failed_rank < 0) == (failure == SYMM_OK));
    }
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

static void run_allreduces(struct fork_rank *self, void *context)
{
    int size = *(const int *)context;
    struct cuda_ranks ranks = {0};
    struct unit_random random = unit_random_start(41, (uint64_t)size);
    /* Waiting for what is late takes most of the time: some numbers of ranks do without. */
    FORK_CHECK(self, size % 3 == 2 || setenv("SYMM_STANDIN_DELAY", "0", 1) == 0);
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, size));
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
            FORK_CHECK(self, allreduce(&ranks, &plan, &random) == SYMM_OK);
        }
    }
    cuda_ranks_close(&ranks);
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
    const struct symm_run prototype = {
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
    enum symm_status failure = ranks->ranks[0].run.failure;
    for (int rank = 0; rank < ranks->size && failure == SYMM_OK; rank++) {
        cuda_ranks_get(ranks, rank, run_outputs[rank], all, size + 100);
        FORK_CHECK(ranks->self, unit_is_filled(all, size, unit_random_start(seed, 0)));
        FORK_CHECK(ranks->self, all[size] == 0xdb && all[size + 99] == 0xdb);
        FORK_CHECK(ranks->self, ranks->ranks[rank].run.failed_rank < 0);
    }
    return failure;
}

static const enum symm_algorithm allgathers[] = {
    SYMM_ALLGATHER_CUDA_KERNEL, SYMM_ALLGATHER_CUDA_COPY_ENGINE, SYMM_ALLGATHER_CUDA_SCRATCH,
};

enum { ALLGATHERS = sizeof(allgathers) / sizeof(*allgathers) };

static void run_allgathers(struct fork_rank *self, void *context)
{
    static const size_t sizes[] = {1, 2, 7, 16, 100, 1000, 1024, 4097, 12000};
    int size = *(const int *)context;
    struct cuda_ranks ranks = {0};
    struct unit_random random = unit_random_start(42, (uint64_t)size);
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, size));
    for (size_t i = 0; i < 12 * sizeof(sizes) / sizeof(*sizes); i++) {
        const struct gathering plan = {
            .algorithm = allgathers[i % ALLGATHERS], .bytes = sizes[i / 12],
            .shift = unit_random_below(&random, 40), .in_place = i / ALLGATHERS % 2 != 0,
            .beside = unit_random_below(&random, 2) != 0,
        };
        FORK_CHECK(self, allgather(&ranks, &plan, &random) == SYMM_OK);
    }
    cuda_ranks_close(&ranks);
}

/*
 * Beside the program's own kernels copy engines do everything: no kernel can be launched here.  A
 * driver that is too old for the hint, and one that fails with it, have the plain copy.
 */
static void run_allgather_beside(struct fork_rank *self, void *context)
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
static void run_given_up(struct fork_rank *self, void *context)
{
    static const struct symm_ticket none;
    struct unit_random random = unit_random_start(45, 0);
    struct cuda_ranks ranks = {0};
    unsigned polls = 0, waited = 0;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 2));
    struct cuda_rank *one = &ranks.ranks[0], *other = &ranks.ranks[1];
    for (int i = 0; i < SYMM_CUDA_SLOTS + ALLREDUCES; i++) {
        const void *run_inputs[] = {one->input, other->input};
        void *run_outputs[] = {one->output, other->output};
        void *scratches[] = {one->scratch, other->scratch};
        struct symm_run run = {
            .algorithm = allreduces[i % ALLREDUCES], .count = COUNT_MOST, .team = &one->team,
            .cuda_type = SYMM_CUDA_FLOAT, .cuda_op = SYMM_CUDA_SUM, .device = one->device,
            .sequence = ++ranks.sequence, .input = one->input, .output = one->output,
            .inputs = run_inputs, .outputs = run_outputs, .scratches = scratches,
            .scratch_size = CUDA_SCRATCH,
        };
        for (int step = i % 3; step >= 0; step--) {
            FORK_STATUS(self, symm_run_step(&run), SYMM_PENDING);
        }
        for (; symm_run_give_up(&run) == SYMM_PENDING; waited++) {
            unit_pause(&polls);
        }
        FORK_CHECK(self, memcmp(&run.ticket, &none, sizeof(none)) == 0);
        FORK_CHECK(self, memcmp(&run.tickets[0], &none, sizeof(none)) == 0);
        FORK_CHECK(self, memcmp(&run.pipeline.pushes[0], &none, sizeof(none)) == 0);
    }
    FORK_CHECK(self, waited > 0);
    for (int i = 0; i < ALLREDUCES; i++) {
        const struct plan plan = {
            .algorithm = allreduces[i], .type = SYMM_CUDA_INT32, .op = SYMM_CUDA_SUM, .count = 100,
        };
        FORK_CHECK(self, allreduce(&ranks, &plan, &random) == SYMM_OK);
    }
    cuda_ranks_close(&ranks);
}

/* ---- failures -------------------------------------------------------------------------------- */

static symm_standin_watch_function *watch_find(struct fork_rank *self)
{
    symm_standin_watch_function *watch;
    device_driver_symbol(self, "symm_standin_watch", &watch);
    return watch;
}

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
    bool is_for_good = strcmp(fault->what, "kernel") == 0 || strcmp(fault->what, "copy") == 0;
    struct cuda_ranks ranks = {0};
    char text[100];
    int failures = 0;
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    cuda_ranks_begin(self, text);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    symm_device_use_graphs(strcmp(fault->what, "cuLaunchKernel") != 0);
    ranks.watch = watch_find(self);
    ranks.watch(0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 3));
    for (int i = 0; i < ALLREDUCES + 4 && (failures == 0 || !is_for_good); i++) {
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
    if (!is_for_good) {
        cuda_ranks_close(&ranks);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_allreduce(void **state)
{
    (void)state;
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_allreduces, &size);
    }
}

static void test_allgather(void **state)
{
    static char no_more[] = "";
#if CUDA_VERSION >= 13000
    static char no_hint[] = ",cuMemcpyBatchAsync:1+";
#endif
    (void)state;
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_allgathers, &size);
    }
    fork_ranks_run(1, run_allgather_beside, no_more);
#if CUDA_VERSION >= 13000
    fork_ranks_run(1, run_allgather_beside, no_hint);
#endif
}

static void test_given_up(void **state)
{
    (void)state;
    fork_ranks_run(1, run_given_up, NULL);
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
    int last = 2 * unit_uses(4) - 1;
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        for (int use = 1; use <= last; use += 2) {
            struct cuda_fault fault = {names[i], use};
            print_message("# %s, use %d\n", fault.what, fault.use);
            fork_ranks_run(1, run_with_fault, &fault);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allreduce),
        cmocka_unit_test(test_allgather),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_failures_in_running),
    };
    unit_begin("test_cuda_device", 150);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
