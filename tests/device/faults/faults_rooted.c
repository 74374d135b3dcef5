/*
 * faults_rooted.c - the scripts "rooted" and "rooted-again" of check_faults: small broadcasts,
 * scatters, gathers, reduces and scans in which rank 1 has its data on a device, and ranks 0 and 2
 * in host memory.
 *
 * Ranks leave such a call at once that have data for others and wait for none, and rank 1 cannot go
 * below then.  So rank 1 alone has the error, if it cannot deliver what it has got.  If it cannot
 * bring what rank 0 waits for, both have one; in a scan that is rank 2.  If rank 1 is the root of a
 * broadcast or scatter, nobody has left, and all go below.  Nobody waits for ever, who succeeds has
 * the right data, and the next call works.
 *
 * "rooted" makes each call twice, in processes that have just started, and some more if a device
 * has been lost.  In "rooted-again" each use of each function fails in processes that go on.
 *
 * With "_elsewhere" behind its name, a script does so on memory of cuMemAlloc().
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/faults/check_faults.h"

#include "tests/harness/calls.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200, RANKS = 3, PLACES = RANKS * COUNT };
enum { POISON = 0xdeadbeefu };

static const struct kind {
    const char *name;
    enum test_collective collective;
    int root;
    enum test_call_form form;
    bool host_send; /* rank 1 sends from the host and receives on the device */
} kinds[] = {
    {"broadcast from the host", TEST_BCAST, 0, TEST_BLOCKING, false},
    {"scatter from the host", TEST_SCATTER, 0, TEST_BLOCKING, false},
    {"gather to the host", TEST_GATHER, 0, TEST_BLOCKING, false},
    {"reduce to the host", TEST_REDUCE, 0, TEST_BLOCKING, false},
    {"broadcast from the device", TEST_BCAST, 1, TEST_BLOCKING, false},
    {"scatter from the device", TEST_SCATTER, 1, TEST_BLOCKING, false},
    {"gather to the device", TEST_GATHER, 1, TEST_BLOCKING, false},
    {"reduce to the device", TEST_REDUCE, 1, TEST_BLOCKING, false},
    {"gather to the device, one's own from the host", TEST_GATHER, 1, TEST_BLOCKING, true},
    {"scan behind the host", TEST_SCAN, -1, TEST_BLOCKING, false},
    {"nonblocking broadcast from the host", TEST_BCAST, 0, TEST_NONBLOCKING, false},
    {"nonblocking gather to the host", TEST_GATHER, 0, TEST_NONBLOCKING, false},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static struct {
    void *send, *receive; /* of rank 1, on the device */
    unsigned host_send[PLACES], host_receive[PLACES];
    unsigned calls;
    int error; /* of the last call */
    bool elsewhere;
} work;

/* ---- data ------------------------------------------------------------------------------------ */

static unsigned value_of(int rank, int i)
{
    return faults_value(work.calls, rank, i);
}

static void call_prepare(const struct kind *kind)
{
    for (int i = 0; i < PLACES; i++) {
        work.host_send[i] = value_of(faults_rank, i);
        work.host_receive[i] = POISON;
    }
    if (kind->collective == TEST_BCAST && faults_rank == kind->root) {
        memcpy(work.host_receive, work.host_send, COUNT * sizeof(unsigned));
    }
    if (faults_rank == 1) {
        faults_upload(work.send, work.host_send, PLACES);
        faults_upload(work.receive, work.host_receive, PLACES);
    }
}

static bool has_result(const struct kind *kind)
{
    bool is_gathered = kind->collective == TEST_GATHER || kind->collective == TEST_REDUCE;
    return !is_gathered || faults_rank == kind->root;
}

static unsigned expected_at(const struct kind *kind, int i)
{
    int own = kind->collective == TEST_SCATTER ? faults_rank * COUNT : 0;
    int last = kind->collective == TEST_SCAN ? faults_rank : RANKS - 1;
    unsigned sum = 0;
    for (int rank = 0; rank <= last; rank++) {
        sum += value_of(rank, i);
    }
    if (!has_result(kind) || (i >= COUNT && kind->collective != TEST_GATHER)) {
        return POISON;
    }
    return kind->collective == TEST_GATHER   ? value_of(i / COUNT, i % COUNT)
           : kind->collective <= TEST_REDUCE ? sum
                                        : value_of(kind->root, own + i);
}

static void call_check(const struct kind *kind)
{
    if (faults_rank == 1 && !faults_download(work.host_receive, work.receive, PLACES)) {
        return;
    }
    for (int i = 0; i < PLACES; i++) {
        if (work.host_receive[i] != expected_at(kind, i)) {
            test_fail("%s: element %d is wrong: %#x, expected %#x", kind->name, i,
                      work.host_receive[i], expected_at(kind, i));
            return;
        }
    }
}

/* ---- one call -------------------------------------------------------------------------------- */

static int call_make(const struct kind *kind)
{
    bool on_device = faults_rank == 1;
    const struct test_arguments arguments = {
        .send = on_device && !kind->host_send ? work.send : work.host_send, .send_count = COUNT,
        .send_type = MPI_UNSIGNED, .receive = on_device ? work.receive : work.host_receive,
        .count = COUNT, .type = MPI_UNSIGNED, .op = MPI_SUM, .root = kind->root,
        .comm = faults_pair,
    };
    MPI_Request request = MPI_REQUEST_NULL;
    int error = test_call(kind->collective, kind->form, &arguments, &request);
    return kind->form == TEST_BLOCKING ? error : faults_wait(&request, error);
}

/* Whether it has succeeded. */
static bool call_run(const struct kind *kind)
{
    work.calls++;
    faults_driver.watch(0);
    call_prepare(kind);
    faults_driver.watch(1);
    int error = work.error = call_make(kind);
    faults_driver.watch(0);
    if (error != MPI_SUCCESS) {
        faults_note_error(kind->name);
    } else if (faults_device_is_lost) {
        test_fail("%s: success on a device that is lost", kind->name);
    } else {
        call_check(kind);
    }
    faults_driver.watch(1);
    return error == MPI_SUCCESS;
}

/*
 * Rank 0 hears what goes wrong on rank 1 if it waits for its data.  In a scan rank 2 does, but not
 * of a result that rank 1 cannot deliver.
 */
static void errors_check(const struct kind *kind)
{
    bool gathers = kind->collective == TEST_GATHER || kind->collective == TEST_REDUCE;
    int own = work.error, other = faults_other_says(own);
    if (gathers && kind->root == 0 && faults_rank < 2) {
        test_check(own == other, "both ranks get the same error, or none");
    } else if (kind->collective == TEST_SCAN ? faults_rank == 0
                                        : faults_rank != 1 && (gathers || kind->root == 0)) {
        test_check(own == MPI_SUCCESS, "who has left gets no error");
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_get(void)
{
    faults_driver.watch(0);
    if (faults_rank == 1) {
        work.send = faults_block_get(PLACES, work.elsewhere);
        work.receive = faults_block_get(PLACES, work.elsewhere);
        test_check(work.send != NULL && work.receive != NULL, "device memory");
    }
    faults_driver.watch(1);
}

static void memory_give(void)
{
    faults_driver.watch(0);
    if (faults_rank == 1) {
        faults_block_give(work.receive, work.elsewhere);
        faults_block_give(work.send, work.elsewhere);
    }
    faults_driver.watch(1);
}

/* ---- the scripts ----------------------------------------------------------------------------- */

void faults_rooted(bool elsewhere)
{
    enum { ROUNDS = 2 };
    work.elsewhere = elsewhere;
    memory_get();
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        (void)call_run(&kinds[i % KINDS]);
        errors_check(&kinds[i % KINDS]);
    }
    memory_give();
}

static void fault_run(const void *of, const char *function, unsigned long use)
{
    const struct kind *kind = of;
    char list[128];
    (void)snprintf(list, sizeof list, "%.100s:%lu", function, use);
    test_case("%s, %s on rank 1", kind->name, list);
    if (work.elsewhere) { /* what is asked once for an allocation */
        memory_give();
        memory_get();
    }
    faults_driver.fail(faults_rank == 1 ? list : "");
    (void)faults_said();
    bool succeeded = call_run(kind);
    faults_driver.fail("");
    bool named = !succeeded && faults_is_named(function);
    errors_check(kind);
    bool both = faults_other_says(succeeded) != 0 && succeeded;
    bool any_named = faults_other_says(named) != 0 || named;
    test_check(both || any_named, "the message names the function that failed");
    test_check(call_run(kind), "the next call succeeds");
}

static bool is_wanted(const char *name)
{
    return !faults_is_later(name);
}

static void fault_each(const struct kind *kind)
{
    if (work.elsewhere) {
        memory_give();
        memory_get();
    }
    faults_driver.fail("");
    (void)call_run(kind);
    faults_each_use(kind->name, is_wanted, fault_run, kind);
}

void faults_rooted_again(bool elsewhere)
{
    work.elsewhere = elsewhere;
    memory_get();
    for (int i = 0; i < KINDS; i++) {
        test_check(call_run(&kinds[i]), "a call without a fault succeeds");
    }
    for (int i = 0; i < KINDS; i++) {
        fault_each(&kinds[i]);
    }
    memory_give();
}
