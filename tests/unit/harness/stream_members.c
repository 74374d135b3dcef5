/*
 * stream_members.c - see stream_members.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_members.h"

#include <string.h>

static void check(const struct members *members, CUresult result)
{
    FORK_CHECK(members->self, result == CUDA_SUCCESS);
}

/* The program's own calls, in its device's context. */
static void enter(const struct members *members, int device, struct symm_cuda_scope *scope)
{
    members->watch(0);
    FORK_STATUS(members->self, symm_cuda_enter(device, scope), SYMM_OK);
}

static void leave(const struct members *members, const struct symm_cuda_scope *scope)
{
    symm_cuda_leave(scope);
    members->watch(1);
}

void members_begin(struct members *members, struct fork_rank *self, int device)
{
    __typeof__(cuCtxSetCurrent) *set_current;
    __typeof__(cuCtxGetCurrent) *get_current;
    struct symm_cuda_scope scope;
    CUcontext context;
    *members = (struct members){
        .self = self, .process = device_process(self), .device = device,
    };
    FORK_STATUS(self, symm_process_serve(members->process), SYMM_OK);
    device_driver_symbol(self, "cuCtxSetCurrent", &set_current);
    device_driver_symbol(self, "cuCtxGetCurrent", &get_current);
    device_driver_symbol(self, "cuLaunchHostFunc", &members->host_function);
    device_driver_symbol(self, "cuStreamBeginCapture_v2", &members->capture_begin);
    device_driver_symbol(self, "cuStreamEndCapture", &members->capture_end);
    device_driver_symbol(self, "cuDevicePrimaryCtxReset_v2", &members->reset);
    device_driver_symbol(self, "symm_standin_fail", &members->let_fail);
    device_driver_symbol(self, "symm_standin_watch", &members->watch);
    device_driver_symbol(self, "symm_standin_left", &members->left);
    members->stream = members_stream(members, device);
    enter(members, device, &scope);
    check(members, scope.cuda->cuMemAlloc(&members->numbers, MEMBERS_COUNT * sizeof(uint64_t)));
    check(members, get_current(&context));
    leave(members, &scope);
    check(members, set_current(context)); /* as a program has it */
}

CUstream members_stream(const struct members *members, int device)
{
    struct symm_cuda_scope scope;
    CUstream stream;
    enter(members, device, &scope);
    check(members, scope.cuda->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    leave(members, &scope);
    return stream;
}

/* ---- beginning ------------------------------------------------------------------------------- */

void members_exchange(struct fork_rank *self, const struct symm_stream_offer *own,
                      struct symm_stream_offer *all)
{
    char pieces[FORK_RANKS_MAX * FORK_NOTE_SIZE];
    for (size_t at = 0; at < sizeof(*own); at += FORK_NOTE_SIZE) {
        const size_t rest = sizeof(*own) - at;
        const size_t size = rest < FORK_NOTE_SIZE ? rest : FORK_NOTE_SIZE;
        fork_rank_exchange(self, (const char *)own + at, size, pieces);
        for (int rank = 0; rank < self->size; rank++) {
            memcpy((char *)&all[rank] + at, pieces + (size_t)rank * size, size);
        }
    }
}

struct symm_stream_member *members_create(const struct members *members, CUstream stream,
                                          struct symm_stream_offer *offer)
{
    struct symm_stream_member *member;
    const struct symm_stream_setup setup = {
        .process = members->process, .stream = stream, .rank = members->self->rank,
        .ranks = members->self->size, .is_fatal = members->is_fatal,
        .shares_devices = members->shares_devices,
    };
    symm_stream_member_create(&setup, &member, offer);
    fork_rank_check(members->self, offer->is_good, offer->why, __FILE__, __LINE__);
    FORK_CHECK(members->self, member != NULL);
    return member;
}

enum symm_status members_connect(struct symm_stream_member *member,
                                 const struct symm_stream_offer *offers, char *why)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_stream_member_connect(member, offers, why)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    return status;
}

struct symm_stream_member *members_make(const struct members *members, CUstream stream)
{
    char why[SYMM_STREAM_WHY_SIZE] = "";
    struct symm_stream_offer own, all[FORK_RANKS_MAX];
    struct symm_stream_member *member = members_create(members, stream, &own);
    members_exchange(members->self, &own, all);
    enum symm_status status = members_connect(member, all, why);
    fork_rank_check(members->self, status == SYMM_OK, why, __FILE__, __LINE__);
    fork_rank_barrier(members->self);
    return member;
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum symm_status members_sum(const struct members *members, struct symm_stream_member *member,
                             size_t count)
{
    void *numbers = (void *)(uintptr_t)members->numbers;
    const struct symm_stream_call call = {
        .collective = SYMM_ALLREDUCE, .input = numbers, .output = numbers, .count = count,
        .type = SYMM_CUDA_UINT64, .op = SYMM_CUDA_SUM,
    };
    return symm_stream_member_add(member, &call);
}

void members_put(const struct members *members, uint64_t first)
{
    uint64_t here[MEMBERS_COUNT];
    struct symm_cuda_scope scope;
    for (uint64_t i = 0; i < MEMBERS_COUNT; i++) {
        here[i] = first * i;
    }
    enter(members, members->device, &scope);
    check(members, scope.cuda->cuMemcpyHtoDAsync(members->numbers, here, sizeof(here),
                                                 members->stream));
    check(members, scope.cuda->cuStreamSynchronize(members->stream));
    leave(members, &scope);
}

void members_check(const struct members *members, CUstream stream, uint64_t first)
{
    uint64_t here[MEMBERS_COUNT];
    struct symm_cuda_scope scope;
    enter(members, members->device, &scope);
    check(members, scope.cuda->cuMemcpyDtoHAsync(here, members->numbers, sizeof(here), stream));
    check(members, scope.cuda->cuStreamSynchronize(stream));
    leave(members, &scope);
    for (uint64_t i = 0; i < MEMBERS_COUNT; i++) {
        FORK_CHECK(members->self, here[i] == first * i);
    }
}

void members_await(const struct members *members, CUstream stream)
{
    struct symm_cuda_scope scope;
    enter(members, members->device, &scope);
    check(members, scope.cuda->cuStreamSynchronize(stream));
    leave(members, &scope);
}

bool members_is_done(const struct members *members, CUstream stream)
{
    struct symm_cuda_scope scope;
    enter(members, members->device, &scope);
    CUresult result = scope.cuda->cuStreamQuery(stream);
    leave(members, &scope);
    FORK_CHECK(members->self, result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY);
    return result == CUDA_SUCCESS;
}

/* ---- memory ---------------------------------------------------------------------------------- */

size_t members_blocks(const struct members *members)
{
    struct symm_heap_stats stats;
    symm_heap_get_stats(device_heap(members->self, members->process, members->device), &stats);
    return stats.blocks;
}

void members_until(const struct members *members, size_t blocks)
{
    unsigned polls = 0;
    symm_stream_members_sweep();
    while (members_blocks(members) != blocks) {
        unit_pause(&polls);
        symm_stream_members_sweep();
    }
}
