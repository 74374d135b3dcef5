/*
 * later_worker.c - see later_worker.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/processes/later/later_worker.h"

#include "tests/harness/harness.h"

#include <stdio.h>

static _Atomic(uint64_t) *begun; /* of threads, of ranks in the world: the step of the last call */

void later_stand(struct later_worker *worker, const char *what)
{
    int active = 0;
    for (int i = 0; i < LATER_SLOTS; i++) {
        active |= (int)worker->active[i] << i;
    }
    snprintf(worker->where, sizeof worker->where,
             "check_later: rank %d, thread %d, step %llu, outstanding %#x: %s\n", test_rank,
             worker->index, (unsigned long long)worker->step, active, what);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static _Atomic(uint64_t) *begun_at(const struct later_worker *worker, int rank)
{
    return &begun[worker->index * test_size + rank];
}

/*
 * Nobody is through before all have begun.  A communicator's ranks are the first ones of the world.
 */
static void barrier_check(const struct later_worker *worker, const struct later_call *call)
{
    uint64_t step = call->number / LATER_AT_A_TIME;
    for (int rank = 0; rank < call->comm.size; rank++) {
        if (atomic_load(begun_at(worker, rank)) < step) {
            test_fail("a barrier is over before rank %d has begun it", rank);
        }
    }
}

MPI_Win later_shared_memory(int threads)
{
    MPI_Win window;
    MPI_Aint bytes = test_rank == 0 ? (MPI_Aint)sizeof(*begun) * threads * test_size : 0;
    int unit;
    void *memory;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
    begun = memory;
    for (int i = 0; i < threads; i++) {
        atomic_store(&begun[i * test_size + test_rank], 0);
    }
    return window;
}

void later_begin(struct later_worker *worker, struct later_call *call, uint64_t number)
{
    later_fill(call, number);
    atomic_store(begun_at(worker, test_rank), number / LATER_AT_A_TIME);
    worker->made++;
}

/* ---- completion ------------------------------------------------------------------------------ */

void later_end(struct later_worker *worker, struct later_call *call)
{
    char text[320];
    later_describe(call, text, sizeof text);
    test_case("thread %d, step %llu: %s", worker->index, (unsigned long long)worker->step, text);
    if (call->collective == TEST_BARRIER) {
        barrier_check(worker, call);
    }
    if (call->form == TEST_NONBLOCKING) {
        test_check(call->request == MPI_REQUEST_NULL, "the request is gone");
    }
    later_check(call);
}

static void finished(struct later_worker *worker, int slot)
{
    later_end(worker, &worker->calls[slot]);
    worker->active[slot] = false;
}

void later_complete(struct later_worker *worker, int slot)
{
    if (worker->active[slot]) {
        MPI_Wait(&worker->calls[slot].request, MPI_STATUS_IGNORE);
        finished(worker, slot);
    }
}

static void complete_one(struct later_worker *worker, int slot, int way)
{
    MPI_Request *request = &worker->calls[slot].request;
    int flag = 0;
    if (way == 0) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        flag = 1;
    } else if (way == 1) {
        while (!flag) {
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        }
    } else if (way == 2) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    } else {
        MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            MPI_Wait(request, MPI_STATUS_IGNORE);
        }
    }
    if (flag) {
        finished(worker, slot);
    }
}

/*
 * What of so many requests is over: their places in `indices`.  All of them: more than there are.
 */
static int complete_among(MPI_Request *requests, int count, int *indices, int way)
{
    int some = 0, flag = 0;
    switch (way) {
    case 0:
        MPI_Waitany(count, requests, indices, MPI_STATUS_IGNORE);
        return 1;
    case 1:
        MPI_Waitsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
        return some;
    case 2:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        return count + 1;
    case 3:
        while (!flag) {
            MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        }
        return count + 1;
    case 4:
        MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
        return flag ? count + 1 : 0;
    case 5:
        MPI_Testany(count, requests, indices, &flag, MPI_STATUS_IGNORE);
        return flag ? 1 : 0;
    default:
        MPI_Testsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
        return some;
    }
}

void later_complete_some(struct later_worker *worker, uint64_t random)
{
    MPI_Request requests[LATER_SLOTS];
    int slots[LATER_SLOTS], indices[LATER_SLOTS], count = 0;
    int way = (int)(random % 12);
    for (int i = 0; i < LATER_SLOTS; i++) {
        if (worker->active[i]) {
            slots[count++] = i;
        }
    }
    later_stand(worker, "completes");
    if (count == 0) {
        return;
    }
    if (way < 4) {
        complete_one(worker, slots[random / 16 % (uint64_t)count], way);
        return;
    }
    for (int i = 0; i < count; i++) {
        requests[i] = worker->calls[slots[i]].request;
    }
    int done = complete_among(requests, count, indices, way - 4);
    for (int i = 0; i < count; i++) {
        worker->calls[slots[i]].request = requests[i];
    }
    for (int i = 0; i < (done > count ? count : done); i++) {
        finished(worker, slots[done > count ? i : indices[i]]);
    }
}

void later_complete_all(struct later_worker *worker)
{
    for (int i = 0; i < LATER_SLOTS; i++) {
        later_complete(worker, i);
    }
}
