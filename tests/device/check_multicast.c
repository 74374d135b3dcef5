/*
 * check_multicast.c - when calls go by multicast, which has been forced: on which buffers, on
 * several communicators, while memory comes and goes; and that all results are right.
 *
 *     check_multicast host|cuda used|unused
 *
 * "used": by multicast is what lies alike on all ranks, and nothing else.  "unused": nothing is, as
 * something forbids it.  Segments are of 2 MiB (mpool_symm_segment_size), and device memory is that
 * of the driver which SYMM_TEST_CUDA_LIBRARY names, with a device for each rank.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/harness/harness.h"
#include "tests/harness/variables.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUDA
#include "tests/harness/cuda_memory.h"
#endif

enum {
    SEGMENT = 2 << 20,
    /* a block that shares its segment with no other one of this size */
    ALONE = SEGMENT - (256 << 10),
    SMALL = 20011,                 /* elements: no round number */
    RANKS_MAX = 16,
};

static bool on_device, is_used;
static int reduced, gathered; /* variables: calls by multicast */
static unsigned number;       /* of the call */

/* ---- memory ---------------------------------------------------------------------------------- */

static unsigned *block_get(size_t bytes)
{
    MPI_Info info;
    void *block = NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpool_hints",
                 on_device ? "mpool=symm,kind=cuda" : "mpool=symm,kind=host");
    MPI_Alloc_mem((MPI_Aint)bytes, info, &block);
    MPI_Info_free(&info);
    return block;
}

static void block_give(unsigned *block)
{
    MPI_Free_mem(block);
}

static void copy(void *to, const void *from, size_t bytes, bool is_write)
{
#ifdef HAVE_CUDA
    if (on_device && is_write) {
        cuda_memory_write(to, from, bytes);
        return;
    }
    if (on_device) {
        cuda_memory_read(to, from, bytes);
        return;
    }
#endif
    (void)is_write;
    memcpy(to, from, bytes);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static unsigned value_of(int world_rank, int i)
{
    return (unsigned)test_random(test_stream(number, (uint64_t)world_rank, 0), (uint64_t)i);
}

/* Ranks of MPI_COMM_WORLD, from which the data follow. */
static int world_ranks(MPI_Comm comm, int ranks[RANKS_MAX])
{
    MPI_Group all, some;
    int size, here[RANKS_MAX];
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        here[i] = i;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Comm_group(comm, &some);
    MPI_Group_translate_ranks(some, size, here, all, ranks);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return size;
}

static void results_check(const unsigned *found, int count, const int ranks[], int size,
                          bool gathers)
{
    for (int i = 0; i < (gathers ? count * size : count); i++) {
        unsigned expected = gathers ? value_of(ranks[i / count], i % count) : 0;
        for (int rank = 0; rank < size && !gathers; rank++) {
            expected += value_of(ranks[rank], i);
        }
        if (found[i] != expected) {
            test_fail("element %d is %#x and should be %#x", i, found[i], expected);
            return;
        }
    }
}

/* One call; send == receive: in place.  Whether it has gone by multicast. */
static bool call(MPI_Comm comm, unsigned *send, unsigned *receive, int count, bool gathers)
{
    int ranks[RANKS_MAX], rank, size = world_ranks(comm, ranks);
    int variable = gathers ? gathered : reduced;
    bool in_place = send == receive;
    unsigned *data = malloc((size_t)(count * size) * sizeof *data);
    unsigned long long before = variables_read(variable);
    MPI_Comm_rank(comm, &rank);
    number++;
    for (int i = 0; i < count; i++) {
        data[i] = value_of(test_rank, i);
    }
    unsigned *own = in_place && gathers ? receive + (ptrdiff_t)rank * count : send;
    copy(own, data, (size_t)count * sizeof *data, true);
    if (gathers) {
        MPI_Allgather(in_place ? MPI_IN_PLACE : send, count, MPI_UNSIGNED, receive, count,
                      MPI_UNSIGNED, comm);
    } else {
        MPI_Allreduce(in_place ? MPI_IN_PLACE : send, receive, count, MPI_UNSIGNED, MPI_SUM, comm);
    }
    copy(data, receive, (size_t)(gathers ? count * size : count) * sizeof *data, false);
    results_check(data, count, ranks, size, gathers);
    free(data);
    return variables_read(variable) > before;
}

/* Both collectives, in place and not, which all go by multicast or all do not. */
static void calls(MPI_Comm comm, unsigned *send, unsigned *receive, int count, bool alike)
{
    bool expected = alike && is_used;
    test_check(call(comm, send, receive, count, false) == expected, "all-reduce");
    test_check(call(comm, receive, receive, count, false) == expected, "all-reduce in place");
    test_check(call(comm, send, receive, count, true) == expected, "all-gather");
    test_check(call(comm, receive, receive, count, true) == expected, "all-gather in place");
}

static size_t room_for(int count)
{
    return (size_t)count * (size_t)test_size * sizeof(unsigned);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void run_places(void)
{
    unsigned *send = block_get(room_for(SMALL)), *receive = block_get(room_for(SMALL));
    test_case("alike");
    calls(MPI_COMM_WORLD, send, receive, SMALL / 2, true);
    test_case("odd places");
    calls(MPI_COMM_WORLD, send + 1, receive + 3, 1003, true);
    calls(MPI_COMM_WORLD, send, receive + 1, 7, true);
    test_case("another place on the last rank");
    calls(MPI_COMM_WORLD, send, receive + (test_rank == test_size - 1), 1003, false);
    unsigned *more = test_rank == 1 ? block_get(4096) : NULL;
    unsigned *later = block_get(room_for(SMALL / 2));
    test_case("rank 1 has allocated more");
    calls(MPI_COMM_WORLD, later, later + SMALL / 2, 1003, false);
    test_case("but that was later");
    calls(MPI_COMM_WORLD, send, receive, 1003, true);
    block_give(later);
    if (more != NULL) {
        block_give(more);
    }
    block_give(receive);
    block_give(send);
}

static void run_segments(void)
{
    unsigned *send = block_get(ALONE), *receive = block_get(ALONE);
    test_case("input and output in segments of their own");
    calls(MPI_COMM_WORLD, send, receive, 5003, true);
    calls(MPI_COMM_WORLD, receive, send, 5003, true);
    block_give(receive);
    test_case("a segment has gone");
    calls(MPI_COMM_WORLD, send, send + 100000, 5003, true);
    receive = block_get(ALONE);
    test_case("another one has come");
    calls(MPI_COMM_WORLD, send, receive, 5003, true);
    block_give(send);
    test_case("the other one has gone");
    calls(MPI_COMM_WORLD, receive, receive + 100000, 5003, true);
    block_give(receive);
}

/* Memory that comes and goes in each round, more often than a team has places for groups. */
static void run_rounds(void)
{
    enum { ROUNDS = 24 };
    unsigned *kept = block_get(ALONE);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned *fresh = block_get(ALONE);
        test_case("round %d", round);
        test_check(call(MPI_COMM_WORLD, kept, kept, 3001, false) == is_used,
                   "the memory that stays");
        (void)call(MPI_COMM_WORLD, kept, fresh, 3001, round % 2 == 0);
        block_give(fresh);
        if (round % 3 == 0) {
            (void)call(MPI_COMM_WORLD, kept, kept, 3001, true);
        }
    }
    block_give(kept);
}

/* More memory than a team has places for; what has none is served in other ways. */
static void run_many(void)
{
    enum { BLOCKS = 20, FIRST = 8 };
    unsigned *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = block_get(ALONE);
        test_case("block %d", i);
        bool is_served = call(MPI_COMM_WORLD, blocks[i], blocks[i], 3001, false);
        test_check(i >= FIRST || is_served == is_used, "the first ones have room");
    }
    for (int i = 0; i < BLOCKS; i++) {
        (void)call(MPI_COMM_WORLD, blocks[i], blocks[(i + 1) % BLOCKS], 3001, i % 2 == 0);
    }
    for (int i = 0; i < BLOCKS; i++) { /* the first half of the ranks from the other end */
        block_give(blocks[test_rank < test_size / 2 ? BLOCKS - 1 - i : i]);
        if (i % 4 == 3) {
            unsigned *small = block_get(4096);
            (void)call(MPI_COMM_WORLD, small, small, 1003, false);
            block_give(small);
        }
    }
}

/* Groups that have not been in use for some time make room. */
static void run_again(void)
{
    enum { CALLS = 150 };
    unsigned *block = block_get(ALONE);
    bool is_served = false;
    test_case("after all that");
    for (int i = 0; i < CALLS; i++) {
        is_served = call(MPI_COMM_WORLD, block, block, 1003, i % 2 == 0);
    }
    test_check(is_served == is_used, "there is room again");
    block_give(block);
}

static void run_communicators(void)
{
    MPI_Comm same, turned, half;
    unsigned *send = block_get(ALONE), *receive = block_get(ALONE);
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank, &turned);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank % 2, test_rank, &half);
    for (int round = 0; round < 3; round++) {
        int size;
        test_case("communicators, round %d", round);
        calls(same, send, receive, 3001, true);
        calls(turned, send, receive, 3001, true);
        MPI_Comm_size(half, &size);
        if (size > 1) {
            calls(half, send, receive, 3001, true);
        } else {
            number += 4; /* others make them */
        }
        calls(MPI_COMM_WORLD, receive, send, 3001, true);
        if (round == 1) {
            block_give(send);
            send = block_get(ALONE);
        }
    }
    MPI_Comm_free(&same);
    test_case("a communicator has gone");
    calls(turned, send, receive, 3001, true);
    block_give(receive);
    MPI_Comm_free(&turned);
    MPI_Comm_free(&half);
    block_give(send);
}

/* Too many elements for one step of anything. */
static void run_large(void)
{
    enum { ELEMENTS = 300007 };
    unsigned *send = block_get(room_for(ELEMENTS)), *receive = block_get(room_for(ELEMENTS));
    test_case("large");
    calls(MPI_COMM_WORLD, send, receive, ELEMENTS, true);
    calls(MPI_COMM_WORLD, send + 1, receive + 2, ELEMENTS - 3, true);
    block_give(send);
    block_give(receive);
}

int main(int argc, char **argv)
{
    on_device = argc > 1 && strcmp(argv[1], "cuda") == 0;
    is_used = argc > 2 && strcmp(argv[2], "used") == 0;
    test_begin(1, argv, "check_multicast", MPI_THREAD_SINGLE);
    test_case("opening");
    variables_open();
    reduced = variables_find(on_device ? "coll_symm_allreduce_cuda_multimem_calls"
                                       : "coll_symm_allreduce_multimem_calls");
    gathered = variables_find(on_device ? "coll_symm_allgather_cuda_multimem_calls"
                                        : "coll_symm_allgather_multimem_calls");
    if (!test_check(reduced >= 0 && gathered >= 0, "counters of calls by multicast") ||
        !test_check(test_size <= RANKS_MAX, "no more than 16 ranks")) {
        return test_end();
    }
#ifdef HAVE_CUDA
    if (on_device) {
        cuda_memory_open(test_rank);
    }
#endif
    run_places();
    run_segments();
    run_communicators();
    if (is_used) {
        run_large();
        run_rounds();
        run_many();
        run_again();
    }
    variables_close();
    return test_end();
}
