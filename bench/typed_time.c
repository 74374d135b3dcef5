/*
 * typed_time.c - what collectives on data with gaps take on GPU memory, beside the same calls on as
 * many bytes without gaps.
 *
 *     mpirun -n RANKS bench/typed_time [MOST [ROUNDS]]
 *
 * MOST     MiB of the data of a rank in the largest calls (64)
 * ROUNDS   calls of each size (21)
 *
 * The data of a rank are a matrix of doubles in memory of cudaMalloc. The cases:
 *   slabs     MPI_Alltoallw: each rank gets some of the columns of all ranks' rows, in one piece,
 *             as in a Fourier transform of several dimensions (mpi4py-fft)
 *   columns   MPI_Alltoall: the same columns one by one, so that runs have eight bytes
 *   bcast     MPI_Bcast of the left half of a matrix
 *   allgather MPI_Allgather of the left halves of matrices
 * "plain" is the same collective on as many bytes in one piece. Times are medians in microseconds,
 * of the slowest rank. Before a size is timed, its result is compared with that of the same call on
 * host memory.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/clock.h"
#include "bench/failure.h"
#include "bench/rank_device.h"

enum { MIB = 1 << 20, MOST_ROUNDS = 1000, MOST_RANKS = 64, SIZE_LEAST = 1 << 10 };

struct program {
    struct device *device;
    int rank, ranks, rounds;
    void *send, *receive; /* on the device */
    void *host_send, *host_receive, *host_result;
    size_t room;
};

/* A call, with the bytes of its data and the types that it needs. */
struct shape {
    size_t bytes; /* of data that a rank sends */
    int rows, width;
    MPI_Datatype typed, placed;
    int counts[MOST_RANKS], disps[MOST_RANKS], places[MOST_RANKS];
    MPI_Datatype sent[MOST_RANKS], received[MOST_RANKS];
};

/* ---- cases ----------------------------------------------------------------------------------- */

/* A matrix of so many bytes, whose width is a power of two and the number of ranks. */
static void matrix_choose(const struct program *program, size_t bytes, struct shape *shape)
{
    size_t numbers = bytes / sizeof(double), width = 8;
    while (width * width < numbers) {
        width *= 2;
    }
    shape->width = (int)width * program->ranks;
    shape->rows = (int)(numbers / (size_t)shape->width);
    shape->bytes = (size_t)shape->rows * (size_t)shape->width * sizeof(double);
    shape->typed = shape->placed = MPI_DATATYPE_NULL;
}

static void slabs_open(const struct program *program, struct shape *shape)
{
    int columns = shape->width / program->ranks;
    MPI_Type_vector(shape->rows, columns, shape->width, MPI_DOUBLE, &shape->typed);
    MPI_Type_contiguous(shape->rows * columns, MPI_DOUBLE, &shape->placed);
    MPI_Type_commit(&shape->typed);
    MPI_Type_commit(&shape->placed);
    for (int rank = 0; rank < program->ranks; rank++) {
        shape->counts[rank] = 1;
        shape->disps[rank] = rank * columns * (int)sizeof(double);
        shape->places[rank] = rank * shape->rows * columns * (int)sizeof(double);
        shape->sent[rank] = shape->typed;
        shape->received[rank] = shape->placed;
    }
}

static void slabs_call(const struct program *program, const struct shape *shape, const void *send,
                       void *receive)
{
    (void)program;
    MPI_Alltoallw(send, shape->counts, shape->disps, shape->sent, receive, shape->counts,
                  shape->places, shape->received, MPI_COMM_WORLD);
}

static void columns_open(const struct program *program, struct shape *shape)
{
    MPI_Datatype column;
    (void)program;
    MPI_Type_vector(shape->rows, 1, shape->width, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, (MPI_Aint)sizeof(double), &shape->typed);
    MPI_Type_commit(&shape->typed);
    MPI_Type_free(&column);
}

static void columns_call(const struct program *program, const struct shape *shape,
                         const void *send, void *receive)
{
    int columns = shape->width / program->ranks;
    MPI_Alltoall(send, columns, shape->typed, receive, columns * shape->rows, MPI_DOUBLE,
                 MPI_COMM_WORLD);
}

/* Data that are half of what lies in memory: a matrix twice as wide. */
static void half_open(const struct program *program, struct shape *shape)
{
    MPI_Datatype half;
    (void)program;
    MPI_Type_vector(shape->rows, shape->width, 2 * shape->width, MPI_DOUBLE, &half);
    MPI_Type_create_resized(half, 0, 2 * (MPI_Aint)shape->bytes, &shape->typed);
    MPI_Type_commit(&shape->typed);
    MPI_Type_free(&half);
}

static void bcast_call(const struct program *program, const struct shape *shape, const void *send,
                       void *receive)
{
    MPI_Bcast(program->rank == 0 ? (void *)(size_t)send : receive, 1, shape->typed, 0,
              MPI_COMM_WORLD);
}

static void allgather_call(const struct program *program, const struct shape *shape,
                           const void *send, void *receive)
{
    (void)program;
    MPI_Allgather(send, 1, shape->typed, receive, 1, shape->typed, MPI_COMM_WORLD);
}

static void alltoall_plain(const struct program *program, const struct shape *shape,
                           const void *send, void *receive)
{
    int bytes = (int)(shape->bytes / (size_t)program->ranks);
    MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void bcast_plain(const struct program *program, const struct shape *shape, const void *send,
                        void *receive)
{
    MPI_Bcast(program->rank == 0 ? (void *)(size_t)send : receive, (int)shape->bytes, MPI_BYTE, 0,
              MPI_COMM_WORLD);
}

static void allgather_plain(const struct program *program, const struct shape *shape,
                            const void *send, void *receive)
{
    (void)program;
    MPI_Allgather(send, (int)shape->bytes, MPI_BYTE, receive, (int)shape->bytes, MPI_BYTE,
                  MPI_COMM_WORLD);
}

typedef void called(const struct program *program, const struct shape *shape, const void *send,
                    void *receive);

static const struct test {
    const char *name;
    void (*open)(const struct program *program, struct shape *shape);
    called *call, *plain;
} tests[] = {
    {"slabs", slabs_open, slabs_call, alltoall_plain},
    {"columns", columns_open, columns_call, alltoall_plain},
    {"bcast", half_open, bcast_call, bcast_plain},
    {"allgather", half_open, allgather_call, allgather_plain},
};

/* ---- measuring ------------------------------------------------------------------------------- */

/* Microseconds, on all ranks. */
static double measure(const struct program *program, called *call, const struct shape *shape)
{
    static double times[MOST_ROUNDS];
    double slowest;
    for (int i = 0; i < 3; i++) { /* memory from elsewhere is mapped by the second call */
        call(program, shape, program->send, program->receive);
    }
    for (int i = 0; i < program->rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = clock_us();
        call(program, shape, program->send, program->receive);
        times[i] = clock_us() - begin;
    }
    double median = clock_median(times, program->rounds);
    MPI_Allreduce(&median, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void result_check(const struct program *program, const struct test *test,
                         const struct shape *shape)
{
    device_fill(program->device, program->receive, 0xff, program->room);
    memset(program->host_receive, 0xff, program->room);
    for (int i = 0; i < 2; i++) {
        test->call(program, shape, program->send, program->receive);
    }
    test->call(program, shape, program->host_send, program->host_receive);
    device_load(program->device, program->host_result, program->receive, program->room);
    if (memcmp(program->host_result, program->host_receive, program->room) != 0) {
        failure_stop("%s of %zu bytes: the result is not that of the host", test->name,
                     shape->bytes);
    }
}

static void size_measure(const struct program *program, const struct test *test, size_t bytes)
{
    struct shape shape;
    matrix_choose(program, bytes, &shape);
    test->open(program, &shape);
    result_check(program, test, &shape);
    double call = measure(program, test->call, &shape);
    double plain = measure(program, test->plain, &shape);
    if (program->rank == 0) {
        (void)printf("%-10s %12zu %12.1f %12.1f %10.2f\n", test->name, shape.bytes, call, plain,
                     call / plain);
        (void)fflush(stdout);
    }
    MPI_Type_free(&shape.typed);
    if (shape.placed != MPI_DATATYPE_NULL) {
        MPI_Type_free(&shape.placed);
    }
}

/* ---- program --------------------------------------------------------------------------------- */

static void open_all(struct program *program, size_t most)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &program->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program->ranks);
    if (program->ranks > MOST_RANKS) {
        failure_stop("%d ranks: at most %d can be measured", program->ranks, MOST_RANKS);
    }
    program->device = rank_device_open();
    program->room = 2 * most * (size_t)program->ranks;
    program->send = rank_device_memory(program->device, program->room);
    program->receive = rank_device_memory(program->device, program->room);
    program->host_send = rank_host_memory(program->room);
    program->host_receive = rank_host_memory(program->room);
    program->host_result = rank_host_memory(program->room);
    for (size_t i = 0; i < program->room / sizeof(unsigned); i++) {
        ((unsigned *)program->host_send)[i] = (unsigned)i * 2654435761u + (unsigned)program->rank;
    }
    device_store(program->device, program->send, program->host_send, program->room);
}

static void close_all(struct program *program)
{
    free(program->host_result);
    free(program->host_receive);
    free(program->host_send);
    device_free(program->device, program->receive);
    device_free(program->device, program->send);
    device_close(program->device);
}

int main(int argc, char **argv)
{
    struct program program = {0};
    failure_program = "typed_time";
    MPI_Init(&argc, &argv);
    size_t most = (size_t)rank_argument(argc, argv, 1, 64, 256) * MIB;
    program.rounds = rank_argument(argc, argv, 2, 21, MOST_ROUNDS);
    open_all(&program, most);
    if (program.rank == 0) {
        (void)printf("# data with gaps on GPU memory, %d ranks, us; bytes: data of a rank\n"
                     "# %-8s %12s %12s %12s %10s\n",
                     program.ranks, "case", "bytes", "call", "plain", "ratio");
    }
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        for (size_t bytes = SIZE_LEAST; bytes <= most; bytes *= 4) {
            size_measure(&program, &tests[i], bytes);
        }
    }
    close_all(&program);
    MPI_Finalize();
    return 0;
}
