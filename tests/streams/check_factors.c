/*
 * Sums of floats with a factor, on a CUDA stream and in a graph: all types that can have one, all
 * collectives, in packets and in pieces, in place and not; and what has none.
 *
 * Data are small whole numbers and the factor is a power of two, so results are exact.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "heap/symm.h"
#include "tests/harness/cuda_memory.h"
#include "tests/streams/sums.h"

static const double factor = 0.25;

/* ---- numbers --------------------------------------------------------------------------------- */

enum { SINGLE, DOUBLE, HALF, BFLOAT16, KINDS };
static const struct {
    const char *name;
    size_t size;
} kinds[KINDS] = {{"float", 4}, {"double", 8}, {"half", 2}, {"bfloat16", 2}};
static MPI_Datatype types[KINDS];
static MPI_Op ops[KINDS];

static void kinds_make(void)
{
    types[SINGLE] = MPI_FLOAT;
    types[DOUBLE] = MPI_DOUBLE;
    types[HALF] = types[BFLOAT16] = MPI_UINT16_T;
    ops[SINGLE] = ops[DOUBLE] = MPI_SUM;
    MPI_Op_create(SYMM_MPI_FUNCTION(symm_half_sum), 1, &ops[HALF]);
    MPI_Op_create(SYMM_MPI_FUNCTION(symm_bfloat16_sum), 1, &ops[BFLOAT16]);
}

/* Of a 16-bit float: normal, with a fraction that fits. */
static void number_store(unsigned char *to, int kind, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    const uint32_t half = value == 0 ? 0 : (bits - (112U << 23)) >> 13;
    const uint16_t short_bits = (uint16_t)(kind == HALF ? half : bits >> 16);
    const void *from = kind == SINGLE   ? (const void *)&single
                       : kind == DOUBLE ? (const void *)&value
                                        : (const void *)&short_bits;
    memcpy(to, from, kinds[kind].size);
}

static double number_of(int rank, size_t at)
{
    return (double)((at * 7 + (size_t)rank * 3) % 16);
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum { ALLREDUCE, REDUCE, REDUCE_SCATTER, CALLS };
static const char *const names[CALLS] = {"all-reduce", "reduce", "reduce-scatter"};

struct call {
    int kind, number;
    size_t count; /* of a result */
    bool in_place;
    int root;
};

static unsigned char *memory[2], *host, *expected; /* [receive] */
enum { MOST = 1 << 20 };                           /* bytes of each */

static bool is_in_place(const struct call *call)
{
    return call->in_place && (call->kind != REDUCE || test_rank == call->root);
}

static void make(const struct call *call)
{
    const MPI_Count count = (MPI_Count)call->count;
    const void *send = is_in_place(call) ? MPI_IN_PLACE : memory[0];
    const MPI_Datatype type = types[call->number];
    const MPI_Op op = ops[call->number];
    int error;
    switch (call->kind) {
    case ALLREDUCE:
        error = symm_mpix_allreduce_scaled(send, memory[1], count, type, op, factor, comm);
        break;
    case REDUCE:
        error = symm_mpix_reduce_scaled(send, memory[1], count, type, op, factor, call->root,
                                        comm);
        break;
    default:
        error = symm_mpix_reduce_scatter_block_scaled(send, memory[1], count, type, op, factor,
                                                      comm);
    }
    test_check(error == MPI_SUCCESS, "the call is made");
}

static size_t input_count(const struct call *call)
{
    return call->count * (call->kind == REDUCE_SCATTER ? (size_t)test_size : 1);
}

static void data_put(const struct call *call)
{
    const size_t size = kinds[call->number].size;
    for (size_t i = 0; i < input_count(call); i++) {
        number_store(host + i * size, call->number, number_of(test_rank, i));
    }
    cuda_memory_write(memory[is_in_place(call)], host, input_count(call) * size);
    cuda_memory_settle();
}

static void data_check(const struct call *call, const char *how)
{
    const size_t size = kinds[call->number].size;
    const size_t first = call->kind == REDUCE_SCATTER ? (size_t)test_rank * call->count : 0;
    if (call->kind == REDUCE && test_rank != call->root) {
        return;
    }
    cuda_memory_read(host, memory[1], call->count * size);
    for (size_t i = 0; i < call->count; i++) {
        double sum = 0;
        for (int rank = 0; rank < test_size; rank++) {
            sum += number_of(rank, first + i);
        }
        number_store(expected, call->number, sum * factor);
        if (memcmp(host + i * size, expected, size) != 0) {
            test_fail("%s of %zu %ss, %s, %s: element %zu is not %g", names[call->kind],
                      call->count, kinds[call->number].name,
                      call->in_place ? "in place" : "out of place", how, i, sum * factor);
            return;
        }
    }
}

static void call_try(const struct call *call)
{
    void *graph;
    test_case("%s of %zu %ss", names[call->kind], call->count, kinds[call->number].name);
    data_put(call);
    make(call);
    cuda_stream_await(stream);
    data_check(call, "queued");
    cuda_capture_begin(stream);
    make(call);
    graph = cuda_capture_end(stream);
    for (int i = 0; i < 2; i++) {
        data_put(call);
        cuda_graph_launch(graph, stream);
        cuda_stream_await(stream);
        data_check(call, "in a graph");
    }
    cuda_graph_destroy(graph);
}

/* ---- what has no factor ---------------------------------------------------------------------- */

static void refusals_try(void)
{
    test_case("what has no factor");
    expect(symm_mpix_allreduce_scaled(input, output, 1, MPI_INT, MPI_SUM, 0.5, comm), MPI_ERR_OP,
           "integers");
    expect(symm_mpix_allreduce_scaled(input, output, 1, MPI_FLOAT, MPI_MAX, 0.5, comm), MPI_ERR_OP,
           "a maximum");
    expect(symm_mpix_allreduce_scaled(input, output, 1, MPI_FLOAT, MPI_SUM, 0, comm), MPI_ERR_ARG,
           "0");
    expect(symm_mpix_allreduce_scaled(input, output, 1, MPI_FLOAT, MPI_SUM, (double)NAN, comm),
           MPI_ERR_ARG, "a NaN");
    expect(symm_mpix_allreduce_scaled(input, output, 1, MPI_FLOAT, MPI_SUM, 1e-50, comm),
           MPI_ERR_ARG, "what is 0 as a float");
    expect(symm_mpix_allreduce_scaled(input, output, 1, MPI_FLOAT, MPI_SUM, 1e40, comm),
           MPI_ERR_ARG, "what is infinite as a float");
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {1, 3, 1000, 40000, MOST / 64};
    (void)argc;
    sums_open(argv, "check_factors");
    sums_begin(false);
    kinds_make();
    for (int i = 0; i < 2; i++) {
        memory[i] = cuda_memory_get(CUDA_MEMORY_ALLOC, MOST);
    }
    host = malloc(MOST);
    expected = malloc(sizeof(double));
    for (int kind = 0; kind < CALLS; kind++) {
        for (int number = 0; number < KINDS; number++) {
            for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
                const struct call call = {
                    .kind = kind, .number = number, .count = counts[i],
                    .in_place = (i + (size_t)number) % 2 == 0, .root = (int)i % test_size,
                };
                if (input_count(&call) * sizeof(double) <= MOST) {
                    call_try(&call);
                }
            }
        }
    }
    refusals_try();
    MPI_Comm_free(&comm);
    return test_end();
}
