/*
 * fork_ranks.c - see fork_ranks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_SKIPPED = 77 };

struct fork_shared {
    _Atomic unsigned arrived; /* at barriers, all of them added up */
    char notes[FORK_RANKS_MAX][FORK_NOTE_SIZE];
    char reports[FORK_RANKS_MAX][512];
};

/* ---- in the parent --------------------------------------------------------------------------- */

/* cmocka catches these to go on with the next test, which must not happen in a rank. */
static void signals_reset(void)
{
    static const int signals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS};
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        (void)signal(signals[i], SIG_DFL);
    }
}

static _Noreturn void rank_run(const struct fork_ranks *ranks, int rank, int channel, int parent,
                               fork_body *body, void *context)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILED);
    }
    signals_reset();
    (void)alarm(unit_patience(FORK_SECONDS));
    for (int other = 0; other <= rank; other++) {
        (void)close(ranks->channels[other]);
    }
    struct fork_rank self = {
        .rank = rank, .size = ranks->size, .channel = channel, .shared = ranks->shared};
    body(&self, context);
    _exit(0);
}

void fork_ranks_start(struct fork_ranks *ranks, int size, fork_body *body, void *context)
{
    *ranks = (struct fork_ranks){.size = size};
    assert_in_range(size, 1, FORK_RANKS_MAX);
    ranks->shared = mmap(NULL, sizeof(*ranks->shared), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ranks->shared != MAP_FAILED);
    (void)fflush(NULL);
    int parent = getpid();
    for (int rank = 0; rank < size; rank++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        ranks->channels[rank] = ends[0];
        ranks->pids[rank] = fork();
        assert_true(ranks->pids[rank] >= 0);
        if (ranks->pids[rank] == 0) {
            rank_run(ranks, rank, ends[1], parent, body, context);
        }
        (void)close(ends[1]);
    }
}

void fork_ranks_kill(struct fork_ranks *ranks, int rank)
{
    if (ranks->pids[rank] != 0) {
        (void)kill(ranks->pids[rank], SIGKILL);
        while (waitpid(ranks->pids[rank], NULL, 0) < 0 && errno == EINTR) {
        }
        ranks->pids[rank] = 0;
    }
}

static bool has_failed(int status)
{
    return !WIFEXITED(status) ||
           (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != EXIT_SKIPPED);
}

/* Whether the rank has ended by now; *status tells how. */
static bool rank_has_ended(struct fork_ranks *ranks, int rank, int *status)
{
    if (ranks->pids[rank] == 0 || waitpid(ranks->pids[rank], status, WNOHANG) <= 0) {
        return false;
    }
    ranks->pids[rank] = 0;
    return true;
}

/* One that went wrong is enough to end the rest: they would only wait for it. */
static int ranks_reap(struct fork_ranks *ranks, int *status, bool *skipped)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (;;) {
        int left = 0;
        for (int rank = 0; rank < ranks->size; rank++) {
            if (rank_has_ended(ranks, rank, status)) {
                *skipped |= WIFEXITED(*status) && WEXITSTATUS(*status) == EXIT_SKIPPED;
                if (has_failed(*status)) {
                    return rank;
                }
            }
            left += ranks->pids[rank] != 0;
        }
        if (left == 0) {
            return -1;
        }
        (void)nanosleep(&moment, NULL);
    }
}

/* Several may complain, because one that fails leaves the others in the lurch: say it all. */
static void complaints_print(const struct fork_ranks *ranks, int failed, int status)
{
    if (WIFSIGNALED(status)) {
        (void)printf("# rank %d of %d ended by signal %d%s\n", failed, ranks->size,
                     WTERMSIG(status), WTERMSIG(status) == SIGALRM ? " (its watchdog)" : "");
    } else {
        (void)printf("# rank %d of %d failed\n", failed, ranks->size);
    }
    for (int rank = 0; rank < ranks->size; rank++) {
        if (ranks->shared->reports[rank][0] != 0) {
            (void)printf("# rank %d of %d: %s\n", rank, ranks->size,
                         ranks->shared->reports[rank]);
        }
    }
}

void fork_ranks_join(struct fork_ranks *ranks)
{
    int status = 0;
    bool skipped = false;
    int failed = ranks_reap(ranks, &status, &skipped);
    for (int rank = 0; rank < ranks->size; rank++) {
        fork_ranks_kill(ranks, rank);
        (void)close(ranks->channels[rank]);
    }
    if (failed >= 0) {
        complaints_print(ranks, failed, status);
    }
    (void)munmap(ranks->shared, sizeof(*ranks->shared));
    if (failed >= 0) {
        fail();
    }
    if (skipped) {
        (void)printf("# left out: this process may not do what the test needs\n");
    }
}

void fork_ranks_run(int size, fork_body *body, void *context)
{
    struct fork_ranks ranks;
    fork_ranks_start(&ranks, size, body, context);
    fork_ranks_join(&ranks);
}

void fork_test(void **state)
{
    const struct fork_plan *plan = *state;
    for (int size = plan->least; size <= plan->most; size++) {
        fork_ranks_run(size, plan->body, plan->context);
    }
}

/* ---- in a rank ------------------------------------------------------------------------------- */

static _Noreturn void rank_fail(struct fork_rank *self, const char *file, int line,
                                const char *what, const char *more)
{
    (void)snprintf(self->shared->reports[self->rank], sizeof(self->shared->reports[0]),
                   "%s:%d: %s%s", file, line, what, more);
    _exit(EXIT_FAILED);
}

void fork_rank_check(struct fork_rank *self, bool condition, const char *what, const char *file,
                     int line)
{
    if (!condition) {
        rank_fail(self, file, line, what, "");
    }
}

void fork_rank_status(struct fork_rank *self, enum symm_status got, enum symm_status wanted,
                      const char *what, const char *file, int line)
{
    char more[256];
    if (got != wanted) {
        (void)snprintf(more, sizeof(more), ": \"%s\", not \"%s\"", symm_status_string(got),
                       symm_status_string(wanted));
        rank_fail(self, file, line, what, more);
    }
}

_Noreturn void fork_rank_skip(void)
{
    _exit(EXIT_SKIPPED);
}

void fork_rank_barrier(struct fork_rank *self)
{
    unsigned polls = 0;
    unsigned wanted = ++self->barriers * (unsigned)self->size;
    atomic_fetch_add(&self->shared->arrived, 1);
    while (atomic_load(&self->shared->arrived) < wanted) {
        unit_pause(&polls);
    }
}

void fork_rank_exchange(struct fork_rank *self, const void *mine, size_t bytes, void *all)
{
    FORK_CHECK(self, bytes <= FORK_NOTE_SIZE);
    memcpy(self->shared->notes[self->rank], mine, bytes);
    fork_rank_barrier(self);
    for (int rank = 0; rank < self->size; rank++) {
        memcpy((char *)all + (size_t)rank * bytes, self->shared->notes[rank], bytes);
    }
    fork_rank_barrier(self);
}

/* ---- in both --------------------------------------------------------------------------------- */

bool fork_send(int channel, const void *data, size_t size)
{
    const char *byte = data;
    while (size > 0) {
        ssize_t sent = send(channel, byte, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        byte += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool fork_receive(int channel, void *data, size_t size)
{
    char *byte = data;
    while (size > 0) {
        ssize_t received = recv(channel, byte, size, 0);
        if (received < 0 && errno == EINTR) {
            continue;
        }
        if (received <= 0) {
            return false;
        }
        byte += received;
        size -= (size_t)received;
    }
    return true;
}
