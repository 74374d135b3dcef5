/*
 * faults_exchanges.c - the scripts "exchanges" and "exchanges-again" of check_faults: exchanges of
 * blocks, broadcasts, reduce-scatters and scans of two ranks that have all their data on devices.
 *
 * The ranks meet in each of these calls, also in those with a root, before and after they work on
 * each other's memory.  So both get the same error, or none, also after work that has failed has
 * broken the context of a device.  Nobody waits for ever, and who succeeds has the right data.
 *
 * "exchanges" makes each call twice, in processes that have just started.  MCA parameters say which
 * algorithms serve the calls.  In "exchanges-again" each use of each function fails in processes
 * that go on, on one rank and on both, and the next call works.  "exchanges-again_elsewhere" does
 * that on memory of cuMemAlloc(), on which the calls are made below: there a rank may be alone with
 * its error.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "check_faults.h"

#include "tests/mpi/harness.h"

#include <stdio.h>
#include <string.h>

/* A long block goes through scratch of 1 MiB in two pieces. */
enum { SHORT = 6007, LONG = 140001, RANKS = 2, PLACES = RANKS * LONG };
enum { POISON = 0xdeadbeefu };

/* From ALLTOALL to BCAST, ranks have blocks for each other; then come reductions. */
enum collective { ALLTOALL, ALLTOALLV, ALLGATHERV, GATHERV, SCATTERV, BCAST, REDUCE_SCATTER, SCAN };

static const struct kind {
    const char *name;
    enum collective collective;
    int count; /* the most elements of a block */
    int root;
    bool in_place;
    bool nonblocking;
} kinds[] = {
    {"all-to-all", ALLTOALL, SHORT, 0, false, false},
    {"all-to-all in place", ALLTOALL, LONG, 0, true, false},
    {"all-to-all-v", ALLTOALLV, SHORT, 0, false, false},
    {"all-gather-v", ALLGATHERV, LONG, 0, false, false},
    {"gather-v to rank 0", GATHERV, SHORT, 0, false, false},
    {"gather-v to rank 1", GATHERV, SHORT, 1, false, false},
    {"scatter-v from rank 0", SCATTERV, SHORT, 0, false, false},
    {"scatter-v from rank 1", SCATTERV, SHORT, 1, false, false},
    {"broadcast from rank 0", BCAST, SHORT, 0, true, false},
    {"broadcast from rank 1", BCAST, SHORT, 1, true, false},
    {"reduce-scatter", REDUCE_SCATTER, SHORT, 0, false, false},
    {"scan", SCAN, SHORT, 0, false, false},
    {"nonblocking all-to-all-v", ALLTOALLV, SHORT, 0, false, true},
    {"nonblocking broadcast", BCAST, SHORT, 1, true, true},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static struct {
    void *send, *receive; /* on the device */
    unsigned host[PLACES];
    uint64_t calls;
    int error; /* of the last call */
    bool elsewhere;
} work;

/* ---- data ------------------------------------------------------------------------------------ */

/* Elements that go from one rank to another one, or to itself. */
static int block_of(const struct kind *kind, int from, int to)
{
    switch (kind->collective) {
    case ALLTOALL:
        return kind->count;
    case ALLTOALLV:
        return kind->count - 1000 * from - 300 * to;
    case ALLGATHERV:
        return kind->count - 1000 * from;
    case GATHERV:
        return to == kind->root ? kind->count - 1000 * from : 0;
    case SCATTERV:
        return from == kind->root ? kind->count - 300 * to : 0;
    default:
        return from == kind->root ? kind->count : 0;
    }
}

/* Where a block begins among all that its rank sends, and among all that its rank receives. */
static int sent_at(const struct kind *kind, int to)
{
    return kind->collective <= ALLTOALLV || kind->collective == SCATTERV ? to * kind->count : 0;
}

static int received_at(const struct kind *kind, int from)
{
    return kind->collective == SCATTERV || kind->collective == BCAST ? 0 : from * kind->count;
}

static unsigned value_of(int rank, int i)
{
    return faults_value(work.calls, rank, i);
}

static unsigned reduced_at(const struct kind *kind, int i)
{
    if (i >= kind->count) {
        return POISON;
    }
    if (kind->collective == REDUCE_SCATTER) {
        i += faults_rank * kind->count;
        return value_of(0, i) + value_of(1, i);
    }
    return value_of(0, i) + (faults_rank == 1 ? value_of(1, i) : 0);
}

static unsigned expected_at(const struct kind *kind, int i)
{
    if (kind->collective >= REDUCE_SCATTER) {
        return reduced_at(kind, i);
    }
    for (int from = 0; from < RANKS; from++) {
        int place = i - received_at(kind, from);
        if (place >= 0 && place < block_of(kind, from, faults_rank)) {
            return value_of(from, sent_at(kind, faults_rank) + place);
        }
    }
    return POISON;
}

/* Inputs where the call reads them, and outputs that are not yet right. */
static void call_prepare(const struct kind *kind)
{
    bool is_read = kind->in_place && (kind->collective != BCAST || faults_rank == kind->root);
    int places = RANKS * kind->count, inputs = kind->collective == BCAST ? kind->count : places;
    for (int i = 0; i < places; i++) {
        work.host[i] = value_of(faults_rank, i);
    }
    faults_upload(work.send, work.host, (size_t)places);
    for (int i = is_read ? inputs : 0; i < places; i++) {
        work.host[i] = POISON;
    }
    faults_upload(work.receive, work.host, (size_t)places);
}

static void call_check(const struct kind *kind)
{
    int places = RANKS * kind->count;
    if (!faults_download(work.host, work.receive, (size_t)places)) {
        return;
    }
    for (int i = 0; i < places; i++) {
        if (work.host[i] != expected_at(kind, i)) {
            test_fail("%s: element %d is wrong: %#x, expected %#x", kind->name, i, work.host[i],
                      expected_at(kind, i));
            return;
        }
    }
}

/* ---- one call -------------------------------------------------------------------------------- */

struct blocks {
    int sent[RANKS], sent_at[RANKS], received[RANKS], received_at[RANKS];
};

static struct blocks blocks_of(const struct kind *kind)
{
    struct blocks blocks;
    for (int rank = 0; rank < RANKS; rank++) {
        blocks.sent[rank] = block_of(kind, faults_rank, rank);
        blocks.sent_at[rank] = sent_at(kind, rank);
        blocks.received[rank] = block_of(kind, rank, faults_rank);
        blocks.received_at[rank] = received_at(kind, rank);
    }
    return blocks;
}

static int request_run(const struct kind *kind, const struct blocks *b)
{
    const MPI_Datatype type = MPI_UNSIGNED;
    MPI_Request request = MPI_REQUEST_NULL;
    int error = kind->collective == BCAST
                    ? MPI_Ibcast(work.receive, kind->count, type, kind->root, faults_pair, &request)
                    : MPI_Ialltoallv(work.send, b->sent, b->sent_at, type, work.receive,
                                     b->received, b->received_at, type, faults_pair, &request);
    return faults_wait(&request, error);
}

static int call_make(const struct kind *kind)
{
    const struct blocks b = blocks_of(kind);
    const void *send = kind->in_place ? MPI_IN_PLACE : work.send;
    const MPI_Datatype type = MPI_UNSIGNED;
    const MPI_Comm comm = faults_pair;
    if (kind->nonblocking) {
        return request_run(kind, &b);
    }
    switch (kind->collective) {
    case ALLTOALL:
        return MPI_Alltoall(send, kind->count, type, work.receive, kind->count, type, comm);
    case ALLTOALLV:
        return MPI_Alltoallv(send, b.sent, b.sent_at, type, work.receive, b.received, b.received_at,
                             type, comm);
    case ALLGATHERV:
        return MPI_Allgatherv(send, b.sent[0], type, work.receive, b.received, b.received_at, type,
                              comm);
    case GATHERV:
        return MPI_Gatherv(send, b.sent[kind->root], type, work.receive, b.received, b.received_at,
                           type, kind->root, comm);
    case SCATTERV:
        return MPI_Scatterv(send, b.sent, b.sent_at, type, work.receive, b.received[kind->root],
                            type, kind->root, comm);
    case BCAST:
        return MPI_Bcast(work.receive, kind->count, type, kind->root, comm);
    case REDUCE_SCATTER:
        return MPI_Reduce_scatter_block(send, work.receive, kind->count, type, MPI_SUM, comm);
    default:
        return MPI_Scan(send, work.receive, kind->count, type, MPI_SUM, comm);
    }
}

/*
 * Whether the data are lost although the call has succeeded.  Each rank makes host copies for a
 * nonblocking call itself: one that cannot read its data has the error, and what the other one has
 * received is worth nothing.
 */
static bool is_worth_nothing(const struct kind *kind)
{
    return kind->nonblocking && faults_other_says(work.error) != MPI_SUCCESS;
}

/*
 * Whether this rank's device has no part in the call, unless data go through scratch: the root
 * stores to the outputs of all.  Then a device that is lost is not noticed.
 */
static bool others_work(const struct kind *kind)
{
    return faults_rank != kind->root &&
           (kind->collective == SCATTERV || kind->collective == BCAST);
}

/* Whether it has succeeded. */
static bool call_run(const struct kind *kind)
{
    work.calls++;
    faults_driver.watch(0);
    call_prepare(kind);
    faults_driver.watch(1);
    work.error = call_make(kind);
    faults_driver.watch(0);
    bool is_lost = is_worth_nothing(kind);
    if (work.error != MPI_SUCCESS) {
        faults_note_error(kind->name);
        (void)faults_download(work.host, work.receive, 1); /* finds out whether it is lost */
    } else if (faults_device_is_lost && !others_work(kind)) {
        test_fail("%s: success on a device that is lost", kind->name);
    } else if (!is_lost) {
        call_check(kind);
    }
    faults_driver.watch(1);
    return work.error == MPI_SUCCESS;
}

/* ---- the scripts ----------------------------------------------------------------------------- */

static void memory_get(void)
{
    faults_driver.watch(0);
    work.send = faults_block_get(PLACES, work.elsewhere);
    work.receive = faults_block_get(PLACES, work.elsewhere);
    test_check(work.send != NULL && work.receive != NULL, "device memory");
    faults_driver.watch(1);
}

static void memory_give(void)
{
    faults_driver.watch(0);
    faults_block_give(work.receive, work.elsewhere);
    faults_block_give(work.send, work.elsewhere);
    faults_driver.watch(1);
}

void faults_exchanges(void)
{
    enum { ROUNDS = 2 };
    memory_get();
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        (void)call_run(&kinds[i % KINDS]);
        int other = faults_other_says(work.error);
        test_check(work.error == other, "both ranks get the same error, or none");
    }
    memory_give();
}

/* The n-th use of a function in one call of a kind fails, on the ranks that `who` has bits for. */
static void fault_run(const struct kind *kind, const char *function, unsigned long use, int who)
{
    char list[128];
    (void)snprintf(list, sizeof list, "%.100s:%lu", function, use);
    test_case("%s, %s on rank%s", kind->name, list, who == 3 ? "s 0 and 1" : " 1");
    faults_driver.fail((who >> faults_rank & 1) != 0 ? list : "");
    (void)faults_said();
    bool succeeded = call_run(kind);
    faults_driver.fail("");
    bool named = !succeeded && faults_is_named(function);
    int other = faults_other_says(work.error);
    test_check(work.elsewhere || work.error == other, "both ranks get the same error, or none");
    bool any_named = faults_other_says(named) != 0 || named;
    test_check(succeeded || any_named, "the message names the function that failed");
    test_check(call_run(kind), "the next call succeeds");
}

static void fault_pair(const void *kind, const char *function, unsigned long use)
{
    fault_run(kind, function, use, 2);
    fault_run(kind, function, use, 3);
}

static bool is_wanted(const char *name)
{
    return !faults_is_later(name);
}

void faults_exchanges_again(bool elsewhere)
{
    work.elsewhere = elsewhere;
    memory_get();
    for (int i = 0; i < KINDS; i++) {
        test_check(call_run(&kinds[i]), "a call without a fault succeeds");
    }
    for (int i = 0; i < KINDS; i++) {
        faults_driver.fail("");
        (void)call_run(&kinds[i]);
        faults_each_use(kinds[i].name, is_wanted, fault_pair, &kinds[i]);
    }
    memory_give();
}
