/*
 * test_cuda_chain.c - broadcasts in which each rank passes on what it got, to outputs and through
 * slots in scratch: one piece and several, from every root, with failing copies, and given up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/device_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    BYTES_MOST = (5 << 20) + 3, /* which go through slots, if there are some */
    GUARD = 64 * 1024, /* what is looked at behind the data */
    BUFFER = BYTES_MOST + GUARD,
    SLOTS = 1 << 20,            /* bytes, for pieces of a quarter */
};

#define DELAY "300" /* of the driver */

static unsigned char sent[BUFFER], before[BUFFER], got[BUFFER];

struct buffers {
    struct cuda_ranks *ranks;
    void *memory[CUDA_RANKS_MOST]; /* one for each rank, BUFFER each */
    bool by_slots;
    bool is_busy; /* copies within devices, as those out of slots, wait for others */
    unsigned char *scratches[CUDA_RANKS_MOST]; /* then: the ranks' own, while they have slots */
    uint64_t stream;
};

static struct symm_heap *heap_of(struct buffers *buffers, int rank)
{
    return device_heap(buffers->ranks->self, buffers->ranks->process,
                       buffers->ranks->ranks[rank].device_number);
}

static void buffers_get(struct buffers *buffers)
{
    for (int rank = 0; rank < buffers->ranks->size; rank++) {
        struct symm_heap *heap = heap_of(buffers, rank);
        buffers->memory[rank] = device_alloc(buffers->ranks->self, heap, BUFFER);
        if (buffers->by_slots) {
            struct cuda_rank *one = &buffers->ranks->ranks[rank];
            buffers->scratches[rank] = one->scratch;
            one->scratch = device_alloc(buffers->ranks->self, heap, SLOTS);
        }
    }
}

static void buffers_put(struct buffers *buffers)
{
    for (int rank = 0; rank < buffers->ranks->size; rank++) {
        if (buffers->by_slots) {
            struct cuda_rank *one = &buffers->ranks->ranks[rank];
            FORK_STATUS(buffers->ranks->self, symm_heap_free(heap_of(buffers, rank), one->scratch),
                        SYMM_OK);
            one->scratch = buffers->scratches[rank];
        }
        FORK_STATUS(buffers->ranks->self,
                    symm_heap_free(heap_of(buffers, rank), buffers->memory[rank]), SYMM_OK);
    }
}

/* What every rank has before a call, and what the root sends. */
static void broadcast_prepare(struct buffers *buffers, size_t bytes, int root)
{
    const struct symm_work prototype = {
        .algorithm = buffers->by_slots ? SYMM_BCAST_CUDA_SCRATCH : SYMM_BCAST_CUDA_CHAIN,
        .count = bytes, .root = root, .scratch_size = SLOTS,
    };
    buffers->stream++;
    unit_fill(before, bytes + GUARD, unit_random_start(71, 2 * buffers->stream));
    memcpy(sent, before, bytes + GUARD);
    unit_fill(sent, bytes, unit_random_start(71, 2 * buffers->stream + 1));
    for (int rank = 0; rank < buffers->ranks->size; rank++) {
        cuda_ranks_put(buffers->ranks, rank, buffers->memory[rank],
                       rank == root ? sent : before, bytes + GUARD);
    }
    cuda_ranks_prepare(buffers->ranks, &prototype, buffers->memory, buffers->memory);
}

enum { BUSY = 10 }; /* copies of 2 MiB within a device, which others wait behind */

static void busy_begin(struct buffers *buffers,
                       struct symm_completion completions[CUDA_DEVICES][BUSY])
{
    struct symm_kernel kernel;
    for (int device = 0; device < CUDA_DEVICES; device++) {
        struct cuda_rank *rank = &buffers->ranks->ranks[device];
        struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
        for (int i = 0; i < SYMM_CUDA_RANKS_MAX; i++) {
            pushes[i] = (struct symm_cuda_push){rank->input, rank->output, CUDA_BUFFER};
        }
        for (int i = 0; i < BUSY; i++) {
            FORK_STATUS(buffers->ranks->self,
                        symm_device_start(rank->device,
                                          symm_kernel_beside(&kernel, pushes, SYMM_CUDA_RANKS_MAX,
                                                             1), &completions[device][i]), SYMM_OK);
        }
    }
}

static void busy_end(struct buffers *buffers,
                     struct symm_completion completions[CUDA_DEVICES][BUSY])
{
    for (int i = 0; i < CUDA_DEVICES * BUSY; i++) {
        device_completion_await(buffers->ranks->self, buffers->ranks->ranks[i / BUSY].device,
                                &completions[i / BUSY][i % BUSY]);
    }
}

/* All ranks have the root's bytes and what lies behind them, or all know which rank has failed. */
static enum symm_status broadcast(struct buffers *buffers, size_t bytes, int root)
{
    struct cuda_ranks *ranks = buffers->ranks;
    struct symm_completion completions[CUDA_DEVICES][BUSY];
    broadcast_prepare(buffers, bytes, root);
    if (buffers->is_busy) {
        busy_begin(buffers, completions);
    }
    cuda_ranks_make(ranks);
    int failed = cuda_ranks_failed(ranks);
    for (int rank = 0; rank < ranks->size && failed < 0; rank++) {
        cuda_ranks_get(ranks, rank, buffers->memory[rank], got, bytes + GUARD);
        FORK_CHECK(ranks->self, memcmp(got, sent, bytes + GUARD) == 0);
    }
    if (buffers->is_busy) {
        busy_end(buffers, completions);
    }
    return failed < 0 ? SYMM_OK : SYMM_ERR_SYSTEM;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_broadcasts(struct cuda_ranks *ranks)
{
    static const size_t sizes[] = {1, 4099, 1 << 20, (2 << 20) + 1, BYTES_MOST};
    struct buffers buffers = {.ranks = ranks};
    buffers_get(&buffers);
    for (int root = 0; root < ranks->size; root++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            FORK_CHECK(ranks->self, broadcast(&buffers, sizes[i], root) == SYMM_OK);
        }
    }
    buffers_put(&buffers);
}

/*
 * In pieces that are copied out of slots, much later than they could be passed on; little ones by
 * another way.  Two ranks have another way.
 */
static void test_by_slots(struct cuda_ranks *ranks)
{
    struct buffers buffers = {.ranks = ranks, .by_slots = true, .is_busy = true};
    buffers_get(&buffers);
    for (int root = 0; root < ranks->size; root++) {
        FORK_CHECK(ranks->self, broadcast(&buffers, BYTES_MOST, root) == SYMM_OK);
    }
    FORK_CHECK(ranks->self, broadcast(&buffers, 300001, 0) == SYMM_OK);
    buffers_put(&buffers);
}

/* Other work leaves room for one to three pieces on a device: the next one waits for it. */
static void test_without_room(struct cuda_ranks *ranks)
{
    struct symm_kernel kernel;
    struct buffers buffers = {.ranks = ranks};
    struct symm_completion completions[CUDA_DEVICES][SYMM_CUDA_SLOTS];
    buffers_get(&buffers);
    for (int kept = SYMM_CUDA_SLOTS - 1; kept >= SYMM_CUDA_SLOTS - 3; kept--) {
        for (int i = 0; i < CUDA_DEVICES * kept; i++) {
            struct cuda_rank *rank = &ranks->ranks[i / kept];
            const struct symm_cuda_push push = {rank->input + i % kept, rank->output + i % kept, 1};
            FORK_STATUS(ranks->self, symm_device_start(rank->device,
                                                       symm_kernel_push(&kernel, &push, 1, false,
                                                                        1),
                                                       &completions[i / kept][i % kept]),
                                                            SYMM_OK);
        }
        FORK_CHECK(ranks->self, broadcast(&buffers, BYTES_MOST, kept % 3) == SYMM_OK);
        for (int i = 0; i < CUDA_DEVICES * kept; i++) {
            device_completion_await(ranks->self, ranks->ranks[i / kept].device,
                                    &completions[i / kept][i % kept]);
        }
    }
    buffers_put(&buffers);
}

/* The root gives up in the middle, as if the others had died: nothing of it goes on. */
static void test_given_up(struct cuda_ranks *ranks)
{
    struct buffers buffers = {.ranks = ranks};
    unsigned waited = 0;
    buffers_get(&buffers);
    for (int steps = 1; steps < 8; steps++) {
        broadcast_prepare(&buffers, BYTES_MOST, 0);
        waited += cuda_ranks_give_up(ranks, 0, steps);
    }
    FORK_CHECK(ranks->self, waited > 0);
    FORK_CHECK(ranks->self, broadcast(&buffers, BYTES_MOST, 0) == SYMM_OK);
    buffers_put(&buffers);
}

/* A copy of some rank does not start, or fails on its way: the call ends on all ranks. */
static void fault_run(struct fork_rank *self, const struct cuda_fault *fault, bool by_slots)
{
    struct cuda_ranks ranks = {0};
    struct buffers buffers = {.ranks = &ranks, .by_slots = by_slots};
    cuda_fault_begin(&ranks, self, fault);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", DELAY, 1) == 0);
    FORK_CHECK(self, cuda_ranks_open(&ranks, self, 4));
    buffers_get(&buffers);
    FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, 1) == SYMM_ERR_SYSTEM);
    if (!ranks.fault_is_for_good) {
        FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, 2) == SYMM_OK);
        buffers_put(&buffers);
        cuda_ranks_close(&ranks);
    }
}

static void run_with_fault(struct fork_rank *self, void *context)
{
    fault_run(self, context, false);
}

static void run_slots_with_fault(struct fork_rank *self, void *context)
{
    fault_run(self, context, true);
}

/* Three pieces go over three links, or many of them, which are copied out as well. */
static void test_faults(void **state)
{
    static const char *const names[] = {"cuMemcpyAsync", "cuEventRecord", "copy",
                                        "cuLaunchKernel", "kernel"};
    (void)state;
    cuda_faults_run(names, sizeof(names) / sizeof(*names), 9, 1, 1, run_slots_with_fault);
    cuda_faults_run(names, 3, 9, 1, 1, run_with_fault); /* copies only */
}

UNIT_MAIN("test_cuda_chain", 60,
    CUDA_TEST_OF(test_broadcasts, 1, CUDA_RANKS_MOST, NULL),
    CUDA_TEST_OF(test_by_slots, 2, CUDA_RANKS_MOST, DELAY),
    cmocka_unit_test(test_faults),
    CUDA_TEST_OF(test_without_room, 3, 3, DELAY),
    CUDA_TEST_OF(test_given_up, 3, 3, DELAY))
