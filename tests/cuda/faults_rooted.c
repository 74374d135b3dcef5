/*
 * faults_rooted.c - the scripts "rooted" and "rooted-again" of check_faults: small broadcasts, scatters,
 * gathers and reduces in which rank 1 has its data on a device, and ranks 0 and 2 in host memory.
 *
 * Ranks leave such a call at once that have data for others and wait for none, and rank 1 cannot go below
 * then.  So rank 1 alone has the error, if it cannot deliver what it has got.  If it cannot bring what
 * rank 0 waits for, both have one.  If rank 1 is the root of a broadcast or scatter, nobody has left, and
 * all go below.  Nobody waits for ever, who succeeds has the right data, and the next call works.
 *
 * "rooted" makes each call twice, in processes that have just started, and some more if a device has been
 * lost.  In "rooted-again" each use of each function fails in processes that go on.
 *
 * With "_elsewhere" behind its name, a script does so on memory of cuMemAlloc().
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "check_faults.h"

#include "tests/mpi/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 200, RANKS = 3, PLACES = RANKS * COUNT, BYTES = PLACES * (int)sizeof(unsigned) };
enum { POISON = 0xdeadbeefu };
enum collective { BCAST, SCATTER, GATHER, REDUCE };

static const struct kind {
    const char *name;
    enum collective collective;
    int root;
    bool nonblocking;
    bool host_send; /* rank 1 sends from the host and receives on the device */
} kinds[] = {
    {"broadcast from the host", BCAST, 0, false, false},
    {"scatter from the host", SCATTER, 0, false, false},
    {"gather to the host", GATHER, 0, false, false},
    {"reduce to the host", REDUCE, 0, false, false},
    {"broadcast from the device", BCAST, 1, false, false},
    {"scatter from the device", SCATTER, 1, false, false},
    {"gather to the device", GATHER, 1, false, false},
    {"reduce to the device", REDUCE, 1, false, false},
    {"gather to the device, one's own from the host", GATHER, 1, false, true},
    {"nonblocking broadcast from the host", BCAST, 0, true, false},
    {"nonblocking gather to the host", GATHER, 0, true, false},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static struct {
    void *send, *receive; /* of rank 1, on the device */
    unsigned host_send[PLACES], host_receive[PLACES];
    unsigned calls;
    int error; /* of the last call */
    bool elsewhere, device_is_lost;
} work;

/* ---- data ------------------------------------------------------------------------------------------ */

static unsigned value_of(int rank, int i)
{
    return (unsigned)test_random(test_stream(work.calls, (uint64_t)rank, 0), (uint64_t)i);
}

/* A device may only be lost once a call has failed. */
static bool driver_ok(CUresult result, const char *call)
{
    work.device_is_lost |= result == CUDA_ERROR_LAUNCH_FAILED && faults_errors() > 0;
    return !work.device_is_lost && faults_ok(result, call);
}

static void upload(void *block, const unsigned *from)
{
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)block;
    if (driver_ok(faults_driver.to_device(address, from, BYTES), "cuMemcpyHtoD")) {
        driver_ok(faults_driver.synchronize(), "cuCtxSynchronize");
    }
}

static void call_prepare(const struct kind *kind)
{
    for (int i = 0; i < PLACES; i++) {
        work.host_send[i] = value_of(faults_rank, i);
        work.host_receive[i] = POISON;
    }
    if (kind->collective == BCAST && faults_rank == kind->root) {
        memcpy(work.host_receive, work.host_send, COUNT * sizeof(unsigned));
    }
    if (faults_rank == 1) {
        upload(work.send, work.host_send);
        upload(work.receive, work.host_receive);
    }
}

static bool has_result(const struct kind *kind)
{
    return kind->collective <= SCATTER || faults_rank == kind->root;
}

static unsigned expected_at(const struct kind *kind, int i)
{
    int own = kind->collective == SCATTER ? faults_rank * COUNT : 0;
    if (!has_result(kind) || (i >= COUNT && kind->collective != GATHER)) {
        return POISON;
    }
    return kind->collective == GATHER   ? value_of(i / COUNT, i % COUNT)
           : kind->collective == REDUCE ? value_of(0, i) + value_of(1, i) + value_of(2, i)
                                        : value_of(kind->root, own + i);
}

static void call_check(const struct kind *kind)
{
    if (faults_rank == 1 &&
        !driver_ok(faults_driver.to_host(work.host_receive, (CUdeviceptr)(uintptr_t)work.receive,
                                         BYTES), "cuMemcpyDtoH")) {
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

/* ---- one call -------------------------------------------------------------------------------------- */

static int request_run(const struct kind *kind, const void *send, void *receive)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};
    int error = kind->collective == BCAST
                    ? MPI_Ibcast(receive, COUNT, MPI_UNSIGNED, kind->root, faults_pair, &request)
                    : MPI_Igather(send, COUNT, MPI_UNSIGNED, receive, COUNT, MPI_UNSIGNED, kind->root,
                                  faults_pair, &request);
    int waited = MPI_Waitall(1, &request, &status);
    return waited == MPI_ERR_IN_STATUS ? status.MPI_ERROR : error != MPI_SUCCESS ? error : waited;
}

static int call_make(const struct kind *kind)
{
    bool on_device = faults_rank == 1;
    const void *send = on_device && !kind->host_send ? work.send : work.host_send;
    void *receive = on_device ? work.receive : work.host_receive;
    const MPI_Datatype type = MPI_UNSIGNED;
    const MPI_Comm comm = faults_pair;
    if (kind->nonblocking) {
        return request_run(kind, send, receive);
    }
    switch (kind->collective) {
    case BCAST:
        return MPI_Bcast(receive, COUNT, type, kind->root, comm);
    case SCATTER:
        return MPI_Scatter(send, COUNT, type, receive, COUNT, type, kind->root, comm);
    case GATHER:
        return MPI_Gather(send, COUNT, type, receive, COUNT, type, kind->root, comm);
    default:
        return MPI_Reduce(send, receive, COUNT, type, MPI_SUM, kind->root, comm);
    }
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
    } else if (work.device_is_lost) {
        test_fail("%s: success on a device that is lost", kind->name);
    } else {
        call_check(kind);
    }
    faults_driver.watch(1);
    return error == MPI_SUCCESS;
}

/* Rank 0 hears what goes wrong on rank 1 if it waits for its data. */
static void errors_check(const struct kind *kind)
{
    bool gathers = kind->collective >= GATHER;
    int own = work.error, other = faults_other_says(own);
    if (gathers && kind->root == 0 && faults_rank < 2) {
        test_check(own == other, "both ranks get the same error, or none");
    } else if (faults_rank != 1 && (gathers || kind->root == 0)) {
        test_check(own == MPI_SUCCESS, "who has left gets no error");
    }
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static void *block_get(void)
{
    void *block = NULL;
    CUdeviceptr address = 0;
    if (work.elsewhere) {
        faults_ok(faults_driver.allocate(&address, BYTES), "cuMemAlloc");
        return (void *)(uintptr_t)address;
    }
    MPI_Alloc_mem(BYTES, faults_info, &block);
    return block;
}

static void block_give(void *block)
{
    if (work.elsewhere) {
        driver_ok(faults_driver.free((CUdeviceptr)(uintptr_t)block), "cuMemFree");
    } else {
        MPI_Free_mem(block);
    }
}

static void memory_get(void)
{
    faults_driver.watch(0);
    if (faults_rank == 1) {
        work.send = block_get();
        work.receive = block_get();
        test_check(work.send != NULL && work.receive != NULL, "device memory");
    }
    faults_driver.watch(1);
}

static void memory_give(void)
{
    faults_driver.watch(0);
    if (faults_rank == 1) {
        block_give(work.receive);
        block_give(work.send);
    }
    faults_driver.watch(1);
}

/* ---- the scripts ----------------------------------------------------------------------------------- */

void faults_rooted(bool elsewhere)
{
    enum { ROUNDS = 2 };
    work.elsewhere = elsewhere;
    memory_get();
    for (int i = 0; i < ROUNDS * KINDS; i++) {
        (void)call_run(&kinds[i % KINDS]);
        errors_check(&kinds[i % KINDS]);
        work.device_is_lost = faults_rank == 1 && work.device_is_lost;
    }
    memory_give();
}

static void fault_run(const struct kind *kind, const char *function, unsigned long use)
{
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

static void fault_each(const struct kind *kind)
{
    enum { FUNCTIONS = 40 };
    char names[FUNCTIONS][64];
    unsigned long uses[FUNCTIONS], faults = 0;
    size_t count = 0;
    if (work.elsewhere) {
        memory_give();
        memory_get();
    }
    faults_driver.fail("");
    (void)call_run(kind);
    while (count < FUNCTIONS &&
           faults_function_get(count, names[count], sizeof *names, &uses[count])) {
        count++;
    }
    printf("check_faults: %s, faults of:", kind->name);
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", faults_is_later(names[i]) ? "" : " ", faults_is_later(names[i]) ? "" : names[i]);
    }
    printf("\n");
    for (size_t i = 0; i < count; i++) {
        const unsigned long chosen[] = {1, 2, uses[i]};
        for (int j = 0; j < 3 && !faults_is_later(names[i]); j++) {
            if ((j == 0 || chosen[j] > chosen[j - 1]) && chosen[j] <= uses[i]) {
                fault_run(kind, names[i], chosen[j]);
                faults++;
            }
        }
    }
    printf("check_faults: %s: %lu faults\n", kind->name, faults);
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
