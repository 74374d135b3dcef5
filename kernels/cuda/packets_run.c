/*
 * packets_run.c - collectives by packets, mostly of little data (packets.cuh): ranks store to each
 * other's pads, and wait for their own.
 *
 * Pads are the scratches of the run.  A pad has a row for each rank, and a row holds the packets of
 * one call.  Why one row is enough: a rank sends after it has read the lines of all ranks, and a
 * rank posts its line after it has ended the call before (a lane makes one call at a time).  So
 * nobody reads a row any more when it is stored to.  What an earlier call has left there has
 * another flag, the low half of the call's number.
 *
 * Nothing is agreed at the end.  A rank has ended when its own packets are there and what it sends
 * has been stored.  No rank touches buffers of others, so nobody has to know.
 *
 * A kernel does not wait for long.  If it comes back late, the rank has sent all that it sends, and
 * it waits for the others on the host, as any algorithm does; all raise a phase when they have
 * sent.  Then a second kernel finds everything there.  So a rank that has stopped, or died, keeps
 * no device busy.  A rank whose device fails raises its phase with a mark, and those who are late
 * fail, too.  Others have all their data, and their call has succeeded.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"
#include "kernels/pattern.h"

enum {
    ROW_ALIGNMENT = 128,
    PATIENCE = 100 * 1000, /* ns; fifty times what small packets take */
    BYTES_PER_NS = 4,      /* of data: less than links carry */
    LATES_MOST = 1000,     /* second kernels: they have nothing to wait for, so one is enough */
};

/* Of a run; the first ones are those of steps.h. */
enum { STARTING = SYMM_CUDA_STARTING, WORKING, FAILED = SYMM_CUDA_DEPARTING, LATE };

static size_t row_bytes(const struct symm_work *work)
{
    return work->scratch_size / (size_t)work->team->size / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* Bytes of the array, or of a block; those of a reduce-scatter are equally long. */
static size_t block_of(const struct symm_work *work, enum symm_collective collective)
{
    switch (collective) {
    case SYMM_REDUCE_SCATTER:
    case SYMM_REDUCE_SCATTER_BLOCK:
        return work->begins[1] * work->reduction->extent;
    case SYMM_ALLTOALL:
        return work->count / (size_t)work->team->size;
    default:
        return symm_collective_get(collective)->reduces ? work->count * work->reduction->extent
                                                        : work->count;
    }
}

/*
 * A rank sends its own data to its own pad, too, so that a second kernel finds them.  That one
 * sends nothing.
 */
static void describe(const struct symm_work *work, enum symm_collective collective, bool sends,
                     struct symm_cuda_packets *packets)
{
    const int me = work->team->rank, ranks = work->team->size;
    const struct symm_pattern_call call = {
        .collective = collective, .rank = me, .ranks = ranks, .root = work->root,
        .input = work->input, .output = work->output, .block = block_of(work, collective),
    };
    struct symm_pattern pattern;
    (void)symm_pattern_get(&call, &pattern);
    packets->bytes = symm_collective_get(collective)->reduces
                         ? symm_result_bytes(work->reduction, call.block) : call.block;
    packets->input_step = pattern.input_step;
    packets->output_step = pattern.output_step;
    packets->sources = pattern.sources;
    if (!sends) {
        pattern.targets = 0;
    }
    for (int rank = 0; rank < ranks; rank++) {
        if ((pattern.targets >> rank & 1) != 0) {
            packets->rows[rank] =
                (unsigned char *)work->scratches[rank] + (size_t)me * packets->pad_row;
        }
    }
    if (pattern.sources == 0 && pattern.targets == 0) {
        packets->bytes = 0;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static struct symm_kernel *packets_make(const struct symm_work *work, bool sends,
                                        struct symm_kernel *kernel)
{
    struct symm_cuda_packets packets = {
        .input = work->input,
        .output = work->output,
        .pad = work->scratches[work->team->rank],
        .pad_row = row_bytes(work),
        .flag = (uint32_t)work->sequence,
        .patience = PATIENCE,
    };
    const enum symm_collective collective = symm_algorithm_get(work->algorithm)->collective;
    describe(work, collective, sends, &packets);
    packets.patience += packets.bytes / BYTES_PER_NS;
    if (packets.bytes == 0) {
        return symm_kernel_nothing(kernel);
    }
    return symm_collective_get(collective)->reduces
               ? symm_kernel_packets_reduce(kernel, work->cuda_type, work->cuda_op, &packets,
                                            work->block_limit)
               : symm_kernel_packets_copy(kernel, &packets, work->block_limit);
}

static struct symm_kernel *make(const struct symm_work *work, struct symm_kernel *kernel)
{
    return packets_make(work, true, kernel);
}

static struct symm_kernel *late_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    return packets_make(work, false, kernel);
}

static enum symm_status fail(struct symm_run *run, enum symm_status status, int rank)
{
    run->failure = status;
    run->failed_rank = rank;
    return SYMM_OK;
}

/* The kernel has ended, and this rank has sent all that it sends. */
static enum symm_status kernel_end(struct symm_run *run)
{
    symm_run_raise(run, SYMM_CUDA_STEP_DEPART);
    run->failed_rank = -1;
    if (!run->completion.late) {
        return SYMM_OK;
    }
    run->stage = LATE;
    return SYMM_PENDING;
}

/* Wait on the host until all ranks have sent, and try again. */
static enum symm_status late_step(struct symm_run *run)
{
    if (!symm_run_reached(run, SYMM_CUDA_STEP_DEPART)) {
        return SYMM_PENDING;
    }
    int failed = symm_cuda_failed_rank(&run->work->team->control, run->work->sequence);
    if (failed >= 0) {
        return fail(run, SYMM_ERR_SYSTEM, failed);
    }
    if (++run->piece > LATES_MOST) {
        return fail(run, SYMM_ERR_PROTOCOL, run->work->team->rank);
    }
    run->stage = STARTING;
    return symm_run_more(run);
}

static enum symm_status step(struct symm_run *run)
{
    enum symm_status status;
    if (run->stage == STARTING) {
        status = symm_cuda_start(run, run->piece == 0 ? make : late_make, &run->completion);
        run->stage = status == SYMM_OK ? WORKING : STARTING;
    } else if (run->stage == WORKING) {
        status = symm_completion_test(run->work->device, &run->completion);
        if (status == SYMM_OK) {
            return kernel_end(run);
        }
    } else if (run->stage == LATE) {
        return late_step(run);
    } else { /* this rank has been told that it cannot do its part */
        return fail(run, run->failure, run->work->team->rank);
    }
    if (status != SYMM_OK && status != SYMM_PENDING) {
        symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
        return fail(run, status, run->work->team->rank);
    }
    return SYMM_PENDING;
}

#define PACKETS_ROW(collective_, COLLECTIVE)                                                       \
    SYMM_ALGORITHM_ROW(collective_, COLLECTIVE, cuda_packets, CUDA_PACKETS,                        \
                       .name = "cuda_packets", .memory = SYMM_ALGORITHM_DEVICE,                    \
                       .needs = SYMM_NEEDS_PADS, .slow = SYMM_SLOW_SHARED_DEVICES,                 \
                       .keeps_order = true, .step = step)

PACKETS_ROW(allreduce, ALLREDUCE);
PACKETS_ROW(reduce_scatter, REDUCE_SCATTER);
PACKETS_ROW(reduce_scatter_block, REDUCE_SCATTER_BLOCK);
PACKETS_ROW(scan, SCAN);
PACKETS_ROW(exscan, EXSCAN);
PACKETS_ROW(reduce, REDUCE);
PACKETS_ROW(allgather, ALLGATHER);
PACKETS_ROW(alltoall, ALLTOALL);
PACKETS_ROW(bcast, BCAST);
PACKETS_ROW(gather, GATHER);
PACKETS_ROW(scatter, SCATTER);
