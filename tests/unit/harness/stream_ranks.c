/*
 * stream_ranks.c - see stream_ranks.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/stream_ranks.h"

#include <sched.h>
#include <stdlib.h>

enum { DEVICES = 2 };

static void enter(const struct stream_ranks *ranks, int rank, struct symm_cuda_scope *scope)
{
    FORK_STATUS(ranks->self, symm_cuda_enter(ranks->all[rank].device, scope), SYMM_OK);
}

static void check(const struct stream_ranks *ranks, CUresult result)
{
    FORK_CHECK(ranks->self, result == CUDA_SUCCESS);
}

void stream_ranks_begin(struct stream_ranks *ranks, struct fork_rank *self, int size, size_t bytes,
                        uint32_t region)
{
    void *lanes[SYMM_STREAM_RANKS];
    *ranks = (struct stream_ranks){
        .self = self, .size = size, .limits = symm_stream_limits_default(size),
    };
    ranks->limits.region = region;
    const size_t memory = symm_stream_memory_bytes(&ranks->limits);
    FORK_CHECK(self, setenv("SYMM_STANDIN_DELAY", "20", 1) == 0);
    struct symm_process *process = device_process(self);
    for (int rank = 0; rank < size; rank++) {
        struct stream_rank *own = &ranks->all[rank];
        own->device = rank % DEVICES;
        struct symm_heap *heap = device_heap(self, process, own->device);
        own->input = device_alloc(self, heap, bytes);
        own->output = device_alloc(self, heap, bytes);
        own->lane = device_alloc(self, heap, memory);
        FORK_STATUS(self, symm_heap_clear(heap, own->lane, memory), SYMM_OK);
        lanes[rank] = own->lane;
    }
    for (int rank = 0; rank < size; rank++) {
        struct symm_cuda_scope scope;
        struct stream_rank *own = &ranks->all[rank];
        FORK_STATUS(self, symm_stream_queue_create(own->device, rank, size, lanes, &own->queue),
                    SYMM_OK);
        enter(ranks, rank, &scope);
        check(ranks, scope.cuda->cuStreamCreate(&own->stream, CU_STREAM_NON_BLOCKING));
        symm_cuda_leave(&scope);
    }
}

void stream_ranks_await(const struct stream_ranks *ranks, int rank)
{
    struct symm_cuda_scope scope;
    enter(ranks, rank, &scope);
    check(ranks, scope.cuda->cuStreamSynchronize(ranks->all[rank].stream));
    symm_cuda_leave(&scope);
}

/* A thread of the driver's tells of a graph's end, some time behind it. */
void stream_ranks_end(struct stream_ranks *ranks)
{
    for (int rank = 0; rank < ranks->size; rank++) {
        stream_ranks_await(ranks, rank);
        while (symm_stream_queue_is_held(ranks->all[rank].queue)) {
            (void)sched_yield();
        }
        symm_stream_queue_destroy(ranks->all[rank].queue);
    }
}

void stream_ranks_put(const struct stream_ranks *ranks, int rank, void *to, const void *from,
                      size_t size)
{
    struct symm_cuda_scope scope;
    enter(ranks, rank, &scope);
    check(ranks, scope.cuda->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to, from, size,
                                               ranks->all[rank].stream));
    symm_cuda_leave(&scope);
    stream_ranks_await(ranks, rank);
}

void stream_ranks_get(const struct stream_ranks *ranks, int rank, void *to, const void *from,
                      size_t size)
{
    struct symm_cuda_scope scope;
    enter(ranks, rank, &scope);
    check(ranks, scope.cuda->cuMemcpyDtoHAsync(to, (CUdeviceptr)(uintptr_t)from, size,
                                               ranks->all[rank].stream));
    symm_cuda_leave(&scope);
    stream_ranks_await(ranks, rank);
}

void stream_ranks_queue(const struct stream_ranks *ranks, int rank,
                        const struct symm_stream_call *call)
{
    const struct stream_rank *own = &ranks->all[rank];
    FORK_STATUS(ranks->self,
                symm_stream_queue_add(own->queue, call, &ranks->limits, own->stream), SYMM_OK);
}

/* ---- graphs ---------------------------------------------------------------------------------- */

void stream_ranks_capture(const struct stream_ranks *ranks, int rank)
{
    __typeof__(cuStreamBeginCapture) *begin;
    struct symm_cuda_scope scope;
    device_driver_symbol(ranks->self, "cuStreamBeginCapture_v2", &begin);
    enter(ranks, rank, &scope);
    check(ranks, begin(ranks->all[rank].stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    symm_cuda_leave(&scope);
}

CUgraphExec stream_ranks_captured(const struct stream_ranks *ranks, int rank)
{
    __typeof__(cuStreamEndCapture) *end;
    struct symm_cuda_scope scope;
    CUgraphExec exec;
    CUgraph graph;
    device_driver_symbol(ranks->self, "cuStreamEndCapture", &end);
    enter(ranks, rank, &scope);
    check(ranks, end(ranks->all[rank].stream, &graph));
    check(ranks, scope.cuda->cuGraphInstantiateWithFlags(&exec, graph, 0));
    check(ranks, scope.cuda->cuGraphDestroy(graph));
    symm_cuda_leave(&scope);
    return exec;
}

void stream_ranks_launch(const struct stream_ranks *ranks, int rank, CUgraphExec exec)
{
    struct symm_cuda_scope scope;
    enter(ranks, rank, &scope);
    check(ranks, scope.cuda->cuGraphLaunch(exec, ranks->all[rank].stream));
    symm_cuda_leave(&scope);
}

void stream_ranks_forget(const struct stream_ranks *ranks, int rank, CUgraphExec exec)
{
    struct symm_cuda_scope scope;
    enter(ranks, rank, &scope);
    check(ranks, scope.cuda->cuGraphExecDestroy(exec));
    symm_cuda_leave(&scope);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Each block of each rank, and the flags of its peers. */
static void lanes_change(const struct stream_ranks *ranks,
                         void (*change)(struct symm_stream_block *block, uint64_t *flags,
                                        uint32_t epoch),
                         uint32_t epoch)
{
    struct symm_stream_block blocks[SYMM_STREAM_BLOCKS];
    uint64_t flags[SYMM_STREAM_BLOCKS][SYMM_STREAM_RANKS];
    for (int rank = 0; rank < ranks->size; rank++) {
        struct symm_stream_memory *lane = ranks->all[rank].lane;
        stream_ranks_get(ranks, rank, blocks, lane->blocks, sizeof(blocks));
        stream_ranks_get(ranks, rank, flags, lane->flags, sizeof(flags));
        for (int block = 0; block < SYMM_STREAM_BLOCKS; block++) {
            change(&blocks[block], flags[block], epoch);
        }
        stream_ranks_put(ranks, rank, lane->blocks, blocks, sizeof(blocks));
        stream_ranks_put(ranks, rank, lane->flags, flags, sizeof(flags));
    }
}

static void epoch_change(struct symm_stream_block *block, uint64_t *flags, uint32_t epoch)
{
    (void)flags;
    block->word = (block->word & SYMM_STREAM_ROOTED) | (epoch - 1);
}

void stream_ranks_set_epoch(const struct stream_ranks *ranks, uint32_t epoch)
{
    lanes_change(ranks, epoch_change, epoch);
}

static void pushed_change(struct symm_stream_block *block, uint64_t *flags, uint32_t epoch)
{
    block->pushed = epoch - 1;
    for (int rank = 0; rank < SYMM_STREAM_RANKS; rank++) {
        flags[rank] = (uint64_t)(epoch - 1) << 32;
    }
}

void stream_ranks_set_pushed(const struct stream_ranks *ranks, uint32_t epoch)
{
    lanes_change(ranks, pushed_change, epoch);
}

uint32_t stream_ranks_poison(const struct stream_ranks *ranks, int rank)
{
    struct symm_stream_own own;
    stream_ranks_get(ranks, rank, &own, &ranks->all[rank].lane->own, sizeof(own));
    return own.poison;
}
