/*
 * fork_ranks.h - processes for tests: forked ranks that check things and report to cmocka's
 * process.
 *
 * A rank is a child of the test program.  It never returns into cmocka, prints nothing, and ends
 * itself after FORK_SECONDS, or at once when its parent ends.  What it finds wrong, it says
 * through FORK_CHECK; fork_ranks_join() then fails the test with the rank's words.
 *
 * The parent must have no threads when it forks.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_FORK_RANKS_H
#define SYMM_TESTS_FORK_RANKS_H

#include "tests/unit/harness/unit.h"

enum { FORK_RANKS_MAX = 8, FORK_NOTE_SIZE = 256, FORK_SECONDS = 40 };

struct fork_shared;

/* What a rank knows of itself and the others. */
struct fork_rank {
    int rank, size;
    int channel; /* a stream to the parent and back */
    struct fork_shared *shared;
    unsigned barriers; /* passed so far */
};

typedef void fork_body(struct fork_rank *self, void *context);

struct fork_ranks {
    int size;
    int pids[FORK_RANKS_MAX];     /* 0: has ended */
    int channels[FORK_RANKS_MAX];
    struct fork_shared *shared;
};

/* ---- in the parent --------------------------------------------------------------------------- */

/* Fork `size` ranks, each of which runs `body` and ends. */
void fork_ranks_start(struct fork_ranks *ranks, int size, fork_body *body, void *context);

/* Wait for all of them; fail the test if one of them says so. */
void fork_ranks_join(struct fork_ranks *ranks);

/* Both of the above. */
void fork_ranks_run(int size, fork_body *body, void *context);

/*
 * Rows of cmocka's table: tests whose body is run by `size` ranks, or by each number of them from
 * `least` to `most`, or has a context.
 */
#define FORK_TEST(body, size) FORK_TEST_OF(body, size, size)
#define FORK_TEST_OF(body, least, most) \
    {#body, fork_test, NULL, NULL, &(struct fork_plan){body, least, most, NULL}}
#define FORK_TEST_WITH(body, size, context) \
    {#body, fork_test, NULL, NULL, &(struct fork_plan){body, size, size, context}}

struct fork_plan {
    fork_body *body;
    int least, most;
    void *context;
};

void fork_test(void **state);

/* End a rank the hard way, and wait until it is gone; joining then does not mind. */
void fork_ranks_kill(struct fork_ranks *ranks, int rank);

/* ---- in a rank ------------------------------------------------------------------------------- */

#define FORK_CHECK(self, condition) \
    fork_rank_check((self), (condition), #condition, __FILE__, __LINE__)

/* End this rank, and fail its test, unless the condition holds. */
void fork_rank_check(struct fork_rank *self, bool condition, const char *what, const char *file,
                     int line);

/* The same for a status. */
#define FORK_STATUS(self, got, wanted) \
    fork_rank_status((self), (got), (wanted), #got, __FILE__, __LINE__)

void fork_rank_status(struct fork_rank *self, enum symm_status got, enum symm_status wanted,
                      const char *what, const char *file, int line);

/*
 * End this rank, for want of a right that the test needs: a comment says so.  (cmocka's own skip()
 * prints a line that Automake's TAP driver takes for a failure.)
 */
_Noreturn void fork_rank_skip(void);

/* All ranks of the group get here before one goes on. */
void fork_rank_barrier(struct fork_rank *self);

/* Give every rank what every rank has: `all` receives size * `bytes`; at most FORK_NOTE_SIZE. */
void fork_rank_exchange(struct fork_rank *self, const void *mine, size_t bytes, void *all);

/* ---- in both --------------------------------------------------------------------------------- */

/* Send and receive exactly `size` bytes; false when the other end has gone. */
bool fork_send(int channel, const void *data, size_t size);
bool fork_receive(int channel, void *data, size_t size);

#endif /* SYMM_TESTS_FORK_RANKS_H */
