/*
 * test_cuda_heap_peers.c - heaps of device memory that ranks map from each other, on the stand-in
 * driver (tests/standin), and what happens there to memory that has been freed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <string.h>

enum { MIB = 1 << 20, SEGMENT_SIZE = 2 * MIB, BIG = 3 * MIB };

static void wait_until_unmapped(struct fork_rank *self, int device, const void *there)
{
    double end = unit_seconds() + 30;
    unsigned polls = 0;
    while (symm_cuda_device_reaches(device, there)) {
        FORK_CHECK(self, unit_seconds() < end);
        unit_pause(&polls);
    }
}

/* The block of every rank, in turns on either device; rank 2 has host memory. */
static void test_peers(struct fork_rank *self, void *context)
{
    struct symm_location mine, all[FORK_RANKS_MAX];
    struct symm_process *process = device_process(self);
    int device = self->rank % 2, own = self->rank == 2 ? -1 : device;
    struct symm_heap *heap =
        own < 0 ? symm_process_heap(process) : device_heap(self, process, device);
    (void)context;
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, 1000, 65536), SYMM_OK);
    for (uint64_t round = 0; round < 4; round++) {
        void *block = device_alloc(self, heap, BIG);
        FORK_STATUS(self, symm_process_locate(process, block, BIG, &mine), SYMM_OK);
        fork_rank_exchange(self, &mine, sizeof(mine), all);
        if (own < 0) {
            unit_fill(block, BIG, unit_random_start(2000, 10 * round + (uint64_t)self->rank));
        } else {
            device_fill(self, own, block, BIG, 10 * round + (uint64_t)self->rank);
        }
        fork_rank_barrier(self);
        for (int rank = 0; rank < self->size; rank++) {
            uint64_t seed = 10 * round + (uint64_t)rank;
            void *there = fork_team_reach(self, team, rank, &all[rank]);
            FORK_CHECK(self, rank != self->rank || there == block);
            FORK_CHECK(self, rank == 2 ? unit_is_filled(there, BIG, unit_random_start(2000, seed))
                                       : device_is_filled(self, device, there, BIG, seed));
            FORK_CHECK(self, rank == 2 || symm_cuda_device_reaches(device, there));
        }
        fork_rank_barrier(self);
        FORK_STATUS(self, symm_heap_free(heap, block), SYMM_OK);
        fork_rank_barrier(self);
        for (int rank = 0; rank < self->size; rank++) {
            const void *there = symm_team_address(team, rank, &all[rank]);
            if (round % 2 == 0) { /* otherwise the thread of the server has heard of it */
                symm_team_collect(team, rank, all[rank].heap, (uint32_t)round + 1);
                FORK_CHECK(self, !symm_cuda_device_reaches(device, there));
            }
            wait_until_unmapped(self, device, there);
        }
        fork_rank_barrier(self);
    }
    symm_team_destroy(team);
    symm_process_release(process);
}

/*
 * Most of a device is used by all ranks, freed, and allocated again in another size, and nobody
 * makes a call in between in which it could notice.
 */
static void test_freed_memory_is_free(struct fork_rank *self, void *context)
{
    static const size_t sizes[] = {38 * MIB, 60 * MIB, 42 * MIB, 42 * MIB, 64 * MIB};
    CUresult (*get_info)(size_t *available, size_t *total);
    struct symm_location mine, all[FORK_RANKS_MAX];
    (void)context;
    FORK_CHECK(self, setenv("SYMM_STANDIN_MEMORY", "67108864", 1) == 0);
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, self->rank % 2);
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, 1000, 65536), SYMM_OK);
    device_driver_symbol(self, "cuMemGetInfo_v2", &get_info);
    size_t count = getenv("SYMM_TEST_ALL") != NULL ? sizeof(sizes) / sizeof(*sizes) : 2;
    for (size_t i = 0; i < count; i++) {
        void *block = NULL;
        FORK_STATUS(self, symm_process_device_alloc(process, self->rank % 2, sizes[i], 0, &block),
                    SYMM_OK);
        FORK_CHECK(self, device_is_zero(self, self->rank % 2, block, sizes[i]));
        FORK_STATUS(self, symm_process_locate(process, block, sizes[i], &mine), SYMM_OK);
        fork_rank_exchange(self, &mine, sizeof(mine), all);
        for (int rank = 0; rank < self->size; rank++) {
            (void)fork_team_reach(self, team, rank, &all[rank]);
        }
        device_fill(self, self->rank % 2, block, sizes[i], i);
        fork_rank_barrier(self);
        FORK_STATUS(self, symm_heap_free(heap, block), SYMM_OK);
    }
    /* Memory of the driver's own functions, which wait for nobody, can be had soon. */
    struct symm_cuda_scope scope;
    size_t available = 0, total = 0;
    double end = unit_seconds() + 30;
    FORK_STATUS(self, symm_cuda_enter(self->rank % 2, &scope), SYMM_OK);
    unsigned polls = 0;
    while (get_info(&available, &total) == CUDA_SUCCESS && available < total) {
        FORK_CHECK(self, unit_seconds() < end);
        unit_pause(&polls);
    }
    FORK_CHECK(self, available == total && total == 64 * MIB);
    symm_cuda_leave(&scope);
    fork_rank_barrier(self);
    symm_team_destroy(team);
    symm_process_release(process);
}

UNIT_MAIN("test_cuda_heap_peers", 150,
    FORK_TEST(test_peers, 4),
    FORK_TEST(test_freed_memory_is_free, 3))
