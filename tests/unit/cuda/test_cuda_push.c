/*
 * test_cuda_push.c - copies of blocks to peers by a kernel, with a block of the device's own beside
 * them: by all threads, or by blocks of the kernel that copy nothing else.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/copy.h"

enum {
    PEERS_MOST = 3,
    ROWS = 2 * (PEERS_MOST + 1), /* inputs and outputs by turns; the own block's come last */
    ROW = (3 << 20) + 4096,
    GUARD = 64,
};

static unsigned char before[ROWS][ROW], after[ROWS][ROW];

struct stage {
    struct fork_rank *self;
    struct symm_device *device;
    unsigned char *memory; /* [ROWS][ROW] */
    struct unit_random random;
};

/* A block from one row to the next, at random places, which may suit vectors or not. */
static struct symm_cuda_push block_make(struct stage *stage, int row, size_t bytes)
{
    size_t shift_most = unit_random_below(&stage->random, 2) == 0 ? 1 : 16;
    size_t from = GUARD + unit_random_below(&stage->random, shift_most);
    size_t to = GUARD + unit_random_below(&stage->random, shift_most);
    memcpy(after[row + 1] + to, before[row] + from, bytes);
    return (struct symm_cuda_push){stage->memory + (size_t)row * ROW + from,
                                   stage->memory + (size_t)(row + 1) * ROW + to, bytes};
}

/* Sizes around the limit from which on the own block has blocks of the kernel for itself. */
static void turn_make(struct stage *stage, int turn)
{
    struct symm_kernel kernel;
    static const size_t sizes[] = {
        0, 1, 4097, (1 << 20) - 1, 1 << 20, (1 << 20) + 5, (3 << 20) - 3};
    static const unsigned limits[] = {0, 1, 4, 5, 9};
    enum { SIZES = sizeof(sizes) / sizeof(*sizes), LIMITS = sizeof(limits) / sizeof(*limits) };
    struct symm_cuda_push pushes[PEERS_MOST + 1];
    struct symm_completion completion;
    int count = (int)unit_random_below(&stage->random, PEERS_MOST + 1);
    for (int row = 0; row < ROWS; row++) {
        unit_fill(before[row], ROW, unit_random_start((uint64_t)turn + 1, (uint64_t)row));
    }
    memcpy(after, before, sizeof(before));
    FORK_STATUS(stage->self, symm_cuda_copy(0, stage->memory, before, sizeof(before)), SYMM_OK);
    for (int i = 0; i < count; i++) {
        pushes[i] = block_make(stage, 2 * i, sizes[unit_random_below(&stage->random, SIZES)]);
    }
    pushes[count++] = block_make(stage, 2 * PEERS_MOST, sizes[turn % SIZES]);
    const unsigned limit = limits[unit_random_below(&stage->random, LIMITS)];
    FORK_STATUS(stage->self,
                symm_device_start(stage->device,
                                  symm_kernel_push(&kernel, pushes, count, true, limit),
                                  &completion),
                SYMM_OK);
    device_completion_await(stage->self, stage->device, &completion);
    FORK_STATUS(stage->self, symm_cuda_copy(0, before, stage->memory, sizeof(before)), SYMM_OK);
    FORK_CHECK(stage->self, memcmp(before, after, sizeof(before)) == 0);
}

/* As many blocks as a kernel can be given. */
static void full_make(struct stage *stage)
{
    struct symm_kernel kernel;
    enum { PEERS = SYMM_CUDA_RANKS_MAX - 1, PART = ROW / PEERS / 16 * 16, OWN = 2 << 20 };
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    struct symm_completion completion;
    for (int row = 0; row < 4; row++) {
        unit_fill(before[row], ROW, unit_random_start(63, (uint64_t)row));
    }
    FORK_STATUS(stage->self, symm_cuda_copy(0, stage->memory, before, sizeof(before)), SYMM_OK);
    for (size_t i = 0; i < PEERS; i++) {
        pushes[i] = (struct symm_cuda_push){stage->memory + i * PART,
                                            stage->memory + ROW + i * PART, PART};
    }
    pushes[PEERS] = (struct symm_cuda_push){stage->memory + 2 * (size_t)ROW,
                                            stage->memory + 3 * (size_t)ROW, OWN};
    FORK_STATUS(stage->self, symm_device_start(stage->device,
                                               symm_kernel_push(&kernel, pushes,
                                                                SYMM_CUDA_RANKS_MAX, true, 0),
                                               &completion), SYMM_OK);
    device_completion_await(stage->self, stage->device, &completion);
    FORK_STATUS(stage->self, symm_cuda_copy(0, after, stage->memory, sizeof(after)), SYMM_OK);
    FORK_CHECK(stage->self, memcmp(after[1], before[0], (size_t)PEERS * PART) == 0);
    FORK_CHECK(stage->self, memcmp(after[3], before[2], OWN) == 0);
}

static void test_pushes(struct fork_rank *self, void *context)
{
    struct symm_kernel kernel;
    struct stage stage = {.self = self, .random = unit_random_start(61, 0)};
    struct symm_completion completion;
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "0", 1) == 0);
    struct symm_process *process = device_process(self);
    stage.memory = device_alloc(self, device_heap(self, process, 0), sizeof(before));
    FORK_STATUS(self, symm_device_get(0, &stage.device), SYMM_OK);
    for (int turn = 0; turn < 40; turn++) {
        turn_make(&stage, turn);
    }
    full_make(&stage);
    FORK_STATUS(self, symm_device_start(stage.device, symm_kernel_push(&kernel, NULL, 0, true, 0),
                                        &completion), SYMM_OK);
    FORK_STATUS(self, symm_completion_test(stage.device, &completion), SYMM_OK);
    FORK_STATUS(self, symm_device_start(stage.device, symm_kernel_push(&kernel, NULL, -1, true, 0),
                                        &completion),
                SYMM_ERR_ARGUMENT);
    symm_device_close_all();
}

UNIT_MAIN("test_cuda_push", 60,
    FORK_TEST(test_pushes, 1))
