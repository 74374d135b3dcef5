/*
 * How work on a stream ends: communicators that are freed and MPI that ends with work queued,
 * graphs that outlive their communicator, streams that change, calls that do not go together, and
 * ranks that do not call.
 *
 *     check_ends CASE
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/streams/sums.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lives ----------------------------------------------------------------------------------- */

static void lives(void)
{
    MPI_Comm copy, copy_of_copy;
    void *graph, *other = cuda_stream_make();
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_dup(copy, &copy_of_copy);
    sums_try(copy_of_copy, 3, "a duplicate of a duplicate that has made no call");
    MPI_Comm_free(&copy_of_copy);
    sums_try(comm, 4, "behind a duplicate that was freed");

    test_case("freed with work queued");
    sums_write(5);
    cuda_stream_delay(stream, test_rank == 0 ? 30000 : 0);
    sums_add(copy);
    MPI_Comm_free(&copy);
    cuda_stream_await(stream);
    sums_check(5, "freed with work queued");

    test_case("a graph outlives its communicator");
    MPI_Comm_dup(comm, &copy);
    cuda_capture_begin(stream);
    sums_add(copy); /* begins the lane, which is collective */
    sums_add(copy);
    graph = cuda_capture_end(stream);
    MPI_Comm_free(&copy);
    for (int i = 1; i < 20; i++) {
        sums_write(i);
        cuda_graph_launch(graph, stream);
        cuda_stream_await(stream);
        sums_check(i, "a graph behind MPI_Comm_free");
    }
    cuda_graph_destroy(graph);
    sums_try(comm, 6, "behind it");

    test_case("another stream comes behind the first");
    sums_write(7);
    cuda_stream_delay(stream, 20000);
    sums_add(comm);
    symm_mpix_comm_set_stream(comm, other);
    MPIX_Allreduce_enqueue(MPI_IN_PLACE, output, SUMS_COUNT, MPI_INT, MPI_MAX, comm);
    cuda_stream_await(other);
    test_check(cuda_stream_is_done(stream), "the first one is done");
    sums_check(7, "two streams");
    symm_mpix_comm_set_stream(comm, stream);
    cuda_stream_destroy(other);
    sums_try(comm, 8, "and back");
}

/* The 65th communicator of a process has no place any more; freed ones have given theirs back. */
static void many(void)
{
    enum { PLACES = 64 };
    MPI_Comm comms[PLACES];
    int count = 0, error = MPI_SUCCESS;
    for (int round = 0; round < 2; round++) {
        MPIX_Stream handle = cuda_mpix_stream(stream);
        count = 0;
        do {
            error = MPIX_Stream_comm_create(MPI_COMM_WORLD, handle, &comms[count]);
        } while (error == MPI_SUCCESS && ++count < PLACES);
        MPIX_Stream_free(&handle);
        test_case("the next one, round %d", round);
        test_check(count == PLACES - 1, "63 beside the first one");
        expect(error, MPI_ERR_UNSUPPORTED_OPERATION, "one too many");
        sums_try(comms[count - 1], 9, "on the last one");
        for (int i = 0; i < count; i++) {
            MPI_Comm_free(&comms[i]);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* all have left: places are looked for once */
    }
}

/* ---- what fails ------------------------------------------------------------------------------ */

/* The lane has failed on all ranks, which is said at the next call; others go on. */
static void failed(const char *what, const char *words)
{
    char text[512] = "";
    test_case("%s", what);
    for (int i = 0; i < 200 && symm_mpix_comm_state(comm, text, sizeof(text)) == MPI_SUCCESS; i++) {
        usleep(50000);
    }
    if (strstr(text, words) == NULL) {
        test_fail("%s: the state is '%s'", what, text);
    }
    expect(MPIX_Barrier_enqueue(comm), MPIX_ERR_STREAM, "a call on a lane that has failed");
    cuda_stream_await(stream);
}

static void abort_it(void)
{
    if (test_rank != test_size - 1) {
        sums_add(comm);
        usleep(100000);
        test_check(!cuda_stream_is_done(stream), "it waits for the last rank");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank == 0) {
        symm_mpix_comm_abort(comm);
    }
    cuda_stream_await(stream); /* of those that wait: rank 0 has told them */
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank == test_size - 1) {
        sums_add(comm); /* ends at once */
        cuda_stream_await(stream);
    }
    failed("aborted", "abort");
}

/* No kernel waits: threads that watch hear of it. */
static void abort_idle(void)
{
    sums_try(comm, 1, "before");
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank == 0) {
        symm_mpix_comm_abort(comm);
    }
    failed("aborted while nobody waits", test_rank == 0 ? "aborted" : "aborted by its rank 0");
}

/*
 * The last rank's process ends, and the launcher lets the others go on.  These cannot end MPI,
 * which would wait for that rank: they say how it went, and end likewise.
 */
static void dies(void)
{
    sums_try(comm, 1, "before");
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank == test_size - 1) {
        usleep(300000); /* the others wait in their kernels by then */
        (void)raise(SIGKILL);
    }
    char words[64];
    (void)snprintf(words, sizeof(words), "the process of rank %d of the communicator has gone",
                   test_size - 1);
    sums_add(comm);
    cuda_stream_await(stream);
    failed("a process that ends", words);
    sleep(1); /* the others look ten times a second, and are to find the first one */
    printf("rank %d: %zu failures behind the end of a process\n", test_rank, test_failures());
    (void)fflush(stdout);
    _exit(test_failures() > 0);
}

static void mismatch(const char *which)
{
    const bool is_odd = test_rank == test_size - 1;
    sums_try(comm, 1, "before");
    MPI_Barrier(MPI_COMM_WORLD); /* a failure ends calls before it that others still wait in */
    if (strcmp(which, "size") == 0) {
        MPIX_Allreduce_enqueue(input, output, is_odd ? 10 : 11, MPI_INT, MPI_SUM, comm);
    } else if (strcmp(which, "operation") == 0) {
        MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, is_odd ? MPI_SUM : MPI_MAX, comm);
    } else if (strcmp(which, "path") == 0) {
        MPIX_Allreduce_enqueue(input, output, is_odd ? SUMS_MOST : 11, MPI_INT, MPI_SUM, comm);
    } else if (is_odd) {
        MPIX_Bcast_enqueue(output, 10, MPI_INT, 0, comm);
        MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, MPI_SUM, comm);
    } else {
        MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, MPI_SUM, comm);
        MPIX_Bcast_enqueue(output, 10, MPI_INT, 0, comm);
    }
    /* The host has the words of MPI. */
    failed("calls that differ", sums_by_host ? "of the communicator" : "different calls");
}

/* What kernels have found when MPI ends at once. */
static void unseen(void)
{
    MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, test_rank == 0 ? MPI_SUM : MPI_MAX, comm);
    cuda_stream_await(stream);
}

/* A graph beside a call: both wait for the other ranks at a time. */
static void overlap(void)
{
    void *other = cuda_stream_make();
    cuda_capture_begin(stream);
    sums_add(comm);
    void *graph = cuda_capture_end(stream);
    if (test_rank == 0) {
        cuda_graph_launch(graph, other);
        sums_add(comm);
        usleep(200000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank != 0) {
        sums_add(comm);
        sums_add(comm);
    }
    cuda_stream_await(stream);
    cuda_stream_await(other);
    failed("two at a time", "at a time");
}

/* A rank is late by seconds: that is legal. */
static void late(void)
{
    if (test_rank == test_size - 1) {
        sleep(3);
    }
    sums_try(comm, 11, "a rank is late");
}

/* Work is queued when MPI ends; its results are there. */
static int finalize(bool is_complete)
{
    void *graph;
    sums_write(12);
    cuda_capture_begin(stream);
    sums_add(comm);
    graph = cuda_capture_end(stream);
    cuda_stream_delay(stream, test_rank == 0 ? 300000 : 0);
    if (is_complete || test_rank != 0) {
        cuda_graph_launch(graph, stream);
        sums_add(comm);
    }
    const int status = test_end();
    if (is_complete) {
        cuda_stream_await(stream);
        sums_check(12, "queued when MPI ended");
    }
    cuda_graph_launch(graph, stream); /* does nothing, and does not hang */
    cuda_stream_await(stream);
    return status != 0 ? status : test_failures() > 0;
}

/* In MPI_Finalize, behind the end of all lanes. */
static int late_callback(MPI_Comm self, int key, void *value, void *extra)
{
    MPI_Comm another;
    MPIX_Stream handle = cuda_mpix_stream(stream);
    (void)self;
    (void)key;
    (void)value;
    (void)extra;
    expect(MPIX_Barrier_enqueue(comm), MPIX_ERR_STREAM, "a call when lanes have ended");
    expect(MPIX_Stream_comm_create(MPI_COMM_WORLD, handle, &another),
           MPI_ERR_UNSUPPORTED_OPERATION, "a lane when lanes have ended");
    test_check(MPI_Comm_free(&comm) == MPI_SUCCESS, "a communicator freed when lanes have ended");
    MPIX_Stream_free(&handle);
    return MPI_SUCCESS;
}

/* MPI deletes what was set first last. */
static void callbacks_prepare(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, late_callback, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static int callbacks(void)
{
    sums_try(comm, 13, "a call");
    const int status = test_end();
    return status != 0 ? status : test_failures() > 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    sums_open(argv, "check_ends");
    if (strcmp(name, "callbacks") == 0) {
        callbacks_prepare();
    }
    sums_begin(strncmp(name, "fatal", 5) == 0);
    if (strcmp(name, "lives") == 0) {
        lives();
    } else if (strcmp(name, "many") == 0) {
        many();
    } else if (strcmp(name, "abort") == 0) {
        abort_it();
    } else if (strcmp(name, "abort-idle") == 0) {
        abort_idle();
    } else if (strcmp(name, "dies") == 0) {
        dies();
    } else if (strcmp(name, "overlap") == 0) {
        overlap();
    } else if (strcmp(name, "late") == 0) {
        late();
    } else if (strncmp(name, "finalize", 8) == 0) {
        return finalize(name[8] == '\0');
    } else if (strcmp(name, "callbacks") == 0) {
        return callbacks();
    } else if (strcmp(name, "unseen") == 0 || strcmp(name, "fatal-unseen") == 0) {
        unseen();
    } else {
        mismatch(name);
    }
    return test_end();
}
