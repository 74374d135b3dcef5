/*
 * pending.c - see pending.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/pending.h"

#include "tests/harness/harness.h"

#include <string.h>

enum { MOST = 16 };

const char *const pending_where_names[PENDING_WHERES] = {"both", "send", "receive", "rank 0"};

/* ---- buffers --------------------------------------------------------------------------------- */

void pending_buffers_get(struct pending *pending)
{
    for (int kind = 0; kind < CUDA_MEMORY_KINDS; kind++) {
        pending->device_send[kind] = cuda_memory_get((enum cuda_memory)kind, BLOCKING_BYTES);
        pending->device_receive[kind] = cuda_memory_get((enum cuda_memory)kind, BLOCKING_BYTES);
    }
}

void pending_buffers_put(struct pending *pending)
{
    for (int kind = 0; kind < CUDA_MEMORY_KINDS; kind++) {
        cuda_memory_put((enum cuda_memory)kind, pending->device_send[kind]);
        cuda_memory_put((enum cuda_memory)kind, pending->device_receive[kind]);
    }
}

/* Small numbers, so that sums of them are numbers still. */
static void fill(unsigned char *buffer, uint64_t stream)
{
    for (size_t i = 0; i < BLOCKING_BYTES / sizeof(uint64_t); i++) {
        uint64_t value = test_random(stream, i);
        memcpy(buffer + i * sizeof(value), &value, sizeof(value));
    }
}

static bool send_is_there(const struct pending *pending)
{
    return pending->where != PENDING_RECEIVE &&
           (pending->where != PENDING_FIRST_RANK || pending->kase.rank == 0);
}

static bool receive_is_there(const struct pending *pending)
{
    return pending->where != PENDING_SEND &&
           (pending->where != PENDING_FIRST_RANK || pending->kase.rank == 0);
}

/* New data in the buffers of this rank, and the blocking call on host memory with the same data. */
static void prepare(struct pending *pending)
{
    static _Thread_local uint64_t call_number;
    struct blocking_case kase = pending->kase;
    fill(pending->send, test_stream(++call_number, (uint64_t)test_rank, 0));
    fill(pending->receive, test_stream(call_number, (uint64_t)test_rank, 1));
    memcpy(pending->expected_send, pending->send, BLOCKING_BYTES);
    memcpy(pending->expected, pending->receive, BLOCKING_BYTES);
    kase.form = TEST_BLOCKING;
    kase.arrays = NULL;
    int rc = blocking_call_make(pending->call, &kase, pending->expected_send + BLOCKING_MIDDLE,
                                pending->expected + BLOCKING_MIDDLE);
    test_check(rc == MPI_SUCCESS, "the blocking call on host memory fails");
    if (send_is_there(pending)) {
        cuda_memory_write(pending->device_send[pending->memory], pending->send, BLOCKING_BYTES);
    }
    if (receive_is_there(pending)) {
        cuda_memory_write(pending->device_receive[pending->memory], pending->receive,
                          BLOCKING_BYTES);
    }
}

static void compare(const char *which, const unsigned char *expected, const unsigned char *found)
{
    for (size_t i = 0; i < BLOCKING_BYTES; i++) {
        if (expected[i] != found[i]) {
            test_fail("%s buffer, byte %d: expected 0x%02x, found 0x%02x", which,
                      (int)i - BLOCKING_MIDDLE, expected[i], found[i]);
            return;
        }
    }
}

void pending_check(struct pending *pending)
{
    if (send_is_there(pending)) {
        cuda_memory_read(pending->send, pending->device_send[pending->memory], BLOCKING_BYTES);
    }
    if (receive_is_there(pending)) {
        cuda_memory_read(pending->receive, pending->device_receive[pending->memory],
                         BLOCKING_BYTES);
    }
    compare("send", pending->expected_send, pending->send);
    compare("receive", pending->expected, pending->receive);
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool pending_make(struct pending *pending)
{
    unsigned char *send = send_is_there(pending) ? pending->device_send[pending->memory]
                                                 : pending->send;
    unsigned char *receive = receive_is_there(pending) ? pending->device_receive[pending->memory]
                                                       : pending->receive;
    prepare(pending);
    pending->kase.arrays = &pending->arrays;
    pending->kase.request = &pending->request;
    int rc = blocking_call_make(pending->call, &pending->kase, send + BLOCKING_MIDDLE,
                                receive + BLOCKING_MIDDLE);
    if (!test_check(rc == MPI_SUCCESS, "the call fails")) {
        return false;
    }
    if (pending->kase.form == TEST_PERSISTENT) {
        rc = MPI_Start(&pending->request);
        return test_check(rc == MPI_SUCCESS, "the start fails");
    }
    return true;
}

void pending_start(struct pending *pending)
{
    prepare(pending);
    int rc = MPI_Start(&pending->request);
    test_check(rc == MPI_SUCCESS, "the start fails");
}

/* ---- completion ------------------------------------------------------------------------------ */

static int test_each(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS;
    for (int i = count - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
        for (int done = 0; !done && rc == MPI_SUCCESS;) {
            rc = MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        }
    }
    return rc;
}

static int wait_each(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS;
    for (int i = count - 1; i >= 0 && rc == MPI_SUCCESS; i--) {
        rc = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    return rc;
}

static int wait_any(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS, index = 0;
    while (rc == MPI_SUCCESS && index != MPI_UNDEFINED) {
        rc = MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    }
    return rc;
}

static int wait_some(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS, completed = 0, indices[MOST];
    while (rc == MPI_SUCCESS && completed != MPI_UNDEFINED) {
        rc = MPI_Waitsome(count, requests, &completed, indices, MPI_STATUSES_IGNORE);
    }
    return rc;
}

static int wait_all(int count, MPI_Request *requests)
{
    return MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static int test_all(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS;
    for (int done = 0; !done && rc == MPI_SUCCESS;) {
        rc = MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    }
    return rc;
}

static int test_any(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS, index = 0;
    for (int done = 0; rc == MPI_SUCCESS && !(done && index == MPI_UNDEFINED);) {
        rc = MPI_Testany(count, requests, &index, &done, MPI_STATUS_IGNORE);
    }
    return rc;
}

static int test_some(int count, MPI_Request *requests)
{
    int rc = MPI_SUCCESS, completed = 0, indices[MOST];
    while (rc == MPI_SUCCESS && completed != MPI_UNDEFINED) {
        rc = MPI_Testsome(count, requests, &completed, indices, MPI_STATUSES_IGNORE);
    }
    return rc;
}

const char *const pending_way_names[PENDING_WAYS] = {
    "Wait", "Test", "Waitany", "Testany", "Waitsome", "Testsome", "Waitall", "Testall"};

bool pending_complete(struct pending *const *pendings, int count, int way)
{
    static int (*const ways[PENDING_WAYS])(int, MPI_Request *) = {
        wait_each, test_each, wait_any, test_any, wait_some, test_some, wait_all, test_all};
    MPI_Request requests[MOST];
    for (int i = 0; i < count; i++) {
        requests[i] = pendings[i]->request;
    }
    int rc = ways[way](count, requests);
    for (int i = 0; i < count; i++) { /* after an error some may still be under way */
        if (rc != MPI_SUCCESS) {
            (void)MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
        pendings[i]->request = requests[i];
    }
    return test_check(rc == MPI_SUCCESS, "the request gives an error");
}
