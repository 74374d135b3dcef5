/*
 * test_cuda_multicast.c - multicast groups of device memory, on the stand-in driver: which devices
 * have it, life and use, segments that go while they are bound, and each call of the driver failing
 * on any rank. In a build with loops in the place of NVLink: use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"
#include "tests/unit/harness/multicast_member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/gpu/cuda_handles.h"

enum { MIB = 1 << 20, BIG = 3 * MIB, SMALL = 64 * 1024, LATER = 1 << 20 };

/* ---- life ------------------------------------------------------------------------------------ */

static void test_life(struct fork_rank *self, void *context)
{
    struct member member;
    struct multicast_block first, input, output;
    (void)context;
    member_begin(&member, self, self->rank);
    struct multicast_rank *rank = &member.rank;
    FORK_CHECK(self, symm_heap_multicast_able(rank->heap));
    multicast_block_make(rank, &first, SMALL);
    multicast_block_make(rank, &input, SMALL); /* in the midst of a segment */
    multicast_block_make(rank, &output, BIG);
    size_t handles = member.left("handle"), mappings = member.left("mapping"),
           reservations = member.left("reservation");
    member_set_up(&member, &input);
    member_set_up(&member, &output);
    FORK_CHECK(self, member.left("binding") == 2 && member.left("handle") == handles + 2);
    member_use(&member, &input, &output, 3);
    member_use(&member, &output, &input, 5);
    /* not the same place */
    FORK_CHECK(self, member_sum(&member, &input, &output, 16) == SYMM_ERR_SYSTEM);
    FORK_CHECK(self, device_failure_names("cuLaunchKernel"));
    member_use(&member, &input, &output, 7);
    multicast_block_free(rank, &output); /* unbound before its memory goes, known to others later */
    FORK_CHECK(self, member.left("binding") == 1 && member.left("handle") == handles + 1);
    multicast_call(rank, 1);
    FORK_CHECK(self, member.left("handle") == handles);
    multicast_block_make(rank, &output, BIG);
    member_set_up(&member, &output);
    member_use(&member, &input, &output, 9);
    symm_team_destroy(rank->team);
    FORK_CHECK(self, member.left("binding") == 0 && member.left("handle") == handles);
    FORK_CHECK(self, member.left("mapping") <= mappings &&
                         member.left("reservation") <= reservations);
    multicast_begin(rank, self, rank->process, rank->heap); /* segments outlive teams */
    multicast_block_make(rank, &input, SMALL);
    member_set_up(&member, &input);
    member_end(&member);
}

/* The shortest life, which is the same with loops in the place of NVLink. */
static void test_short_life(struct fork_rank *self, void *context)
{
    struct member member;
    struct multicast_block first, block;
    (void)context;
    member_begin(&member, self, self->rank);
    FORK_CHECK(self, symm_heap_multicast_able(member.rank.heap));
    multicast_block_make(&member.rank, &first, SMALL);
    multicast_block_make(&member.rank, &block, SMALL);
    member_set_up(&member, &block);
    member_use(&member, &block, &block, 2);
    member_use(&member, &first, &block, 3);
    fork_rank_barrier(self);
    member_end(&member);
}

/* Ranks on one device have one replica between them, and host memory is no device's. */
static void test_shared_devices(struct fork_rank *self, void *context)
{
    struct member member;
    struct multicast_block block;
    struct symm_location mixed[FORK_RANKS_MAX];
    (void)context;
    member_begin(&member, self, self->rank % 2);
    multicast_block_make(&member.rank, &block, SMALL);
    FORK_CHECK(self, symm_team_multicast_fits(member.rank.team, block.all) == (self->size == 2));
    memcpy(mixed, block.all, sizeof(mixed));
    mixed[0].heap = 0;
    FORK_CHECK(self, !symm_team_multicast_fits(member.rank.team, mixed));
    fork_rank_barrier(self);
    member_end(&member);
}

/* ---- who has it ------------------------------------------------------------------------------ */

struct machine {
    const char *name, *value; /* of a variable */
    bool able;
    size_t granularity;       /* of segments; 0: no matter */
};

static void look_at_machine(struct fork_rank *self, void *context)
{
    const struct machine *machine = context;
    struct symm_location location;
    struct symm_segment_place place;
    member_set(self, machine->name, machine->value);
    struct symm_process *process = device_process(self);
    struct symm_heap *heap = device_heap(self, process, 0);
    void *block = device_alloc(self, heap, BIG);
    FORK_CHECK(self, symm_heap_multicast_able(heap) == machine->able);
    FORK_STATUS(self, symm_heap_locate(heap, block, BIG, &location), SYMM_OK);
    FORK_STATUS(self, symm_heap_segment(heap, &location, &place), SYMM_OK);
    FORK_CHECK(self, machine->granularity == 0 ||
                         place.size == (BIG + machine->granularity - 1) / machine->granularity *
                                           machine->granularity);
    symm_process_release(process);
}

static void test_machines(void **state)
{
    struct machine machines[] = {
        {"SYMM_STANDIN_DEVICES", "2", true, 2 * MIB},
        {"SYMM_STANDIN_MULTICAST", "0", false, 2 * MIB},
        {"SYMM_STANDIN_CAPABILITY", "8", false, 2 * MIB},
        {"SYMM_STANDIN_MIG", "1", false, 2 * MIB},
        {"SYMM_STANDIN_VERSION", "12010", true, 0},
        {"SYMM_STANDIN_VERSION", "12000", false, 0}, /* has not got the functions */
        {"SYMM_STANDIN_MULTICAST_LEAST", "8388608", true, 8 * MIB},
        {"SYMM_STANDIN_MULTICAST_RECOMMENDED", "16777216", true, 16 * MIB},
        {"SYMM_STANDIN_MULTICAST_RECOMMENDED", "134217728", true, 2 * MIB}, /* too much */
        {"SYMM_STANDIN_FAIL", "cuMulticastGetGranularity:1", false, 2 * MIB},
        {"SYMM_STANDIN_FAIL", "cuMulticastGetGranularity:2", true, 2 * MIB},
        {"SYMM_STANDIN_FAIL", "cuDeviceGetAttribute:5", false, 2 * MIB},
        {"NCCL_NVLS_ENABLE", "0", false, 2 * MIB},
        {"NVSHMEM_DISABLE_NVLS", "1", false, 2 * MIB},
        {"TORCH_SYMM_MEM_DISABLE_MULTICAST", "1", false, 2 * MIB},
        {"NCCL_NVLS_ENABLE", "2", true, 2 * MIB},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
        print_message("# %s=%s\n", machines[i].name, machines[i].value);
        fork_ranks_run(1, look_at_machine, &machines[i]);
    }
}

/* ---- fabric handles -------------------------------------------------------------------------- */

struct grant {
    const char *channels; /* the folder of the IMEX channels */
    const char *fabric;   /* SYMM_STANDIN_FABRIC */
    const char *fault;    /* NULL: none */
    bool granted;
};

static bool has_fabric_handle(struct member *member, const struct multicast_block *block)
{
    __typeof__(cuMemRetainAllocationHandle) *retain;
    __typeof__(cuMemGetAllocationPropertiesFromHandle) *get;
    __typeof__(cuMemRelease) *release;
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp properties;
    device_driver_symbol(member->self, "cuMemRetainAllocationHandle", &retain);
    device_driver_symbol(member->self, "cuMemGetAllocationPropertiesFromHandle", &get);
    device_driver_symbol(member->self, "cuMemRelease", &release);
    FORK_CHECK(member->self, retain(&handle, block->block) == CUDA_SUCCESS);
    FORK_CHECK(member->self, get(&properties, handle) == CUDA_SUCCESS);
    FORK_CHECK(member->self, release(handle) == CUDA_SUCCESS);
    return (properties.requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC) != 0;
}

static void ask_for_fabric(struct fork_rank *self, void *context)
{
    const struct grant *grant = context;
    struct member member;
    struct multicast_block block;
    symm_cuda_imex_channels = grant->channels;
    member_set(self, "SYMM_STANDIN_FABRIC", grant->fabric);
    if (grant->fault != NULL) {
        member_set(self, "SYMM_STANDIN_FAIL", grant->fault);
    }
    member_begin(&member, self, self->rank);
    multicast_block_make(&member.rank, &block, SMALL);
    FORK_CHECK(self, has_fabric_handle(&member, &block) == grant->granted);
    member_set_up(&member, &block);
    member_use(&member, &block, &block, 4); /* in place */
    member_end(&member);
}

static void test_fabric(void **state)
{
    struct grant grants[] = {
        {"/", "0", NULL, false},
        {"/", "1", NULL, true},
        {"/nowhere", "1", NULL, false},
        {"/", "2", NULL, false},
        {"/", "3", NULL, false},
        {"/", "1", "cuMemCreate:1:CUDA_ERROR_NOT_PERMITTED", false},
        {"/", "1", "cuMemCreate:1:CUDA_ERROR_NOT_SUPPORTED", false},
        /* Memory has it already. */
        {"/", "1", "cuMulticastCreate:1:CUDA_ERROR_NOT_PERMITTED", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(grants) / sizeof(*grants); i++) {
        fork_ranks_run(2, ask_for_fabric, &grants[i]);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

enum { FUNCTIONS_MOST = 64, NAME_SIZE = 48 };

/* The functions of the driver that a set-up uses, on any rank. */
struct functions {
    char names[FUNCTIONS_MOST][NAME_SIZE];
    unsigned long uses[FUNCTIONS_MOST];
    size_t count;
};

/* What only gives back: the group is there, or undone, all the same. */
static bool gives_back(const char *name)
{
    static const char *const names[] = {
        "cuMulticastUnbind", "cuMemUnmap", "cuMemRelease", "cuMemAddressFree", "cuCtxPopCurrent",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* All ranks learn of all functions; the most uses on any rank count. */
static void functions_gather(struct member *member, struct functions *functions)
{
    functions->count = 0;
    for (int rank = 0; rank < member->self->size; rank++) {
        for (size_t i = 0;; i++) {
            struct {
                char name[NAME_SIZE];
                unsigned long uses;
            } mine = {"", 0}, all[FORK_RANKS_MAX];
            const char *name = member->uses(i, &mine.uses);
            (void)snprintf(mine.name, sizeof(mine.name), "%s", name != NULL ? name : "");
            fork_rank_exchange(member->self, &mine, sizeof(mine), all);
            if (all[rank].name[0] == '\0') {
                break;
            }
            size_t at = 0;
            while (at < functions->count && strcmp(functions->names[at], all[rank].name) != 0) {
                at++;
            }
            FORK_CHECK(member->self, at < FUNCTIONS_MOST);
            if (at == functions->count) {
                (void)strcpy(functions->names[functions->count++], all[rank].name);
                functions->uses[at] = 0;
            }
            if (functions->uses[at] < all[rank].uses) {
                functions->uses[at] = all[rank].uses;
            }
        }
    }
}

struct counts {
    size_t handles, mappings, reservations, bindings;
};

static struct counts counts_get(struct member *member)
{
    return (struct counts){
        .handles = member->left("handle"),
        .mappings = member->left("mapping"),
        .reservations = member->left("reservation"),
        .bindings = member->left("binding"),
    };
}

/*
 * One call of the driver fails on one rank while a group is set up, and after that while it ends.
 */
static void fail_once(struct member *member, const char *name, unsigned long use_number, int victim)
{
    struct fork_rank *self = member->self;
    struct multicast_rank *rank = &member->rank;
    struct multicast_block block;
    char fault[100];
    multicast_block_make(rank, &block, BIG);
    struct counts before = counts_get(member);
    (void)snprintf(fault, sizeof(fault), "%s:%lu", name, use_number);
    FORK_CHECK(self, symm_team_multicast_fits(rank->team, block.all));
    FORK_CHECK(self, member_state(member, &block) == SYMM_MULTICAST_UNKNOWN);
    symm_cuda_forget_failure();
    if (self->rank == victim) {
        member->set_fault(fault);
    }
    struct multicast_outcome outcome = multicast_set_up(rank, &block);
    bool failed = outcome.step != NULL;
    FORK_CHECK(self, !failed || (self->rank == victim && device_failure_names(name)));
    FORK_CHECK(self, member_state(member, &block) ==
                         (outcome.ready ? SYMM_MULTICAST_READY : SYMM_MULTICAST_REFUSED));
    member->set_fault("");
    if (!outcome.ready) {
        struct counts after = counts_get(member);
        FORK_CHECK(self, gives_back(name) || memcmp(&before, &after, sizeof(before)) == 0);
        multicast_call(rank, LATER);
        rank->team->refusal_span = 0; /* it would double each time */
        member_set_up(member, &block);
    }
    member_use(member, &block, &block, (int32_t)use_number);
    if (self->rank == victim) { /* the end */
        (void)snprintf(fault, sizeof(fault), "%s:1", name);
        member->set_fault(fault);
    }
    multicast_block_free(rank, &block);
    multicast_call(rank, SYMM_MULTICAST_CALLS_KEPT);
    member->set_fault("");
    fork_rank_barrier(self);
}

static void test_faults(struct fork_rank *self, void *context)
{
    struct member member;
    struct multicast_block block;
    struct functions functions;
    (void)context;
    member_begin(&member, self, self->rank);
    multicast_block_make(&member.rank, &block, BIG);
    member.set_fault("");
    member_set_up(&member, &block);
    functions_gather(&member, &functions);
    FORK_CHECK(self, functions.count > 8);
    multicast_block_free(&member.rank, &block);
    for (size_t i = 0; i < functions.count; i++) {
        unsigned long most = (unsigned long)unit_uses(100);
        most = functions.uses[i] < most ? functions.uses[i] : most;
        for (unsigned long number = 1; number <= most; number++) {
            for (int victim = 0; victim < self->size; victim++) {
                fail_once(&member, functions.names[i], number, victim);
            }
        }
    }
    symm_team_destroy(member.rank.team);
    symm_device_close_all();
    symm_process_release(member.rank.process);
}

/* A build with loops (--enable-multicast=unicast) makes no multicast objects of the driver. */
static bool has_loops(void)
{
#ifdef MULTICAST_UNICAST
    return true;
#else
    return false;
#endif
}

int main(void)
{
    const struct CMUnitTest with_loops[] = {
        FORK_TEST(test_short_life, 4),
        FORK_TEST(test_shared_devices, 3),
        FORK_TEST(test_shared_devices, 2),
    };
    const struct CMUnitTest tests[] = {
        FORK_TEST(test_short_life, 4),
        FORK_TEST(test_life, 2),
        FORK_TEST(test_life, 3),
        FORK_TEST(test_life, 8),
        FORK_TEST(test_shared_devices, 3),
        FORK_TEST(test_shared_devices, 2),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_fabric),
        FORK_TEST(test_faults, 3),
    };
    unit_begin("test_cuda_multicast", 120);
    return has_loops() ? cmocka_run_group_tests(with_loops, NULL, NULL)
                       : cmocka_run_group_tests(tests, NULL, NULL);
}
