/*
 * test_cuda_small.c - little data on a device: reductions and copies by the kernels that are for
 * them, up to their limits and beyond, and how kernels are launched, by graphs and without.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/copy.h"
#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/small.h"
#include "tests/unit/harness/cuda_reference.h"

enum {
    RANKS_MOST = SYMM_CUDA_SMALL_RANKS + 2,
    UNITS_MOST = SYMM_DEVICE_BLOCKS * SYMM_CUDA_BLOCK_THREADS,
    ROW = UNITS_MOST * 16 + 256, /* bytes of a buffer, with room at both ends */
    GUARD = 64,
};

/* A device, with the memory of the buffers, and what this process knows of it. */
struct stage {
    struct fork_rank *self;
    struct symm_device *device;
    unsigned char *memory; /* [RANKS_MOST + 1][ROW]: inputs, output */
    struct unit_random random;
};

static unsigned char before[RANKS_MOST + 1][ROW], after[RANKS_MOST + 1][ROW];

static void stage_begin(struct stage *stage, struct fork_rank *self, uint64_t seed)
{
    *stage = (struct stage){.self = self, .random = unit_random_start(51, seed)};
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "0", 1) == 0);
    struct symm_process *process = device_process(self);
    stage->memory = device_alloc(self, device_heap(self, process, 0), sizeof(before));
    FORK_STATUS(self, symm_device_get(0, &stage->device), SYMM_OK);
}

static unsigned char *row_of(const struct stage *stage, int row)
{
    return stage->memory + (size_t)row * ROW;
}

static void rows_put(struct stage *stage, int rows)
{
    FORK_STATUS(stage->self, symm_cuda_copy(0, stage->memory, before, (size_t)rows * ROW), SYMM_OK);
}

static void rows_get(struct stage *stage, int rows)
{
    FORK_STATUS(stage->self, symm_cuda_copy(0, after, stage->memory, (size_t)rows * ROW), SYMM_OK);
}

/* ---- reductions ------------------------------------------------------------------------------ */

struct reduction {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    enum cuda_placement placement;
    int ranks;
    size_t begin, count;
    unsigned block_limit;
    size_t shifts[RANKS_MOST + 1]; /* the output's is behind those of the inputs */
};

static void reduction_check(struct stage *stage, const struct reduction *plan)
{
    const unsigned char *sources[RANKS_MOST];
    const unsigned char *output = after[plan->ranks];
    size_t extent = cuda_types[plan->type].form.extent, first = GUARD + plan->shifts[plan->ranks];
    for (int rank = 0; rank < plan->ranks; rank++) {
        sources[rank] = before[rank] + GUARD + plan->shifts[rank] + plan->begin * extent;
    }
    long wrong = cuda_reduced_wrong(plan->type, plan->op, plan->ranks, sources, plan->count,
                                    output + first + plan->begin * extent);
    if (wrong >= 0) {
        (void)fprintf(stderr, "%s of %s, %d ranks, %zu elements from %zu, placement %d, "
                      "at most %u blocks: element %ld is wrong\n", cuda_op_name(plan->op),
                      cuda_types[plan->type].name, plan->ranks, plan->count, plan->begin,
                      (int)plan->placement, plan->block_limit, wrong);
        FORK_CHECK(stage->self, false);
    }
    size_t start = first + plan->begin * extent, end = start + plan->count * extent;
    FORK_CHECK(stage->self, memcmp(output, before[plan->ranks], start) == 0);
    FORK_CHECK(stage->self, memcmp(output + end, before[plan->ranks] + end, ROW - end) == 0);
    FORK_CHECK(stage->self, memcmp(after, before, (size_t)plan->ranks * ROW) == 0);
}

/* Returns whether it was for the kernels of little data. */
static bool reduction_make(struct stage *stage, struct reduction *plan)
{
    struct symm_kernel kernel;
    const struct test_form *form = &cuda_types[plan->type].form;
    size_t common = unit_random_below(&stage->random, 16);
    struct symm_cuda_reduce arguments = {
        .begin = plan->begin, .end = plan->begin + plan->count, .ranks = plan->ranks,
        .output_count = 1,
    };
    struct symm_cuda_small small;
    struct symm_completion completion;
    for (int row = 0; row <= plan->ranks; row++) {
        plan->shifts[row] = cuda_shift_draw(plan->placement, form, &stage->random, common);
        unit_fill(before[row], ROW, unit_random_start(unit_random_next(&stage->random), 1));
        for (size_t i = 0; i < plan->count && row < plan->ranks; i++) {
            cuda_element_draw(plan->type, &stage->random,
                              before[row] + GUARD + plan->shifts[row] +
                                  (plan->begin + i) * form->extent);
        }
        arguments.inputs[row] = row_of(stage, row) + GUARD + plan->shifts[row];
    }
    arguments.outputs[0] = row_of(stage, plan->ranks) + GUARD + plan->shifts[plan->ranks];
    arguments.inputs[plan->ranks] = NULL;
    rows_put(stage, plan->ranks + 1);
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_reduce(&kernel, plan->type, plan->op,
                                                                  &arguments, plan->block_limit),
                                               &completion),
                SYMM_OK);
    device_completion_await(stage->self, stage->device, &completion);
    rows_get(stage, plan->ranks + 1);
    reduction_check(stage, plan);
    return symm_small_reduce(plan->type, &arguments, plan->block_limit, &small) > 0;
}

/* Each type and operation, at any address. */
static void test_combinations(struct fork_rank *self, void *context)
{
    struct stage stage;
    int small = 0;
    (void)context;
    stage_begin(&stage, self, 0);
    for (int i = 0; i < SYMM_CUDA_TYPE_COUNT * SYMM_CUDA_OP_COUNT * CUDA_PLACEMENTS; i++) {
        struct reduction plan = {
            .type = (enum symm_cuda_type)(i / CUDA_PLACEMENTS / SYMM_CUDA_OP_COUNT),
            .op = (enum symm_cuda_op)(i / CUDA_PLACEMENTS % SYMM_CUDA_OP_COUNT),
            .placement = (enum cuda_placement)(i % CUDA_PLACEMENTS),
            .ranks = 1 + (int)unit_random_below(&stage.random, RANKS_MOST),
            .count = 1 + unit_random_below(&stage.random, 700),
            .begin = unit_random_below(&stage.random, 3),
            .block_limit = (unsigned)unit_random_below(&stage.random, 3),
        };
        if (cuda_op_is_allowed(plan.type, plan.op)) {
            small += reduction_make(&stage, &plan);
        }
    }
    FORK_CHECK(self, small > SYMM_CUDA_TYPE_COUNT * 5);
    symm_device_close_all();
}

/* Whether all buffers are as far from a vector's address: then they go by vectors. */
static bool shifts_are_alike(const struct reduction *plan)
{
    bool are_alike = true;
    for (int row = 1; row <= plan->ranks; row++) {
        are_alike = are_alike && plan->shifts[row] % 16 == plan->shifts[0] % 16;
    }
    return are_alike;
}

/* As much as there are threads for, and one element or vector more. */
static void test_limits(struct fork_rank *self, void *context)
{
    static const struct {
        enum symm_cuda_type type;
        enum symm_cuda_op op;
        enum cuda_placement placement;
        unsigned block_limit;
        size_t count;
        bool small;
    } cases[] = {
        {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, ALIGNED, 0, 4 * UNITS_MOST, true},
        {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, ALIGNED, 0, 4 * (UNITS_MOST - 1) + 1, true},
        {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, ALIGNED, 0, 4 * (UNITS_MOST - 1) + 2, false},
        {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, ALIGNED, 0, 4 * UNITS_MOST + 1, false},
        {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, SHIFTED, 2, 1024, true},
        {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, SHIFTED, 2, 4096, false},
        {SYMM_CUDA_INT8, SYMM_CUDA_MAX, ALIGNED, 0, 16 * (UNITS_MOST - 15) + 15, true},
        {SYMM_CUDA_INT8, SYMM_CUDA_MAX, ALIGNED, 0, 16 * UNITS_MOST + 1, false},
        {SYMM_CUDA_DOUBLE_COMPLEX, SYMM_CUDA_PROD, ALIGNED, 1, 512, true},
        {SYMM_CUDA_DOUBLE_COMPLEX, SYMM_CUDA_PROD, ALIGNED, 1, 513, false},
        {SYMM_CUDA_DOUBLE_INT, SYMM_CUDA_MINLOC, ALIGNED, 1, 512, true},
        {SYMM_CUDA_DOUBLE_INT, SYMM_CUDA_MINLOC, ALIGNED, 1, 513, false},
    };
    struct stage stage;
    (void)context;
    stage_begin(&stage, self, 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct reduction plan = {
            .type = cases[i].type, .op = cases[i].op, .placement = cases[i].placement,
            .ranks = 2, .count = cases[i].count, .block_limit = cases[i].block_limit,
        };
        bool small;
        do { /* shifts are drawn, and may come out alike */
            small = reduction_make(&stage, &plan);
        } while (plan.placement == SHIFTED && shifts_are_alike(&plan));
        if (small != cases[i].small) {
            (void)fprintf(stderr, "case %zu\n", i);
        }
        FORK_CHECK(self, small == cases[i].small);
    }
    symm_device_close_all();
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void test_copies(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    static const size_t sizes[] = {0, 1, 4, 12, 15, 16, 17, 100, 511, 513, 1024, 5000, 60001};
    struct stage stage;
    int small = 0;
    (void)context;
    stage_begin(&stage, self, 2);
    for (int turn = 0; turn < 300; turn++) {
        struct symm_cuda_push pushes[RANKS_MOST / 2];
        size_t from[RANKS_MOST / 2], to[RANKS_MOST / 2];
        int count = 1 + (int)unit_random_below(&stage.random, RANKS_MOST / 2);
        unsigned block_limit = (unsigned)unit_random_below(&stage.random, 4);
        size_t shift_most = unit_random_below(&stage.random, 2) == 0 ? 1 : 16;
        struct symm_cuda_small_pushes chosen;
        struct symm_completion completion;
        for (int i = 0; i < count; i++) {
            size_t size = sizes[unit_random_below(&stage.random, sizeof(sizes) / sizeof(*sizes))];
            from[i] = GUARD + unit_random_below(&stage.random, shift_most);
            to[i] = GUARD + unit_random_below(&stage.random, shift_most);
            unit_fill(before[2 * i], 2 * ROW,
                      unit_random_start(unit_random_next(&stage.random), 1));
            pushes[i] = (struct symm_cuda_push){row_of(&stage, 2 * i) + from[i],
                                                row_of(&stage, 2 * i + 1) + to[i], size};
        }
        rows_put(&stage, 2 * count);
        FORK_STATUS(self, symm_device_start(stage.device,
                                            symm_kernel_push(&kernel, pushes, count, false,
                                                             block_limit), &completion), SYMM_OK);
        device_completion_await(self, stage.device, &completion);
        rows_get(&stage, 2 * count);
        small += symm_small_push(pushes, count, block_limit, &chosen) > 0;
        for (int i = 0; i < count; i++) {
            memcpy(before[2 * i + 1] + to[i], before[2 * i] + from[i], pushes[i].bytes);
        }
        FORK_CHECK(self, memcmp(after, before, (size_t)count * 2 * ROW) == 0);
    }
    FORK_CHECK(self, small > 50 && small < 250);
    symm_device_close_all();
}

/* ---- graphs ---------------------------------------------------------------------------------- */

enum { STARTS = 20, GRAPHS = SYMM_QUEUE_GRAPHS };

/* Reductions and copies by turns. */
static void starts_make(struct stage *stage)
{
    struct symm_kernel kernel;
    for (int i = 0; i < STARTS; i++) {
        struct reduction plan = {
            .type = SYMM_CUDA_INT32, .op = SYMM_CUDA_SUM, .placement = ALIGNED, .ranks = 2,
            .count = 100,
        };
        const struct symm_cuda_push push = {row_of(stage, 0), row_of(stage, 1), 100};
        struct symm_completion completion;
        if (i % 2 == 0) {
            (void)reduction_make(stage, &plan);
        } else {
            FORK_STATUS(stage->self,
                        symm_device_start(stage->device,
                                          symm_kernel_push(&kernel, &push, 1, false, 0),
                                          &completion),
                        SYMM_OK);
            device_completion_await(stage->self, stage->device, &completion);
        }
    }
}

/* How many graphs have launched a kernel; no two have launched the same last. */
static int functions_with_graphs(const struct stage *stage)
{
    const struct symm_graph *graphs = stage->device->queue.graphs;
    int count = 0;
    for (int i = 0; i < GRAPHS; i++) {
        for (int j = 0; j < i && graphs[i].function != NULL; j++) {
            FORK_CHECK(stage->self, graphs[i].function != graphs[j].function);
        }
        count += graphs[i].function != NULL;
    }
    return count;
}

struct launching {
    bool use_graphs;
    const char *version, *fault; /* of the driver; NULL: as it is */
    unsigned long by_graph, alone, made; /* uses of functions: two ways to launch, and graphs */
};

static void run_launching(struct fork_rank *self, void *context)
{
    const struct launching *plan = context;
    struct stage stage;
    if (plan->version != NULL) {
        FORK_CHECK(self, setenv("SYMM_STANDIN_VERSION", plan->version, 1) == 0);
    }
    if (plan->fault != NULL) {
        FORK_CHECK(self, setenv("SYMM_STANDIN_FAIL", plan->fault, 1) == 0);
    }
    FORK_CHECK(self, setenv("SYMM_STANDIN_STRICT", "1", 1) == 0);
    FORK_CHECK(self, setenv("SYMM_STANDIN_KEPT", "context,stream,reservation,mapping,handle,pinned",
                            1) == 0);
    symm_device_use_graphs(plan->use_graphs);
    stage_begin(&stage, self, 3);
    starts_make(&stage);
    FORK_CHECK(self, device_driver_uses(self, "cuGraphLaunch") == plan->by_graph);
    FORK_CHECK(self, device_driver_uses(self, "cuLaunchKernel") == plan->alone);
    if (plan->fault == NULL && plan->by_graph > 0) {
        FORK_CHECK(self, functions_with_graphs(&stage) == 2); /* one for each, not one for both */
    }
    symm_device_close_all();
    FORK_CHECK(self, device_driver_uses(self, "cuGraphExecDestroy") == plan->made);
    FORK_CHECK(self, device_driver_uses(self, "cuGraphDestroy") ==
                         device_driver_uses(self, "cuGraphCreate") -
                             (plan->fault != NULL && strcmp(plan->fault, "cuGraphCreate:1") == 0));
}

/* More functions than graphs, by turns, and one that is under way twice: all go by graphs. */
static void run_functions(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    enum { TYPES = SYMM_CUDA_DOUBLE + 1, TURNS = 3 * TYPES };
    struct stage stage;
    struct symm_completion completions[2];
    (void)context;
    stage_begin(&stage, self, 4);
    for (int i = 0; i < TURNS; i++) {
        struct reduction plan = {
            .type = (enum symm_cuda_type)(i % TYPES), .op = SYMM_CUDA_SUM, .placement = ALIGNED,
            .ranks = 2, .count = 100,
        };
        (void)reduction_make(&stage, &plan);
    }
    for (int i = 0; i < 2; i++) {
        const struct symm_cuda_push push = {row_of(&stage, 0), row_of(&stage, 1 + i), 100};
        FORK_STATUS(self, symm_device_start(stage.device,
                                            symm_kernel_push(&kernel, &push, 1, false, 0),
                                            &completions[i]),
                    SYMM_OK);
    }
    FORK_CHECK(self, completions[0].graph != 0 && completions[1].graph != 0 &&
                         completions[0].graph != completions[1].graph);
    device_completion_await(self, stage.device, &completions[0]);
    device_completion_await(self, stage.device, &completions[1]);
    FORK_CHECK(self, device_driver_uses(self, "cuGraphLaunch") == TURNS + 2);
    FORK_CHECK(self, device_driver_uses(self, "cuLaunchKernel") == 0);
    symm_device_close_all();
}

/* ---- tests ----------------------------------------------------------------------------------- */

/*
 * Graphs are made when a device is opened, and each serves one function while there are enough.
 * One that the driver refuses is not used again.
 */
static void test_graphs(void **state)
{
    static const struct launching plans[] = {
        {true, NULL, NULL, STARTS, 0, GRAPHS},
        {false, NULL, NULL, 0, STARTS, 0},
        {true, "11080", NULL, 0, STARTS, 0},
        {true, NULL, "cuGraphCreate:1", STARTS, 0, GRAPHS - 1},
        {true, NULL, "cuGraphAddKernelNode:1", STARTS, 0, GRAPHS - 1},
        {true, NULL, "cuGraphInstantiateWithFlags:1", STARTS, 0, GRAPHS - 1},
        {true, NULL, "cuGraphUpload:1", STARTS, 0, GRAPHS},
        {true, NULL, "cuGraphInstantiateWithFlags:1+", 0, STARTS, 0},
        {true, NULL, "cuGraphExecKernelNodeSetParams:3", STARTS - 1, 1, GRAPHS},
        {true, NULL, "cuGraphLaunch:4", STARTS, 1, GRAPHS},
        {true, NULL, "cuGraphLaunch:4+", 3 + GRAPHS, STARTS - 3, GRAPHS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
        struct launching plan = plans[i];
        print_message("# graphs %s, driver %s, fault %s\n", plan.use_graphs ? "used" : "not used",
                      plan.version != NULL ? plan.version : "of today",
                      plan.fault != NULL ? plan.fault : "none");
        fork_ranks_run(1, run_launching, &plan);
    }
    fork_ranks_run(1, run_functions, NULL);
}

UNIT_MAIN("test_cuda_small", 120,
    FORK_TEST(test_combinations, 1),
    FORK_TEST(test_limits, 1),
    FORK_TEST(test_copies, 1),
    cmocka_unit_test(test_graphs))
