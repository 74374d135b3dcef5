/*
 * faults_exchanges.c - the scripts "exchanges" and "exchanges-again" of check_faults: exchanges of
 * blocks, broadcasts, reduce-scatters and scans of two ranks that have all their data on devices;
 * with "three-" in front of the name, such calls of three ranks, most of them persistent.  "gaps"
 * has calls of two ranks with types whose elements are no row of bytes: kernels pack and unpack
 * them.
 *
 * The ranks meet in each of these calls, also in those with a root, before and after they work on
 * each other's memory.  So all get the same error, or none, also after work that has failed has
 * broken the context of a device.  Nobody waits for ever, and who succeeds has the right data.
 * A persistent operation is kept, so most faults meet it in a later run.
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
#include "tests/device/faults/check_faults.h"
#include "tests/device/faults/faults_kinds.h"

#include "tests/harness/harness.h"

#include <stdio.h>
#include <string.h>

enum { POISON = 0xdeadbeefu };

enum { KINDS_MAX = 16 };

static struct {
    const struct kind *kinds;
    int kind_count, ranks;
    MPI_Request requests[KINDS_MAX]; /* of persistent operations */
    void *send, *receive;            /* on the device */
    unsigned host[PLACES];
    uint64_t calls;
    int error; /* of the last call */
    bool has_gaps, elsewhere;
} work;

/* ---- data ------------------------------------------------------------------------------------ */

/* Elements that go from one rank to another one, or to itself. */
static int block_of(const struct kind *kind, int from, int to)
{
    switch (kind->collective) {
    case TEST_ALLTOALL:
        return kind->count;
    case TEST_ALLTOALLV:
    case TEST_ALLTOALLW:
        return kind->count - 1000 * from - 300 * to;
    case TEST_ALLGATHERV:
        return kind->count - 1000 * from;
    case TEST_GATHERV:
        return to == kind->root ? kind->count - 1000 * from : 0;
    case TEST_SCATTERV:
        return from == kind->root ? kind->count - 300 * to : 0;
    default:
        return from == kind->root ? kind->count : 0;
    }
}

/* Where a block begins among all that its rank sends, and among all that its rank receives. */
static int sent_at(const struct kind *kind, int to)
{
    bool is_exchange = kind->collective >= TEST_ALLTOALL && kind->collective <= TEST_ALLTOALLW;
    return is_exchange || kind->collective == TEST_SCATTERV ? to * kind->count : 0;
}

static int received_at(const struct kind *kind, int from)
{
    bool has_one = kind->collective == TEST_SCATTERV || kind->collective == TEST_BCAST;
    return has_one ? 0 : from * kind->count;
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
    bool scatters = kind->collective == TEST_REDUCE_SCATTER_BLOCK;
    int place = scatters ? faults_rank * kind->count + i : i;
    unsigned sum = 0;
    for (int rank = 0; rank < (scatters ? work.ranks : faults_rank + 1); rank++) {
        sum += value_of(rank, place);
    }
    return sum;
}

static unsigned expected_at(const struct kind *kind, int i)
{
    if (kind->collective <= TEST_REDUCE) {
        return reduced_at(kind, i);
    }
    for (int from = 0; from < work.ranks; from++) {
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
    bool is_read = kind->in_place && (kind->collective != TEST_BCAST || faults_rank == kind->root);
    int places = work.ranks * kind->count;
    int inputs = kind->collective == TEST_BCAST ? kind->count : places;
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
    int places = work.ranks * kind->count;
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
    MPI_Datatype sent_types[RANKS], received_types[RANKS]; /* of MPI_Alltoallw, and MPI_Bcast */
};

static void gaps_drop(struct blocks *blocks)
{
    for (int rank = 0; rank < work.ranks; rank++) {
        MPI_Type_free(&blocks->sent_types[rank]);
        MPI_Type_free(&blocks->received_types[rank]);
    }
}

/* MPI_Alltoallw counts in bytes where they begin. */
static void blocks_set(struct blocks *blocks, const struct kind *kind)
{
    int unit = kind->collective == TEST_ALLTOALLW ? (int)sizeof(unsigned) : 1;
    for (int rank = 0; rank < work.ranks; rank++) {
        blocks->sent[rank] = block_of(kind, faults_rank, rank);
        blocks->sent_at[rank] = sent_at(kind, rank) * unit;
        blocks->received[rank] = block_of(kind, rank, faults_rank);
        blocks->received_at[rank] = received_at(kind, rank) * unit;
        blocks->sent_types[rank] = blocks->received_types[rank] = MPI_UNSIGNED;
        if (work.has_gaps) {
            faults_gaps_put(&blocks->sent[rank], &blocks->sent_types[rank]);
            faults_gaps_put(&blocks->received[rank], &blocks->received_types[rank]);
        }
    }
}

/*
 * Open MPI frees a persistent operation that has failed.  Where a rank may be alone with its error,
 * the others free theirs, too, so that all make it again.
 */
static int blocks_use(const struct kind *kind, const struct blocks *b, MPI_Request *request)
{
    const struct test_arguments arguments = {
        .send = kind->in_place ? MPI_IN_PLACE : work.send, .send_count = b->sent[kind->root],
        .send_type = MPI_UNSIGNED, .send_counts = b->sent, .send_places = b->sent_at,
        .send_types = b->sent_types, .receive = work.receive, .count = b->received[kind->root],
        .type = b->received_types[kind->root], .counts = b->received, .places = b->received_at,
        .types = b->received_types, .op = MPI_SUM, .root = kind->root, .comm = faults_pair,
    };
    int error = MPI_SUCCESS;
    if (*request == MPI_REQUEST_NULL) {
        error = test_call(kind->collective, kind->form, &arguments, request);
    }
    if (kind->form == TEST_BLOCKING) {
        return error;
    }
    if (kind->form == TEST_NONBLOCKING) {
        return faults_wait(request, error);
    }
    error = faults_wait(request, error != MPI_SUCCESS ? error : MPI_Start(request));
    if (work.has_gaps && faults_other_says(error) != MPI_SUCCESS &&
        *request != MPI_REQUEST_NULL) {
        MPI_Request_free(request);
    }
    return error;
}

static int call_make(const struct kind *kind)
{
    static struct blocks blocks[KINDS_MAX]; /* a persistent operation reads them in each run */
    ptrdiff_t at = kind - work.kinds;
    blocks_set(&blocks[at], kind);
    int error = blocks_use(kind, &blocks[at], &work.requests[at]);
    if (work.has_gaps) {
        gaps_drop(&blocks[at]);
    }
    return error;
}

/*
 * Whether the data are lost although the call has succeeded.  Each rank makes host copies for a
 * nonblocking call itself: one that cannot read its data has the error, and what the other one has
 * received is worth nothing.
 */
static bool is_worth_nothing(const struct kind *kind)
{
    return kind->form != TEST_BLOCKING && faults_other_says(work.error) != MPI_SUCCESS;
}

/*
 * Whether this rank's device has no part in the call, unless data go through scratch: the root
 * stores to the outputs of all.  Then a device that is lost is not noticed.
 */
static bool others_work(const struct kind *kind)
{
    return faults_rank != kind->root &&
           (kind->collective == TEST_SCATTERV || kind->collective == TEST_BCAST);
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

static void kinds_choose(bool has_gaps)
{
    MPI_Comm_size(faults_pair, &work.ranks);
    bool are_two = work.ranks == 2;
    work.has_gaps = has_gaps;
    work.kinds = has_gaps ? kinds_with_gaps : are_two ? kinds_of_two : kinds_of_three;
    work.kind_count = (int)((has_gaps ? sizeof kinds_with_gaps
                             : are_two ? sizeof kinds_of_two : sizeof kinds_of_three) /
                            sizeof(struct kind));
}

static void memory_get(bool has_gaps)
{
    faults_driver.watch(0);
    kinds_choose(has_gaps);
    for (int i = 0; i < KINDS_MAX; i++) {
        work.requests[i] = MPI_REQUEST_NULL;
    }
    work.send = faults_block_get(PLACES, work.elsewhere);
    work.receive = faults_block_get(PLACES, work.elsewhere);
    test_check(work.send != NULL && work.receive != NULL, "device memory");
    faults_driver.watch(1);
}

static void memory_give(void)
{
    faults_driver.watch(0);
    for (int i = 0; i < KINDS_MAX; i++) {
        if (work.requests[i] != MPI_REQUEST_NULL) {
            test_check(MPI_Request_free(&work.requests[i]) == MPI_SUCCESS,
                       "the request can be freed");
        }
    }
    faults_block_give(work.receive, work.elsewhere);
    faults_block_give(work.send, work.elsewhere);
    faults_driver.watch(1);
}

void faults_exchanges(bool has_gaps)
{
    enum { ROUNDS = 2 };
    memory_get(has_gaps);
    for (int i = 0; i < ROUNDS * work.kind_count; i++) {
        (void)call_run(&work.kinds[i % work.kind_count]);
        faults_check_same(work.error);
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
    if (!work.elsewhere) {
        faults_check_same(work.error);
    }
    bool any_named = faults_other_says(named) != 0 || named;
    any_named = faults_other_says(any_named) != 0 || any_named; /* rank 2 hears of rank 0 as well */
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

void faults_exchanges_again(bool has_gaps, bool elsewhere)
{
    work.elsewhere = elsewhere;
    memory_get(has_gaps);
    for (int i = 0; i < work.kind_count; i++) {
        test_check(call_run(&work.kinds[i]), "a call without a fault succeeds");
    }
    for (int i = 0; i < work.kind_count; i++) {
        faults_driver.fail("");
        (void)call_run(&work.kinds[i]);
        faults_each_use(work.kinds[i].name, is_wanted, fault_pair, &work.kinds[i]);
    }
    memory_give();
}
