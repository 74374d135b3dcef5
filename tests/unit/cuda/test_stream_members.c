/*
 * test_stream_members.c - parts in stream lanes (kernels/cuda/stream/member.h): which offers go
 * together, how long a member lives behind its communicator, and what ends all of them.  On the
 * stand-in driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_members.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

/* ---- offers that are not good ---------------------------------------------------------------- */

static void offer_refused(const struct members *members, CUstream stream, int ranks,
                          const char *words)
{
    struct symm_stream_offer offer;
    struct symm_stream_member *member;
    const struct symm_stream_setup setup = {
        .process = members->process, .stream = stream, .rank = 0, .ranks = ranks,
    };
    const size_t blocks = members_blocks(members);
    symm_stream_member_create(&setup, &member, &offer);
    FORK_CHECK(members->self, member == NULL && !offer.is_good);
    fork_rank_check(members->self, strstr(offer.why, words) != NULL, offer.why, __FILE__,
                    __LINE__);
    FORK_CHECK(members->self, members_blocks(members) == blocks);
}

static void test_too_many_ranks(struct fork_rank *self, void *unused)
{
    struct members members;
    (void)unused;
    members_begin(&members, self, 0);
    offer_refused(&members, members.stream, SYMM_STREAM_RANKS + 1, "9 ranks are too many");
}

/* A stream of a context that the program has made. */
static void test_own_context(struct fork_rank *self, void *unused)
{
    CUresult (*create)(CUcontext *, unsigned, CUdevice);
    __typeof__(cuCtxPopCurrent) *pop;
    __typeof__(cuStreamCreate) *stream_create;
    struct members members;
    CUcontext context;
    CUstream stream;
    (void)unused;
    members_begin(&members, self, 0);
    device_driver_symbol(self, "cuCtxCreate_v2", &create);
    device_driver_symbol(self, "cuCtxPopCurrent_v2", &pop);
    device_driver_symbol(self, "cuStreamCreate", &stream_create);
    FORK_CHECK(self, create(&context, 0, 0) == CUDA_SUCCESS);
    FORK_CHECK(self, stream_create(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    FORK_CHECK(self, pop(&context) == CUDA_SUCCESS);
    offer_refused(&members, stream, 2, "not of the primary context of device 0");
}

/* A slice of a GPU is no GPU of its own.  A program that shares devices may take it. */
static void test_slices(struct fork_rank *self, void *unused)
{
    struct symm_stream_offer offer;
    struct members members;
    (void)unused;
    FORK_CHECK(self, setenv("SYMM_STANDIN_MIG", "1", 1) == 0);
    members_begin(&members, self, 0);
    offer_refused(&members, members.stream, 2, "is a part of a GPU (MIG)");
    members.shares_devices = true;
    symm_stream_member_cancel(members_create(&members, members.stream, &offer));
}

/* Kernels have as many blocks as the smallest device of a lane has room for. */
static void test_small_devices(struct fork_rank *self, void *unused)
{
    struct members members;
    (void)unused;
    FORK_CHECK(self, setenv("SYMM_STANDIN_MULTIPROCESSORS", self->rank == 1 ? "5" : "40", 1) == 0);
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    FORK_CHECK(self, member->limits.blocks == 10);
    members_put(&members, 1);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    members_check(&members, members.stream, 2);
    symm_stream_member_release(member);
    members_until(&members, 0);
}

static void test_no_room(struct fork_rank *self, void *unused)
{
    struct members members;
    (void)unused;
    FORK_CHECK(self, setenv("SYMM_STANDIN_MULTIPROCESSORS", "3", 1) == 0);
    members_begin(&members, self, 0);
    offer_refused(&members, members.stream, 2, "has room for 6 blocks of a kernel at a time");
    members.let_fail("cuDeviceGetAttribute:2");
    offer_refused(&members, members.stream, 2, "has room for: cuDeviceGetAttribute: ");
}

static void test_no_memory(struct fork_rank *self, void *unused)
{
    struct symm_stream_offer offer;
    struct members members;
    (void)unused;
    members_begin(&members, self, 0);
    members.let_fail("cuMemCreate:1+");
    offer_refused(&members, members.stream, 2,
                  "no device memory for it: cuMemCreate: CUDA_ERROR_OUT_OF_MEMORY");
    members.let_fail("cuStreamGetCtx:1");
    offer_refused(&members, members.stream, 2, "the stream cannot be used: cuStreamGetCtx");
    members.let_fail("");
    symm_stream_member_cancel(members_create(&members, members.stream, &offer));
}

/* ---- offers that do not go together ---------------------------------------------------------- */

static void connect_refused(const struct members *members, struct symm_stream_member *member,
                            const struct symm_stream_offer *offers, const char *words)
{
    char why[SYMM_STREAM_WHY_SIZE] = "";
    FORK_STATUS(members->self, members_connect(member, offers, why), SYMM_ERR_NOT_FOUND);
    fork_rank_check(members->self, strstr(why, words) != NULL, why, __FILE__, __LINE__);
}

static void test_one_device(struct fork_rank *self, void *unused)
{
    struct symm_stream_offer own, all[FORK_RANKS_MAX];
    struct members members;
    (void)unused;
    members_begin(&members, self, self->rank == 0 ? 1 : 0);
    const size_t blocks = members_blocks(&members);
    struct symm_stream_member *member = members_create(&members, members.stream, &own);
    members_exchange(self, &own, all);
    connect_refused(&members, member, all, "ranks 1 and 2 have one GPU");
    symm_stream_member_cancel(member);
    FORK_CHECK(self, members_blocks(&members) == blocks);
    members.shares_devices = true;
    member = members_make(&members, members.stream);
    members_put(&members, 1);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    members_check(&members, members.stream, 3);
    symm_stream_member_release(member);
    members_until(&members, blocks);
}

static void test_another_release(struct fork_rank *self, void *unused)
{
    struct symm_stream_offer own, all[FORK_RANKS_MAX];
    struct members members;
    (void)unused;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_create(&members, members.stream, &own);
    own.version += self->rank == 1;
    members_exchange(self, &own, all);
    connect_refused(&members, member, all, "rank 1 has another release");
    symm_stream_member_cancel(member);
    FORK_CHECK(self, members_blocks(&members) == 0);
}

/* Some ranks have connected, and one has not: nobody begins, and the next lane is sound. */
static void test_cancel(struct fork_rank *self, void *unused)
{
    struct symm_stream_offer own, all[FORK_RANKS_MAX];
    char why[SYMM_STREAM_WHY_SIZE] = "";
    struct members members;
    (void)unused;
    members_begin(&members, self, self->rank);
    for (int round = 0; round < 3; round++) {
        struct symm_stream_member *member = members_create(&members, members.stream, &own);
        FORK_CHECK(self, members_blocks(&members) == 1);
        members_exchange(self, &own, all);
        if (round == 2 && self->rank == 1) {
            members.let_fail("cuModuleLoadData:1");
            FORK_STATUS(self, members_connect(member, all, why), SYMM_ERR_NO_MEMORY);
            FORK_CHECK(self, strstr(why, "kernels cannot be started: cuModuleLoadData") != NULL);
            members.let_fail("");
        } else if (round == 1 ? self->rank == 0 : round == 2) {
            FORK_STATUS(self, members_connect(member, all, why), SYMM_OK);
        }
        fork_rank_barrier(self);
        symm_stream_member_cancel(member);
        FORK_CHECK(self, members_blocks(&members) == 0);
    }
    struct symm_stream_member *member = members_make(&members, members.stream);
    members_put(&members, 1);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    members_check(&members, members.stream, 2);
    symm_stream_member_release(member);
    members_until(&members, 0);
}

/* ---- lives ----------------------------------------------------------------------------------- */

/* Two lanes at a time, in either order, on streams that do not wait for each other. */
static void test_two_lanes(struct fork_rank *self, void *unused)
{
    struct members members;
    struct symm_stream_member *lanes[2];
    uint64_t factor = 1;
    (void)unused;
    members_begin(&members, self, self->rank);
    for (int round = 0; round < 4; round++) {
        CUstream other = members_stream(&members, members.device);
        lanes[0] = members_make(&members, members.stream);
        lanes[1] = members_make(&members, other);
        FORK_CHECK(self, members_blocks(&members) == 2);
        members_put(&members, factor);
        for (int call = 0; call < 6; call++) {
            const int which = (call + round) % 2;
            FORK_STATUS(self, members_sum(&members, lanes[which], MEMBERS_COUNT), SYMM_OK);
            members_await(&members, which == 0 ? members.stream : other);
            factor *= (uint64_t)self->size;
        }
        members_check(&members, members.stream, factor);
        symm_stream_member_release(lanes[round % 2]);
        symm_stream_member_release(lanes[1 - round % 2]);
        members_until(&members, 0);
    }
}

static void gate_await(void *gate)
{
    while (!atomic_load((atomic_bool *)gate)) {
        pause_ms(1);
    }
}

/* Rank 0's stream has work behind the call, so its last kernel is not known to have ended. */
static void test_release_with_work(struct fork_rank *self, void *unused)
{
    static atomic_bool gate;
    struct members members;
    (void)unused;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    members_put(&members, 1);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    if (self->rank == 0) {
        FORK_CHECK(self, members.host_function(members.stream, gate_await, &gate) == CUDA_SUCCESS);
    } else {
        members_await(&members, members.stream);
    }
    symm_stream_member_release(member);
    fork_rank_barrier(self);
    for (int i = 0; i < 20; i++) {
        symm_stream_members_sweep();
        FORK_CHECK(self, members_blocks(&members) == 1);
        FORK_CHECK(self, self->rank != 0 || members.left("event") == 1);
        pause_ms(1);
    }
    fork_rank_barrier(self);
    atomic_store(&gate, true);
    members_check(&members, members.stream, 2);
    members_until(&members, 0);
    FORK_CHECK(self, members.left("event") == 0);
}

static CUgraph captured(const struct members *members, struct symm_stream_member *member)
{
    CUgraph graph;
    FORK_CHECK(members->self, members->capture_begin(members->stream,
                                                     CU_STREAM_CAPTURE_MODE_GLOBAL) ==
                                  CUDA_SUCCESS);
    FORK_STATUS(members->self, members_sum(members, member, MEMBERS_COUNT), SYMM_OK);
    FORK_STATUS(members->self, members_sum(members, member, MEMBERS_COUNT), SYMM_OK);
    FORK_CHECK(members->self, members->capture_end(members->stream, &graph) == CUDA_SUCCESS);
    return graph;
}

/* The graph, and what is made from it, hold the member; the last of them lets it go. */
static void test_graph(struct fork_rank *self, void *unused)
{
    struct members members;
    struct symm_cuda_scope scope;
    CUgraphExec exec;
    (void)unused;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    FORK_CHECK(self, !symm_stream_queue_is_held(member->queue));
    CUgraph graph = captured(&members, member);
    FORK_CHECK(self, symm_stream_queue_is_held(member->queue));
    symm_stream_member_release(member);
    FORK_STATUS(self, symm_cuda_enter(members.device, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    FORK_CHECK(self, scope.cuda->cuGraphDestroy(graph) == CUDA_SUCCESS);
    fork_rank_barrier(self);
    for (uint64_t launch = 1; launch < 5; launch++) {
        symm_stream_members_sweep();
        FORK_CHECK(self, symm_stream_queue_is_held(member->queue));
        FORK_CHECK(self, members_blocks(&members) == 1);
        members_put(&members, launch);
        FORK_CHECK(self, scope.cuda->cuGraphLaunch(exec, members.stream) == CUDA_SUCCESS);
        members_check(&members, members.stream, 4 * launch);
    }
    fork_rank_barrier(self);
    FORK_CHECK(self, scope.cuda->cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
    members_until(&members, 0);
}

/* ---- streams that change --------------------------------------------------------------------- */

static void test_set_stream(struct fork_rank *self, void *unused)
{
    static atomic_bool gate;
    struct members members;
    (void)unused;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    CUstream other = members_stream(&members, members.device);
    FORK_STATUS(self, symm_stream_member_set_stream(member,
                                                    members_stream(&members, 1 - members.device)),
                SYMM_ERR_ARGUMENT);
    FORK_CHECK(self, device_failure_names(self->rank == 0 ? "is on device 1, and the"
                                                          : "is on device 0, and the"));
    members_put(&members, 1);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    FORK_CHECK(self, members.host_function(members.stream, gate_await, &gate) == CUDA_SUCCESS);
    FORK_STATUS(self, symm_stream_member_set_stream(member, other), SYMM_OK);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    FORK_STATUS(self, symm_stream_member_set_stream(member, other), SYMM_OK);
    pause_ms(20);
    FORK_CHECK(self, !members_is_done(&members, other));
    atomic_store(&gate, true);
    members_check(&members, other, 4);
    symm_stream_member_release(member);
    members_until(&members, 0);
}

/* Of one rank: copies, in the same order. */
static void test_alone(struct fork_rank *self, void *unused)
{
    static atomic_bool gate;
    struct members members;
    (void)unused;
    members_begin(&members, self, 0);
    struct symm_stream_member *member = members_make(&members, members.stream);
    CUstream other = members_stream(&members, 0);
    FORK_CHECK(self, member->queue == NULL && members_blocks(&members) == 0);
    members_put(&members, 5);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    FORK_CHECK(self, members.host_function(members.stream, gate_await, &gate) == CUDA_SUCCESS);
    FORK_STATUS(self, symm_stream_member_set_stream(member, other), SYMM_OK);
    FORK_STATUS(self, members_sum(&members, member, MEMBERS_COUNT), SYMM_OK);
    FORK_CHECK(self, !members_is_done(&members, other));
    FORK_CHECK(self, !symm_stream_member_has_failed(member));
    symm_stream_member_abort(member);
    symm_stream_member_release(member);
    atomic_store(&gate, true);
    members_check(&members, other, 5);
    symm_stream_members_sweep();
    FORK_CHECK(self, members.left("event") == 0);
}

UNIT_MAIN("test_stream_members", 60,
    FORK_TEST(test_too_many_ranks, 1),
    FORK_TEST(test_own_context, 1),
    FORK_TEST(test_slices, 1),
    FORK_TEST(test_small_devices, 2),
    FORK_TEST(test_no_room, 1),
    FORK_TEST(test_no_memory, 1),
    FORK_TEST(test_one_device, 3),
    FORK_TEST(test_another_release, 2),
    FORK_TEST(test_cancel, 2),
    FORK_TEST(test_two_lanes, 2),
    FORK_TEST(test_release_with_work, 2),
    FORK_TEST(test_graph, 2),
    FORK_TEST(test_set_stream, 2),
    FORK_TEST(test_alone, 1))
