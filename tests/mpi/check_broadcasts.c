/*
 * Many nonblocking broadcasts under way at a time on device memory, large ones too, which each rank
 * has to pass on: with other roots, on two communicators whose ranks have other orders, beside
 * blocking calls, while ranks come late and wait in other orders.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cuda_memory.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMS = 2, OUTSTANDING = 6, MOST = 9 << 20, DELAY_MOST = 2000 };

struct broadcast {
    uint64_t number;
    int root, comm, bytes;
    enum cuda_memory kind;
    unsigned char *memory;
    MPI_Request request;
};

static MPI_Comm comms[COMMS];
static unsigned char *data, *got;

static uint64_t draw(uint64_t number, uint64_t what, uint64_t below)
{
    return test_random(what, number) % below;
}

/* Two in three are long enough to be passed on. */
static int bytes_draw(uint64_t number)
{
    const uint64_t large = 5 << 20;
    bool is_large = draw(number, 1, 3) > 0;
    return (int)(is_large ? large + draw(number, 2, MOST - large) : 1 + draw(number, 2, 70000));
}

static void data_make(uint64_t number, int bytes)
{
    unsigned char seed = (unsigned char)draw(number, 3, 256);
    for (int i = 0; i < bytes; i++) {
        data[i] = (unsigned char)(seed + i * 7 + (i >> 11));
    }
}

static void start(struct broadcast *broadcast, uint64_t number)
{
    int rank;
    *broadcast = (struct broadcast){
        .number = number, .root = (int)draw(number, 4, (uint64_t)test_size),
        .comm = (int)draw(number, 5, COMMS), .bytes = bytes_draw(number),
        .kind = draw(number, 6, 2) == 0 ? CUDA_MEMORY_MPI : CUDA_MEMORY_ALLOC};
    MPI_Comm comm = comms[broadcast->comm];
    MPI_Comm_rank(comm, &rank);
    broadcast->memory = cuda_memory_get(broadcast->kind, MOST);
    if (rank == broadcast->root) {
        data_make(number, broadcast->bytes);
    } else {
        memset(data, 0xa5, (size_t)broadcast->bytes);
    }
    cuda_memory_write(broadcast->memory, data, (size_t)broadcast->bytes);
    MPI_Ibcast(broadcast->memory, broadcast->bytes, MPI_BYTE, broadcast->root, comm,
               &broadcast->request);
}

static void check(const struct broadcast *broadcast)
{
    data_make(broadcast->number, broadcast->bytes);
    cuda_memory_read(got, broadcast->memory, (size_t)broadcast->bytes);
    if (memcmp(got, data, (size_t)broadcast->bytes) != 0) {
        test_fail("number %d of %d bytes, root %d of communicator %d: wrong data",
                  (int)broadcast->number, broadcast->bytes, broadcast->root, broadcast->comm);
    }
    cuda_memory_put(broadcast->kind, broadcast->memory);
}

/* All ranks make the same calls in the same order; each waits in its own. */
static void round_make(uint64_t round)
{
    struct broadcast broadcasts[OUTSTANDING];
    uint64_t mine = test_stream(round, (uint64_t)test_rank, 1);
    int one = 1, sum = 0;
    test_case("round %d", (int)round);
    for (uint64_t i = 0; i < OUTSTANDING; i++) {
        start(&broadcasts[i], round * OUTSTANDING + i);
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
        struct broadcast *broadcast = &broadcasts[(first + i) % OUTSTANDING];
        MPI_Wait(&broadcast->request, MPI_STATUS_IGNORE);
        check(broadcast);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_broadcasts", MPI_THREAD_SINGLE);
    cuda_memory_open(test_rank); /* the ranks of one node */
    data = malloc(MOST);
    got = malloc(MOST);
    if (data == NULL || got == NULL) {
        fprintf(stderr, "check_broadcasts: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &comms[1]);
    for (uint64_t round = 0; round < (test_quick ? 6 : 40); round++) {
        round_make(round);
    }
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    free(data);
    free(got);
    return test_end();
}
