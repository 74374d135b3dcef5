/*
 * test_stream_failures.c - what kernels of stream lanes find, aborts, and peers that are gone: what
 * the program is told, and what all ranks know (kernels/cuda/stream/member.h).  On the stand-in
 * driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_members.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LATER = 600 }; /* seconds: no call of a test waits so long, however busy the machine is */

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

static void sum_add(const struct members *members, struct symm_stream_member *member, size_t count)
{
    FORK_STATUS(members->self, members_sum(members, member, count), SYMM_OK);
}

/* ---- what is told ---------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t mutex;
    int failures, fatal, waits;
    char text[SYMM_STREAM_WHY_SIZE];
} told = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void tell(const char *text, bool is_failure, bool is_fatal)
{
    (void)pthread_mutex_lock(&told.mutex);
    told.failures += is_failure;
    told.waits += !is_failure;
    told.fatal += is_fatal;
    (void)strcpy(told.text, text);
    (void)pthread_mutex_unlock(&told.mutex);
}

/* Wait until so much has been told, and half a second more. */
static void told_await(int least)
{
    unsigned polls = 0;
    int count = -1;
    while (count < least) {
        unit_pause(&polls);
        (void)pthread_mutex_lock(&told.mutex);
        count = told.failures + told.waits;
        (void)pthread_mutex_unlock(&told.mutex);
    }
    pause_ms(500);
}

/* So often in all, half a second later as well. */
static void told_check(struct fork_rank *self, int failures, int fatal, int waits,
                       const char *words)
{
    told_await(failures + waits);
    (void)pthread_mutex_lock(&told.mutex);
    fork_rank_check(self, strstr(told.text, words) != NULL, told.text, __FILE__, __LINE__);
    FORK_CHECK(self, told.failures == failures && told.fatal == fatal && told.waits == waits);
    (void)pthread_mutex_unlock(&told.mutex);
}

/* A first call goes well on both ranks.  Later ones that wait for `notice` seconds are told of. */
static struct symm_stream_member *watched_begin(struct members *members, struct fork_rank *self,
                                                double notice)
{
    members_begin(members, self, self->rank);
    members->is_fatal = self->rank == 0;
    struct symm_stream_member *member = members_make(members, members->stream);
    members_put(members, 1);
    sum_add(members, member, MEMBERS_COUNT);
    members_check(members, members->stream, 2);
    fork_rank_barrier(self);
    symm_stream_members_watch(members->process, tell, notice);
    return member;
}

/* The ranks that find it tell of it once each; who has heard of it from the other does not. */
static void test_mismatch_is_told(struct fork_rank *self, void *unused)
{
    char text[SYMM_STREAM_WHY_SIZE];
    struct members members;
    int all[2];
    (void)unused;
    struct symm_stream_member *member = watched_begin(&members, self, LATER);
    FORK_STATUS(self, symm_stream_member_state(member, text, sizeof(text)), SYMM_OK);
    FORK_CHECK(self, strstr(text, "kernels of 2 ranks meet on device") != NULL);
    sum_add(&members, member, MEMBERS_COUNT - (size_t)self->rank);
    members_await(&members, members.stream);
    FORK_CHECK(self, symm_stream_member_has_failed(member));
    FORK_STATUS(self, symm_stream_member_state(member, text, sizeof(text)), SYMM_ERR_PEER_LOST);
    FORK_CHECK(self, strstr(text, "ranks made different calls") != NULL);
    told_await(strstr(text, "of the communicator has found that") == NULL ? 1 : 0);
    (void)pthread_mutex_lock(&told.mutex);
    FORK_CHECK(self, told.failures <= 1 && told.waits == 0);
    FORK_CHECK(self, told.fatal == (self->rank == 0 ? told.failures : 0));
    FORK_CHECK(self, told.failures == 0 || strcmp(text, told.text) == 0);
    FORK_CHECK(self, strstr(text, told.failures == 0 ? "of the communicator has found that"
                                  : self->rank == 0 ? "call 2 (allreduce of 500 elements) of rank 0"
                                                    : "call 2 (allreduce of 499 elements) of rank "
                                                      "1") != NULL);
    fork_rank_exchange(self, &told.failures, sizeof(int), all);
    FORK_CHECK(self, all[0] + all[1] >= 1);
    (void)pthread_mutex_unlock(&told.mutex);
    symm_stream_member_release(member);
    members_until(&members, 0);
}

/* Each call that waits is told of once. */
static void test_wait_is_told(struct fork_rank *self, void *unused)
{
    const double notice = self->rank == 0 ? 0.2 : LATER;
    struct members members;
    (void)unused;
    struct symm_stream_member *member = watched_begin(&members, self, notice);
    for (int call = 1; call <= 2; call++) {
        if (self->rank == 0) {
            sum_add(&members, member, MEMBERS_COUNT);
            told_check(self, 0, 0, call,
                       call == 1 ? "call 2 (allreduce of 500 elements) on a stream has waited"
                                 : "call 3 (allreduce of 500 elements)");
            FORK_CHECK(self, strstr(told.text, call == 1 ? "rank 1 of the communicator, which has "
                                                           "begun call 1 so far"
                                                         : "begun call 2 so far") != NULL);
        }
        fork_rank_barrier(self);
        if (self->rank == 1) {
            sum_add(&members, member, MEMBERS_COUNT);
        }
        members_await(&members, members.stream);
    }
    members_check(&members, members.stream, 8);
    FORK_CHECK(self, !symm_stream_member_has_failed(member));
    FORK_CHECK(self, told.failures == 0 && told.waits == (self->rank == 0 ? 2 : 0));
    symm_stream_member_release(member);
    members_until(&members, 0);
}

/* The program knows of an abort itself. */
static void test_abort_is_not_told(struct fork_rank *self, void *unused)
{
    char text[SYMM_STREAM_WHY_SIZE];
    struct members members;
    (void)unused;
    struct symm_stream_member *member = watched_begin(&members, self, LATER);
    if (self->rank == 0) {
        sum_add(&members, member, MEMBERS_COUNT);
        symm_stream_member_abort(member);
        members_await(&members, members.stream);
    }
    fork_rank_barrier(self);
    sum_add(&members, member, MEMBERS_COUNT); /* which ends at once */
    members_await(&members, members.stream);
    told_check(self, 0, 0, 0, "");
    FORK_CHECK(self, symm_stream_member_has_failed(member));
    FORK_STATUS(self, symm_stream_member_state(member, text, sizeof(text)), SYMM_ERR_PEER_LOST);
    FORK_CHECK(self, strstr(text, "aborted") != NULL);
    symm_stream_members_watch(members.process, NULL, 0);
    symm_stream_member_release(member);
    members_until(&members, 0);
}

/* Nor does a kernel of the other rank have to be at work for it to hear. */
static void test_abort_is_heard(struct fork_rank *self, void *unused)
{
    char text[SYMM_STREAM_WHY_SIZE];
    struct members members;
    (void)unused;
    struct symm_stream_member *member = watched_begin(&members, self, LATER);
    fork_rank_barrier(self);
    if (self->rank == 0) {
        symm_stream_member_abort(member);
    }
    for (int i = 0; i < 500 && !symm_stream_member_has_failed(member); i++) {
        pause_ms(10);
    }
    FORK_STATUS(self, symm_stream_member_state(member, text, sizeof(text)), SYMM_ERR_PEER_LOST);
    FORK_CHECK(self, strstr(text, self->rank == 0 ? "aborted" : "aborted by its rank 0") != NULL);
    told_check(self, 0, 0, 0, "");
    symm_stream_members_watch(members.process, NULL, 0);
    symm_stream_member_release(member);
    members_until(&members, 0);
}

/* ---- a peer's process ends ------------------------------------------------------------------- */

/* Rank 1 ends without a word, while a kernel of rank 0 waits for it, or none does. */
static void test_peer_ends(struct fork_rank *self, void *context)
{
    const bool waits = *(const bool *)context;
    char text[SYMM_STREAM_WHY_SIZE];
    struct members members;
    struct symm_stream_member *member = watched_begin(&members, self, LATER);
    if (self->rank == 1) {
        _exit(0);
    }
    if (waits) {
        sum_add(&members, member, MEMBERS_COUNT);
        members_await(&members, members.stream);
    }
    told_check(self, 1, 0, 0, "the process of rank 1 of the communicator has gone");
    FORK_CHECK(self, symm_stream_member_has_failed(member));
    FORK_STATUS(self, symm_stream_member_state(member, text, sizeof(text)), SYMM_ERR_UNREACHABLE);
    FORK_CHECK(self, strcmp(text, told.text) == 0);
    symm_stream_members_watch(members.process, NULL, 0);
    symm_stream_member_release(member); /* its memory stays: who writes to it is not known */
    FORK_CHECK(self, members_blocks(&members) == 1);
}

UNIT_MAIN("test_stream_failures", 120,
    FORK_TEST(test_mismatch_is_told, 2),
    FORK_TEST(test_wait_is_told, 2),
    FORK_TEST(test_abort_is_not_told, 2),
    FORK_TEST(test_abort_is_heard, 2),
    FORK_TEST_WITH(test_peer_ends, 2, &(bool){true}),
    FORK_TEST_WITH(test_peer_ends, 2, &(bool){false}))
