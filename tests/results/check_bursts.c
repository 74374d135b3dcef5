/*
 * Calls in a row with nothing between them that would synchronise the ranks: slots, scratch and
 * buffers are reused as fast as the standard allows, while some rank is always late.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tests/harness/buffers.h"
#include "tests/harness/exercise.h"
#include "tests/harness/harness.h"
#include "tests/harness/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number;

/* One rank in a call, another each time, is late by some microseconds of computing. */
static void straggle(uint64_t call)
{
    if (test_random(call, 1) % (uint64_t)test_size == (uint64_t)test_rank) {
        double until = MPI_Wtime() + (double)(test_random(call, 2) % 10) * 1e-6;
        while (MPI_Wtime() < until) {
        }
    }
}

/* Of the order of 2^0 ... 2^limit words, more small ones than large ones. */
static size_t random_bytes(uint64_t call, unsigned limit)
{
    uint64_t random = test_random(call, 3);
    size_t most = (size_t)1 << (random % (limit + 1));
    return (1 + (random >> 8) % most) * sizeof(int64_t);
}

static void one_call(uint64_t call, struct test_memory memory, size_t bytes)
{
    size_t least = sizeof(int64_t) * (size_t)test_size;
    straggle(call);
    if (test_random(call, 4) % 3 == 0) {
        test_exercise_allgather(test_comm, call, memory, bytes < least ? least : bytes);
    } else {
        test_exercise_allreduce(test_comm, call, memory, bytes);
    }
}

/* Sizes at random, always the same buffers. */
static void random_sizes(int calls, unsigned limit, enum test_spread spread)
{
    size_t most = sizeof(int64_t) << limit;
    struct test_buffer send =
        test_buffer_new(test_spread_place(spread, TEST_SEND, test_rank, 1), most, 8);
    struct test_buffer receive =
        test_buffer_new(test_spread_place(spread, TEST_RECEIVE, test_rank, 1), most, 8);
    for (int i = 0; i < calls; i++) {
        size_t bytes = random_bytes(++number, limit);
        test_case("burst in %s, call %d, %zu bytes", test_spread_name(spread), i, bytes);
        one_call(number, (struct test_memory){send.data, receive.data, most}, bytes);
    }
    test_buffer_free(&send, "send");
    test_buffer_free(&receive, "receive");
}

/* Any buffer of a pool for any call, so that kinds of memory and paths alternate. */
static void random_buffers(int calls)
{
    const size_t most = 50000 * sizeof(int64_t);
    struct test_buffer pool[2 * TEST_PLACES];
    for (size_t i = 0; i < 2 * TEST_PLACES; i++) {
        pool[i] = test_buffer_new((enum test_place)(i / 2), most, 8);
    }
    for (int i = 0; i < calls; i++) {
        size_t bytes = random_bytes(++number, 15);
        uint64_t random = test_random(test_stream(number, (uint64_t)test_rank, 2), 0);
        size_t send = random % (2 * TEST_PLACES);
        size_t receive = (send + 1 + (random >> 8) % (2 * TEST_PLACES - 1)) % (2 * TEST_PLACES);
        test_case("alternating buffers, call %d, %zu bytes", i, bytes);
        one_call(number, (struct test_memory){pool[send].data, pool[receive].data, most}, bytes);
    }
    for (size_t i = 0; i < 2 * TEST_PLACES; i++) {
        test_buffer_free(&pool[i], "pool");
    }
}

/* The same sum over and over in place: an iteration as solvers do it, with a known outcome. */
static void feedback(int calls)
{
    enum { WORDS = 3000 };
    struct test_buffer buffer = test_buffer_new(TEST_HEAP, WORDS * sizeof(uint64_t), 8);
    uint64_t *word = (uint64_t *)(void *)buffer.data;
    uint64_t expected = 1;
    test_case("%d sums in place, each of the one before", calls);
    for (int i = 0; i < WORDS; i++) {
        word[i] = (uint64_t)i + 1;
    }
    for (int i = 0; i < calls; i++) {
        MPI_Allreduce(MPI_IN_PLACE, word, WORDS, MPI_UINT64_T, MPI_SUM, test_comm);
        expected *= (uint64_t)test_size;
    }
    for (int i = 0; i < WORDS; i++) {
        if (word[i] != expected * ((uint64_t)i + 1)) {
            test_fail("element %d: expected %" PRIu64 ", found %" PRIu64, i,
                      expected * ((uint64_t)i + 1), word[i]);
            break;
        }
    }
    test_buffer_free(&buffer, "receive");
}

/* Other collectives between ours, some of which let ranks leave early. */
static void amid_other_collectives(int calls)
{
    for (int i = 0; i < calls; i++) {
        int64_t send[32];
        int64_t receive[32];
        int root = i % test_size;
        int value = test_rank == root ? i : -1;
        int sum = 0;
        test_case("amid other collectives, round %d", i);
        MPI_Bcast(&value, 1, MPI_INT, root, test_comm);
        one_call(++number, (struct test_memory){send, receive, sizeof send}, sizeof send);
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, test_comm);
        one_call(++number, (struct test_memory){send, receive, sizeof send}, sizeof send);
        test_check(value == i, "the root's value from MPI_Bcast");
        test_check(test_rank != root || sum == i * test_size, "the sum from MPI_Reduce");
    }
}

static void all(void)
{
    int calls = test_quick ? 150 : 400;
    random_sizes(calls, 8, SPREAD_MALLOC);
    random_sizes(calls, 8, SPREAD_HEAP);
    random_sizes(calls, 14, SPREAD_HEAP);
    random_sizes(calls, 14, SPREAD_RANKS);
    random_sizes(calls / 8, 17, SPREAD_HEAP);
    random_sizes(calls / 8, 17, SPREAD_MALLOC);
    random_buffers(calls);
    feedback(calls);
    amid_other_collectives(calls / 4);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv, "check_bursts", MPI_THREAD_SINGLE);
    test_sweep(all);
    return test_end();
}
