/*
 * test_cuda_devices.c - heaps of device memory where devices are not alike: links are missing,
 * memory cannot be shared, ranges cannot be unmapped.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, BIG = 3 * MIB };

static void set(struct fork_rank *self, const char *name, const char *value)
{
    FORK_CHECK(self, setenv(name, value, 1) == 0);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Devices 0 and 1 reach device 2 and not each other. */
static void test_use_own_devices(struct fork_rank *self, void *context)
{
    void *blocks[3];
    (void)context;
    set(self, "SYMM_STANDIN_DEVICES", "3");
    set(self, "SYMM_STANDIN_NO_PEER", "0-1");
    struct symm_process *process = device_process(self);
    for (int device = 0; device < 3; device++) {
        blocks[device] = device_alloc(self, device_heap(self, process, device), BIG);
    }
    for (int device = 0; device < 3; device++) {
        for (int other = 0; other < 3; other++) {
            bool linked = device == other || device == 2 || other == 2;
            FORK_CHECK(self, symm_cuda_device_reaches(device, blocks[other]) == linked);
            symm_cuda_forget_failure();
            FORK_STATUS(self, symm_cuda_device_reach(device, blocks[other]),
                        linked ? SYMM_OK : SYMM_ERR_SYSTEM);
            FORK_CHECK(self,
                       linked || device_failure_names("cuMemSetAccess: CUDA_ERROR_INVALID_DEVICE"));
        }
    }
    FORK_STATUS(self, symm_cuda_device_reach(0, self), SYMM_ERR_NOT_FOUND);
    FORK_STATUS(self, symm_cuda_device_reach(3, blocks[0]), SYMM_ERR_ARGUMENT);
    symm_process_release(process);
}

/* A device that could not be given access when it came into use is given it later. */
static void test_use_later_access(struct fork_rank *self, void *context)
{
    (void)context;
    set(self, "SYMM_STANDIN_FAIL", "cuMemSetAccess:2");
    struct symm_process *process = device_process(self);
    void *block = device_alloc(self, device_heap(self, process, 0), BIG);
    (void)device_heap(self, process, 1);
    FORK_CHECK(self, !symm_cuda_device_reaches(1, block));
    FORK_STATUS(self, symm_cuda_device_reach(1, block), SYMM_OK);
    FORK_CHECK(self, symm_cuda_device_reaches(1, block) && symm_cuda_device_reaches(0, block));
    symm_process_release(process);
}

/*
 * Rank 0's memory is on device 0.  Rank 1 uses device 1, which does not reach it, and then device 2
 * as well, which does: so the memory can be mapped after all.
 */
static void test_use_peer_device(struct fork_rank *self, void *context)
{
    struct symm_location location = {.serial = 0}, all[2];
    char text[SYMM_CUDA_TEXT_SIZE];
    enum symm_status status;
    unsigned polls = 0;
    (void)context;
    set(self, "SYMM_STANDIN_DEVICES", "3");
    set(self, "SYMM_STANDIN_NO_PEER", "0-1");
    struct symm_process *process = device_process(self);
    void *block = device_alloc(self, device_heap(self, process, self->rank), BIG);
    FORK_STATUS(self, symm_process_locate(process, block, BIG, &location), SYMM_OK);
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, 1000, 65536), SYMM_OK);
    fork_rank_exchange(self, &location, sizeof(location), all);
    if (self->rank == 1) {
        while ((status = symm_team_map(team, 0, &all[0])) == SYMM_PENDING) {
            unit_pause(&polls);
        }
        FORK_STATUS(self, status, SYMM_ERR_SYSTEM);
        FORK_CHECK(self, device_failure_names("cuMemSetAccess: CUDA_ERROR_INVALID_DEVICE"));
        (void)strcpy(text, "unknown");
        symm_team_describe_device(team, 1, &all[1], text, sizeof(text));
        FORK_CHECK(self, strcmp(text, "unknown") == 0); /* our own */
        symm_team_describe_device(team, 0, &all[0], text, sizeof(text));
        FORK_CHECK(self, strncmp(text, "device 0 (Stand-in device 0, GPU-", 33) == 0);
        (void)device_heap(self, process, 2);
        void *there = fork_team_reach(self, team, 0, &all[0]);
        FORK_CHECK(self, symm_cuda_device_reaches(2, there));
        FORK_CHECK(self, !symm_cuda_device_reaches(1, there));
        FORK_STATUS(self, symm_cuda_device_reach(1, there), SYMM_ERR_SYSTEM);
    }
    fork_rank_barrier(self);
    symm_team_destroy(team);
    symm_process_release(process);
}

/* ---- ranges that cannot be unmapped ---------------------------------------------------------- */

/*
 * Nothing is ever unmapped: each block has addresses of its own, and none is found where one was.
 */
static void test_use_stuck_ranges(struct fork_rank *self, void *context)
{
    enum { ROUNDS = 5 };
    struct symm_location location;
    struct symm_heap_stats stats;
    void *blocks[ROUNDS];
    (void)context;
    set(self, "SYMM_STANDIN_FAIL", "cuMemUnmap:1+");
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, 0);
    for (int round = 0; round < ROUNDS; round++) {
        blocks[round] = device_alloc(self, heap, BIG);
        for (int other = 0; other < round; other++) {
            FORK_CHECK(self, blocks[other] != blocks[round]);
        }
        FORK_CHECK(self, device_is_zero(self, 0, blocks[round], BIG));
        device_fill(self, 0, blocks[round], BIG, 1);
        FORK_STATUS(self, symm_heap_free(heap, blocks[round]), SYMM_OK);
        FORK_STATUS(self, symm_heap_free(heap, blocks[round]), SYMM_ERR_FREED);
        FORK_STATUS(self, symm_process_locate(process, blocks[round], 1, &location),
                    SYMM_ERR_FOREIGN);
        FORK_CHECK(self, !symm_cuda_device_reaches(0, blocks[round]));
    }
    symm_heap_get_stats(heap, &stats);
    FORK_CHECK(self, stats.segments == 0 && stats.segment_bytes == 0);
    FORK_CHECK(self, stats.segments_retired == ROUNDS);
    symm_process_release(process);
}

/*
 * A new block of rank 0 lies where an old one was, which rank 1 could not unmap: rank 1 does not
 * map over it, and says why; when unmapping works again, it does.
 */
static void test_use_stuck_peer(struct fork_rank *self, void *context)
{
    enum { ROUNDS = 3 };
    struct symm_location location = {.serial = 0}, all[2];
    (void)context;
    if (self->rank == 1) {
        set(self, "SYMM_STANDIN_FAIL", "cuMemUnmap:1,cuMemUnmap:2");
    }
    struct symm_process *process = device_process(self);
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, 1000, 65536), SYMM_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        void *block = NULL;
        if (self->rank == 0) {
            block = device_alloc(self, device_heap(self, process, 0), BIG);
            device_fill(self, 0, block, BIG, round);
            FORK_STATUS(self, symm_process_locate(process, block, BIG, &location), SYMM_OK);
        }
        fork_rank_exchange(self, &location, sizeof(location), all);
        if (self->rank == 1 && round == 1) {
            enum symm_status status;
            unsigned polls = 0;
            while ((status = symm_team_map(team, 0, &all[0])) == SYMM_PENDING) {
                unit_pause(&polls);
            }
            FORK_STATUS(self, status, SYMM_ERR_SYSTEM);
            FORK_CHECK(self, device_failure_names("cuMemUnmap: CUDA_ERROR_UNKNOWN"));
        }
        if (self->rank == 1) {
            void *there = fork_team_reach(self, team, 0, &all[0]);
            FORK_CHECK(self, device_is_filled(self, 1, there, BIG, round));
        }
        fork_rank_barrier(self);
        if (self->rank == 0) {
            FORK_STATUS(self, symm_heap_free(device_heap(self, process, 0), block), SYMM_OK);
        }
        fork_rank_barrier(self);
        symm_team_collect(team, 0, all[0].heap, round + 1);
    }
    symm_team_destroy(team);
    symm_process_release(process);
}

/* ---- memory that cannot be shared ------------------------------------------------------------ */

static void test_plain_memory(struct fork_rank *self, void *context)
{
    const char *lack = context;
    struct symm_location location;
    struct symm_heap *heap;
    void *blocks[2];
    set(self, lack, "1");
    struct symm_process *process = device_process(self);
    symm_cuda_forget_failure();
    FORK_STATUS(self, symm_process_device_heap(process, 1, &heap), SYMM_ERR_NOT_FOUND);
    FORK_CHECK(self, device_failure_names(strcmp(lack, "SYMM_STANDIN_NO_VMM") == 0
                                              ? "the device has no virtual memory management"
                                              : "the device cannot export memory"));
    for (int device = 0; device < 2; device++) {
        FORK_STATUS(self, symm_cuda_plain_alloc(device, BIG, &blocks[device]), SYMM_OK);
    }
    for (int device = 0; device < 2; device++) {
        char *bytes = blocks[device];
        FORK_CHECK(self, symm_cuda_plain_device(bytes) == device);
        FORK_CHECK(self, symm_cuda_plain_device(bytes + BIG - 1) == device);
        FORK_CHECK(self, symm_cuda_plain_device(bytes + BIG) != device);
        FORK_STATUS(self, symm_process_locate(process, bytes, 1, &location), SYMM_ERR_FOREIGN);
        FORK_STATUS(self, symm_cuda_plain_free(bytes + 1), SYMM_ERR_FOREIGN);
        device_fill(self, device, bytes, BIG, 5);
        FORK_CHECK(self, device_is_filled(self, device, bytes, BIG, 5));
        FORK_STATUS(self, symm_cuda_plain_free(bytes), SYMM_OK);
        FORK_STATUS(self, symm_cuda_plain_free(bytes), SYMM_ERR_FOREIGN);
        FORK_CHECK(self, symm_cuda_plain_device(bytes) == -1);
    }
    FORK_STATUS(self, symm_cuda_plain_alloc(1, (size_t)1 << 40, &blocks[0]), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, device_failure_names("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
    FORK_STATUS(self, symm_cuda_plain_alloc(2, 1, &blocks[0]), SYMM_ERR_ARGUMENT);
    /* nothing is wrong with that one */
    (void)device_alloc(self, device_heap(self, process, 0), BIG);
    symm_process_release(process);
}

UNIT_MAIN("test_cuda_devices", 60,
    FORK_TEST(test_use_own_devices, 1),
    FORK_TEST(test_use_later_access, 1),
    FORK_TEST(test_use_peer_device, 2),
    FORK_TEST(test_use_stuck_ranges, 1),
    FORK_TEST(test_use_stuck_peer, 2),
    FORK_TEST_WITH(test_plain_memory, 1, (char[]){"SYMM_STANDIN_NO_VMM"}),
    FORK_TEST_WITH(test_plain_memory, 1, (char[]){"SYMM_STANDIN_NO_EXPORT"}))
