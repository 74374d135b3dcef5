/*
 * test_large.c - every algorithm on more than 4 GiB a rank, in little memory.
 *
 * The buffers are address ranges of 4 GiB and 1 MiB, of which all but the end is the same 1 MiB of
 * memory over and over; so is the data.  The last 2 MiB, which the 32-bit border lies in the middle
 * of, are memory of their own with data of their own: an offset or count that has lost its upper
 * half leaves them as they were, or takes what belongs elsewhere for them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/fork_team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/memfd.h"
#include "kernels/run.h"

enum { RANKS = 2, PIECE = 256 * 1024, PAYLOAD = 4096 };

#define MIB ((size_t)1 << 20)

static const size_t period = MIB, tail = 2 * MIB;
static const size_t head = 4095 * MIB;
static const size_t bytes = 4097 * MIB;

/* ---- buffers --------------------------------------------------------------------------------- */

/* Address ranges for `blocks` such buffers in a row, each of its own memory. */
static unsigned char *range_make(int blocks)
{
    unsigned char *range = mmap(NULL, (size_t)blocks * bytes, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(range != MAP_FAILED);
    for (int block = 0; block < blocks; block++) {
        unsigned char *base = range + (size_t)block * bytes;
        int descriptor;
        assert_status(symm_memfd_create("test-large", period + tail, &descriptor), SYMM_OK);
        for (size_t at = 0; at <= head; at += period) {
            size_t size = at < head ? period : tail;
            assert_true(mmap(base + at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                             descriptor, at < head ? 0 : (off_t)period) == base + at);
        }
        assert_int_equal(close(descriptor), 0);
    }
    return range;
}

static void range_free(unsigned char *range, int blocks)
{
    assert_int_equal(munmap(range, (size_t)blocks * bytes), 0);
}

/* What rank `rank` contributes, as byte `i` of the memory behind a buffer. */
static unsigned char datum(int rank, size_t i)
{
    return (unsigned char)((i * 2654435761u >> 13) + (size_t)rank * 85);
}

/* The memory behind a buffer: period and tail, one behind the other. */
static unsigned char *memory_of(unsigned char *buffer, size_t i)
{
    return i < period ? buffer + i : buffer + head + (i - period);
}

static void block_fill(unsigned char *buffer, int rank)
{
    for (size_t i = 0; i < period + tail; i++) {
        *memory_of(buffer, i) = datum(rank, i);
    }
}

static void block_poison(unsigned char *buffer)
{
    for (size_t i = 0; i < period + tail; i++) {
        *memory_of(buffer, i) = (unsigned char)(0xdb ^ datum(0, i)); /* no result by chance */
    }
}

static bool block_is(unsigned char *buffer, int rank)
{
    for (size_t i = 0; i < period + tail; i++) {
        if (*memory_of(buffer, i) != datum(rank, i)) {
            return false;
        }
    }
    return true;
}

static bool block_is_reduced(unsigned char *buffer)
{
    for (size_t i = 0; i < period + tail; i++) {
        if (*memory_of(buffer, i) != (datum(0, i) ^ datum(1, i))) {
            return false;
        }
    }
    return true;
}

/* ---- one call -------------------------------------------------------------------------------- */

/* Exclusive or of bytes, eight at a time: more than 2^32 elements in reasonable time. */
static void combine(void *context, const void *left, const void *right, void *target, size_t count)
{
    const unsigned char *a = left, *b = right;
    unsigned char *to = target;
    size_t i = 0;
    (void)context;
    for (; i + 8 <= count; i += 8) {
        uint64_t x, y;
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        x ^= y;
        memcpy(to + i, &x, 8);
    }
    for (; i < count; i++) {
        to[i] = a[i] ^ b[i];
    }
}

static void reduce(void *context, const void *source, void *target, size_t count)
{
    combine(context, source, target, target, count);
}

static const struct symm_reduction bytewise = {.extent = 1, .reduce = reduce, .combine = combine};

struct call {
    enum symm_algorithm algorithm;
    unsigned char *inputs[RANKS], *outputs[RANKS];
};

/* Reading maps several pages at a time, for writing as well; writing would map them one by one. */
static void range_touch(const unsigned char *range, size_t size)
{
    for (size_t at = 0; at < size; at += 16384) {
        (void)*(const volatile unsigned char *)(range + at);
    }
}

static bool is_allreduce(const struct call *call)
{
    return symm_algorithm_get(call->algorithm)->collective == SYMM_ALLREDUCE;
}

static void run(struct fork_rank *self, void *context)
{
    const struct call *call = context;
    const void *inputs[RANKS] = {call->inputs[0], call->inputs[1]};
    void *outputs[RANKS] = {call->outputs[0], call->outputs[1]};
    struct symm_process *process = fork_team_process(self);
    struct symm_team *team = fork_team_create(self, process);
    FORK_STATUS(self, fork_team_set_up(self, team, PAYLOAD, PIECE), SYMM_OK);
    range_touch(call->outputs[self->rank], is_allreduce(call) ? bytes : RANKS * bytes);
    fork_rank_barrier(self);
    const struct symm_work work = {
        .team = team, .algorithm = call->algorithm, .sequence = 1, .count = bytes,
        .reduction = is_allreduce(call) ? &bytewise : NULL,
        .input = inputs[self->rank], .output = outputs[self->rank],
        .inputs = inputs, .outputs = outputs,
    };
    struct symm_run state = {.work = &work};
    unsigned polls = 0;
    while (symm_run_step(&state) == SYMM_PENDING) {
        if (!state.worked) {
            unit_pause(&polls);
        }
        state.worked = false;
    }
    FORK_CHECK(self, block_is(call->inputs[self->rank], self->rank));
    if (is_allreduce(call)) {
        FORK_CHECK(self, block_is_reduced(call->outputs[self->rank]));
    } else {
        FORK_CHECK(self, block_is(call->outputs[self->rank], 0));
        FORK_CHECK(self, block_is(call->outputs[self->rank] + bytes, 1));
    }
    fork_rank_barrier(self);
    symm_team_destroy(team);
    symm_process_release(process);
}

static void call_make(enum symm_algorithm algorithm)
{
    struct call call = {.algorithm = algorithm};
    int blocks = is_allreduce(&call) ? 1 : RANKS;
    for (int rank = 0; rank < RANKS; rank++) {
        call.inputs[rank] = range_make(1);
        block_fill(call.inputs[rank], rank);
        call.outputs[rank] = range_make(blocks);
        for (int block = 0; block < blocks; block++) {
            block_poison(call.outputs[rank] + (size_t)block * bytes);
        }
    }
    fork_ranks_run(RANKS, run, &call);
    for (int rank = 0; rank < RANKS; rank++) {
        range_free(call.inputs[rank], 1);
        range_free(call.outputs[rank], blocks);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

struct plan {
    enum symm_algorithm algorithm;
    const char *needs; /* what is in the environment of runs that have the seconds it takes */
};

static void test_algorithm(void **state)
{
    const struct plan *plan = *state;
    if (plan->needs != NULL && getenv(plan->needs) == NULL) {
        (void)printf("# only with %s=1\n", plan->needs);
        return;
    }
    call_make(plan->algorithm);
}

#define CALL(algorithm, needs) \
    {#algorithm, test_algorithm, NULL, NULL, &(struct plan){algorithm, needs}}

UNIT_MAIN("test_large", 220,
    CALL(SYMM_ALLREDUCE_STAGED, "SYMM_TEST_ALL"),
    CALL(SYMM_ALLREDUCE_ONE_SHOT, "SYMM_TEST_LONG"),
    CALL(SYMM_ALLREDUCE_TWO_SHOT, NULL),
    CALL(SYMM_ALLREDUCE_STAGED_ONE_SHOT, "SYMM_TEST_LONG"),
    CALL(SYMM_ALLGATHER_STAGED, NULL),
    CALL(SYMM_ALLGATHER_PULL, "SYMM_TEST_LONG"),
    CALL(SYMM_ALLGATHER_PUSH, "SYMM_TEST_LONG"))
