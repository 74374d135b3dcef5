/*
 * How work on a stream ends: arguments that are wrong, communicators that are freed and MPI that
 * ends with work queued, graphs that outlive their communicator, streams that change, calls that do
 * not go together, and ranks that do not call.
 *
 *     check_ends CASE
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/cuda_streams.h"
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1000, MOST = 1 << 18 };

static void *stream;
static MPI_Comm comm;
static int *input, *output;
static int numbers[MOST];

/* ---- sums ------------------------------------------------------------------------------------ */

static void input_write(int factor)
{
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = factor * (test_rank + 1) * i;
    }
    cuda_memory_write(input, numbers, COUNT * sizeof(int));
    memset(numbers, 0xa5, sizeof(numbers));
    cuda_memory_write(output, numbers, COUNT * sizeof(int));
    cuda_memory_settle();
}

static void sum_add(MPI_Comm on)
{
    MPIX_Allreduce_enqueue(input, output, COUNT, MPI_INT, MPI_SUM, on);
}

static void sum_check(int factor, const char *what)
{
    char text[512];
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (!has_ended && symm_mpix_comm_state(comm, text, sizeof(text)) != MPI_SUCCESS) {
        test_fail("%s: %s", what, text);
    }
    cuda_memory_read(numbers, output, COUNT * sizeof(int));
    for (int i = 0; i < COUNT; i++) {
        if (numbers[i] != factor * test_size * (test_size + 1) / 2 * i) {
            test_fail("%s: element %d is %d", what, i, numbers[i]);
            return;
        }
    }
}

/* A sum of factor times the ranks, now. */
static void sum_try(MPI_Comm on, int factor, const char *what)
{
    test_case("%s", what);
    input_write(factor);
    sum_add(on);
    cuda_stream_await(stream);
    sum_check(factor, what);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int class_of(int code)
{
    int error_class = MPI_ERR_LASTCODE;
    MPI_Error_class(code, &error_class);
    return error_class;
}

static void expect(int code, int error_class, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    test_case("%s", what);
    MPI_Error_string(code, text, &length);
    if (class_of(code) != error_class || length < 20) {
        test_fail("%s: class %d instead of %d, '%s'", what, class_of(code), error_class, text);
    }
    if (test_rank == 0) {
        printf("%s\n", text);
    }
}

static void add_nothing(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

static void types_refuse(void)
{
    MPI_Datatype gaps, whole, turned;
    const int places[] = {1, 0};
    MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
    MPI_Type_contiguous(3, MPI_INT, &whole);
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &turned);
    MPI_Type_commit(&gaps);
    MPI_Type_commit(&whole);
    MPI_Type_commit(&turned);
    expect(MPIX_Bcast_enqueue(input, 2, gaps, 0, comm), MPI_ERR_UNSUPPORTED_OPERATION, "gaps");
    expect(MPIX_Bcast_enqueue(input, 2, turned, 0, comm), MPI_ERR_UNSUPPORTED_OPERATION,
           "elements back to front");
    expect(MPIX_Allreduce_enqueue(input, output, 1, whole, MPI_SUM, comm),
           MPI_ERR_UNSUPPORTED_OPERATION, "a reduction of a derived datatype");
    test_check(MPIX_Bcast_enqueue(input, 2, whole, 0, comm) == MPI_SUCCESS, "a whole datatype");
    cuda_stream_await(stream);
    MPI_Type_free(&gaps);
    MPI_Type_free(&whole);
    MPI_Type_free(&turned);
}

static void arguments_refuse(void)
{
    MPI_Op own;
    MPI_Op_create(add_nothing, 1, &own);
    expect(MPIX_Allreduce_enqueue(input, output, -3, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT,
           "a negative count");
    expect(MPIX_Bcast_enqueue_c(input, INT64_MAX, MPI_INT, 0, comm), MPI_ERR_COUNT,
           "more than an address space");
    expect(MPIX_Bcast_enqueue(input, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, "no datatype");
    expect(MPIX_Allreduce_enqueue(input, output, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP,
           "no operation");
    expect(MPIX_Allreduce_enqueue(input, output, 1, MPI_FLOAT, MPI_BAND, comm), MPI_ERR_OP,
           "bits of floats");
    expect(MPIX_Allreduce_enqueue(input, output, 1, MPI_INT, own, comm),
           MPI_ERR_UNSUPPORTED_OPERATION, "an operation of the program's");
    expect(MPIX_Bcast_enqueue(input, 1, MPI_INT, test_size, comm), MPI_ERR_ROOT, "no such root");
    expect(MPIX_Allreduce_enqueue(numbers, output, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
           "pageable memory to send");
    expect(MPIX_Allreduce_enqueue(input, numbers, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER,
           "pageable memory to receive");
    expect(MPIX_Allgather_enqueue(input, 2, MPI_INT, output, 1, MPI_INT, comm), MPI_ERR_TRUNCATE,
           "blocks of two lengths");
    types_refuse();
    MPI_Op_free(&own);
    sum_try(comm, 2, "a call behind those that were refused");
}

static void streams_refuse(void)
{
    MPI_Info info;
    MPIX_Stream made, plain;
    MPI_Comm without;
    MPI_Info_create(&info);
    MPI_Info_set(info, "type", "hipStream_t");
    expect(MPIX_Stream_create(info, &made), MPI_ERR_INFO_VALUE, "another type of stream");
    MPI_Info_set(info, "type", "cudaStream_t");
    expect(MPIX_Stream_create(info, &made), MPI_ERR_INFO_VALUE, "a stream without a handle");
    MPI_Info_set(info, "value", "12345");
    expect(MPIX_Stream_create(info, &made), MPI_ERR_INFO_VALUE, "a handle that is none");
    MPIX_Info_set_hex(info, "value", &stream, sizeof(stream));
    MPI_Info_set(info, "symm_path", "engines");
    expect(MPIX_Stream_create(info, &made), MPI_ERR_INFO_VALUE, "another path");
    MPI_Info_free(&info);
    made = MPIX_STREAM_NULL;
    expect(MPIX_Stream_free(&made), MPI_ERR_ARG, "no stream to free");

    MPIX_Stream_create(MPI_INFO_NULL, &plain);
    MPIX_Stream_comm_create(MPI_COMM_WORLD, plain, &without);
    expect(MPIX_Barrier_enqueue(without), MPI_ERR_OTHER, "a stream without a GPU");
    MPIX_Comm_get_stream(without, 0, &made);
    test_check(made == plain, "the stream of the communicator");
    expect(MPIX_Comm_get_stream(without, 1, &made), MPI_ERR_ARG, "a second stream");
    MPI_Comm_free(&without);
    expect(MPIX_Barrier_enqueue(MPI_COMM_WORLD), MPI_ERR_OTHER, "a communicator without a stream");
    made = test_rank == 0 ? cuda_mpix_stream(stream) : plain;
    if (test_size > 1) {
        expect(MPIX_Stream_comm_create(MPI_COMM_WORLD, made, &without), MPI_ERR_ARG,
               "GPUs on some ranks");
    }
    if (test_rank == 0) {
        MPIX_Stream_free(&made);
    }
    MPIX_Stream_free(&plain);
}

/* ---- lives ----------------------------------------------------------------------------------- */

static void lives(void)
{
    MPI_Comm copy, copy_of_copy;
    void *graph, *other = cuda_stream_make();
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_dup(copy, &copy_of_copy);
    sum_try(copy_of_copy, 3, "a duplicate of a duplicate that has made no call");
    MPI_Comm_free(&copy_of_copy);
    sum_try(comm, 4, "behind a duplicate that was freed");

    test_case("freed with work queued");
    input_write(5);
    cuda_stream_delay(stream, test_rank == 0 ? 30000 : 0);
    sum_add(copy);
    MPI_Comm_free(&copy);
    cuda_stream_await(stream);
    sum_check(5, "freed with work queued");

    test_case("a graph outlives its communicator");
    MPI_Comm_dup(comm, &copy);
    cuda_capture_begin(stream);
    sum_add(copy); /* begins the lane, which is collective */
    sum_add(copy);
    graph = cuda_capture_end(stream);
    MPI_Comm_free(&copy);
    for (int i = 1; i < 20; i++) {
        input_write(i);
        cuda_graph_launch(graph, stream);
        cuda_stream_await(stream);
        sum_check(i, "a graph behind MPI_Comm_free");
    }
    cuda_graph_destroy(graph);
    sum_try(comm, 6, "behind it");

    test_case("another stream comes behind the first");
    input_write(7);
    cuda_stream_delay(stream, 20000);
    sum_add(comm);
    symm_mpix_comm_set_stream(comm, other);
    MPIX_Allreduce_enqueue(MPI_IN_PLACE, output, COUNT, MPI_INT, MPI_MAX, comm);
    cuda_stream_await(other);
    test_check(cuda_stream_is_done(stream), "the first one is done");
    sum_check(7, "two streams");
    symm_mpix_comm_set_stream(comm, stream);
    cuda_stream_destroy(other);
    sum_try(comm, 8, "and back");
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
        sum_try(comms[count - 1], 9, "on the last one");
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
        sum_add(comm);
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
        sum_add(comm); /* ends at once */
        cuda_stream_await(stream);
    }
    failed("aborted", "abort");
}

static void mismatch(const char *which)
{
    const bool is_odd = test_rank == test_size - 1;
    sum_try(comm, 1, "before");
    if (strcmp(which, "size") == 0) {
        MPIX_Allreduce_enqueue(input, output, is_odd ? 10 : 11, MPI_INT, MPI_SUM, comm);
    } else if (strcmp(which, "operation") == 0) {
        MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, is_odd ? MPI_SUM : MPI_MAX, comm);
    } else if (strcmp(which, "path") == 0) {
        MPIX_Allreduce_enqueue(input, output, is_odd ? MOST : 11, MPI_INT, MPI_SUM, comm);
    } else if (is_odd) {
        MPIX_Bcast_enqueue(output, 10, MPI_INT, 0, comm);
        MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, MPI_SUM, comm);
    } else {
        MPIX_Allreduce_enqueue(input, output, 10, MPI_INT, MPI_SUM, comm);
        MPIX_Bcast_enqueue(output, 10, MPI_INT, 0, comm);
    }
    failed("calls that differ", "different calls");
}

/* A graph beside a call: both wait for the other ranks at a time. */
static void overlap(void)
{
    void *other = cuda_stream_make();
    cuda_capture_begin(stream);
    sum_add(comm);
    void *graph = cuda_capture_end(stream);
    if (test_rank == 0) {
        cuda_graph_launch(graph, other);
        sum_add(comm);
        usleep(200000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank != 0) {
        sum_add(comm);
        sum_add(comm);
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
    sum_try(comm, 11, "a rank is late");
}

/* Work is queued when MPI ends; its results are there. */
static int finalize(bool is_complete)
{
    void *graph;
    input_write(12);
    cuda_capture_begin(stream);
    sum_add(comm);
    graph = cuda_capture_end(stream);
    cuda_stream_delay(stream, test_rank == 0 ? 300000 : 0);
    if (is_complete || test_rank != 0) {
        cuda_graph_launch(graph, stream);
        sum_add(comm);
    }
    const int status = test_end();
    if (is_complete) {
        cuda_stream_await(stream);
        sum_check(12, "queued when MPI ended");
    }
    cuda_graph_launch(graph, stream); /* does nothing, and does not hang */
    cuda_stream_await(stream);
    return status != 0 ? status : test_failures() > 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    test_begin(1, argv, "check_ends", MPI_THREAD_SINGLE);
    cuda_memory_open(local != NULL ? atoi(local) : test_rank);
    cuda_streams_open();
    input = cuda_memory_get(CUDA_MEMORY_ALLOC, sizeof(numbers));
    output = cuda_memory_get(CUDA_MEMORY_ALLOC, sizeof(numbers));
    stream = cuda_stream_make();
    if (strcmp(name, "fatal") != 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    comm = cuda_mpix_comm(MPI_COMM_WORLD, stream);
    if (strcmp(name, "arguments") == 0) {
        arguments_refuse();
        streams_refuse();
    } else if (strcmp(name, "lives") == 0) {
        lives();
    } else if (strcmp(name, "many") == 0) {
        many();
    } else if (strcmp(name, "abort") == 0) {
        abort_it();
    } else if (strcmp(name, "overlap") == 0) {
        overlap();
    } else if (strcmp(name, "late") == 0) {
        late();
    } else if (strncmp(name, "finalize", 8) == 0) {
        return finalize(name[8] == '\0');
    } else {
        mismatch(name);
    }
    return test_end();
}
