/*
 * test_host_blocks.c - blocks of pinned host memory for copies of device memory: what is kept, and
 * how much.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <string.h>

#include "kernels/cuda/launch/host_memory.h"

enum { KIB = 1024, LIMIT = 1024 * KIB };

static struct symm_host_block get(struct fork_rank *self, size_t size, bool is_pinned)
{
    struct symm_host_block block;
    FORK_STATUS(self, symm_host_block_get(0, size, &block), SYMM_OK);
    FORK_CHECK(self, block.memory != NULL && block.size >= size);
    FORK_CHECK(self, (block.slot >= 0) == is_pinned);
    memset(block.memory, 1, size);
    return block;
}

static void test_reuse(struct fork_rank *self, void *context)
{
    (void)context;
    struct symm_process *process = device_process(self);
    (void)device_heap(self, process, 0);
    struct symm_host_block block = get(self, 100 * KIB, true);
    void *memory = block.memory;
    symm_host_block_put(&block);
    FORK_CHECK(self, block.memory == NULL);
    block = get(self, 80 * KIB, true);
    FORK_CHECK(self, block.memory == memory);
    struct symm_host_block beside = get(self, 80 * KIB, true);
    FORK_CHECK(self, beside.memory != memory);
    symm_host_block_put(&block);
    symm_host_block_put(&beside);
    symm_host_blocks_close();
    symm_process_release(process);
}

/* Idle blocks go for the sake of others, busy ones do not. */
static void test_limit(struct fork_rank *self, void *context)
{
    (void)context;
    struct symm_process *process = device_process(self);
    (void)device_heap(self, process, 0);
    symm_host_blocks_limit(LIMIT);
    struct symm_host_block first = get(self, 600 * KIB, true);
    struct symm_host_block second = get(self, 600 * KIB, false);
    symm_host_block_put(&second);
    symm_host_block_put(&first);
    struct symm_host_block small = get(self, 300 * KIB, true);
    symm_host_block_put(&small);
    first = get(self, 700 * KIB, true);
    small = get(self, 300 * KIB, false);
    symm_host_block_put(&small);
    symm_host_block_put(&first);
    /* though blocks are a little larger than asked for, otherwise */
    first = get(self, LIMIT, true);
    symm_host_block_put(&first);
    symm_host_blocks_limit(LIMIT); /* which gives back what is kept */
    first = get(self, LIMIT / 2, true); /* both buffers of a call */
    second = get(self, LIMIT / 2 - 1, true);
    symm_host_block_put(&first);
    symm_host_block_put(&second);
    second = get(self, LIMIT + 1, false);
    symm_host_block_put(&second);
    symm_host_blocks_limit(0);
    first = get(self, 800 * KIB, false);
    symm_host_block_put(&first);
    symm_host_blocks_close();
    symm_process_release(process);
}

UNIT_MAIN("test_host_blocks", 60,
    FORK_TEST(test_reuse, 1),
    FORK_TEST(test_limit, 1))
