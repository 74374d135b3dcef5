/*
 * What becomes of requests: ranks that disagree about a nonblocking or persistent call get an error
 * by the request, all of them, and go on; a request that is under way is neither freed nor
 * cancelled; operations outlive their communicator; and thousands of persistent operations that are
 * made, started and freed leave nothing.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * SYMM_TEST_CYCLES is the number of persistent operations (10000; with --quick 1000).
 */
#include "tests/harness/calls.h"
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"
#include "tests/harness/persistent.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 10, LARGE = 50000, BYTES = 8 * LARGE * 4, WARM_UP = 300, ROOM = 256 };

static int *send, *receive;
static uint64_t number;

/* ---- disagreement ---------------------------------------------------------------------------- */

static const char *const difference_names[] = {"count", "type", "operation", "collective",
                                               "large count"};
enum { COLLECTIVE = 3, LARGER = 4 };
enum { DIFFERENCES = sizeof difference_names / sizeof difference_names[0] };

/* As the others make it, or with this difference. */
static int begin(int difference, bool is_odd, bool persistent, MPI_Comm comm, MPI_Request *request)
{
    int count = difference == LARGER ? LARGE : COUNT;
    count += is_odd && (difference == 0 || difference == LARGER);
    MPI_Datatype type = is_odd && difference == 1 ? MPI_FLOAT : MPI_INT;
    MPI_Op op = is_odd && difference == 2 ? MPI_MAX : MPI_SUM;
    const struct test_arguments arguments = {
        .send = send, .receive = receive, .count = count, .type = type, .op = op, .comm = comm,
    };
    int rc = test_call(is_odd && difference == COLLECTIVE ? TEST_BARRIER : TEST_ALLREDUCE,
                       persistent ? TEST_PERSISTENT : TEST_NONBLOCKING, &arguments, request);
    return persistent ? MPI_Start(request) : rc;
}

static void disagree(int difference, bool persistent, int odd)
{
    MPI_Comm comm;
    MPI_Request requests[2];
    int right[2] = {1, 1}, sums[2] = {0, 0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    test_exercise(comm, ++number, 4096);
    /* A barrier sets up nothing. */
    MPI_Iallreduce(right, sums, 2, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    test_case("%s is another one on rank %d%s", difference_names[difference], odd,
              persistent ? ", persistent" : "");
    for (int again = 0; again < 2; again++) {
        int rc = begin(difference, test_rank == odd, persistent, comm, &requests[0]);
        test_check(rc == MPI_SUCCESS, "the call itself succeeds");
        /* The one behind it is not concerned. */
        MPI_Iallreduce(right, sums, 2, MPI_INT, MPI_SUM, comm, &requests[1]);
        rc = MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        test_check(rc != MPI_SUCCESS, "an error by the request");
        rc = MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        test_check(rc == MPI_SUCCESS && sums[0] == test_size && sums[1] == test_size,
                   "the next call succeeds");
        test_exercise(comm, ++number, 100000);
        if (requests[0] != MPI_REQUEST_NULL) {
            MPI_Request_free(&requests[0]);
        }
    }
    MPI_Comm_free(&comm);
}

/* ---- what must not be freed ------------------------------------------------------------------ */

static bool is_request_error(int rc)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(rc, &class);
    return class == MPI_ERR_REQUEST;
}

/* Rank 0 comes when the others have tried. */
static void refuse(bool persistent)
{
    MPI_Request request, same;
    char token = 0;
    test_case("a request that is under way%s", persistent ? ", persistent" : "");
    if (persistent) {
        PERSISTENT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    }
    for (int i = 1; i < test_size && test_rank == 0; i++) {
        MPI_Recv(&token, 1, MPI_CHAR, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (persistent) {
        MPI_Start(&request);
    } else {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
    }
    if (test_rank != 0) {
        same = request;
        test_check(is_request_error(MPI_Request_free(&same)), "MPI_Request_free is refused");
        test_check(same == request, "the request is as before");
        test_check(is_request_error(MPI_Cancel(&request)), "MPI_Cancel is refused");
        MPI_Send(&token, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (persistent) {
        test_check(MPI_Request_free(&request) == MPI_SUCCESS, "the request can be freed");
    }
}

/* ---- operations that outlive their communicator ---------------------------------------------- */

/* Those of coll/libnbc crash then, also without data: it goes on with them after the start. */
static void outlive(int count, bool gathers)
{
    MPI_Comm comm;
    MPI_Request request;
    test_case("the communicator is freed after the start, %d elements%s", count,
              gathers ? ", all-gather" : "");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const struct test_arguments arguments = {
        .send = send, .send_count = count, .send_type = MPI_INT, .receive = receive,
        .count = count, .type = MPI_INT, .op = MPI_SUM, .comm = comm,
    };
    (void)test_call(gathers ? TEST_ALLGATHER : TEST_ALLREDUCE, TEST_PERSISTENT, &arguments,
                    &request);
    MPI_Start(&request);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

struct usage {
    long descriptors, mappings, kib;
};

static struct usage usage_now(void)
{
    struct usage usage = {0};
    char line[512];
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL) {
        usage.descriptors++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    FILE *file = fopen("/proc/self/smaps", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        usage.mappings += strncmp(line, "VmFlags:", 8) == 0;
        usage.kib += strncmp(line, "Anonymous:", 10) == 0 ? strtol(line + 10, NULL, 10) : 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    return usage;
}

static void rounds(int count)
{
    MPI_Request request;
    for (int i = 0; i < count; i++) {
        PERSISTENT(Allreduce)(send, receive, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                              MPI_INFO_NULL, &request);
        for (int start = 0; start < i % 3; start++) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* AddressSanitizer keeps what has been freed, to notice its use. */
#ifdef __SANITIZE_ADDRESS__
static const bool memory_is_kept = true;
#else
static const bool memory_is_kept = false;
#endif

/* coll/libnbc keeps some of what it has made for a persistent request (4.1.4: 350 bytes). */
static void rounds_check(void)
{
    enum { KEPT_BELOW = 600 };
    const char *text = getenv("SYMM_TEST_CYCLES");
    int count = text != NULL && *text != '\0' ? atoi(text) : test_quick ? 1000 : 10000;
    test_case("%d persistent operations", count);
    rounds(WARM_UP);
    struct usage before = usage_now();
    rounds(count);
    struct usage after = usage_now();
    long kib = before.kib + ROOM + (long)count * KEPT_BELOW / 1024;
    if (after.descriptors > before.descriptors || after.mappings > before.mappings + 4 ||
        (after.kib > kib && !memory_is_kept)) {
        test_fail("%ld descriptors, %ld mappings, %ld KiB before; afterwards %ld, %ld, %ld",
                  before.descriptors, before.mappings, before.kib, after.descriptors,
                  after.mappings, after.kib);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_lanes", MPI_THREAD_SINGLE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    send = calloc(1, BYTES);
    receive = calloc(1, BYTES);
    if (send == NULL || receive == NULL) {
        fprintf(stderr, "check_lanes: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    refuse(false);
    refuse(true);
    for (int i = 0; i < DIFFERENCES && test_expects_symm() && test_size > 1; i++) {
        disagree(i, false, i % 2 == 0 ? 0 : test_size - 1);
        if (i != COLLECTIVE) { /* each persistent operation sets up for itself */
            disagree(i, true, i % 2 == 0 ? test_size - 1 : 0);
        }
    }
    for (int i = 0; i < 20 && test_expects_symm(); i++) {
        outlive(i % 2 * COUNT, i % 4 < 2);
    }
    rounds_check();
    free(receive);
    free(send);
    return test_end();
}
