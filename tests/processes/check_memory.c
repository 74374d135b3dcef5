/*
 * MPI_Alloc_mem and MPI_Free_mem: alignment, contents, reuse, other orders on other ranks, and
 * blocks that come and go between collectives, so that peers' mappings must follow.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 64 };

struct block {
    unsigned char *data;
    size_t bytes;
    unsigned char pattern;
};

static uint64_t number;

static uint64_t my_random(uint64_t step, uint64_t index)
{
    return test_random(test_stream(step, (uint64_t)test_rank, 3), index);
}

/* What the heap promises; plain Open MPI gives what malloc gives. */
static void check_alignment(const struct block *block)
{
    size_t alignment = test_expects_symm() ? 256 : 16;
    if (test_expects_symm() && block->bytes >= 16384) {
        alignment = 4096;
    }
    if ((uintptr_t)block->data % alignment != 0) {
        test_fail("block of %zu bytes at %p: expected alignment to %zu", block->bytes,
                  (void *)block->data, alignment);
    }
}

static void check_overlap(const struct block *blocks, size_t self)
{
    const struct block *mine = &blocks[self];
    for (size_t i = 0; i < BLOCKS; i++) {
        const struct block *other = &blocks[i];
        if (i != self && other->data != NULL && mine->data < other->data + other->bytes &&
            other->data < mine->data + mine->bytes) {
            test_fail("block %zu (%p, %zu bytes) overlaps block %zu (%p, %zu bytes)", self,
                      (void *)mine->data, mine->bytes, i, (void *)other->data, other->bytes);
        }
    }
}

static void allocate(struct block *blocks, size_t i, size_t bytes, unsigned char pattern)
{
    struct block *block = &blocks[i];
    block->bytes = bytes;
    block->pattern = pattern;
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &block->data);
    if (block->data == NULL) {
        fprintf(stderr, "MPI_Alloc_mem of %zu bytes returned NULL\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    check_alignment(block);
    check_overlap(blocks, i);
    memset(block->data, pattern, bytes);
}

static void check_contents(const struct block *block)
{
    const unsigned char *data = block->data;
    if (data[0] == block->pattern && memcmp(data, data + 1, block->bytes - 1) == 0) {
        return;
    }
    for (size_t i = 0; i < block->bytes; i++) {
        if (block->data[i] != block->pattern) {
            test_fail("block of %zu bytes, byte %zu: expected %#04x, found %#04x", block->bytes,
                      i, block->pattern, block->data[i]);
            return;
        }
    }
}

static void release(struct block *block)
{
    check_contents(block);
    MPI_Free_mem(block->data);
    block->data = NULL;
}

static size_t random_size(uint64_t random)
{
    switch (random % 8) {
    case 0:
        return 1 + (random >> 8) % 16;
    case 1:
        return 65536 + (random >> 8) % 300000;
    default:
        return 1 + (random >> 8) % 20000;
    }
}

/* Collectives on two live blocks, wherever they are, in messages too large for a slot; the blocks'
 * contents are restored. All ranks name the same size, which must fit their blocks. */
static void use_blocks(const struct block *a, const struct block *b, size_t bytes)
{
    size_t offset_a = (a->bytes - bytes) / 2 / 8 * 8;
    size_t offset_b = (b->bytes - bytes) / 3 / 8 * 8;
    struct test_memory memory = {a->data + offset_a, b->data + offset_b, bytes};
    test_exercise_allreduce(MPI_COMM_WORLD, ++number, memory, bytes);
    test_exercise_allgather(MPI_COMM_WORLD, number, memory, bytes);
    memset(memory.send, a->pattern, bytes);
    memset(memory.receive, b->pattern, bytes);
}

/* Every rank allocates and frees in an order of its own; in between all meet in collectives. */
static void random_patterns(void)
{
    struct block blocks[BLOCKS] = {{NULL, 0, 0}};
    int steps = test_quick ? 500 : 2000;
    allocate(blocks, 0, 30000, 0x5a);
    allocate(blocks, 1, 40000, 0xa5);
    for (int step = 0; step < steps; step++) {
        uint64_t random = my_random((uint64_t)step, 0);
        size_t i = 2 + random % (BLOCKS - 2);
        test_case("random allocations, step %d", step);
        if (blocks[i].data == NULL) {
            allocate(blocks, i, random_size(random >> 16), (unsigned char)(random >> 8));
        } else {
            release(&blocks[i]);
        }
        if (step % 50 == 49) {
            use_blocks(&blocks[step / 50 % 2], &blocks[1 - step / 50 % 2], 24000);
        }
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].data != NULL) {
            release(&blocks[i]);
        }
    }
}

static void many_sizes(void)
{
    static const size_t sizes[] = {1,    2,    8,     15,    16,     17,     255,    256,    257,
                                   4095, 4096, 4097,  65535, 65536,  65537,  262144, 1000000};
    struct block blocks[BLOCKS] = {{NULL, 0, 0}};
    size_t count = sizeof sizes / sizeof sizes[0];
    for (size_t i = 0; i < count; i++) {
        /* Ranks go through the sizes from different ends, so that offsets differ. */
        size_t which = test_rank % 2 == 0 ? i : count - 1 - i;
        test_case("block of %zu bytes", sizes[which]);
        allocate(blocks, which, sizes[which], (unsigned char)(which + 1));
    }
    test_case("use of blocks at different offsets");
    use_blocks(&blocks[14], &blocks[15], 60000);
    for (size_t i = 0; i < count; i++) {
        release(&blocks[i]);
    }
}

/* Goes through /proc/self/maps, where the kernel names the mappings of a memfd: adds up their
 * sizes, and tells whether the address is in one. Malloc memory has no such name. */
static size_t memfd_bytes(const void *address, int *is_inside)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    size_t sum = 0;
    *is_inside = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        uintptr_t start;
        uintptr_t end;
        if (strstr(line, "/memfd:") != NULL &&
            sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2) {
            sum += end - start;
            *is_inside |= (uintptr_t)address >= start && (uintptr_t)address < end;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return sum;
}

/* Big blocks are freed and made again between collectives, in other sizes, so that what a peer
 * has mapped for an address is soon something else. */
static void remapped_blocks(void)
{
    size_t segment = test_parameter("mpool_symm_segment_size", 64u << 20);
    size_t big = segment < (8u << 20) ? segment : 4u << 20;
    int rounds = test_quick ? 6 : 12;
    for (int round = 0; round < rounds; round++) {
        struct block blocks[BLOCKS] = {{NULL, 0, 0}};
        uint64_t random = my_random((uint64_t)round, 9);
        size_t bytes = big / 2 + (random % 5) * (big / 4) + 4096;
        test_case("big blocks, round %d, %zu bytes here", round, bytes);
        if (random % 2 == 0) {
            allocate(blocks, 2, 100000 + random % 100000, 0x33);
        }
        allocate(blocks, 0, bytes, 0x5a);
        allocate(blocks, 1, bytes, 0xa5);
        use_blocks(&blocks[0], &blocks[1], 200000);
        use_blocks(&blocks[1], &blocks[0], 8192);
        release(&blocks[round % 2]);
        if (round % 3 == 0) {
            allocate(blocks, round % 2, bytes * 2, 0x77);
            use_blocks(&blocks[0], &blocks[1], 200000);
            release(&blocks[round % 2]);
        }
        release(&blocks[1 - round % 2]);
        if (blocks[2].data != NULL) {
            release(&blocks[2]);
        }
    }
}

/* What owners have given back must not stay mapped by their peers once they have met again. */
static void unmapped_blocks(void)
{
    size_t segment = test_parameter("mpool_symm_segment_size", 64u << 20);
    int unused;
    size_t before = memfd_bytes(NULL, &unused);
    remapped_blocks();
    test_exercise(MPI_COMM_WORLD, 2000000, 100000);
    size_t after = memfd_bytes(NULL, &unused);
    test_case("memory of freed blocks");
    if (after > before + segment) {
        test_fail("mapped after all blocks were freed: expected at most %zu bytes and a spare "
                  "segment of %zu, found %zu",
                  before, segment, after);
    }
}

/* More than one segment alive at once, with messages in each of them. */
static void several_segments(void)
{
    size_t segment = test_parameter("mpool_symm_segment_size", 64u << 20);
    size_t bytes = segment < (8u << 20) ? segment / 2 + 1 : 1u << 20;
    struct block blocks[BLOCKS] = {{NULL, 0, 0}};
    for (size_t i = 0; i < 6; i++) {
        allocate(blocks, i, bytes, (unsigned char)(i + 1));
    }
    for (size_t i = 0; i < 6; i++) {
        test_case("several segments, send in block %zu", i);
        size_t send = (i + (size_t)test_rank) % 6;
        use_blocks(&blocks[send], &blocks[(send + 3) % 6], 100000);
    }
    for (size_t i = 0; i < 6; i++) {
        release(&blocks[i]);
    }
}

static void nothing(void)
{
    void *pointer = NULL;
    test_case("block of no bytes");
    MPI_Alloc_mem(0, MPI_INFO_NULL, &pointer);
    if (pointer != NULL) {
        MPI_Free_mem(pointer);
    }
}

static void served_by_the_heap(void)
{
    void *pointer;
    test_case("origin of MPI_Alloc_mem memory");
    MPI_Alloc_mem(100000, MPI_INFO_NULL, &pointer);
    int inside;
    memfd_bytes(pointer, &inside);
    test_check(!test_expects_symm() || inside, "memory of the symmetric heap");
    MPI_Free_mem(pointer);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_memory", MPI_THREAD_SINGLE);
    served_by_the_heap();
    nothing();
    many_sizes();
    random_patterns();
    several_segments();
    unmapped_blocks();
    test_case("the end");
    test_exercise(MPI_COMM_WORLD, 1000000, 100000);
    return test_end();
}
