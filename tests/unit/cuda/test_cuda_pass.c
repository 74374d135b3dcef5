/*
 * test_cuda_pass.c - broadcasts in which each rank passes on what it got, to outputs and through
 * slots in scratch: one piece and several, from every root, with failing copies, and given up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/cuda_ranks.h"
#include "tests/unit/harness/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BYTES_MOST = (5 << 20) + 3, /* which go through slots, if there are some */
    GUARD = 64,
    BUFFER = BYTES_MOST + GUARD,
    SLOTS = 1 << 20,            /* bytes, for pieces of a quarter */
};

static unsigned char sent[BUFFER], before[BUFFER], got[BUFFER];

struct buffers {
    struct cuda_ranks ranks;
    void *memory[CUDA_RANKS_MOST]; /* one for each rank, BUFFER each */
    bool by_slots;
    bool is_busy; /* copies within devices, as those out of slots, wait for others */
    unsigned char *scratches[CUDA_RANKS_MOST]; /* then: the ranks' own, while they have slots */
    uint64_t stream;
};

static struct symm_heap *heap_of(struct buffers *buffers, int rank)
{
    struct symm_heap *heap = NULL;
    FORK_STATUS(buffers->ranks.self,
                symm_process_device_heap(buffers->ranks.process,
                                         buffers->ranks.ranks[rank].device_number, &heap),
                SYMM_OK);
    return heap;
}

static void buffers_open(struct buffers *buffers, struct fork_rank *self, int size)
{
    FORK_CHECK(self, cuda_ranks_open(&buffers->ranks, self, size));
    for (int rank = 0; rank < size; rank++) {
        FORK_STATUS(self, symm_heap_alloc(heap_of(buffers, rank), BUFFER, 0,
                                          &buffers->memory[rank]), SYMM_OK);
        if (buffers->by_slots) {
            void *slots = NULL;
            struct cuda_rank *one = &buffers->ranks.ranks[rank];
            FORK_STATUS(self, symm_heap_alloc(heap_of(buffers, rank), SLOTS, 0, &slots), SYMM_OK);
            buffers->scratches[rank] = one->scratch;
            one->scratch = slots;
        }
    }
}

static void buffers_close(struct buffers *buffers)
{
    for (int rank = 0; rank < buffers->ranks.size; rank++) {
        if (buffers->by_slots) {
            struct cuda_rank *one = &buffers->ranks.ranks[rank];
            FORK_STATUS(buffers->ranks.self, symm_heap_free(heap_of(buffers, rank), one->scratch),
                        SYMM_OK);
            one->scratch = buffers->scratches[rank];
        }
        FORK_STATUS(buffers->ranks.self,
                    symm_heap_free(heap_of(buffers, rank), buffers->memory[rank]), SYMM_OK);
    }
    cuda_ranks_close(&buffers->ranks);
}

static struct symm_run run_of(const struct buffers *buffers, size_t bytes, int root)
{
    return (struct symm_run){
        .algorithm = buffers->by_slots ? SYMM_BCAST_CUDA_SCRATCH : SYMM_BCAST_CUDA_PASS,
        .count = bytes, .root = root, .scratch_size = SLOTS,
    };
}

/* What every rank has before a call, and what the root sends. */
static void buffers_fill(struct buffers *buffers, size_t bytes, int root)
{
    buffers->stream++;
    unit_fill(before, BUFFER, unit_random_start(71, 2 * buffers->stream));
    memcpy(sent, before, BUFFER);
    unit_fill(sent, bytes, unit_random_start(71, 2 * buffers->stream + 1));
    for (int rank = 0; rank < buffers->ranks.size; rank++) {
        cuda_ranks_put(&buffers->ranks, rank, buffers->memory[rank],
                       rank == root ? sent : before, BUFFER);
    }
}

enum { BUSY = 10 }; /* copies of 2 MiB within a device, which others wait behind */

static void busy_begin(struct buffers *buffers, struct symm_ticket tickets[CUDA_DEVICES][BUSY])
{
    for (int device = 0; device < CUDA_DEVICES; device++) {
        struct cuda_rank *rank = &buffers->ranks.ranks[device];
        struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
        for (int i = 0; i < SYMM_CUDA_RANKS_MAX; i++) {
            pushes[i] = (struct symm_cuda_push){rank->input, rank->output, CUDA_BUFFER};
        }
        for (int i = 0; i < BUSY; i++) {
            FORK_STATUS(buffers->ranks.self,
                        symm_device_beside_start(rank->device, pushes, SYMM_CUDA_RANKS_MAX, 1,
                                                 &tickets[device][i]), SYMM_OK);
        }
    }
}

static void busy_end(struct buffers *buffers, struct symm_ticket tickets[CUDA_DEVICES][BUSY])
{
    unsigned polls = 0;
    for (int i = 0; i < CUDA_DEVICES * BUSY; i++) {
        struct symm_device *device = buffers->ranks.ranks[i / BUSY].device;
        while (symm_device_ticket_test(device, &tickets[i / BUSY][i % BUSY]) == SYMM_PENDING) {
            unit_pause(&polls);
        }
    }
}

/* All ranks have the root's bytes and what lies behind them, or all know which rank has failed. */
static enum symm_status broadcast(struct buffers *buffers, size_t bytes, int root)
{
    struct cuda_ranks *ranks = &buffers->ranks;
    struct symm_ticket tickets[CUDA_DEVICES][BUSY];
    const struct symm_run prototype = run_of(buffers, bytes, root);
    buffers_fill(buffers, bytes, root);
    if (buffers->is_busy) {
        busy_begin(buffers, tickets);
    }
    cuda_ranks_call(ranks, &prototype, buffers->memory, buffers->memory);
    int failed = cuda_ranks_failed(ranks);
    for (int rank = 0; rank < ranks->size && failed < 0; rank++) {
        cuda_ranks_get(ranks, rank, buffers->memory[rank], got, BUFFER);
        FORK_CHECK(ranks->self, memcmp(got, sent, BUFFER) == 0);
    }
    if (buffers->is_busy) {
        busy_end(buffers, tickets);
    }
    return failed < 0 ? SYMM_OK : SYMM_ERR_SYSTEM;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void run_broadcasts(struct fork_rank *self, void *context)
{
    static const size_t sizes[] = {1, 4099, 1 << 20, (2 << 20) + 1, BYTES_MOST};
    int size = *(const int *)context;
    struct buffers buffers = {.stream = 0};
    cuda_ranks_begin(self, NULL);
    buffers_open(&buffers, self, size);
    for (int root = 0; root < size; root++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            FORK_CHECK(self, broadcast(&buffers, sizes[i], root) == SYMM_OK);
        }
    }
    buffers_close(&buffers);
}

/*
 * In pieces that are copied out of slots, much later than they could be passed on; little ones by
 * another way.
 */
static void run_by_slots(struct fork_rank *self, void *context)
{
    int size = *(const int *)context;
    struct buffers buffers = {.by_slots = true, .is_busy = true};
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    buffers_open(&buffers, self, size);
    for (int root = 0; root < size; root++) {
        FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, root) == SYMM_OK);
    }
    FORK_CHECK(self, broadcast(&buffers, 300001, 0) == SYMM_OK);
    buffers_close(&buffers);
}

struct pass_fault {
    struct cuda_fault fault;
    bool by_slots;
};

/* A copy of some rank does not start, or fails on its way: the call ends on all ranks. */
static void run_with_fault(struct fork_rank *self, void *context)
{
    const struct pass_fault *pass = context;
    const struct cuda_fault *fault = &pass->fault;
    bool is_for_good = strcmp(fault->what, "copy") == 0 || strcmp(fault->what, "kernel") == 0;
    struct buffers buffers = {.by_slots = pass->by_slots};
    char text[100];
    (void)snprintf(text, sizeof(text), "%s:%d", fault->what, fault->use);
    cuda_ranks_begin(self, text);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    device_driver_symbol(self, "symm_standin_watch", &buffers.ranks.watch);
    buffers.ranks.watch(0);
    buffers_open(&buffers, self, 4);
    symm_device_use_graphs(false);
    FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, 1) == SYMM_ERR_SYSTEM);
    if (!is_for_good) {
        FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, 2) == SYMM_OK);
        buffers_close(&buffers);
    }
}

/* Other work leaves room for one to three pieces on a device: the next one waits for it. */
static void run_without_room(struct fork_rank *self, void *context)
{
    struct buffers buffers = {.stream = 0};
    struct symm_ticket tickets[CUDA_DEVICES][SYMM_CUDA_SLOTS];
    unsigned polls = 0;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    buffers_open(&buffers, self, 3);
    for (int kept = SYMM_CUDA_SLOTS - 1; kept >= SYMM_CUDA_SLOTS - 3; kept--) {
        for (int device = 0; device < CUDA_DEVICES; device++) {
            struct cuda_rank *rank = &buffers.ranks.ranks[device];
            for (int i = 0; i < kept; i++) {
                const struct symm_cuda_push push = {rank->input + i, rank->output + i, 1};
                FORK_STATUS(self, symm_device_push_start(rank->device, &push, 1, false, 1,
                                                         &tickets[device][i]), SYMM_OK);
            }
        }
        FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, kept % 3) == SYMM_OK);
        for (int i = 0; i < CUDA_DEVICES * kept; i++) {
            struct symm_device *device = buffers.ranks.ranks[i / kept].device;
            while (symm_device_ticket_test(device, &tickets[i / kept][i % kept]) == SYMM_PENDING) {
                unit_pause(&polls);
            }
        }
    }
    buffers_close(&buffers);
}

/* The root gives up in the middle, as if the others had died: nothing of it goes on. */
static void run_given_up(struct fork_rank *self, void *context)
{
    static const struct symm_ticket none;
    struct buffers buffers = {.stream = 0};
    unsigned polls = 0, waited = 0;
    (void)context;
    cuda_ranks_begin(self, NULL);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "300", 1) == 0);
    buffers_open(&buffers, self, 3);
    for (int steps = 1; steps < 8; steps++) {
        struct cuda_rank *root = &buffers.ranks.ranks[0];
        struct symm_run run = run_of(&buffers, BYTES_MOST, 0);
        run.team = &root->team;
        run.device = root->device;
        run.sequence = ++buffers.ranks.sequence;
        run.input = run.output = buffers.memory[0];
        run.outputs = buffers.memory;
        for (int step = 0; step < steps; step++) {
            FORK_STATUS(self, symm_run_step(&run), SYMM_PENDING);
        }
        for (; symm_run_give_up(&run) == SYMM_PENDING; waited++) {
            unit_pause(&polls);
        }
        for (int i = 0; i < SYMM_PIPELINE_DEPTH; i++) {
            FORK_CHECK(self, memcmp(&run.pipeline.pushes[i], &none, sizeof(none)) == 0);
        }
    }
    FORK_CHECK(self, waited > 0);
    FORK_CHECK(self, broadcast(&buffers, BYTES_MOST, 0) == SYMM_OK);
    buffers_close(&buffers);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_broadcasts(void **state)
{
    (void)state;
    for (int size = 1; size <= CUDA_RANKS_MOST; size++) {
        fork_ranks_run(1, run_broadcasts, &size);
    }
}

static void test_by_slots(void **state)
{
    (void)state;
    for (int size = 2; size <= CUDA_RANKS_MOST; size++) { /* two ranks have another way */
        fork_ranks_run(1, run_by_slots, &size);
    }
}

/* Three pieces go over three links, or many of them, which are copied out as well. */
static void test_faults(void **state)
{
    static const char *const names[] = {"cuMemcpyAsync", "cuEventRecord", "copy",
                                        "cuLaunchKernel", "kernel"};
    enum { NAMES = sizeof(names) / sizeof(*names), NAMES_OF_COPIES = 3 };
    (void)state;
    for (int i = 0; i < NAMES + NAMES_OF_COPIES; i++) {
        for (int use = 1; use <= 9; use++) {
            struct pass_fault pass = {{names[i % NAMES], use}, i < NAMES};
            print_message("# %s, use %d%s\n", pass.fault.what, use,
                          pass.by_slots ? ", slots" : "");
            fork_ranks_run(1, run_with_fault, &pass);
        }
    }
}

static void test_no_room(void **state)
{
    (void)state;
    fork_ranks_run(1, run_without_room, NULL);
}

static void test_given_up(void **state)
{
    (void)state;
    fork_ranks_run(1, run_given_up, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_by_slots),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_given_up),
    };
    unit_begin("test_cuda_pass", 60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
