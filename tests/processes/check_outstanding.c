/*
 * Processes that die and communicators that are revoked while many requests are outstanding: of
 * nonblocking calls and of persistent operations of each collective, on many lanes and two
 * communicators.  They end with an error, but for small calls with a root whose ranks need not wait
 * for the dead one.  Buffers are the program's own again then, and the survivors go on.  For
 * tests/processes/failures.tap.
 *
 *   check_outstanding first RANK WAY    that rank dies instead of its calls, the first ones
 *   check_outstanding dead RANK WAY     likewise, but all calls have been made once before
 *   check_outstanding begun RANK WAY    it starts some of the calls before it dies
 *   check_outstanding revoked RANK WAY  it revokes the communicators instead of its calls
 *   check_outstanding times RANKS SEED  so many ranks die at random times
 *
 * WAY, in which requests are completed: each (MPI_Wait on one after the other), test (MPI_Test),
 * any (MPI_Waitany), some (MPI_Waitsome), all (MPI_Waitall)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/outstanding.h"
#include "tests/processes/survivors.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

enum {
    COMMS = 2,
    KINDS = OUTSTANDING_KINDS,
    BEGUN = OUTSTANDING_BEGUN,
    PER_COMM = 2 * KINDS,
    OUTSTANDING = COMMS * PER_COMM
};

static const char *const ways[] = {"each", "test", "any", "some", "all"};

static struct outstanding calls[OUTSTANDING];
static MPI_Request requests[OUTSTANDING]; /* of them */

/* ---- all of them ----------------------------------------------------------------------------- */

/* All ranks make these in one order. */
static void all_make(MPI_Comm *comms)
{
    for (int at = 0; at < OUTSTANDING; at++) {
        outstanding_make(&calls[at], &requests[at], comms[at / PER_COMM],
                         (enum outstanding_kind)(at % KINDS), at / KINDS % 2 == 1);
    }
}

static void all_free(void)
{
    for (int at = 0; at < OUTSTANDING; at++) {
        outstanding_free(&calls[at]);
    }
}

/* Start those of the first `kinds` kinds.  A failure that is known may be told by the call. */
static void all_start(int kinds, int classes[OUTSTANDING])
{
    for (int at = 0; at < OUTSTANDING; at++) {
        classes[at] = MPI_SUCCESS;
        if (at % KINDS < kinds) {
            classes[at] = class_of(outstanding_start(&calls[at]));
        }
    }
}

/* Where one has failed, Open MPI frees all that have. */
static void wait_any(int classes[OUTSTANDING])
{
    int at = 0;
    while (at != MPI_UNDEFINED) {
        MPI_Request before[OUTSTANDING];
        memcpy(before, requests, sizeof(before));
        int rc = MPI_Waitany(OUTSTANDING, requests, &at, MPI_STATUS_IGNORE);
        for (int i = 0; rc != MPI_SUCCESS && i < OUTSTANDING; i++) {
            if (before[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL) {
                classes[i] = class_of(rc);
            }
        }
    }
}

static void wait_some(int classes[OUTSTANDING])
{
    int some = 0, indices[OUTSTANDING];
    while (some != MPI_UNDEFINED) {
        MPI_Status statuses[OUTSTANDING];
        int rc = MPI_Waitsome(OUTSTANDING, requests, &some, indices, statuses);
        for (int i = 0; rc == MPI_ERR_IN_STATUS && i < some; i++) {
            if (statuses[i].MPI_ERROR != MPI_SUCCESS) {
                classes[indices[i]] = class_of(statuses[i].MPI_ERROR);
            }
        }
    }
}

static void wait_all(int classes[OUTSTANDING])
{
    MPI_Status statuses[OUTSTANDING];
    int rc = MPI_Waitall(OUTSTANDING, requests, statuses);
    for (int at = 0; rc == MPI_ERR_IN_STATUS && at < OUTSTANDING; at++) {
        if (statuses[at].MPI_ERROR != MPI_SUCCESS) {
            classes[at] = class_of(statuses[at].MPI_ERROR);
        }
    }
}

/* Complete all that have been started; their error classes, in which those of the starts are. */
static void all_complete(const char *way, int classes[OUTSTANDING])
{
    if (strcmp(way, "any") == 0) {
        wait_any(classes);
    } else if (strcmp(way, "some") == 0) {
        wait_some(classes);
    } else if (strcmp(way, "all") == 0) {
        wait_all(classes);
    }
    for (int at = OUTSTANDING - 1; at >= 0; at--) { /* what is complete already succeeds */
        int done = 0, rc = MPI_SUCCESS;
        if (strcmp(way, "test") == 0) {
            while (done == 0 && rc == MPI_SUCCESS) {
                rc = MPI_Test(&requests[at], &done, MPI_STATUS_IGNORE);
            }
        } else {
            rc = MPI_Wait(&requests[at], MPI_STATUS_IGNORE);
        }
        if (rc != MPI_SUCCESS) {
            classes[at] = class_of(rc);
        }
    }
}

/* One round in which nothing fails. */
static void all_succeed(const char *way, const char *what)
{
    int classes[OUTSTANDING];
    double begun = MPI_Wtime();
    all_start(KINDS, classes);
    all_complete(way, classes);
    for (int at = 0; at < OUTSTANDING; at++) {
        expect(classes[at], MPI_SUCCESS, what, begun);
        if (classes[at] == MPI_SUCCESS) {
            outstanding_check(&calls[at]);
        }
    }
}

static void go_on(MPI_Comm left)
{
    MPI_Comm comms[COMMS] = {left, MPI_COMM_NULL};
    MPI_Comm_dup(left, &comms[1]);
    all_make(comms);
    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        all_succeed(ways[i], "a request after MPIX_Comm_shrink");
    }
    all_free();
    MPI_Comm_free(&comms[1]);
}

/* ---- a failure ------------------------------------------------------------------------------- */

/* What is in the buffers of requests that have ended stays there. */
static void buffers_stay(void)
{
    int changed = 0;
    for (int at = 0; at < OUTSTANDING; at++) {
        for (int i = 0; i < calls[at].count; i++) {
            calls[at].receive[i] = -7;
        }
    }
    pause_for(300);
    for (int at = 0; at < OUTSTANDING; at++) {
        for (int i = 0; i < calls[at].count; i++) {
            changed += calls[at].receive[i] != -7;
        }
    }
    if (changed > 0) {
        wrong("%d elements have changed after the requests had ended", changed);
    }
}

/* Open MPI frees a persistent request that has failed; what it leaves can be started in vain. */
static void start_in_vain(int expected)
{
    for (int at = 0; at < OUTSTANDING; at++) {
        double begun = MPI_Wtime();
        if (!calls[at].persistent || requests[at] != MPI_REQUEST_NULL) {
            int class = class_of(outstanding_start(&calls[at]));
            class = class == MPI_SUCCESS ? class_of(MPI_Wait(&requests[at], MPI_STATUS_IGNORE))
                                         : class;
            expect(class, expected, "a request afterwards", begun);
        }
    }
}

/* Who did not need what the dead rank has not done may have succeeded. */
static void end_check(int at, int class, int expected, bool begun, double since)
{
    bool may_succeed = outstanding_is_loose(&calls[at]) || (begun && at % KINDS < BEGUN);
    if (class == MPI_SUCCESS && may_succeed) {
        outstanding_check(&calls[at]);
    } else {
        expect(class, expected, "an outstanding request", since);
    }
}

static MPI_Comm fail(const char *how, int doomed, const char *way)
{
    bool revoked = strcmp(how, "revoked") == 0, begun = strcmp(how, "begun") == 0;
    int expected = revoked ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED, classes[OUTSTANDING];
    MPI_Comm comms[COMMS];
    for (int i = 0; i < COMMS; i++) {
        comms[i] = duplicate();
    }
    all_make(comms);
    if (strcmp(how, "first") != 0) {
        all_succeed(way, "a request before the failure");
    }
    if (world_rank == doomed && begun) {
        all_start(BEGUN, classes);
    }
    if (world_rank == doomed) {
        pause_for(100);
        if (!revoked) {
            raise(SIGKILL);
        }
        for (int i = 0; i < COMMS; i++) {
            MPIX_Comm_revoke(comms[i]);
        }
    } else {
        double since = MPI_Wtime();
        all_start(KINDS, classes);
        all_complete(way, classes);
        for (int at = 0; at < OUTSTANDING; at++) {
            end_check(at, classes[at], expected, begun, since);
        }
        buffers_stay();
    }
    start_in_vain(expected);
    MPI_Comm smaller = shrink(comms[0], world_size - !revoked);
    all_free();
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    return smaller;
}

/* ---- at random times ------------------------------------------------------------------------- */

static bool is_failure(int class)
{
    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

/*
 * Rounds of calls on a communicator and a duplicate until one fails, or all are satisfied.  The
 * result is the duplicate, or none.
 *
 * Open MPI may give the number of a communicator that a rank has not got, or has freed, to the next
 * one, and take a message on the old one for one on the new one.  If that has fewer ranks, pml/ob1
 * ends the process without a word (5.0.7: mca_pml_ob1_add_comm).  So all ranks agree that they have
 * the duplicate before one uses it, and free it when they have the next communicator.
 */
static MPI_Comm start_until_failure(MPI_Comm comm, double until)
{
    MPI_Comm comms[COMMS] = {comm, MPI_COMM_NULL};
    bool is_made = duplicate_class(comm, &comms[1]) == MPI_SUCCESS, failed = false;
    int all_made = is_made, round = 0, more = 1;
    if (MPIX_Comm_agree(comm, &all_made) != MPI_SUCCESS || !all_made) {
        MPIX_Comm_revoke(comm);
        return is_made ? comms[1] : MPI_COMM_NULL;
    }
    all_make(comms);
    while (!failed && more != 0) {
        int classes[OUTSTANDING];
        double begun = MPI_Wtime();
        all_start(KINDS, classes);
        all_complete(ways[round++ % 5], classes);
        for (int at = 0; at < OUTSTANDING; at++) {
            if (is_failure(classes[at])) {
                failed = true;
            } else {
                expect(classes[at], MPI_SUCCESS, "a request while ranks die", begun);
                outstanding_check(&calls[at]);
            }
        }
        int mine = MPI_Wtime() < until && round < 10;
        failed = failed || MPI_Allreduce(&mine, &more, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS;
        for (int i = 0; failed && i < COMMS; i++) {
            MPIX_Comm_revoke(comms[i]);
        }
    }
    all_free();
    return comms[1];
}

static MPI_Comm die_at_times(int victims, uint64_t seed)
{
    MPI_Comm comm = duplicate();
    int left = world_size, first = (int)(random_at(seed, 0) % (uint64_t)world_size);
    int turn = (world_rank - first + world_size) % world_size; /* as which it dies */
    if (turn < victims) {
        die_after((long)(random_at(seed, (uint64_t)turn + 1) % 300) + 300 * turn);
    }
    double until = MPI_Wtime() + PATIENCE;
    while (left > world_size - victims && MPI_Wtime() < until) {
        MPI_Comm other = start_until_failure(comm, until);
        MPI_Comm smaller = shrink(comm, 0);
        MPI_Comm_free(&comm);
        if (other != MPI_COMM_NULL) {
            MPI_Comm_free(&other);
        }
        comm = smaller;
        MPI_Comm_size(comm, &left);
    }
    if (left != world_size - victims) {
        wrong("%d ranks are left of %d", left, world_size - victims);
    }
    return comm;
}

/* ---- the whole ------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    MPI_Comm left;
    survivors_init("check_outstanding", &argc, &argv);
    if (argc != 4) {
        fprintf(stderr, "check_outstanding: three arguments; see the head of its source\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    if (strcmp(argv[1], "times") == 0) {
        left = die_at_times(atoi(argv[2]), strtoull(argv[3], NULL, 0));
    } else {
        left = fail(argv[1], atoi(argv[2]), argv[3]);
    }
    go_on(left);
    return verdict(left);
}

#else /* no ULFM */

int main(int argc, char **argv)
{
    return survivors_skip("check_outstanding", &argc, &argv);
}

#endif
