/*
 * Arguments that calls on streams refuse, which queues nothing: the next call goes on.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/streams/sums.h"

#include <stdio.h>

#include "heap/symm.h"

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
    expect(MPIX_Allreduce_enqueue(input, output, 1, whole, MPI_SUM, comm), MPI_ERR_OP,
           "a reduction of a derived datatype");
    test_check(MPIX_Bcast_enqueue(input, 2, whole, 0, comm) == MPI_SUCCESS, "a whole datatype");
    cuda_stream_await(stream);
    MPI_Type_free(&gaps);
    MPI_Type_free(&whole);
    MPI_Type_free(&turned);
}

/* What MPI does not define, and what it does. */
static void operations_refuse(void)
{
    static const struct {
        MPI_Datatype datatype;
        MPI_Op op;
        int error_class;
    } cases[] = {
        {MPI_FLOAT, MPI_BAND, MPI_ERR_OP}, {MPI_FLOAT, MPI_LOR, MPI_ERR_OP},
        {MPI_C_BOOL, MPI_SUM, MPI_ERR_OP}, {MPI_C_BOOL, MPI_BOR, MPI_ERR_OP},
        {MPI_LOGICAL, MPI_SUM, MPI_ERR_OP}, {MPI_LOGICAL, MPI_BXOR, MPI_ERR_OP},
        {MPI_LOGICAL, MPI_MAX, MPI_ERR_OP}, {MPI_INTEGER, MPI_LAND, MPI_ERR_OP},
        {MPI_AINT, MPI_LXOR, MPI_ERR_OP}, {MPI_BYTE, MPI_MIN, MPI_ERR_OP},
        {MPI_C_DOUBLE_COMPLEX, MPI_MAX, MPI_ERR_OP}, {MPI_2INT, MPI_SUM, MPI_ERR_OP},
        {MPI_INT, MPI_MINLOC, MPI_ERR_OP}, {MPI_CHAR, MPI_SUM, MPI_ERR_OP},
        {MPI_PACKED, MPI_BAND, MPI_ERR_OP}, {MPI_INT, MPI_REPLACE, MPI_ERR_OP},
        {MPI_INT, MPI_NO_OP, MPI_ERR_OP}, {MPI_INT, MPI_OP_NULL, MPI_ERR_OP},
        {MPI_LONG_DOUBLE, MPI_SUM, MPI_ERR_UNSUPPORTED_OPERATION},
        {MPI_LOGICAL, MPI_LOR, MPI_SUCCESS}, {MPI_INTEGER, MPI_BAND, MPI_SUCCESS},
        {MPI_COUNT, MPI_MAX, MPI_SUCCESS}, {MPI_INT, MPI_LXOR, MPI_SUCCESS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char what[64];
        (void)snprintf(what, sizeof(what), "operation %zu", i);
        const int code = MPIX_Allreduce_enqueue(input, output, 1, cases[i].datatype, cases[i].op,
                                                comm);
        if (cases[i].error_class != MPI_SUCCESS) {
            expect(code, cases[i].error_class, what);
        } else {
            test_check(code == MPI_SUCCESS, what);
        }
    }
    cuda_stream_await(stream);
}

/* Elements of 16-bit floats lie one behind the other. */
static void gaps_refuse(void)
{
    MPI_Datatype half, wide, late;
    MPI_Op sum;
    const int place = 1;
    MPI_Op_create(SYMM_MPI_FUNCTION(symm_half_sum), 1, &sum);
    MPI_Type_contiguous(1, MPI_INT16_T, &half);
    MPI_Type_create_resized(MPI_INT16_T, 0, 4, &wide);
    MPI_Type_create_indexed_block(1, 1, &place, MPI_INT16_T, &late);
    MPI_Type_commit(&half);
    MPI_Type_commit(&wide);
    MPI_Type_commit(&late);
    test_check(MPIX_Allreduce_enqueue(input, output, 2, half, sum, comm) == MPI_SUCCESS,
               "16-bit floats");
    expect(MPIX_Allreduce_enqueue(input, output, 2, wide, sum, comm),
           MPI_ERR_UNSUPPORTED_OPERATION, "16-bit floats with gaps");
    expect(MPIX_Allreduce_enqueue(input, output, 2, late, sum, comm),
           MPI_ERR_UNSUPPORTED_OPERATION, "16-bit floats behind a gap");
    cuda_stream_await(stream);
    MPI_Type_free(&half);
    MPI_Type_free(&wide);
    MPI_Type_free(&late);
    MPI_Op_free(&sum);
}

/* Of both buffers of a call, where they are significant; where they are not, they are ignored. */
static void buffers_refuse(void *none, const char *what)
{
    const int root = 0, n = 1;
    const MPI_Datatype t = MPI_INT;
    const bool is_null = none == NULL, is_root = test_rank == root;
    void *const send = is_root ? input : none, *const receive = is_root ? output : none;
    expect(MPIX_Bcast_enqueue(none, n, t, root, comm), MPI_ERR_BUFFER, what);
    expect(MPIX_Allreduce_enqueue(input, none, n, t, MPI_SUM, comm), MPI_ERR_BUFFER, what);
    expect(MPIX_Reduce_scatter_block_enqueue(input, none, n, t, MPI_SUM, comm), MPI_ERR_BUFFER,
           what);
    expect(MPIX_Allgather_enqueue(input, n, t, none, n, t, comm), MPI_ERR_BUFFER, what);
    expect(MPIX_Allgather_enqueue(MPI_IN_PLACE, n, t, none, n, t, comm), MPI_ERR_BUFFER, what);
    expect(MPIX_Alltoall_enqueue(input, n, t, none, n, t, comm), MPI_ERR_BUFFER, what);
    if (is_null) {
        expect(MPIX_Allreduce_enqueue(none, output, n, t, MPI_SUM, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Allgather_enqueue(none, n, t, output, n, t, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Alltoall_enqueue(none, n, t, output, n, t, comm), MPI_ERR_BUFFER, what);
    }
    if (is_root) {
        expect(MPIX_Reduce_enqueue(input, none, n, t, MPI_SUM, root, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Gather_enqueue(input, n, t, none, n, t, root, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Scatter_enqueue(none, n, t, output, n, t, root, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Scatter_enqueue(none, n, t, MPI_IN_PLACE, n, t, root, comm), MPI_ERR_BUFFER,
               what);
    } else {
        expect(MPIX_Reduce_enqueue(none, output, n, t, MPI_SUM, root, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Gather_enqueue(none, n, t, output, n, t, root, comm), MPI_ERR_BUFFER, what);
        expect(MPIX_Scatter_enqueue(input, n, t, none, n, t, root, comm), MPI_ERR_BUFFER, what);
    }
    test_check(MPIX_Reduce_enqueue(input, receive, n, t, MPI_SUM, root, comm) == MPI_SUCCESS &&
                   MPIX_Gather_enqueue(input, n, t, receive, n, t, root, comm) == MPI_SUCCESS &&
                   MPIX_Scatter_enqueue(send, n, t, output, n, t, root, comm) == MPI_SUCCESS,
               "buffers that are not significant");
    if (is_null) {
        test_check(MPIX_Bcast_enqueue(none, 0, t, root, comm) == MPI_SUCCESS &&
                       MPIX_Allreduce_enqueue(none, none, 0, t, MPI_SUM, comm) == MPI_SUCCESS &&
                       MPIX_Allgather_enqueue(MPI_IN_PLACE, 0, t, none, 0, t, comm) == MPI_SUCCESS,
                   "no buffers where there are no data");
    }
    cuda_stream_await(stream);
}

static void counts_refuse(void)
{
    const MPI_Count most = INT64_MAX;
    expect(MPIX_Allreduce_enqueue(input, output, -3, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT,
           "a negative count");
    expect(MPIX_Bcast_enqueue_c(input, most, MPI_INT, 0, comm), MPI_ERR_COUNT,
           "more than an address space");
    expect(MPIX_Allreduce_enqueue_c(input, output, most / 2 + 1, MPI_INT, MPI_SUM, comm),
           MPI_ERR_COUNT, "an array longer than an address space");
    if (test_size > 1) {
        expect(MPIX_Reduce_scatter_block_enqueue_c(input, output, most, MPI_INT16_T, MPI_SUM, comm),
               MPI_ERR_COUNT, "blocks longer than an address space");
    }
}

static void arguments_refuse(void)
{
    MPI_Op own;
    MPI_Op_create(add_nothing, 1, &own);
    counts_refuse();
    operations_refuse();
    gaps_refuse();
    buffers_refuse(NULL, "no buffer");
    buffers_refuse(MPI_IN_PLACE, "in place where MPI has it not");
    expect(MPIX_Bcast_enqueue(input, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, "no datatype");
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
    MPI_Info_set(info, "symm_path", "auto");
    MPI_Info_set(info, "symm_bytes", "10M");
    expect(MPIX_Stream_create(info, &made), MPI_ERR_INFO_VALUE, "a size with a letter");
    MPI_Info_set(info, "symm_bytes", "8000000");
    MPI_Info_set(info, "symm_blocks", "7");
    expect(MPIX_Stream_create(info, &made), MPI_ERR_INFO_VALUE, "too few blocks");
    MPI_Info_set(info, "symm_blocks", "8");
    MPIX_Stream_create(info, &made);
    if (test_size > 1) {
        expect(MPIX_Stream_comm_create(MPI_COMM_WORLD, made, &without),
               MPI_ERR_UNSUPPORTED_OPERATION, "too few bytes for a lane");
    }
    MPIX_Stream_free(&made);
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
