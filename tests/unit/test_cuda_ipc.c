/*
 * test_cuda_ipc.c - memory from elsewhere in other processes (heap/cuda_ipc.h), on the stand-in driver: who
 * is told what, memory that is freed and allocated anew, bytes that are bounded, calls that fail.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/device_memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "heap/cuda_ipc.h"
#include "tests/cuda/kernels.h"

enum { MIB = 1 << 20, SIZE = 2 * MIB, MANY = 6 };

/* What a rank has, and what it tells the others. */
struct owner {
    struct symm_server *server;
    struct symm_exports *exports;
    struct symm_imports *imports;
    struct symm_importer *peers[FORK_RANKS_MAX];
};

struct offer {
    struct symm_location location;
    struct symm_ipc_handle handle;
};

static struct owner owner_make(struct fork_rank *self, size_t most)
{
    struct owner owner = {.server = NULL};
    char name[SYMM_SOCKET_NAME_SIZE] = "", names[FORK_RANKS_MAX][SYMM_SOCKET_NAME_SIZE];
    device_driver_use();
    FORK_STATUS(self, symm_server_create(&owner.server), SYMM_OK);
    FORK_STATUS(self, symm_exports_create(owner.server, &owner.exports), SYMM_OK);
    FORK_STATUS(self, symm_imports_create(most, &owner.imports), SYMM_OK);
    FORK_STATUS(self, symm_server_start_thread(owner.server), SYMM_OK);
    (void)strncpy(name, symm_server_name(owner.server), sizeof(name) - 1);
    fork_rank_exchange(self, name, sizeof(name), names);
    for (int rank = 0; rank < self->size; rank++) {
        FORK_STATUS(self, symm_imports_get(owner.imports, names[rank], &owner.peers[rank]),
                    SYMM_OK);
    }
    return owner;
}

static void owner_end(struct fork_rank *self, struct owner *owner)
{
    for (int rank = 0; rank < self->size; rank++) {
        symm_imports_put(owner->imports, owner->peers[rank]);
    }
    symm_imports_destroy(owner->imports);
    fork_rank_barrier(self);
    symm_exports_destroy(owner->exports);
    symm_server_destroy(owner->server);
}

static void *memory_alloc(struct fork_rank *self, int device, size_t size)
{
    struct symm_cuda_scope scope;
    CUdeviceptr memory;
    FORK_STATUS(self, symm_cuda_enter(device, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuMemAlloc(&memory, size) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
    return (void *)(uintptr_t)memory;
}

static void memory_free(struct fork_rank *self, int device, void *memory)
{
    struct symm_cuda_scope scope;
    FORK_STATUS(self, symm_cuda_enter(device, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuMemFree((CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

static enum symm_status locate(const struct owner *owner, const void *address, size_t size,
                               struct symm_location *location, unsigned *sightings)
{
    struct symm_memory memory;
    (void)symm_cuda_memory_describe(address, &memory);
    return symm_exports_locate(owner->exports, &memory, address, size, false, location, sightings);
}

static struct offer offer_make(struct fork_rank *self, const struct owner *owner,
                               const void *address, size_t size)
{
    struct offer offer;
    unsigned sightings;
    FORK_STATUS(self, locate(owner, address, size, &offer.location, &sightings), SYMM_OK);
    FORK_STATUS(self, symm_exports_handle(owner->exports, &offer.location, &offer.handle),
                SYMM_OK);
    return offer;
}

static enum symm_status peer_open(struct symm_importer *peer, const struct offer *offer, int device)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_importer_open(peer, &offer->location, &offer->handle, device)) ==
           SYMM_PENDING) {
        unit_pause(&polls);
    }
    return status;
}

/* How often the driver has been asked for something since faults_set(). */
static unsigned long uses_of(const char *function)
{
    void *library = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW | RTLD_NOLOAD);
    symm_standin_uses_function *uses =
        (symm_standin_uses_function *)(uintptr_t)dlsym(library, "symm_standin_uses");
    unsigned long number = 0;
    const char *name;
    for (size_t i = 0; (name = uses(i, &number)) != NULL; i++) {
        if (strcmp(name, function) == 0) {
            return number;
        }
    }
    return 0;
}

static void faults_set(const char *list)
{
    void *library = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW | RTLD_NOLOAD);
    symm_standin_fail_function *set =
        (symm_standin_fail_function *)(uintptr_t)dlsym(library, "symm_standin_fail");
    set(list);
}

/* ---- who is told what ------------------------------------------------------------------------ */

static void use_locations(struct fork_rank *self, void *context)
{
    struct owner owner = owner_make(self, SIZE);
    struct symm_location location, other;
    struct symm_ipc_handle handle, again;
    unsigned sightings;
    (void)context;
    char *one = memory_alloc(self, 0, SIZE), *two = memory_alloc(self, 1, SIZE);
    faults_set("");
    FORK_STATUS(self, locate(&owner, one + 100, 50, &location, &sightings), SYMM_OK);
    FORK_CHECK(self, sightings == 1 && location.heap == SYMM_HEAP_IPC && location.offset == 100);
    FORK_STATUS(self, locate(&owner, two, SIZE, &other, &sightings), SYMM_OK);
    FORK_CHECK(self, sightings == 1 && other.serial != location.serial);
    FORK_CHECK(self, other.index != location.index);
    FORK_STATUS(self, locate(&owner, one, SIZE, &other, &sightings), SYMM_OK);
    FORK_CHECK(self, sightings == 2 && other.serial == location.serial && other.offset == 0);
    FORK_STATUS(self, locate(&owner, one + 1, SIZE, &other, &sightings), SYMM_ERR_FOREIGN);
    FORK_STATUS(self, locate(&owner, &owner, 1, &other, &sightings), SYMM_ERR_FOREIGN);
    FORK_CHECK(self, uses_of("cuIpcGetMemHandle") == 0);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_OK);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &again), SYMM_OK);
    FORK_CHECK(self, memcmp(&handle, &again, sizeof(handle)) == 0 && handle.size == SIZE);
    FORK_CHECK(self, uses_of("cuIpcGetMemHandle") == 1);
    memory_free(self, 0, one);
    symm_exports_review(owner.exports, MANY);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_ERR_FOREIGN);
    FORK_STATUS(self, locate(&owner, two, SIZE, &other, &sightings), SYMM_OK);
    FORK_CHECK(self, sightings == 2);
    owner_end(self, &owner);
}

static void test_locations(void **state)
{
    (void)state;
    fork_ranks_run(1, use_locations, NULL);
}

/* More allocations than there are places, each seen once and freed. */
static void use_up_places(struct fork_rank *self, void *context)
{
    struct owner owner = owner_make(self, SIZE);
    struct symm_location location;
    unsigned sightings;
    (void)context;
    struct offer kept = offer_make(self, &owner, memory_alloc(self, 0, SIZE), 1);
    for (int i = 0; i < 1500; i++) {
        void *memory = memory_alloc(self, 0, 1);
        FORK_STATUS(self, locate(&owner, memory, 1, &location, &sightings), SYMM_OK);
        FORK_CHECK(self, sightings == 1);
        memory_free(self, 0, memory);
    }
    FORK_STATUS(self, symm_exports_handle(owner.exports, &kept.location, &kept.handle), SYMM_OK);
    owner_end(self, &owner);
}

static void test_places_are_used_again(void **state)
{
    (void)state;
    fork_ranks_run(1, use_up_places, NULL);
}

/* ---- memory of others ------------------------------------------------------------------------ */

static void use_peers(struct fork_rank *self, void *context)
{
    struct owner owner = owner_make(self, 64 * MIB);
    struct offer offers[FORK_RANKS_MAX];
    int device = self->rank % 2;
    (void)context;
    char *memory = memory_alloc(self, device, SIZE);
    device_fill(self, device, memory + 512, SIZE - 512, (uint64_t)self->rank);
    struct offer mine = offer_make(self, &owner, memory + 512, SIZE - 512);
    fork_rank_exchange(self, &mine, sizeof(mine), offers);
    faults_set("");
    (void)symm_imports_enter(owner.imports);
    for (int round = 0; round < 2; round++) {
        for (int rank = 0; rank < self->size; rank++) {
            const struct symm_location *location = &offers[rank].location;
            if (rank == self->rank) {
                continue;
            }
            FORK_STATUS(self, peer_open(owner.peers[rank], &offers[rank], device), SYMM_OK);
            void *theirs = symm_importer_address(owner.peers[rank], location, device);
            FORK_CHECK(self, theirs != NULL);
            FORK_CHECK(self, device_is_filled(self, device, theirs, SIZE - 512, (uint64_t)rank));
            FORK_CHECK(self, symm_importer_address(owner.peers[rank], location,
                                                   1 - device) == NULL);
        }
    }
    FORK_CHECK(self, uses_of("cuIpcOpenMemHandle") == (unsigned long)self->size - 1);
    symm_imports_leave(owner.imports);
    fork_rank_barrier(self);
    owner_end(self, &owner);
    FORK_CHECK(self, uses_of("cuIpcCloseMemHandle") == (unsigned long)self->size - 1);
}

static void test_peers(void **state)
{
    (void)state;
    fork_ranks_run(3, use_peers, NULL);
}

/* Rank 0 frees memory and allocates some at the same address; rank 1 has both open in turn. */
static void use_address_again(struct fork_rank *self, void *context)
{
    struct owner owner = owner_make(self, 64 * MIB);
    struct offer offers[2], mine = {.location = {.serial = 0}};
    struct symm_location old = {.serial = 0};
    void *memory = NULL, *before = NULL;
    (void)context;
    for (int round = 0; round < 3; round++) {
        if (self->rank == 0) {
            memory = memory_alloc(self, 0, SIZE);
            FORK_CHECK(self, before == NULL || before == memory);
            device_fill(self, 0, memory, SIZE, (uint64_t)round);
            mine = offer_make(self, &owner, memory, SIZE);
            FORK_CHECK(self, mine.location.serial != old.serial);
        }
        fork_rank_exchange(self, &mine, sizeof(mine), offers);
        if (self->rank == 1) {
            struct symm_importer *peer = owner.peers[0];
            (void)symm_imports_enter(owner.imports);
            FORK_CHECK(self, symm_importer_address(peer, &offers[0].location, 1) == NULL);
            FORK_STATUS(self, peer_open(peer, &offers[0], 1), SYMM_OK);
            void *theirs = symm_importer_address(peer, &offers[0].location, 1);
            FORK_CHECK(self, device_is_filled(self, 1, theirs, SIZE, (uint64_t)round));
            FORK_CHECK(self, old.serial == 0 || symm_importer_address(peer, &old, 1) == NULL);
            symm_imports_leave(owner.imports);
        }
        old = offers[0].location;
        fork_rank_barrier(self);
        if (self->rank == 0) {
            before = memory;
            memory_free(self, 0, memory);
            if (round > 0) { /* otherwise the new one at its address gives it away */
                symm_exports_review(owner.exports, 1);
            }
        }
        fork_rank_barrier(self);
        if (self->rank == 1) {
            symm_importer_collect(owner.peers[0]);
            FORK_CHECK(self, (symm_importer_address(owner.peers[0], &old, 1) == NULL) ==
                                 (round > 0));
        }
    }
    FORK_CHECK(self, self->rank == 0 || symm_imports_enter(owner.imports) == 0);
    owner_end(self, &owner);
}

static void test_address_is_used_again(void **state)
{
    (void)state;
    fork_ranks_run(2, use_address_again, NULL);
}

/* ---- bounds and failures --------------------------------------------------------------------- */

/* Rank 0 offers many allocations and rank 1 does `body` with them. */
typedef void with_offers(struct fork_rank *self, struct owner *owner, const struct offer *offers);

static void use_offers(struct fork_rank *self, size_t most, with_offers *body)
{
    struct owner owner = owner_make(self, most);
    struct offer offers[MANY], mine = {.location = {.serial = 0}}, both[2];
    for (int i = 0; i < MANY; i++) {
        if (self->rank == 0) {
            mine = offer_make(self, &owner, memory_alloc(self, 0, SIZE), SIZE);
        }
        fork_rank_exchange(self, &mine, sizeof(mine), both);
        offers[i] = both[0];
    }
    if (self->rank == 1) {
        struct symm_cuda_scope scope; /* the driver is there, to be told what fails */
        FORK_STATUS(self, symm_cuda_enter(1, &scope), SYMM_OK);
        symm_cuda_leave(&scope);
        faults_set("");
        body(self, &owner, offers);
    }
    fork_rank_barrier(self);
    owner_end(self, &owner);
}

static bool is_there(const struct owner *owner, const struct offer *offer)
{
    return symm_importer_address(owner->peers[0], &offer->location, 1) != NULL;
}

static uint32_t dropped(const struct owner *owner)
{
    uint32_t count = symm_imports_enter(owner->imports);
    symm_imports_leave(owner->imports);
    return count;
}

/* One call that opens one allocation. */
static enum symm_status call_on(const struct owner *owner, const struct offer *offer)
{
    (void)symm_imports_enter(owner->imports);
    enum symm_status status = peer_open(owner->peers[0], offer, 1);
    symm_imports_leave(owner->imports);
    return status;
}

static void exceed_bound(struct fork_rank *self, struct owner *owner, const struct offer *offers)
{
    struct offer huge = offers[4];
    huge.handle.size = 1 << 30;
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_CHECK(self, dropped(owner) == 0);
    FORK_STATUS(self, call_on(owner, &offers[2]), SYMM_OK); /* two fit: the older goes */
    FORK_CHECK(self, dropped(owner) == 1);
    (void)symm_imports_enter(owner->imports);
    FORK_CHECK(self, is_there(owner, &offers[0]) && is_there(owner, &offers[2]));
    FORK_CHECK(self, !is_there(owner, &offers[1]));
    FORK_STATUS(self, peer_open(owner->peers[0], &offers[3], 1), SYMM_ERR_NO_MEMORY);
    (void)symm_imports_enter(owner->imports); /* another thread comes and goes */
    symm_imports_leave(owner->imports);
    FORK_STATUS(self, peer_open(owner->peers[0], &offers[3], 1), SYMM_ERR_NO_MEMORY);
    symm_imports_leave(owner->imports); /* both were in use */
    (void)symm_imports_enter(owner->imports);
    (void)symm_imports_enter(owner->imports); /* of another thread */
    FORK_STATUS(self, peer_open(owner->peers[0], &offers[3], 1), SYMM_ERR_NO_MEMORY);
    symm_imports_leave(owner->imports);
    FORK_STATUS(self, peer_open(owner->peers[0], &huge, 1), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, dropped(owner) == 1);
    FORK_STATUS(self, peer_open(owner->peers[0], &offers[3], 1), SYMM_OK);
    symm_imports_leave(owner->imports);
    FORK_CHECK(self, dropped(owner) == 2);
}

static void use_bound(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 2 * SIZE + 1, exceed_bound);
}

static void test_bytes_are_bounded(void **state)
{
    (void)state;
    fork_ranks_run(2, use_bound, NULL);
}

static void meet_failures(struct fork_rank *self, struct owner *owner, const struct offer *offers)
{
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
    faults_set("cuIpcOpenMemHandle:1");
    FORK_STATUS(self, call_on(owner, &offers[2]), SYMM_OK); /* without the others */
    FORK_CHECK(self, dropped(owner) == 2 && uses_of("cuIpcCloseMemHandle") == 2);
    faults_set("cuIpcOpenMemHandle:1+");
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_ERR_NO_MEMORY);
    FORK_CHECK(self, dropped(owner) == 3 && device_failure_names("cuIpcOpenMemHandle"));
    faults_set("cuIpcOpenMemHandle:1:CUDA_ERROR_UNKNOWN");
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_ERR_SYSTEM);
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_OK);
    faults_set("cuCtxPushCurrent:1:CUDA_ERROR_UNKNOWN");
    FORK_STATUS(self, call_on(owner, &offers[4]), SYMM_ERR_SYSTEM);
    faults_set("cuIpcCloseMemHandle:1,cuIpcOpenMemHandle:1"); /* what stays open is closed later */
    FORK_STATUS(self, call_on(owner, &offers[4]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_CHECK(self, uses_of("cuIpcCloseMemHandle") == 2);
    FORK_STATUS(self, call_on(owner, &offers[3]), SYMM_OK);
    faults_set("");
}

/* Another library of the process has the allocation open in the same context. */
static void meet_another_library(struct fork_rank *self, struct owner *owner,
                                 const struct offer *offers)
{
    struct symm_cuda_scope scope;
    CUipcMemHandle handle;
    CUdeviceptr address;
    memcpy(handle.reserved, offers[0].handle.bytes, sizeof(handle.reserved));
    FORK_STATUS(self, symm_cuda_enter(1, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuIpcOpenMemHandle(
                         &address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_SUCCESS);
    FORK_STATUS(self, call_on(owner, &offers[1]), SYMM_OK);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_ERR_SYSTEM);
    FORK_CHECK(self, device_failure_names("CUDA_ERROR_ALREADY_MAPPED"));
    FORK_CHECK(self, scope.cuda->cuIpcCloseMemHandle(address) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
    FORK_STATUS(self, call_on(owner, &offers[0]), SYMM_OK);
    FORK_CHECK(self, dropped(owner) == 0);
    struct offer renamed = offers[0]; /* we have it open ourselves, for another name */
    renamed.location.serial = offers[5].location.serial;
    renamed.location.index = offers[5].location.index;
    FORK_STATUS(self, call_on(owner, &renamed), SYMM_OK);
    FORK_CHECK(self, dropped(owner) == 1);
}

static void use_failures(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 64 * MIB, meet_failures);
}

static void use_another_library(struct fork_rank *self, void *context)
{
    (void)context;
    use_offers(self, 64 * MIB, meet_another_library);
}

static void test_calls_that_fail(void **state)
{
    (void)state;
    fork_ranks_run(2, use_failures, NULL);
}

static void test_another_library(void **state)
{
    (void)state;
    fork_ranks_run(2, use_another_library, NULL);
}

static void refuse_handles(struct fork_rank *self, void *context)
{
    struct owner owner = owner_make(self, SIZE);
    struct symm_location location;
    struct symm_ipc_handle handle;
    unsigned sightings;
    (void)context;
    void *memory = memory_alloc(self, 0, SIZE);
    FORK_STATUS(self, locate(&owner, memory, SIZE, &location, &sightings), SYMM_OK);
    faults_set("cuIpcGetMemHandle:1");
    for (int round = 0; round < 2; round++) {
        FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle),
                    SYMM_ERR_SYSTEM);
    }
    FORK_CHECK(self, uses_of("cuIpcGetMemHandle") == 1);
    faults_set("cuPointerGetAttribute:1"); /* which says nothing about the memory */
    symm_exports_review(owner.exports, 1);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_ERR_SYSTEM);
    owner_end(self, &owner);
}

static void test_handles_that_are_refused(void **state)
{
    (void)state;
    fork_ranks_run(1, refuse_handles, NULL);
}

/* Kernels, which run in the primary context, need not reach what is another context's. */
static void use_own_context(struct fork_rank *self, void *context)
{
    struct owner owner = owner_make(self, SIZE);
    struct symm_location location;
    struct symm_ipc_handle handle;
    struct symm_cuda_scope scope;
    CUcontext own;
    CUdeviceptr memory;
    unsigned sightings;
    (void)context;
    FORK_STATUS(self, symm_cuda_enter(0, &scope), SYMM_OK);
    void *library = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW | RTLD_NOLOAD);
    CUresult (*create)(CUcontext *, unsigned, CUdevice) =
        (CUresult(*)(CUcontext *, unsigned, CUdevice))(uintptr_t)dlsym(library, "cuCtxCreate_v2");
    FORK_CHECK(self, create(&own, 0, scope.device) == CUDA_SUCCESS);
    FORK_CHECK(self, scope.cuda->cuMemAlloc(&memory, SIZE) == CUDA_SUCCESS);
    FORK_STATUS(self, locate(&owner, (void *)(uintptr_t)memory, 1, &location, &sightings),
                SYMM_OK);
    FORK_STATUS(self, symm_exports_handle(owner.exports, &location, &handle), SYMM_ERR_FOREIGN);
    FORK_CHECK(self, device_failure_names("a context of the program's own"));
    owner_end(self, &owner);
}

static void test_contexts_of_programs(void **state)
{
    (void)state;
    fork_ranks_run(1, use_own_context, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_places_are_used_again),
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_address_is_used_again),
        cmocka_unit_test(test_bytes_are_bounded),
        cmocka_unit_test(test_calls_that_fail),
        cmocka_unit_test(test_another_library),
        cmocka_unit_test(test_handles_that_are_refused),
        cmocka_unit_test(test_contexts_of_programs),
    };
    unit_begin("test_cuda_ipc", 100);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
