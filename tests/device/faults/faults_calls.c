/*
 * faults_calls.c - the scripts "calls" and "again" of check_faults: all-reduces and all-gathers on
 * device memory, in place and not, and such as go to the component below on copies in host memory;
 * blocking, nonblocking and persistent.
 *
 * With "_elsewhere" behind its name, a script does so on memory of cuMemAlloc().
 *
 * "calls" runs all of them twice, the second time with new memory, in processes that have just
 * started; which algorithms serve them, MCA parameters say.  "again" makes them all work first;
 * then each use of each function in each kind of call fails, one at a time, on one rank and on
 * both, in the same processes, and after each fault the same call has to work.
 *
 * A rank whose call succeeds must have the right result; one whose call fails gets an MPI error,
 * and one of the two has named the function.  Where the ranks work on each other's memory, both
 * calls fail, or none.
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

enum { COUNT = 6007, RANKS = 2, PLACES = RANKS * COUNT };

enum place { DEVICE, HOST, IN_PLACE };

static const struct kind {
    const char *name;
    bool gathers;
    bool user_defined; /* an operation without a kernel */
    enum place send, receive;
    enum test_call_form form;
} kinds[] = {
    {"all-reduce", false, false, DEVICE, DEVICE, TEST_BLOCKING},
    {"all-reduce in place", false, false, IN_PLACE, DEVICE, TEST_BLOCKING},
    {"all-gather", true, false, DEVICE, DEVICE, TEST_BLOCKING},
    {"all-gather in place", true, false, IN_PLACE, DEVICE, TEST_BLOCKING},
    {"all-reduce below", false, true, DEVICE, DEVICE, TEST_BLOCKING},
    {"all-reduce below, in place", false, true, IN_PLACE, DEVICE, TEST_BLOCKING},
    {"all-reduce to the host", false, false, DEVICE, HOST, TEST_BLOCKING},
    {"all-gather from the host", true, false, HOST, DEVICE, TEST_BLOCKING},
    {"nonblocking all-reduce", false, false, DEVICE, DEVICE, TEST_NONBLOCKING},
    {"nonblocking all-gather", true, false, DEVICE, DEVICE, TEST_NONBLOCKING},
    {"persistent all-reduce", false, false, DEVICE, DEVICE, TEST_PERSISTENT},
    {"nonblocking all-reduce below", false, true, DEVICE, DEVICE, TEST_NONBLOCKING},
    {"persistent all-gather from the host", true, false, HOST, DEVICE, TEST_PERSISTENT},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static struct {
    void *send, *receive; /* on the device */
    unsigned host_send[COUNT], host_receive[PLACES];
    MPI_Op sum;
    uint64_t calls;
    bool elsewhere;
    int error; /* of the last call */
} work;

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const unsigned *from = in;
    unsigned *to = inout;
    (void)type;
    for (int i = 0; i < *length; i++) {
        to[i] += from[i];
    }
}

/* ---- one call -------------------------------------------------------------------------------- */

/* Inputs where the call reads them, and outputs that are not yet right. */
static void call_prepare(const struct kind *kind)
{
    int own = kind->gathers ? faults_rank * COUNT : 0;
    for (int i = 0; i < PLACES; i++) {
        work.host_receive[i] = 0xdeadbeef;
    }
    for (int i = 0; i < COUNT; i++) {
        work.host_send[i] = faults_value(work.calls, faults_rank, i);
    }
    if (kind->send == DEVICE) {
        faults_upload(work.send, work.host_send, COUNT);
    } else if (kind->send == IN_PLACE) {
        memcpy(work.host_receive + own, work.host_send, sizeof work.host_send);
    }
    if (kind->receive == DEVICE) {
        faults_upload(work.receive, work.host_receive, PLACES);
    }
}

static int call_make(const struct kind *kind)
{
    const struct test_arguments arguments = {
        .send = kind->send == IN_PLACE ? MPI_IN_PLACE
                : kind->send == DEVICE ? work.send : work.host_send,
        .send_count = COUNT, .send_type = MPI_UNSIGNED,
        .receive = kind->receive == DEVICE ? work.receive : work.host_receive, .count = COUNT,
        .type = MPI_UNSIGNED, .op = kind->user_defined ? work.sum : MPI_SUM, .comm = faults_pair,
    };
    MPI_Request request = MPI_REQUEST_NULL;
    int error = test_call(kind->gathers ? TEST_ALLGATHER : TEST_ALLREDUCE, kind->form, &arguments,
                          &request);
    if (kind->form == TEST_PERSISTENT && error == MPI_SUCCESS) {
        error = MPI_Start(&request);
    }
    if (kind->form != TEST_BLOCKING) {
        error = faults_wait(&request, error);
    }
    if (request != MPI_REQUEST_NULL) { /* gives back what multicast has bound, without a fault */
        faults_driver.watch(0);
        test_check(MPI_Request_free(&request) == MPI_SUCCESS, "the request can be freed");
    }
    return error;
}

static unsigned expected_at(const struct kind *kind, int i)
{
    if (kind->gathers) {
        return faults_value(work.calls, i / COUNT, i % COUNT);
    }
    return faults_value(work.calls, 0, i) + faults_value(work.calls, 1, i);
}

static void call_check(const struct kind *kind)
{
    int results = kind->gathers ? PLACES : COUNT;
    if (kind->receive == DEVICE &&
        !faults_download(work.host_receive, work.receive, PLACES)) {
        return;
    }
    for (int i = 0; i < PLACES; i++) {
        unsigned expected = i < results ? expected_at(kind, i) : 0xdeadbeef;
        if (work.host_receive[i] != expected) {
            test_fail("%s: element %d is wrong: %#x, expected %#x", kind->name, i,
                      work.host_receive[i], expected);
            return;
        }
    }
}

/* Otherwise the component below makes it on copies in host memory. */
static bool is_served_on_device(const struct kind *kind)
{
    return kind->send != HOST && kind->receive == DEVICE && !kind->user_defined;
}

/*
 * Copies for a nonblocking or persistent call each rank makes for itself.  Who cannot read its data
 * has the error; the other one's call succeeds, and what it has received is worth nothing.
 */
static bool is_worth_nothing(const struct kind *kind)
{
    return kind->form != TEST_BLOCKING && !is_served_on_device(kind) &&
           faults_other_says(work.error) != MPI_SUCCESS;
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
    bool is_lost = is_worth_nothing(kind);
    if (error != MPI_SUCCESS) {
        faults_note_error(kind->name);
    } else if (faults_device_is_lost) {
        test_fail("%s: success on a device that is lost", kind->name);
    } else if (!is_lost) {
        call_check(kind);
    }
    faults_driver.watch(1);
    return error == MPI_SUCCESS;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory_give(void)
{
    faults_driver.watch(!work.elsewhere);
    faults_block_give(work.receive, work.elsewhere);
    faults_block_give(work.send, work.elsewhere);
    faults_driver.watch(1);
}

/* The script "memory" is about what may go wrong here.  Whether both ranks have their blocks. */
static bool memory_get(void)
{
    faults_driver.watch(0);
    work.send = faults_block_get(COUNT, work.elsewhere);
    work.receive = faults_block_get(PLACES, work.elsewhere);
    faults_driver.watch(1);
    bool got = work.send != NULL && work.receive != NULL;
    test_check(got || faults_errors() > 0, "device memory");
    if (faults_other_says(got) != 0 && got) {
        return true;
    }
    memory_give();
    return false;
}

/* More than can be under way at a time: a call that fails must not keep what the next ones need. */
static void calls_on_lost_device(void)
{
    enum { CALLS = 20 };
    bool is_lost = faults_other_says(faults_device_is_lost) != 0 || faults_device_is_lost;
    for (int i = 0; i < CALLS && is_lost; i++) {
        test_check(!call_run(&kinds[0]), "a call on a lost device fails");
    }
}

void faults_calls(bool elsewhere)
{
    work.elsewhere = elsewhere;
    MPI_Op_create(add, 1, &work.sum);
    for (int round = 0; round < 2; round++) {
        if (memory_get()) {
            for (int i = 0; i < KINDS; i++) {
                (void)call_run(&kinds[i]);
            }
            calls_on_lost_device();
            memory_give();
        }
    }
    MPI_Op_free(&work.sum);
}

/* ---- the same processes again ---------------------------------------------------------------- */

/* What is asked about memory from elsewhere, once for an allocation. */
static void memory_renew(void)
{
    if (work.elsewhere) {
        memory_give();
        test_check(memory_get(), "new memory");
    }
}

/* The n-th use of a function in one call of a kind fails, on the ranks that `who` has bits for. */
static void fault_run(const struct kind *kind, const char *function, unsigned long use, int who)
{
    char list[128];
    (void)snprintf(list, sizeof list, "%s:%lu", function, use);
    test_case("%s, %s on rank%s", kind->name, list,
              who == 3 ? "s 0 and 1" : who == 2 ? " 1" : " 0");
    memory_renew();
    faults_driver.fail((who >> faults_rank & 1) != 0 ? list : "");
    (void)faults_said();
    bool succeeded = call_run(kind);
    faults_driver.fail("");
    bool named = !succeeded && faults_is_named(function);
    if (is_served_on_device(kind)) {
        faults_check_same(work.error);
    }
    bool both = faults_other_says(succeeded) != 0 && succeeded;
    bool any_named = faults_other_says(named) != 0 || named;
    test_check(both || any_named, "the message names the function that failed");
    test_check(call_run(kind), "the next call succeeds");
}

/* All else is alike whose the memory is. */
static bool is_wanted(const char *name)
{
    return !faults_is_later(name) && (!work.elsewhere || strncmp(name, "cuIpc", 5) == 0 ||
                               strncmp(name, "cuPointerGet", 12) == 0);
}

static void fault_pair(const void *kind, const char *function, unsigned long use)
{
    fault_run(kind, function, use, 2);
    fault_run(kind, function, use, 3);
}

static void fault_each(const struct kind *kind)
{
    memory_renew();
    faults_driver.fail("");
    (void)call_run(kind);
    faults_each_use(kind->name, is_wanted, fault_pair, kind);
}

void faults_again(bool elsewhere)
{
    work.elsewhere = elsewhere;
    MPI_Op_create(add, 1, &work.sum);
    if (memory_get()) {
        for (int i = 0; i < KINDS; i++) {
            test_check(call_run(&kinds[i]), "a call without a fault succeeds");
        }
        for (int i = 0; i < KINDS; i++) {
            fault_each(&kinds[i]);
        }
        memory_give();
    }
    MPI_Op_free(&work.sum);
}
