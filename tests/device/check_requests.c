/*
 * The requests of nonblocking and persistent collectives on device memory: communicators, datatypes
 * and operations that are freed before the end, requests that must not be freed yet, MPI_Startall,
 * operations that do not commute, threads, and thousands of rounds after which nothing is left.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/harness.h"
#include "tests/harness/persistent.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 300, INTS = 2 * PAIRS, BYTES = INTS * sizeof(int), THREADS = 2, STARTED = 4 };

/* Buffers of one user: on the device, and the same on the host. */
struct buffers {
    int *device_in, *device_out;
    int in[INTS], out[INTS], expected[INTS];
};

static int local_rank;

static void buffers_get(struct buffers *buffers)
{
    buffers->device_in = cuda_memory_get(CUDA_MEMORY_ALLOC, BYTES);
    buffers->device_out = cuda_memory_get(CUDA_MEMORY_ALLOC, BYTES);
}

static void buffers_put(const struct buffers *buffers)
{
    cuda_memory_put(CUDA_MEMORY_ALLOC, buffers->device_in);
    cuda_memory_put(CUDA_MEMORY_ALLOC, buffers->device_out);
}

static void input_make(struct buffers *buffers, uint64_t number)
{
    for (int i = 0; i < INTS; i++) {
        buffers->in[i] = (int)test_random(test_stream(number, (uint64_t)test_rank, 0), (uint64_t)i);
    }
    memset(buffers->out, 0, BYTES);
    memset(buffers->expected, 0, BYTES);
    cuda_memory_write(buffers->device_in, buffers->in, BYTES);
    cuda_memory_write(buffers->device_out, buffers->out, BYTES);
}

static void output_check(struct buffers *buffers)
{
    cuda_memory_read(buffers->out, buffers->device_out, BYTES);
    test_check(memcmp(buffers->out, buffers->expected, BYTES) == 0, "the result is another one");
}

/* Functions x -> ax + b, one after the other: an operation that does not commute. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned *from = in;
    unsigned *to = inout;
    (void)type;
    for (int i = 0; i < *count; i++) {
        unsigned a = from[2 * i], b = from[2 * i + 1];
        to[2 * i + 1] = a * to[2 * i + 1] + b;
        to[2 * i] = a * to[2 * i];
    }
}

static void composition_make(MPI_Datatype *type, MPI_Op *op)
{
    MPI_Type_contiguous(2, MPI_INT, type);
    MPI_Type_commit(type);
    MPI_Op_create(compose, 0, op);
}

/* ---- what is freed early --------------------------------------------------------------------- */

static void freed_check(struct buffers *buffers, bool persistent)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    test_case("communicator, type and operation freed early%s", persistent ? ", persistent" : "");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    composition_make(&type, &op);
    input_make(buffers, 1);
    MPI_Allreduce(buffers->in, buffers->expected, PAIRS, type, op, comm);
    if (persistent) {
        PERSISTENT(Allreduce)(buffers->device_in, buffers->device_out, PAIRS, type, op, comm,
                              MPI_INFO_NULL, &request);
    } else {
        MPI_Iallreduce(buffers->device_in, buffers->device_out, PAIRS, type, op, comm, &request);
    }
    MPI_Type_free(&type);
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
    for (int start = 0; start < (persistent ? 3 : 1); start++) {
        if (persistent) {
            cuda_memory_write(buffers->device_out, buffers->in, BYTES);
            MPI_Start(&request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        output_check(buffers);
    }
    if (persistent) {
        MPI_Request_free(&request);
    }
    test_check(request == MPI_REQUEST_NULL, "the request is still there");
}

/* ---- what must not be freed ------------------------------------------------------------------ */

static bool is_request_error(int rc)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(rc, &class);
    return class == MPI_ERR_REQUEST;
}

/* The root comes when the others have tried. */
static void refused_check(struct buffers *buffers, bool persistent)
{
    MPI_Request request, none;
    char token = 0;
    test_case("requests that are under way%s", persistent ? ", persistent" : "");
    input_make(buffers, 2);
    memcpy(buffers->expected, buffers->in, BYTES);
    MPI_Bcast(buffers->expected, INTS, MPI_INT, 0, MPI_COMM_WORLD);
    int *device = test_rank == 0 ? buffers->device_in : buffers->device_out;
    for (int i = 1; i < test_size && test_rank == 0; i++) {
        MPI_Recv(&token, 1, MPI_CHAR, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (persistent) {
        PERSISTENT(Bcast)(device, INTS, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    } else {
        MPI_Ibcast(device, INTS, MPI_INT, 0, MPI_COMM_WORLD, &request);
    }
    if (test_rank != 0) {
        none = request;
        test_check(is_request_error(MPI_Request_free(&none)), "MPI_Request_free is not refused");
        test_check(none == request, "and has changed the request");
        test_check(is_request_error(MPI_Cancel(&request)), "MPI_Cancel is not refused");
        MPI_Send(&token, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (test_rank != 0) {
        output_check(buffers);
    }
    if (persistent) {
        test_check(MPI_Request_free(&request) == MPI_SUCCESS, "the request cannot be freed");
    }
}

/* ---- operations that do not commute ---------------------------------------------------------- */

static void order_check(struct buffers *buffers)
{
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    composition_make(&type, &op);
    test_case("all-reduce that does not commute");
    input_make(buffers, 3);
    MPI_Allreduce(buffers->in, buffers->expected, PAIRS, type, op, MPI_COMM_WORLD);
    MPI_Iallreduce(buffers->device_in, buffers->device_out, PAIRS, type, op, MPI_COMM_WORLD,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    output_check(buffers);
    test_case("scan that does not commute");
    input_make(buffers, 4);
    MPI_Scan(buffers->in, buffers->expected, PAIRS, type, op, MPI_COMM_WORLD);
    MPI_Iscan(buffers->device_in, buffers->device_out, PAIRS, type, op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    output_check(buffers);
    test_case("reduction that does not commute");
    input_make(buffers, 5);
    MPI_Reduce(buffers->in, buffers->expected, PAIRS, type, op, test_size - 1, MPI_COMM_WORLD);
    MPI_Ireduce(buffers->device_in, buffers->device_out, PAIRS, type, op, test_size - 1,
                MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    output_check(buffers);
    MPI_Type_free(&type);
    MPI_Op_free(&op);
}

/* ---- MPI_Startall ---------------------------------------------------------------------------- */

/* One of the calls is on host memory, and one has no elements. */
static void startall_check(struct buffers *const buffers[STARTED])
{
    MPI_Request requests[STARTED];
    PERSISTENT(Allreduce)(buffers[0]->device_in, buffers[0]->device_out, INTS, MPI_INT, MPI_SUM,
                          MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    PERSISTENT(Bcast)(buffers[1]->device_out, INTS, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[1]);
    PERSISTENT(Allreduce)(buffers[2]->device_in, buffers[2]->device_out, 0, MPI_INT, MPI_SUM,
                          MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    PERSISTENT(Scan)(buffers[3]->in, buffers[3]->out, INTS, MPI_INT, MPI_MAX, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &requests[3]);
    for (int round = 0; round < 8; round++) {
        test_case("MPI_Startall, round %d", round);
        for (int i = 0; i < STARTED; i++) {
            input_make(buffers[i], 100 + (uint64_t)(round * STARTED + i));
        }
        MPI_Allreduce(buffers[0]->in, buffers[0]->expected, INTS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (test_rank == 0) {
            cuda_memory_write(buffers[1]->device_out, buffers[1]->in, BYTES);
            memcpy(buffers[1]->expected, buffers[1]->in, BYTES);
        }
        MPI_Bcast(buffers[1]->expected, INTS, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scan(buffers[3]->in, buffers[3]->expected, INTS, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Startall(STARTED, requests);
        if (round % 2 == 0) {
            MPI_Waitall(STARTED, requests, MPI_STATUSES_IGNORE);
        } else {
            for (int i = STARTED - 1; i >= 0; i--) {
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            }
        }
        output_check(buffers[0]);
        output_check(buffers[1]);
        output_check(buffers[2]);
        test_check(memcmp(buffers[3]->out, buffers[3]->expected, BYTES) == 0,
                   "the result on host memory is another one");
    }
    for (int i = 0; i < STARTED; i++) {
        MPI_Request_free(&requests[i]);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    struct buffers buffers;
    uint64_t number;
    int rounds;
};

/* Two calls are under way at a time, of which one is persistent. */
static void *work(void *argument)
{
    struct worker *worker = argument;
    struct buffers *buffers = &worker->buffers;
    int *other, got[INTS];
    MPI_Request requests[2];
    cuda_memory_use(local_rank);
    other = cuda_memory_get(CUDA_MEMORY_ALLOC, BYTES);
    PERSISTENT(Bcast)(other, INTS, MPI_INT, 0, worker->comm, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < worker->rounds; round++) {
        test_case("thread %d, round %d", (int)worker->number, round);
        input_make(buffers, 1000 * (worker->number + 1) + (uint64_t)round);
        MPI_Allreduce(buffers->in, buffers->expected, INTS, MPI_INT, MPI_SUM, worker->comm);
        cuda_memory_write(other, buffers->in, BYTES);
        MPI_Iallreduce(buffers->device_in, buffers->device_out, INTS, MPI_INT, MPI_SUM,
                       worker->comm, &requests[0]);
        MPI_Start(&requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        output_check(buffers);
        MPI_Bcast(buffers->in, INTS, MPI_INT, 0, worker->comm);
        cuda_memory_read(got, other, BYTES);
        test_check(memcmp(got, buffers->in, BYTES) == 0, "the broadcast's result is another one");
    }
    MPI_Request_free(&requests[1]);
    cuda_memory_put(CUDA_MEMORY_ALLOC, other);
    return NULL;
}

static void threads_check(void)
{
    static struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = (uint64_t)i;
        workers[i].rounds = test_quick ? 20 : 200;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
        buffers_get(&workers[i].buffers);
    }
    for (int i = 1; i < THREADS; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fprintf(stderr, "check_requests: cannot start thread %d\n", i);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    (void)work(&workers[0]);
    for (int i = 0; i < THREADS; i++) {
        if (i > 0) {
            pthread_join(workers[i].thread, NULL);
        }
        buffers_put(&workers[i].buffers);
        MPI_Comm_free(&workers[i].comm);
    }
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Private memory in KiB; the kernel's sums may lag a little. */
static long private_memory(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "Anonymous:", 10) == 0) {
            kib = strtol(line + 10, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib;
}

/*
 * Three requests are there at a time: of a type and an operation of the program, or with arrays.
 * The persistent one is made once, since libnbc keeps what it has made for one (4.1.4: some 100
 * bytes).
 */
static void rounds_make(const struct buffers *buffers, MPI_Datatype type, MPI_Op op, int rounds)
{
    int counts[64], places[64];
    MPI_Request requests[3];
    for (int i = 0; i < test_size; i++) {
        counts[i] = 2;
        places[i] = 2 * i;
    }
    PERSISTENT(Bcast)(buffers->device_out + INTS - 2, 1, type, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[2]);
    for (int round = 0; round < rounds; round++) {
        MPI_Iallreduce(buffers->device_in, buffers->device_out, 2, type, op, MPI_COMM_WORLD,
                       &requests[0]);
        MPI_Iallgatherv(buffers->device_in, 2, MPI_INT, buffers->device_out + INTS / 2, counts,
                        places, MPI_INT, MPI_COMM_WORLD, &requests[1]);
        MPI_Start(&requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[2]);
}

static void rounds_check(struct buffers *buffers)
{
    enum { WARM_UP = 200, ROUNDS = 10000, ROOM = 256 };
    MPI_Datatype type;
    MPI_Op op;
    int rounds = test_quick ? ROUNDS / 10 : ROUNDS;
    test_case("%d rounds", rounds);
    input_make(buffers, 6);
    composition_make(&type, &op);
    rounds_make(buffers, type, op, WARM_UP);
    MPI_Barrier(MPI_COMM_WORLD);
    long before = private_memory();
    rounds_make(buffers, type, op, rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    long after = private_memory();
    if (after > before + ROOM) {
        test_fail("%ld KiB of memory before, %ld afterwards", before, after);
    }
    MPI_Type_free(&type);
    MPI_Op_free(&op);
}

int main(int argc, char **argv)
{
    static struct buffers all[STARTED];
    struct buffers *buffers[STARTED];
    MPI_Comm node;
    int provided = test_begin(argc, argv, "check_requests", MPI_THREAD_MULTIPLE);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    cuda_memory_open(local_rank);
    for (int i = 0; i < STARTED; i++) {
        buffers[i] = &all[i];
        buffers_get(buffers[i]);
    }
    freed_check(buffers[0], false);
    freed_check(buffers[0], true);
    refused_check(buffers[0], false);
    refused_check(buffers[0], true);
    order_check(buffers[0]);
    startall_check(buffers);
    rounds_check(buffers[0]);
    if (provided == MPI_THREAD_MULTIPLE) {
        threads_check();
    }
    for (int i = 0; i < STARTED; i++) {
        buffers_put(buffers[i]);
    }
    MPI_Comm_free(&node);
    return test_end();
}
