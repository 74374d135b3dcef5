/*
 * test_cuda_nests.c - elements with gaps that a kernel packs and unpacks: runs of any length in up
 * to six loops, forwards and backwards, at any alignment, cut off anywhere, many in one kernel.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/copy.h"

enum { ROOM = 8 << 20, PART = ROOM / SYMM_CUDA_NESTS / 16 * 16, LOOP_BYTES_MOST = PART / 2 };

/* [0]: elements as a program has them; [1]: the same packed. */
static unsigned char before[2][ROOM], after[2][ROOM];

struct stage {
    struct fork_rank *self;
    struct symm_device *device;
    unsigned char *memory; /* [2][ROOM] */
    struct unit_random random;
};

static size_t below(struct stage *stage, size_t bound)
{
    return unit_random_below(&stage->random, bound);
}

/*
 * A nest within part `part` of both.  Lengths and steps are multiples of `grain`.  A step leaves
 * room for all that is inside its loop, and for a gap.
 */
static struct symm_cuda_nest nest_draw(struct stage *stage, size_t part, size_t grain)
{
    struct symm_cuda_nest nest = {
        .run = grain * (1 + below(stage, 20)), .limit = SYMM_CUDA_NEST_ALL,
        .depth = (uint32_t)below(stage, SYMM_CUDA_NEST_LOOPS + 1)};
    size_t extent = nest.run, packed = nest.run, back = 0;
    for (uint32_t i = 0; i < nest.depth; i++) {
        size_t step = extent + grain * below(stage, 4), turns = 1 + below(stage, 5);
        size_t dense = packed + grain * below(stage, 2);
        bool reverse = below(stage, 4) == 0;
        turns = step * turns > LOOP_BYTES_MOST || dense * turns > LOOP_BYTES_MOST ? 1 : turns;
        nest.loops[i] = (struct symm_cuda_loop){
            turns, reverse ? -(int64_t)step : (int64_t)step, dense};
        back += reverse ? step * (turns - 1) : 0;
        extent += step * (turns - 1);
        packed += dense * (turns - 1);
    }
    nest.memory = stage->memory + part * PART + back + grain * below(stage, 3);
    nest.packed = stage->memory + ROOM + part * PART + grain * below(stage, 3);
    if (below(stage, 3) == 0) {
        nest.limit = grain * below(stage, packed / grain + 1);
    }
    return nest;
}

/* Copy one byte of a nest in `after`, as far as the limit allows. */
static void byte_copy(const struct stage *stage, const struct symm_cuda_nest *nest, size_t memory,
                      size_t packed, bool unpacks)
{
    unsigned char *here = after[0] + ((unsigned char *)nest->memory - stage->memory) + memory;
    unsigned char *there =
        after[1] + ((unsigned char *)nest->packed - stage->memory - ROOM) + packed;
    if (packed < nest->limit) {
        *(unpacks ? here : there) = unpacks ? *there : *here;
    }
}

/* What the kernel is to do, loop by loop. */
static void nest_follow(const struct stage *stage, const struct symm_cuda_nest *nest,
                        uint32_t depth, size_t memory, size_t packed, bool unpacks)
{
    if (depth == 0) {
        for (size_t i = 0; i < nest->run; i++) {
            byte_copy(stage, nest, memory + i, packed + i, unpacks);
        }
        return;
    }
    const struct symm_cuda_loop *loop = &nest->loops[depth - 1];
    for (uint64_t turn = 0; turn < loop->turns; turn++) {
        nest_follow(stage, nest, depth - 1, memory + (size_t)((int64_t)turn * loop->memory_step),
                    packed + (size_t)(turn * loop->packed_step), unpacks);
    }
}

static void memory_fill(struct stage *stage, uint64_t seed)
{
    unit_fill(before, sizeof(before), unit_random_start(71, seed));
    memcpy(after, before, sizeof(before));
    FORK_STATUS(stage->self, symm_cuda_copy(0, stage->memory, before, sizeof(before)), SYMM_OK);
}

static void nests_run(struct stage *stage, const struct symm_cuda_nest *nests, int count,
                      bool unpacks, unsigned block_limit)
{
    struct symm_kernel kernel;
    struct symm_completion completion;
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_nests(&kernel, nests, count, unpacks,
                                                                 block_limit),
                                               &completion), SYMM_OK);
    device_completion_await(stage->self, stage->device, &completion);
    for (int i = 0; i < count; i++) {
        nest_follow(stage, &nests[i], nests[i].depth, 0, 0, unpacks);
    }
    FORK_STATUS(stage->self, symm_cuda_copy(0, before, stage->memory, sizeof(before)), SYMM_OK);
    FORK_CHECK(stage->self, memcmp(before, after, sizeof(before)) == 0);
}

static void turn_make(struct stage *stage, int turn)
{
    static const size_t grains[] = {1, 2, 4, 8, 16, 3, 12};
    static const unsigned limits[] = {0, 1, 3};
    struct symm_cuda_nest nests[SYMM_CUDA_NESTS];
    int most = below(stage, 2) == 0 ? SYMM_CUDA_FEW_NESTS : SYMM_CUDA_NESTS;
    int count = 1 + (int)below(stage, (size_t)most);
    memory_fill(stage, (uint64_t)turn);
    for (int i = 0; i < count; i++) {
        nests[i] =
            nest_draw(stage, (size_t)i, grains[below(stage, sizeof(grains) / sizeof(*grains))]);
    }
    nests_run(stage, nests, count, turn % 2 == 0, limits[turn % 3]);
}

/* One nest of many blocks, which makes several rounds, in units of all lengths. */
static void large_make(struct stage *stage, size_t grain)
{
    struct symm_cuda_nest nest = {
        .memory = stage->memory + grain, .packed = stage->memory + ROOM + grain, .run = grain,
        .limit = SYMM_CUDA_NEST_ALL, .depth = 1,
        .loops = {{ROOM / 3 / grain, 3 * (int64_t)grain - (grain == 1 ? 1 : 0), grain}}};
    memory_fill(stage, 1000 + grain);
    nests_run(stage, &nest, 1, false, 2);
    memory_fill(stage, 2000 + grain);
    nests_run(stage, &nest, 1, true, 2);
}

static void refusals_make(struct stage *stage)
{
    struct symm_kernel kernel;
    struct symm_cuda_nest nests[SYMM_CUDA_NESTS + 1];
    struct symm_completion completion;
    for (int i = 0; i <= SYMM_CUDA_NESTS; i++) {
        nests[i] = (struct symm_cuda_nest){.memory = stage->memory, .packed = stage->memory + ROOM};
    }
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_nests(&kernel, nests, SYMM_CUDA_NESTS,
                                                                 false, 0), &completion), SYMM_OK);
    FORK_STATUS(stage->self, symm_completion_test(stage->device, &completion), SYMM_OK);
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_nests(&kernel, nests,
                                                                 SYMM_CUDA_NESTS + 1, false, 0),
                                               &completion), SYMM_ERR_ARGUMENT);
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_nests(&kernel, nests, -1, false, 0),
                                               &completion),
                SYMM_ERR_ARGUMENT);
    nests[1].depth = SYMM_CUDA_NEST_LOOPS + 1;
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_nests(&kernel, nests, 2, false, 0),
                                               &completion),
                SYMM_ERR_ARGUMENT);
}

static void test_nests(struct fork_rank *self, void *context)
{
    static const size_t grains[] = {1, 2, 4, 8, 16};
    struct stage stage = {.self = self, .random = unit_random_start(71, 0)};
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "0", 1) == 0);
    struct symm_process *process = device_process(self);
    stage.memory = device_alloc(self, device_heap(self, process, 0), sizeof(before));
    FORK_STATUS(self, symm_device_get(0, &stage.device), SYMM_OK);
    for (int turn = 0; turn < 60; turn++) {
        turn_make(&stage, turn);
    }
    for (size_t i = 0; i < sizeof(grains) / sizeof(*grains); i++) {
        large_make(&stage, grains[i]);
    }
    refusals_make(&stage);
    symm_device_close_all();
}

UNIT_MAIN("test_cuda_nests", 60,
    FORK_TEST(test_nests, 1))
