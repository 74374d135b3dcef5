/*
 * Many nonblocking collectives under way at a time on device memory: broadcasts, large ones too,
 * which each rank has to pass on, and calls in place, whose data need memory on their way.  Roots
 * differ, ranks come late and wait in different orders, there are blocking calls in between, and
 * two communicators whose ranks have different orders.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/cuda_memory.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMS = 2, OUTSTANDING = 6, DELAY_MOST = 2000 };
enum { LITTLE = 20000, PASSED_ON = 5 << 18, MOST = 9 << 18 }; /* elements of four bytes */
enum kind { BCAST, ALLTOALL, REDUCE_SCATTER, ALLREDUCE, KINDS };

static const char *const names[KINDS] = {"broadcast", "all-to-all", "reduce-scatter", "all-reduce"};

struct call {
    uint64_t number;
    enum kind kind;
    int root, comm, count; /* elements in all, or of a block */
    enum cuda_memory memory_kind;
    uint32_t *memory;
    MPI_Request request;
};

static MPI_Comm comms[COMMS];
static uint32_t *data;

static uint64_t draw(uint64_t number, uint64_t what, uint64_t below)
{
    return test_random(what, number) % below;
}

/* Element k of what a rank of the communicator gives. */
static uint32_t given(const struct call *call, int rank, size_t k)
{
    return (uint32_t)(call->number * 0x9e3779b9u + (uint64_t)rank * 0x85ebca6bu + k * 0xc2b2ae35u);
}

static int rank_in(const struct call *call)
{
    int rank;
    MPI_Comm_rank(comms[call->comm], &rank);
    return rank;
}

/* Element k of what this rank gets. */
static uint32_t wanted(const struct call *call, int me, size_t k)
{
    size_t block = (size_t)call->count;
    if (call->kind == BCAST) {
        return given(call, call->root, k);
    }
    if (call->kind == ALLTOALL) {
        return given(call, (int)(k / block), (size_t)me * block + k % block);
    }
    uint32_t sum = 0;
    for (int rank = 0; rank < test_size; rank++) {
        sum += given(call, rank, call->kind == ALLREDUCE ? k : (size_t)me * block + k);
    }
    return sum;
}

static bool has_blocks(const struct call *call)
{
    return call->kind == ALLTOALL || call->kind == REDUCE_SCATTER;
}

static size_t elements_given(const struct call *call)
{
    return (size_t)call->count * (has_blocks(call) ? (size_t)test_size : 1);
}

static size_t elements_wanted(const struct call *call)
{
    return call->kind == REDUCE_SCATTER ? (size_t)call->count : elements_given(call);
}

static void request_make(struct call *call)
{
    MPI_Comm comm = comms[call->comm];
    switch (call->kind) {
    case BCAST:
        MPI_Ibcast(call->memory, call->count, MPI_UINT32_T, call->root, comm, &call->request);
        break;
    case ALLTOALL:
        MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, call->memory, call->count, MPI_UINT32_T,
                      comm, &call->request);
        break;
    case REDUCE_SCATTER:
        MPI_Ireduce_scatter_block(MPI_IN_PLACE, call->memory, call->count, MPI_UINT32_T, MPI_SUM,
                                  comm, &call->request);
        break;
    default:
        MPI_Iallreduce(MPI_IN_PLACE, call->memory, call->count, MPI_UINT32_T, MPI_SUM, comm,
                       &call->request);
    }
}

/* Two in three have much data. */
static void start(struct call *call, uint64_t number)
{
    bool is_large = draw(number, 1, 3) > 0;
    uint64_t elements = is_large ? PASSED_ON + draw(number, 2, MOST - PASSED_ON)
                                 : (uint64_t)test_size + draw(number, 2, LITTLE);
    *call = (struct call){
        .number = number, .kind = (enum kind)draw(number, 3, KINDS),
        .root = (int)draw(number, 4, (uint64_t)test_size), .comm = (int)draw(number, 5, COMMS),
        .memory_kind = draw(number, 6, 2) == 0 ? CUDA_MEMORY_MPI : CUDA_MEMORY_ALLOC};
    call->count = (int)(has_blocks(call) ? elements / (uint64_t)test_size : elements);
    size_t count = elements_given(call);
    int me = rank_in(call);
    for (size_t k = 0; k < count; k++) {
        data[k] = call->kind == BCAST && me != call->root ? 0xdeadbeef : given(call, me, k);
    }
    call->memory = cuda_memory_get(call->memory_kind, MOST * sizeof(*data));
    cuda_memory_write(call->memory, data, count * sizeof(*data));
    request_make(call);
}

static void check(const struct call *call)
{
    size_t count = elements_wanted(call), k = 0;
    int me = rank_in(call);
    cuda_memory_read(data, call->memory, count * sizeof(*data));
    while (k < count && data[k] == wanted(call, me, k)) {
        k++;
    }
    if (k < count) {
        test_fail("call %" PRIu64 ", %s of %d elements on communicator %d, root %d: element %zu: "
                  "expected %" PRIu32 ", found %" PRIu32, call->number, names[call->kind],
                  call->count, call->comm, call->root, k, wanted(call, me, k), data[k]);
    }
    cuda_memory_put(call->memory_kind, call->memory);
}

/* All ranks make the same calls in the same order; each waits in its own. */
static void round_make(uint64_t round)
{
    struct call calls[OUTSTANDING];
    uint64_t mine = test_stream(round, (uint64_t)test_rank, 1);
    int one = 1, sum = 0;
    test_case("round %" PRIu64, round);
    for (uint64_t i = 0; i < OUTSTANDING; i++) {
        start(&calls[i], round * OUTSTANDING + i);
        if (draw(mine, i, 4) == 0) {
            test_delay((unsigned)draw(mine, i + 100, DELAY_MOST));
        }
        if (draw(round, i + 200, 3) == 0) { /* a blocking call, while they are under way */
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[draw(round, i + 300, COMMS)]);
            test_check(sum == test_size, "the sum of a blocking call");
        }
    }
    uint64_t first = draw(mine, 400, OUTSTANDING);
    for (uint64_t i = 0; i < OUTSTANDING; i++) {
        struct call *call = &calls[(first + i) % OUTSTANDING];
        MPI_Wait(&call->request, MPI_STATUS_IGNORE);
        check(call);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_under_way", MPI_THREAD_SINGLE);
    cuda_memory_open(test_rank); /* the ranks of one node */
    data = malloc(MOST * sizeof(*data));
    if (data == NULL) {
        fprintf(stderr, "check_under_way: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &comms[1]);
    uint64_t rounds = !test_whole ? 6 : test_quick ? 20 : 50;
    for (uint64_t round = 0; round < rounds; round++) {
        round_make(round);
    }
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    free(data);
    return test_end();
}
