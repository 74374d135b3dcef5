/*
 * Small collectives in a row, of random kinds, sizes and roots, while ranks come late at random
 * moments, or are stopped for a while.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *   --calls N    how many (2000)
 *   --stops N    so often each rank is stopped (SIGSTOP) for half a second, wherever it is (0)
 *   --stall R    rank R stops itself in the midst, and never goes on: somebody has to end the job
 */
#define _POSIX_C_SOURCE 200809L

#include "tests/harness/calls.h"
#include "tests/harness/harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The most is more than a pad holds at first: it gives way to a larger one. */
enum { COUNT_LITTLE = 64, COUNT_MORE = 4096, COUNT_MOST = 60000, RANKS_MOST = 16, COMMS = 2 };

static const enum test_collective kinds[] = {
    TEST_ALLREDUCE, TEST_REDUCE, TEST_SCAN, TEST_EXSCAN, TEST_REDUCE_SCATTER,
    TEST_REDUCE_SCATTER_BLOCK, TEST_ALLGATHER, TEST_ALLTOALL, TEST_BCAST, TEST_GATHER, TEST_SCATTER,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct plan {
    uint64_t number;
    enum test_collective kind;
    int count, root, comm;
    bool in_place, nonblocking;
};

static MPI_Comm comms[COMMS];
static uint32_t input[RANKS_MOST * COUNT_MOST], output[RANKS_MOST * COUNT_MOST];

static uint64_t draw(uint64_t number, uint64_t what, uint64_t below)
{
    return test_random(what, number) % below;
}

/* Element k of what a rank sends in a call. */
static uint32_t sent(const struct plan *plan, int rank, size_t k)
{
    uint64_t x = (plan->number * RANKS_MOST + (uint64_t)rank) * 0x9e3779b97f4a7c15u + k;
    return (uint32_t)(x ^ x >> 29);
}

static uint32_t sum(const struct plan *plan, int ranks, size_t k)
{
    uint32_t result = 0;
    for (int rank = 0; rank < ranks; rank++) {
        result += sent(plan, rank, k);
    }
    return result;
}

static uint64_t count_most(uint64_t number)
{
    uint64_t die = draw(number, 3, 64);
    return die == 0 ? COUNT_MOST : die < 8 ? COUNT_MORE : COUNT_LITTLE;
}

static struct plan plan_draw(uint64_t number)
{
    struct plan plan = {
        .number = number,
        .kind = kinds[number % KINDS],
        .count = 1 + (int)draw(number, 2, count_most(number)),
        .root = (int)draw(number, 4, (uint64_t)test_size),
        .comm = (int)draw(number, 5, COMMS),
        .in_place = draw(number, 6, 4) == 0,
        .nonblocking = draw(number, 7, 8) == 0,
    };
    plan.in_place = plan.in_place && (plan.kind == TEST_ALLREDUCE || plan.kind == TEST_SCAN ||
                                      plan.kind == TEST_EXSCAN ||
                                      plan.kind == TEST_REDUCE_SCATTER_BLOCK);
    return plan;
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* Elements that a rank sends, and that it has room for. */
static size_t all_of(const struct plan *plan)
{
    return (size_t)plan->count * (size_t)test_size;
}

static void buffers_fill(const struct plan *plan)
{
    for (size_t k = 0; k < all_of(plan); k++) {
        input[k] = sent(plan, test_rank, k);
    }
    memset(output, 0x5a, all_of(plan) * sizeof(*output));
    if (plan->in_place) {
        memcpy(output, input, all_of(plan) * sizeof(*output));
    } else if (plan->kind == TEST_BCAST && test_rank == plan->root) {
        memcpy(output, input, (size_t)plan->count * sizeof(*output));
    }
}

static void call_begin(const struct plan *plan, MPI_Request *request)
{
    static int counts[RANKS_MOST];
    for (int rank = 0; rank < test_size; rank++) {
        counts[rank] = plan->count;
    }
    const struct test_arguments arguments = {
        .send = plan->in_place ? MPI_IN_PLACE : (const void *)input, .send_count = plan->count,
        .send_type = MPI_UINT32_T, .receive = output, .count = plan->count, .counts = counts,
        .type = MPI_UINT32_T, .op = MPI_SUM, .root = plan->root, .comm = comms[plan->comm],
    };
    (void)test_call(plan->kind, plan->nonblocking ? TEST_NONBLOCKING : TEST_BLOCKING, &arguments,
                    request);
}

/* What element k of the output has to be; false: nothing is said about it. */
static bool expected(const struct plan *plan, size_t k, uint32_t *value)
{
    size_t count = (size_t)plan->count;
    int from = (int)(k / count), me = test_rank;
    bool is_vector = plan->kind == TEST_ALLGATHER || plan->kind == TEST_ALLTOALL ||
                     plan->kind == TEST_GATHER;
    if ((!is_vector && k >= count) ||
        ((plan->kind == TEST_REDUCE || plan->kind == TEST_GATHER) && me != plan->root) ||
        (plan->kind == TEST_EXSCAN && me == 0)) {
        return false;
    }
    switch (plan->kind) {
    case TEST_ALLREDUCE:
    case TEST_REDUCE:
        *value = sum(plan, test_size, k);
        break;
    case TEST_SCAN:
        *value = sum(plan, me + 1, k);
        break;
    case TEST_EXSCAN:
        *value = sum(plan, me, k);
        break;
    case TEST_REDUCE_SCATTER:
    case TEST_REDUCE_SCATTER_BLOCK:
        *value = sum(plan, test_size, (size_t)me * count + k);
        break;
    case TEST_ALLGATHER:
    case TEST_GATHER:
        *value = sent(plan, from, k % count);
        break;
    case TEST_ALLTOALL:
        *value = sent(plan, from, (size_t)me * count + k % count);
        break;
    case TEST_BCAST:
        *value = sent(plan, plan->root, k);
        break;
    default:
        *value = sent(plan, plan->root, (size_t)me * count + k);
        break;
    }
    return true;
}

static void call_make(uint64_t number)
{
    struct plan plan = plan_draw(number);
    MPI_Request request = MPI_REQUEST_NULL;
    uint32_t value;
    buffers_fill(&plan);
    if (test_random(test_stream(8, (uint64_t)test_rank, 0), number) % 64 == 0) {
        test_delay((unsigned)(test_random(test_stream(9, (uint64_t)test_rank, 0), number) % 400));
    }
    call_begin(&plan, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (size_t k = 0; k < all_of(&plan); k++) {
        if (expected(&plan, k, &value) && output[k] != value) {
            test_case("call %llu: %s%s of %d, root %d%s", (unsigned long long)number,
                      plan.nonblocking ? "i" : "", test_collective_names[plan.kind], plan.count,
                      plan.root, plan.in_place ? ", in place" : "");
            test_fail("element %zu is %#x, not %#x", k, output[k], value);
            return;
        }
    }
}

/* ---- ranks that stop ------------------------------------------------------------------------- */

/* Another process stops this one in a moment, and lets it go on half a second later. */
static void stop_soon(uint64_t number)
{
    char command[200];
    unsigned moment = (unsigned)(test_random(test_stream(10, (uint64_t)test_rank, 0), number) % 50);
    int length = snprintf(command, sizeof command,
                          "(sleep 0.%03u; kill -STOP %ld; sleep 0.5; kill -CONT %ld) &", moment,
                          (long)getpid(), (long)getpid());
    if (length < 0 || length >= (int)sizeof command || system(command) != 0) {
        test_fail("a process that stops this one cannot be started");
    }
}

int main(int argc, char **argv)
{
    uint64_t calls = 2000, stops = 0;
    int stalled = -1;
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--calls") == 0) {
            calls = test_number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--stops") == 0) {
            stops = test_number(argv[i], argv[i + 1]);
        } else if (strcmp(argv[i], "--stall") == 0) {
            stalled = (int)test_number(argv[i], argv[i + 1]);
        }
    }
    test_begin(1, argv, "check_packets", MPI_THREAD_SINGLE);
    if (test_size > RANKS_MOST) {
        return test_skip("more ranks than it has buffers for");
    }
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    test_case("%llu calls", (unsigned long long)calls);
    for (uint64_t i = 0; i < calls && test_failures() == 0; i++) {
        /* Ranks are stopped in different places, each at one end of its part of the calls. */
        if (stops > 0 && i % (calls / stops) == (uint64_t)test_rank * 5) {
            stop_soon(i);
        }
        if (test_rank == stalled && i == calls / 2) {
            (void)raise(SIGSTOP);
        }
        call_make(i);
    }
    MPI_Comm_free(&comms[1]);
    return test_end();
}
