/*
 * test_cuda_multicast.c - multicast groups of device memory, on the stand-in driver: which devices have it,
 * life and use, segments that go while they are bound, and each call of the driver failing on any rank.
 * In a build with loops in the place of NVLink: use.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/device_memory.h"
#include "tests/unit/multicast_ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/cuda_handles.h"
#include "kernels/cuda/multimem.h"
#include "tests/cuda/kernels.h"

enum { MIB = 1 << 20, BIG = 3 * MIB, COUNT = 1000, SMALL = 64 * 1024, LATER = 1 << 20 };

/* A rank with a device, and what the stand-in tells of itself. */
struct member {
    struct multicast_rank rank;
    struct fork_rank *self;
    struct symm_device *device;
    int number;
    symm_standin_left_function *left;
    symm_standin_fail_function *set_fault;
    symm_standin_uses_function *uses;
};

static void set(struct fork_rank *self, const char *name, const char *value)
{
    FORK_CHECK(self, setenv(name, value, 1) == 0);
}

static void symbol_get(struct fork_rank *self, const char *name, void *function)
{
    void *driver = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW);
    FORK_CHECK(self, driver != NULL);
    void *symbol = dlsym(driver, name);
    FORK_CHECK(self, symbol != NULL);
    memcpy(function, &symbol, sizeof(symbol));
}

static void member_begin(struct member *member, struct fork_rank *self, int device)
{
    set(self, "SYMM_STANDIN_DEVICES", "8");
    member->self = self;
    member->number = device;
    struct symm_process *process = device_process(self);
    symbol_get(self, "symm_standin_left", &member->left);
    symbol_get(self, "symm_standin_fail", &member->set_fault);
    symbol_get(self, "symm_standin_uses", &member->uses);
    multicast_begin(&member->rank, self, process, device_heap(self, process, device), 1);
    FORK_STATUS(self, symm_device_get(device, &member->device), SYMM_OK);
    FORK_STATUS(self, symm_device_multimem_load(member->device), SYMM_OK);
}

static void member_end(struct member *member)
{
    symm_team_destroy(member->rank.team);
    FORK_CHECK(member->self, member->left("binding") == 0);
    symm_device_close_all();
    symm_process_release(member->rank.process);
}

static enum symm_multicast_state state_of(struct member *member,
                                          const struct multicast_block *block)
{
    return symm_team_multicast_state(member->rank.team, block->all);
}

static void set_up_well(struct member *member, const struct multicast_block *block)
{
    FORK_CHECK(member->self, symm_team_multicast_fits(member->rank.team, block->all));
    FORK_CHECK(member->self, state_of(member, block) == SYMM_MULTICAST_UNKNOWN);
    struct multicast_outcome outcome = multicast_set_up(&member->rank, block);
    FORK_STATUS(member->self, outcome.status, SYMM_OK);
    FORK_CHECK(member->self, outcome.ready && state_of(member, block) == SYMM_MULTICAST_READY);
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static void copy(struct member *member, void *memory, int32_t *here, bool there)
{
    struct symm_cuda_scope scope;
    CUdeviceptr device = (CUdeviceptr)(uintptr_t)memory;
    FORK_STATUS(member->self, symm_cuda_enter(member->number, &scope), SYMM_OK);
    CUresult result = there ? scope.cuda->cuMemcpyHtoDAsync(device, here, COUNT * 4, NULL)
                            : scope.cuda->cuMemcpyDtoHAsync(here, device, COUNT * 4, NULL);
    FORK_CHECK(member->self, result == CUDA_SUCCESS);
    FORK_CHECK(member->self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

static struct symm_multicast_address address_of(struct member *member,
                                                const struct multicast_block *block)
{
    struct symm_multicast_address address = {.address = NULL};
    FORK_CHECK(member->self, symm_team_multicast_fits(member->rank.team, block->all));
    FORK_CHECK(member->self,
               symm_team_multicast_address(member->rank.team, block->all, &address));
    FORK_CHECK(member->self, address.address != NULL && address.replicas == NULL);
    return address;
}

/* A two-shot sum by multicast; the status of the launch, or of the kernel.  `shift`: mistakes. */
static enum symm_status sum(struct member *member, const struct multicast_block *input,
                            const struct multicast_block *output, ptrdiff_t shift)
{
    struct fork_rank *self = member->self;
    int64_t size = self->size;
    struct symm_ticket ticket;
    struct symm_cuda_multimem arguments = {
        .unicast = {.ranks = self->size, .output_count = self->size,
                    .begin = (uint64_t)(self->rank * COUNT / size),
                    .end = (uint64_t)((self->rank + 1) * COUNT / size)},
        .input = (unsigned char *)address_of(member, input).address + shift,
        .output = address_of(member, output).address,
    };
    for (int rank = 0; rank < self->size; rank++) {
        arguments.unicast.inputs[rank] =
            symm_team_address(member->rank.team, rank, &input->all[rank]);
        arguments.unicast.outputs[rank] =
            symm_team_address(member->rank.team, rank, &output->all[rank]);
    }
    unsigned polls = 0;
    enum symm_status status = symm_device_multimem_start(
        member->device, SYMM_CUDA_INT32, SYMM_CUDA_SUM, &arguments, 0, &ticket);
    while (status == SYMM_OK &&
           (status = symm_device_ticket_test(member->device, &ticket)) == SYMM_PENDING) {
        unit_pause(&polls);
        status = SYMM_OK;
    }
    return status;
}

static void use(struct member *member, const struct multicast_block *input,
                const struct multicast_block *output, int32_t salt)
{
    struct fork_rank *self = member->self;
    int32_t numbers[COUNT], wanted = 0;
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = salt * (self->rank + 1) + i;
    }
    for (int rank = 0; rank < self->size; rank++) {
        wanted += salt * (rank + 1);
    }
    copy(member, input->block, numbers, true);
    fork_rank_barrier(self);
    FORK_STATUS(self, sum(member, input, output, 0), SYMM_OK);
    fork_rank_barrier(self);
    copy(member, output->block, numbers, false);
    for (int i = 0; i < COUNT; i++) {
        FORK_CHECK(self, numbers[i] == wanted + self->size * i);
    }
    fork_rank_barrier(self);
}

/* ---- life ---------------------------------------------------------------------------------------------- */

static void live(struct fork_rank *self, void *context)
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
    set_up_well(&member, &input);
    set_up_well(&member, &output);
    FORK_CHECK(self, member.left("binding") == 2 && member.left("handle") == handles + 2);
    use(&member, &input, &output, 3);
    use(&member, &output, &input, 5);
    FORK_CHECK(self, sum(&member, &input, &output, 16) == SYMM_ERR_SYSTEM); /* not the same place */
    FORK_CHECK(self, device_failure_names("cuLaunchKernel"));
    use(&member, &input, &output, 7);
    multicast_block_free(rank, &output); /* unbound before its memory goes, known to others later */
    FORK_CHECK(self, member.left("binding") == 1 && member.left("handle") == handles + 1);
    multicast_call(rank, 1);
    FORK_CHECK(self, member.left("handle") == handles);
    multicast_block_make(rank, &output, BIG);
    set_up_well(&member, &output);
    use(&member, &input, &output, 9);
    symm_team_destroy(rank->team);
    FORK_CHECK(self, member.left("binding") == 0 && member.left("handle") == handles);
    FORK_CHECK(self, member.left("mapping") <= mappings &&
                         member.left("reservation") <= reservations);
    multicast_begin(rank, self, rank->process, rank->heap, 2); /* segments outlive teams */
    multicast_block_make(rank, &input, SMALL);
    set_up_well(&member, &input);
    member_end(&member);
}

static void test_life(void **state)
{
    (void)state;
    fork_ranks_run(2, live, NULL);
    fork_ranks_run(3, live, NULL);
    fork_ranks_run(8, live, NULL);
}

/* The shortest life, which is the same with loops in the place of NVLink. */
static void live_shortly(struct fork_rank *self, void *context)
{
    struct member member;
    struct multicast_block first, block;
    (void)context;
    member_begin(&member, self, self->rank);
    FORK_CHECK(self, symm_heap_multicast_able(member.rank.heap));
    multicast_block_make(&member.rank, &first, SMALL);
    multicast_block_make(&member.rank, &block, SMALL);
    set_up_well(&member, &block);
    use(&member, &block, &block, 2);
    use(&member, &first, &block, 3);
    fork_rank_barrier(self);
    member_end(&member);
}

static void test_short_life(void **state)
{
    (void)state;
    fork_ranks_run(4, live_shortly, NULL);
}

/* Ranks on one device have one replica between them, and host memory is no device's. */
static void share_device(struct fork_rank *self, void *context)
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

static void test_shared_devices(void **state)
{
    (void)state;
    fork_ranks_run(3, share_device, NULL);
    fork_ranks_run(2, share_device, NULL);
}

/* ---- who has it --------------------------------------------------------------------------------------- */

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
    set(self, machine->name, machine->value);
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

/* ---- fabric handles ------------------------------------------------------------------------------------- */

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
    symbol_get(member->self, "cuMemRetainAllocationHandle", &retain);
    symbol_get(member->self, "cuMemGetAllocationPropertiesFromHandle", &get);
    symbol_get(member->self, "cuMemRelease", &release);
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
    set(self, "SYMM_STANDIN_FABRIC", grant->fabric);
    if (grant->fault != NULL) {
        set(self, "SYMM_STANDIN_FAIL", grant->fault);
    }
    member_begin(&member, self, self->rank);
    multicast_block_make(&member.rank, &block, SMALL);
    FORK_CHECK(self, has_fabric_handle(&member, &block) == grant->granted);
    set_up_well(&member, &block);
    use(&member, &block, &block, 4); /* in place */
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

/* ---- faults --------------------------------------------------------------------------------------------- */

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

/* One call of the driver fails on one rank while a group is set up, and after that while it ends. */
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
    FORK_CHECK(self, state_of(member, &block) == SYMM_MULTICAST_UNKNOWN);
    symm_cuda_forget_failure();
    if (self->rank == victim) {
        member->set_fault(fault);
    }
    struct multicast_outcome outcome = multicast_set_up(rank, &block);
    bool failed = outcome.step != NULL;
    FORK_CHECK(self, !failed || (self->rank == victim && device_failure_names(name)));
    FORK_CHECK(self, state_of(member, &block) ==
                         (outcome.ready ? SYMM_MULTICAST_READY : SYMM_MULTICAST_REFUSED));
    member->set_fault("");
    if (!outcome.ready) {
        struct counts after = counts_get(member);
        FORK_CHECK(self, gives_back(name) || memcmp(&before, &after, sizeof(before)) == 0);
        multicast_call(rank, LATER);
        rank->team->refusal_span = 0; /* it would double each time */
        set_up_well(member, &block);
    }
    use(member, &block, &block, (int32_t)use_number);
    if (self->rank == victim) { /* the end */
        (void)snprintf(fault, sizeof(fault), "%s:1", name);
        member->set_fault(fault);
    }
    multicast_block_free(rank, &block);
    multicast_call(rank, SYMM_MULTICAST_CALLS_KEPT);
    member->set_fault("");
    fork_rank_barrier(self);
}

static void fail_each(struct fork_rank *self, void *context)
{
    struct member member;
    struct multicast_block block;
    struct functions functions;
    (void)context;
    member_begin(&member, self, self->rank);
    multicast_block_make(&member.rank, &block, BIG);
    member.set_fault("");
    set_up_well(&member, &block);
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

static void test_faults(void **state)
{
    (void)state;
    fork_ranks_run(3, fail_each, NULL);
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
        cmocka_unit_test(test_short_life),
        cmocka_unit_test(test_shared_devices),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_life),
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_shared_devices),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_fabric),
        cmocka_unit_test(test_faults),
    };
    unit_begin("test_cuda_multicast", 120);
    return has_loops() ? cmocka_run_group_tests(with_loops, NULL, NULL)
                       : cmocka_run_group_tests(tests, NULL, NULL);
}
