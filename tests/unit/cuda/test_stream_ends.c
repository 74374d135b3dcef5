/*
 * test_stream_ends.c - parts in stream lanes (kernels/cuda/stream/member.h) that fail or are ended:
 * devices that are reset, functions of the driver that fail at the end, and the end of MPI.  On the
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

static void sum_add(const struct members *members, struct symm_stream_member *member, size_t count)
{
    FORK_STATUS(members->self, members_sum(members, member, count), SYMM_OK);
}

static void gate_await(void *gate)
{
    while (!atomic_load((atomic_bool *)gate)) {
        pause_ms(1);
    }
}

static void gate_add(const struct members *members, atomic_bool *gate)
{
    FORK_CHECK(members->self, members->host_function(members->stream, gate_await, gate) ==
                                  CUDA_SUCCESS);
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* Rank 0 resets its device, and makes it anew if its rank says so: then a next lane is sound. */
static void test_reset(struct fork_rank *self, void *context)
{
    const bool is_used_again = *(const bool *)context;
    struct members members;
    (void)context;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    members_put(&members, 1);
    sum_add(&members, member, MEMBERS_COUNT);
    members_check(&members, members.stream, 2);
    fork_rank_barrier(self);
    if (self->rank == 0) {
        FORK_CHECK(self, members.reset(members.device) == CUDA_SUCCESS);
        if (is_used_again) {
            members_begin(&members, self, self->rank);
        }
        FORK_CHECK(self, members_sum(&members, member, MEMBERS_COUNT) != SYMM_OK);
        FORK_CHECK(self, device_failure_names("the device has been reset"));
        FORK_CHECK(self, !is_used_again ||
                             symm_stream_member_set_stream(member, members.stream) != SYMM_OK);
    }
    symm_stream_member_release(member);
    members_until(&members, 0);
    fork_rank_barrier(self);
    if (is_used_again) {
        member = members_make(&members, members.stream);
        members_put(&members, 3);
        sum_add(&members, member, MEMBERS_COUNT);
        members_check(&members, members.stream, 6);
        symm_stream_member_release(member);
        members_until(&members, 0);
    }
}

/* A communicator of one rank goes on with a stream of the context that has begun anew. */
static void test_reset_alone(struct fork_rank *self, void *unused)
{
    struct members members;
    (void)unused;
    members_begin(&members, self, 0);
    struct symm_stream_member *member = members_make(&members, members.stream);
    sum_add(&members, member, MEMBERS_COUNT);
    FORK_CHECK(self, members.reset(0) == CUDA_SUCCESS);
    members_begin(&members, self, 0);
    FORK_STATUS(self, symm_stream_member_set_stream(member, members.stream), SYMM_OK);
    members_put(&members, 3);
    sum_add(&members, member, MEMBERS_COUNT);
    members_check(&members, members.stream, 3);
    symm_stream_member_release(member);
}

/* ---- the driver fails at the end ------------------------------------------------------------- */

/*
 * A call is queued behind other work when the member is released, and the driver fails then: its
 * memory stays until the call has ended, or for good.
 */
static void test_release_fails(struct fork_rank *self, void *context)
{
    static atomic_bool gate;
    struct members members;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    members_put(&members, 1);
    if (self->rank == 0) {
        gate_add(&members, &gate);
    }
    sum_add(&members, member, MEMBERS_COUNT);
    if (self->rank == 0) {
        members.let_fail(context);
        symm_stream_member_release(member);
        symm_stream_members_sweep();
        symm_stream_members_sweep();
        members.let_fail("");
        FORK_CHECK(self, members_blocks(&members) == 1 && member->queue != NULL);
        FORK_CHECK(self, member->lane.shared[1]->departed[0] == 0);
    }
    atomic_store(&gate, true);
    members_check(&members, members.stream, 2);
    fork_rank_barrier(self);
}

/* The same of a stream that is idle: then nothing stays. */
static void test_release_fails_idle(struct fork_rank *self, void *context)
{
    struct members members;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    members_put(&members, 1);
    sum_add(&members, member, MEMBERS_COUNT);
    members_check(&members, members.stream, 2);
    members.let_fail(context);
    symm_stream_member_release(member);
    members.let_fail("");
    members_until(&members, 0);
    fork_rank_barrier(self);
}

/*
 * A lane's call on rank 0 waits for rank 1, which waits until rank 0 has released another lane.  So
 * rank 0 must not wait: it keeps that lane's memory until the call has ended.
 */
static void test_release_beside(struct fork_rank *self, void *unused)
{
    struct members members;
    (void)unused;
    members_begin(&members, self, self->rank);
    CUstream other = members_stream(&members, members.device);
    struct symm_stream_member *waits = members_make(&members, members.stream);
    struct symm_stream_member *member = members_make(&members, other);
    members_put(&members, 1);
    if (self->rank == 0) {
        sum_add(&members, waits, MEMBERS_COUNT);
    }
    symm_stream_member_release(member);
    while (self->rank == 0 && member->phase != SYMM_STREAM_DEPARTED) {
        pause_ms(1);
        symm_stream_members_sweep();
    }
    if (self->rank == 1) {
        members_until(&members, 1);
    }
    fork_rank_barrier(self);
    symm_stream_members_sweep();
    FORK_CHECK(self, members_blocks(&members) == (self->rank == 0 ? 2 : 1));
    fork_rank_barrier(self);
    if (self->rank == 1) {
        sum_add(&members, waits, MEMBERS_COUNT);
    }
    members_check(&members, members.stream, 2);
    members_until(&members, 1);
    fork_rank_barrier(self);
    symm_stream_member_release(waits);
    members_until(&members, 0);
}

/* Its stream is being captured, and has a call that waits. */
static void test_release_captured(struct fork_rank *self, void *unused)
{
    static atomic_bool gate;
    struct members members;
    CUgraph graph;
    (void)unused;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    members_put(&members, 1);
    if (self->rank == 0) {
        gate_add(&members, &gate);
    }
    sum_add(&members, member, MEMBERS_COUNT);
    FORK_CHECK(self, members.capture_begin(members.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
                         CUDA_SUCCESS);
    symm_stream_member_release(member);
    FORK_CHECK(self, members.capture_end(members.stream, &graph) == CUDA_SUCCESS);
    if (self->rank == 0) {
        symm_stream_members_sweep();
        FORK_CHECK(self, member->lane.shared[1]->departed[0] == 0);
    }
    atomic_store(&gate, true);
    members_check(&members, members.stream, 2);
    fork_rank_barrier(self);
}

/* ---- the end of MPI -------------------------------------------------------------------------- */

/* Rank 0 has a call that waits in vain, and a lane that is in order. */
static void test_end(struct fork_rank *self, void *unused)
{
    struct members members;
    int ended = -1;
    (void)unused;
    members_begin(&members, self, self->rank);
    CUstream other = members_stream(&members, members.device);
    struct symm_stream_member *member = members_make(&members, members.stream);
    struct symm_stream_member *sound = members_make(&members, other);
    members_put(&members, 1);
    sum_add(&members, sound, MEMBERS_COUNT);
    members_check(&members, other, 2);
    if (self->rank == 0) {
        sum_add(&members, member, MEMBERS_COUNT);
        pause_ms(20);
        FORK_CHECK(self, !members_is_done(&members, members.stream));
    }
    const double begin = unit_seconds();
    const int remaining = symm_stream_members_end(0.3, &ended);
    const double seconds = unit_seconds() - begin;
    FORK_CHECK(self, ended == (self->rank == 0));
    FORK_CHECK(self, self->rank != 0 || (seconds >= 0.3 && remaining <= 1));
    FORK_CHECK(self, self->rank == 0 || remaining <= 2);
    FORK_CHECK(self, (size_t)remaining == members_blocks(&members));
    members_await(&members, members.stream);
    fork_rank_barrier(self);
    FORK_CHECK(self, symm_stream_members_end(0, &ended) == 0 && ended == 0);
    FORK_CHECK(self, members_blocks(&members) == 0 && members.left("event") == 0);
}

/* A graph has kernels of it: it stays, and they do nothing. */
static void test_end_with_graph(struct fork_rank *self, void *unused)
{
    struct members members;
    struct symm_cuda_scope scope;
    CUgraphExec exec;
    CUgraph graph;
    int ended = -1;
    (void)unused;
    members_begin(&members, self, self->rank);
    struct symm_stream_member *member = members_make(&members, members.stream);
    FORK_CHECK(self, members.capture_begin(members.stream, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
                         CUDA_SUCCESS);
    sum_add(&members, member, MEMBERS_COUNT);
    FORK_CHECK(self, members.capture_end(members.stream, &graph) == CUDA_SUCCESS);
    FORK_CHECK(self, symm_stream_members_end(1, &ended) == 1 && ended == 0);
    members_put(&members, 1);
    fork_rank_barrier(self);
    FORK_STATUS(self, symm_cuda_enter(members.device, &scope), SYMM_OK);
    FORK_CHECK(self, scope.cuda->cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    if (self->rank == 0) { /* which waits for nobody */
        FORK_CHECK(self, scope.cuda->cuGraphLaunch(exec, members.stream) == CUDA_SUCCESS);
    }
    symm_cuda_leave(&scope);
    members_check(&members, members.stream, 1);
    fork_rank_barrier(self);
}

UNIT_MAIN("test_stream_ends", 120,
    FORK_TEST_WITH(test_reset, 2, &(bool){false}),
    FORK_TEST_WITH(test_reset, 2, &(bool){true}),
    FORK_TEST(test_reset_alone, 1),
    FORK_TEST_WITH(test_release_fails, 2, (char[]){"cuEventCreate:1"}),
    FORK_TEST_WITH(test_release_fails, 2, (char[]){"cuEventRecord:1"}),
    FORK_TEST_WITH(test_release_fails, 2, (char[]){"cuEventQuery:1"}),
    FORK_TEST_WITH(test_release_fails, 2, (char[]){"cuStreamGetCaptureInfo:1"}),
    FORK_TEST_WITH(test_release_fails, 2, (char[]){"cuThreadExchangeStreamCaptureMode:1"}),
    FORK_TEST_WITH(test_release_fails, 2, (char[]){"cuThreadExchangeStreamCaptureMode:3"}),
    FORK_TEST_WITH(test_release_fails_idle, 2, (char[]){"cuEventCreate:1"}),
    FORK_TEST_WITH(test_release_fails_idle, 2, (char[]){"cuEventQuery:1"}),
    FORK_TEST(test_release_beside, 2),
    FORK_TEST(test_release_captured, 2),
    FORK_TEST(test_end, 2),
    FORK_TEST(test_end_with_graph, 2))
