/*
 * Arguments that calls on streams refuse, which queues nothing: the next call goes on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/streams/sums.h"

/* ---- collectives ----------------------------------------------------------------------------- */

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
    sums_try(comm, 2, "a call behind those that were refused");
}

/* ---- streams and communicators --------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    (void)argc;
    sums_open(argv, "check_arguments");
    sums_begin(false);
    arguments_refuse();
    streams_refuse();
    return test_end();
}
