/*
 * test_cuda_faults.c - heaps of device memory when a function of the driver fails: each one at its
 * first, second and third use, where blocks come and go, and where peers' memory is mapped.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, BIG = 3 * MIB, LOOKED_AT = 1 << 16 };

/* What heaps call; the rest of the table belongs to kernels. */
static const char *const function_names[] = {
    "cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxGetFlags", "cuCtxPopCurrent", "cuCtxPushCurrent",
    "cuCtxSetFlags", "cuDeviceGet", "cuDeviceGetAttribute", "cuDeviceGetCount",
    "cuDevicePrimaryCtxRetain", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuInit",
    "cuMemAddressFree", "cuMemAddressReserve", "cuMemCreate", "cuMemExportToShareableHandle",
    "cuMemGetAllocationGranularity", "cuMemImportFromShareableHandle", "cuMemMap", "cuMemRelease",
    "cuMemSetAccess", "cuMemUnmap", "cuMemsetD8Async", "cuStreamCreate", "cuStreamSynchronize",
    "cuThreadExchangeStreamCaptureMode",
};

/* What cannot be done without, so that its first failure must come out. */
static const char *const vital_for_blocks[] = {
    "cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent",
    "cuCtxGetCurrent", "cuDeviceGetAttribute", "cuMemGetAllocationGranularity", "cuMemCreate",
    "cuMemExportToShareableHandle", "cuMemMap", "cuMemSetAccess", "cuMemsetD8Async",
    "cuStreamCreate", "cuStreamSynchronize", "cuThreadExchangeStreamCaptureMode", NULL,
};
static const char *const vital_for_peers[] = {
    "cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain", "cuMemAddressReserve", "cuMemMap",
    "cuMemImportFromShareableHandle", "cuMemSetAccess", NULL,
};

static bool must_come_out(const struct cuda_fault *fault, const char *const *vital)
{
    while (*vital != NULL && strcmp(fault->what, *vital) != 0) {
        vital++;
    }
    return fault->use == 1 && *vital != NULL;
}

/* Something has failed: then there is a sentence about it. */
static bool is_explained(enum symm_status status)
{
    return status == SYMM_OK || device_failure_names(": CUDA_ERROR_") ||
           device_failure_names("the driver has no ");
}

static bool is_mine(enum symm_status status, const struct cuda_fault *fault)
{
    return status == SYMM_OK || device_failure_names(fault->what) ||
           strcmp(fault->what, "cuGetProcAddress") == 0; /* names what it did not find */
}

static void fault_set(struct fork_rank *self, const struct cuda_fault *fault)
{
    char text[100];
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    FORK_CHECK(self, setenv("SYMM_STANDIN_FAIL", text, 1) == 0);
}

/* What could not be unmapped is avoided, or unmapped later: nothing fails. */
static unsigned failures_most(const struct cuda_fault *fault)
{
    return strcmp(fault->what, "cuMemUnmap") == 0 ? 0 : 1;
}

static void run_with_each(int ranks, fork_body *body)
{
    cuda_faults_run(function_names, sizeof(function_names) / sizeof(*function_names), unit_uses(3),
                    1, ranks, body);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/*
 * Blocks come and go.  The n-th use of one function fails: one step fails with it or none does, and
 * the next try goes well.
 */
static void use_blocks(struct fork_rank *self, void *context)
{
    const struct cuda_fault *fault = context;
    unsigned failures = 0;
    fault_set(self, fault);
    struct symm_process *process = device_process(self);
    for (int round = 0; round < 6; round++) {
        struct symm_heap *heap = NULL;
        void *block = NULL;
        int device = -1;
        symm_cuda_forget_failure();
        enum symm_status status = symm_cuda_device_current(&device);
        if (status == SYMM_OK) {
            status = symm_process_device_heap(process, round % 2, &heap);
        }
        if (status == SYMM_OK) {
            status = symm_heap_alloc(heap, BIG, 0, &block);
        }
        FORK_CHECK(self, is_explained(status));
        FORK_CHECK(self, is_mine(status, fault));
        failures += status != SYMM_OK;
        if (status == SYMM_OK) {
            FORK_STATUS(self, symm_heap_free(heap, block), SYMM_OK);
        }
    }
    FORK_CHECK(self, failures <= failures_most(fault));
    FORK_CHECK(self, !must_come_out(fault, vital_for_blocks) || failures == 1);
    symm_process_release(process);
}

static void test_blocks(void **state)
{
    (void)state;
    run_with_each(1, use_blocks);
}

/* ---- peers ----------------------------------------------------------------------------------- */

/* Whether copies, which look at the contents, can be made without meeting the fault. */
static bool copies_are_safe(const struct cuda_fault *fault)
{
    return strncmp(fault->what, "cuMem", 5) == 0 &&
           strncmp(fault->what, "cuMemcpy", 8) != 0;
}

/* The last part of a block, which is all that is looked at: there are many faults. */
static void *end_of(void *block)
{
    return (unsigned char *)block + BIG - LOOKED_AT;
}

/* One try to map the block of rank 0. */
static enum symm_status try_to_map(struct symm_team *team, const struct symm_location *location)
{
    enum symm_status status;
    unsigned polls = 0;
    symm_cuda_forget_failure();
    while ((status = symm_team_map(team, 0, location)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    return status;
}

/* Tries until it is mapped, and looks at it; the number of tries that failed. */
static unsigned map_and_look(struct fork_rank *self, struct symm_team *team,
                             const struct cuda_fault *fault, const struct symm_location *location,
                             uint64_t round)
{
    unsigned failures = 0;
    enum symm_status status;
    while ((status = try_to_map(team, location)) != SYMM_OK && failures < 2) {
        FORK_CHECK(self, is_explained(status));
        FORK_CHECK(self, is_mine(status, fault));
        failures++;
    }
    if (status == SYMM_OK) {
        void *end = end_of(symm_team_address(team, 0, location));
        FORK_CHECK(self, symm_cuda_device_reaches(1, end));
        FORK_CHECK(self, !copies_are_safe(fault) ||
                             device_is_filled(self, 1, end, LOOKED_AT, round));
    }
    return failures;
}

/* Rank 0 makes blocks and gives them back; the driver of rank 1, which maps them, fails. */
static void use_peer(struct fork_rank *self, void *context)
{
    enum { ROUNDS = 4 };
    const struct cuda_fault *fault = context;
    struct symm_location location = {.serial = 0}, all[2];
    unsigned failures = 0;
    if (self->rank == 1) {
        fault_set(self, fault);
    }
    struct symm_process *process = device_process(self);
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, 1000, 65536), SYMM_OK);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        void *block = NULL;
        if (self->rank == 0) {
            block = device_alloc(self, device_heap(self, process, 0), BIG);
            device_fill(self, 0, end_of(block), LOOKED_AT, round);
            FORK_STATUS(self, symm_process_locate(process, block, BIG, &location), SYMM_OK);
        }
        fork_rank_exchange(self, &location, sizeof(location), all);
        if (self->rank == 1) {
            failures += map_and_look(self, team, fault, &all[0], round);
        }
        fork_rank_barrier(self);
        if (self->rank == 0) {
            FORK_STATUS(self, symm_heap_free(device_heap(self, process, 0), block), SYMM_OK);
        }
        fork_rank_barrier(self);
        symm_team_collect(team, 0, all[0].heap, round + 1);
    }
    FORK_CHECK(self, failures <= failures_most(fault));
    FORK_CHECK(self, self->rank == 0 || !must_come_out(fault, vital_for_peers) || failures == 1);
    symm_team_destroy(team);
    symm_process_release(process);
}

static void test_peers(void **state)
{
    (void)state;
    run_with_each(2, use_peer);
}

UNIT_MAIN("test_cuda_faults", 300,
    cmocka_unit_test(test_blocks),
    cmocka_unit_test(test_peers))
