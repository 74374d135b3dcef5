/*
 * faults_streams.c - collectives on CUDA streams (mpix) while a function of the driver fails: a
 * communicator comes and goes, with calls one by one and in a graph, a duplicate, and another
 * stream.  See check_faults.h.
 *
 * Beginning is refused to both ranks alike, and then tried again.  A call can be refused to one
 * rank alone: then both abort, and free the communicator.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/device/faults/check_faults.h"

#include "tests/harness/cuda_memory.h"
#include "tests/harness/cuda_streams.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 300, TRIES = 4, REPLAYS = 2 };

static void *streams[2];
static unsigned *memory; /* of the device: sums are in place */
static MPIX_Stream handle;

/* ---- what is refused ------------------------------------------------------------------------- */

static int class_of(int error)
{
    int error_class = MPI_ERR_LASTCODE;
    MPI_Error_class(error, &error_class);
    return error_class;
}

static void refused(const char *call, int error, int wanted)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(error, text, &length);
    printf("check_faults: rank %d: '%s'\n", faults_rank, text);
    if (class_of(error) != wanted) {
        test_fail("%s: class %d instead of %d", call, class_of(error), wanted);
    }
    faults_note_error(call);
}

static bool all_say(bool mine)
{
    return faults_other_says(mine) && mine;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void numbers_put(unsigned factor)
{
    unsigned numbers[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        numbers[i] = factor * (unsigned)(faults_rank + 1) * i;
    }
    faults_driver.watch(0);
    cuda_memory_write(memory, numbers, sizeof numbers);
    cuda_memory_settle(); /* a fault may be why copies do not wait */
    faults_driver.watch(1);
}

static void numbers_check(unsigned factor, const char *what)
{
    unsigned numbers[COUNT];
    faults_driver.watch(0);
    cuda_memory_read(numbers, memory, sizeof numbers);
    faults_driver.watch(1);
    for (unsigned i = 0; i < COUNT; i++) {
        if (numbers[i] != factor * i) {
            test_fail("%s: element %u is wrong", what, i);
            return;
        }
    }
}

static void await(void *stream)
{
    faults_driver.watch(0);
    cuda_stream_await(stream);
    faults_driver.watch(1);
}

/* ---- communicators --------------------------------------------------------------------------- */

/* MPI_COMM_NULL: it has been refused each time, as if there were no GPU. */
static MPI_Comm comm_make(void)
{
    for (int i = 0; i < TRIES; i++) {
        MPI_Comm comm = MPI_COMM_NULL;
        int error = MPIX_Stream_comm_create(faults_pair, handle, &comm);
        faults_check_same(class_of(error));
        if (error == MPI_SUCCESS) {
            return comm;
        }
        refused("MPIX_Stream_comm_create", error, MPI_ERR_UNSUPPORTED_OPERATION);
    }
    return MPI_COMM_NULL;
}

/* A communicator of no use any more, and one in its place. */
static void comm_replace(MPI_Comm *comm)
{
    MPI_Comm_free(comm);
    *comm = comm_make();
}

static int sum_add(MPI_Comm comm)
{
    return MPIX_Allreduce_enqueue(MPI_IN_PLACE, memory, COUNT, MPI_UNSIGNED, MPI_SUM, comm);
}

/* Whether both ranks have queued a sum.  If not, both can go on: who waits has been ended. */
static bool sum_queue(MPI_Comm comm)
{
    int error = sum_add(comm);
    if (error != MPI_SUCCESS) {
        refused("MPIX_Allreduce_enqueue", error, MPIX_ERR_STREAM);
    }
    if (all_say(error == MPI_SUCCESS)) {
        return true;
    }
    symm_mpix_comm_abort(comm);
    return false;
}

/* ---- the parts of the script ----------------------------------------------------------------- */

static void calls_try(MPI_Comm *comm, void *stream, unsigned calls, const char *what)
{
    for (unsigned call = 1; call <= calls && *comm != MPI_COMM_NULL; call++) {
        numbers_put(call);
        bool is_queued = sum_queue(*comm);
        await(stream);
        if (is_queued) {
            numbers_check(3 * call, what);
        } else {
            comm_replace(comm);
        }
    }
}

/* A call that is refused while a stream is captured takes nothing from the lane. */
static void graph_try(MPI_Comm comm)
{
    bool is_captured = true;
    faults_driver.watch(0);
    cuda_capture_begin(streams[0]);
    faults_driver.watch(1);
    for (int i = 0; i < 2 && is_captured; i++) {
        int error = sum_add(comm);
        is_captured = error == MPI_SUCCESS;
        if (!is_captured) {
            refused("MPIX_Allreduce_enqueue in a graph", error, MPIX_ERR_STREAM);
        }
    }
    faults_driver.watch(0);
    void *graph = cuda_capture_end(streams[0]);
    faults_driver.watch(1);
    is_captured = all_say(is_captured);
    for (unsigned i = 1; i <= REPLAYS && is_captured; i++) {
        numbers_put(i);
        faults_driver.watch(0);
        cuda_graph_launch(graph, streams[0]);
        faults_driver.watch(1);
        await(streams[0]);
        numbers_check(6 * i, "a graph");
    }
    faults_driver.watch(0);
    cuda_graph_destroy(graph);
    faults_driver.watch(1);
}

/* The first call of a duplicate begins its lane; if that is refused, the next one does. */
static bool duplicate_begin(MPI_Comm copy)
{
    int found = MPI_ERR_UNSUPPORTED_OPERATION;
    for (int i = 0; i < TRIES && found == MPI_ERR_UNSUPPORTED_OPERATION; i++) {
        numbers_put(7);
        int error = sum_add(copy);
        found = class_of(error);
        if (found == MPI_ERR_UNSUPPORTED_OPERATION) {
            refused("the lane of a duplicate", error, MPI_ERR_UNSUPPORTED_OPERATION);
        } else if (found != MPI_SUCCESS) {
            refused("the first call of a duplicate", error, MPIX_ERR_STREAM);
        }
        if (faults_other_says(found) != found) {
            break;
        }
    }
    return found == MPI_SUCCESS;
}

/* The new stream comes behind the old one; where it is refused, the old one stays. */
static void *stream_change(MPI_Comm comm)
{
    int error = symm_mpix_comm_set_stream(comm, streams[1]);
    if (error != MPI_SUCCESS) {
        refused("symm_mpix_comm_set_stream", error, MPIX_ERR_STREAM);
    }
    return streams[error == MPI_SUCCESS];
}

static void freed_try(MPI_Comm comm, void *stream)
{
    numbers_put(11);
    bool is_queued = sum_queue(comm);
    MPI_Comm_free(&comm);
    await(stream);
    if (is_queued) {
        numbers_check(33, "freed with work queued");
    }
}

static void duplicate_try(MPI_Comm comm)
{
    MPI_Comm copy;
    void *stream = streams[0];
    MPI_Comm_dup(comm, &copy);
    bool is_begun = duplicate_begin(copy);
    if (!all_say(is_begun)) {
        symm_mpix_comm_abort(copy);
        await(stream);
        MPI_Comm_free(&copy);
        return;
    }
    await(stream);
    numbers_check(21, "a duplicate");
    stream = stream_change(copy);
    calls_try(&copy, stream, 1, "another stream");
    if (copy != MPI_COMM_NULL) {
        freed_try(copy, stream);
    }
}

/* What is left goes when a communicator begins or is freed, once both ranks have departed. */
static void leave(void)
{
    for (int i = 0; i < 3; i++) {
        MPI_Comm own = MPI_COMM_NULL;
        usleep(5000);
        faults_other_says(0);
        if (MPIX_Stream_comm_create(MPI_COMM_SELF, handle, &own) == MPI_SUCCESS) {
            MPI_Comm_free(&own);
        }
    }
}

void faults_streams(void)
{
    faults_driver.watch(0);
    cuda_memory_open(faults_rank);
    cuda_streams_open();
    streams[0] = cuda_stream_make();
    streams[1] = cuda_stream_make();
    memory = cuda_memory_get(CUDA_MEMORY_ALLOC, COUNT * sizeof *memory);
    handle = cuda_mpix_stream(streams[0]);
    faults_driver.watch(1);
    MPI_Comm comm = comm_make();
    calls_try(&comm, streams[0], 3, "a call");
    if (comm != MPI_COMM_NULL) {
        graph_try(comm);
        calls_try(&comm, streams[0], 1, "a call behind a graph");
    }
    if (comm != MPI_COMM_NULL) {
        duplicate_try(comm);
        calls_try(&comm, streams[0], 1, "a call behind all");
    }
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_free(&comm);
    }
    faults_driver.watch(0);
    leave();
    MPIX_Stream_free(&handle);
    cuda_memory_put(CUDA_MEMORY_ALLOC, memory);
    faults_driver.watch(1);
}
