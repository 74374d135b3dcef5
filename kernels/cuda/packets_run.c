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
#include "kernels/prefix.h"
#include "kernels/rooted.h"

enum {
    ROW_ALIGNMENT = 128,
    PATIENCE = 100 * 1000, /* ns; fifty times what small packets take */
    BYTES_PER_NS = 4,      /* of data: less than links carry */
    LATES_MOST = 1000,     /* second kernels: they have nothing to wait for, so one is enough */
};

/* Of a run; the first ones are those of steps.h. */
enum { STARTING = SYMM_CUDA_STARTING, WORKING, FAILED = SYMM_CUDA_DEPARTING, LATE };

static enum symm_collective collective_of(const struct symm_run *run)
{
    return symm_algorithm_get(run->algorithm)->collective;
}

static size_t row_bytes(const struct symm_run *run)
{
    return run->scratch_size / (size_t)run->team->size / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* ---- who sends what to whom ------------------------------------------------------------------ */

static void send_to(const struct symm_run *run, struct symm_cuda_packets *packets, int rank)
{
    packets->rows[rank] = (unsigned char *)run->scratches[rank] +
                          (size_t)run->team->rank * row_bytes(run);
}

static void receive_from(struct symm_cuda_packets *packets, int rank)
{
    packets->sources |= UINT64_C(1) << rank;
}

static size_t elements_bytes(const struct symm_run *run, size_t count)
{
    return symm_result_bytes(run->reduction, count * run->reduction->extent);
}

/* Each rank has an array for all. */
static void array_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    packets->bytes = elements_bytes(run, run->count);
    for (int rank = 0; rank < run->team->size; rank++) {
        send_to(run, packets, rank);
        receive_from(packets, rank);
    }
}

/* Blocks are equally long. */
static void scatter_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    size_t count = run->begins[1];
    array_describe(run, packets);
    packets->bytes = elements_bytes(run, count);
    packets->input_step = count * run->reduction->extent;
}

static void scan_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    int me = run->team->rank;
    packets->bytes = elements_bytes(run, run->count);
    for (int rank = 0; rank < run->team->size; rank++) {
        if (me < symm_prefix_length(run, rank)) {
            send_to(run, packets, rank);
        }
        if (rank < symm_prefix_length(run, me)) {
            receive_from(packets, rank);
        }
    }
}

static void reduce_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    packets->bytes = elements_bytes(run, run->count);
    send_to(run, packets, run->root);
    for (int rank = 0; rank < run->team->size && symm_rooted_is_root(run); rank++) {
        receive_from(packets, rank);
    }
}

/* All ranks send to all, but not to themselves where the block is in its place. */
static void blocks_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    bool is_alltoall = collective_of(run) == SYMM_ALLTOALL;
    size_t block = is_alltoall ? run->count / (size_t)run->team->size : run->count;
    const unsigned char *own =
        (const unsigned char *)run->output + (size_t)run->team->rank * block;
    bool own_stays = (is_alltoall ? run->output : own) == run->input;
    packets->bytes = block;
    packets->input_step = is_alltoall ? block : 0;
    packets->output_step = block;
    for (int rank = 0; rank < run->team->size; rank++) {
        if (rank != run->team->rank || !own_stays) {
            send_to(run, packets, rank);
            receive_from(packets, rank);
        }
    }
}

static void bcast_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    packets->bytes = run->count;
    if (!symm_rooted_is_root(run)) {
        receive_from(packets, run->root);
        return;
    }
    for (int rank = 0; rank < run->team->size; rank++) {
        if (rank != run->root) {
            send_to(run, packets, rank);
        }
    }
}

/* A gather or a scatter: the root has a vector, and all have a block. */
static void vector_describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    bool is_from_root = symm_rooted_is_from_root(run), is_root = symm_rooted_is_root(run);
    const void *from;
    void *to;
    bool own_moves = symm_rooted_own(run, &from, &to);
    packets->bytes = run->count;
    packets->input_step = is_from_root ? run->count : 0;
    packets->output_step = is_from_root ? 0 : run->count;
    for (int rank = 0; rank < run->team->size; rank++) {
        bool has_block = rank != run->root || own_moves;
        if (is_root && has_block && is_from_root) {
            send_to(run, packets, rank);
        } else if (is_root && has_block) {
            receive_from(packets, rank);
        }
    }
    if (!is_root || own_moves) {
        if (is_from_root) {
            receive_from(packets, run->root);
        } else {
            send_to(run, packets, run->root);
        }
    }
}

static void describe(const struct symm_run *run, struct symm_cuda_packets *packets)
{
    switch (collective_of(run)) {
    case SYMM_ALLREDUCE:
        array_describe(run, packets);
        break;
    case SYMM_REDUCE_SCATTER:
    case SYMM_REDUCE_SCATTER_BLOCK:
        scatter_describe(run, packets);
        break;
    case SYMM_SCAN:
    case SYMM_EXSCAN:
        scan_describe(run, packets);
        break;
    case SYMM_REDUCE:
        reduce_describe(run, packets);
        break;
    case SYMM_BCAST:
        bcast_describe(run, packets);
        break;
    case SYMM_GATHER:
    case SYMM_SCATTER:
        vector_describe(run, packets);
        break;
    default:
        blocks_describe(run, packets);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static bool sends_any(const struct symm_cuda_packets *packets)
{
    for (int rank = 0; rank < SYMM_CUDA_SMALL_RANKS; rank++) {
        if (packets->rows[rank] != NULL) {
            return true;
        }
    }
    return false;
}

static struct symm_kernel *make(const struct symm_run *run, struct symm_kernel *kernel)
{
    struct symm_cuda_packets packets = {
        .input = run->input,
        .output = run->output,
        .pad = run->scratches[run->team->rank],
        .pad_row = row_bytes(run),
        .flag = (uint32_t)run->sequence,
        .patience = PATIENCE,
    };
    describe(run, &packets);
    packets.patience += packets.bytes / BYTES_PER_NS;
    if (run->piece > 0) { /* everything has been sent */
        memset(packets.rows, 0, sizeof(packets.rows));
    }
    if (packets.bytes == 0 || (packets.sources == 0 && !sends_any(&packets))) {
        return symm_kernel_nothing(kernel);
    }
    return symm_collective_get(collective_of(run))->reduces
               ? symm_kernel_packets_reduce(kernel, run->cuda_type, run->cuda_op, &packets,
                                            run->block_limit)
               : symm_kernel_packets_copy(kernel, &packets, run->block_limit);
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
    int failed = symm_cuda_failed_rank(&run->team->control, run->sequence);
    if (failed >= 0) {
        return fail(run, SYMM_ERR_SYSTEM, failed);
    }
    if (++run->piece > LATES_MOST) {
        return fail(run, SYMM_ERR_PROTOCOL, run->team->rank);
    }
    run->stage = STARTING;
    return symm_run_more(run);
}

static enum symm_status step(struct symm_run *run)
{
    enum symm_status status;
    if (run->stage == STARTING) {
        status = symm_cuda_start(run, make, &run->completion);
        run->stage = status == SYMM_OK ? WORKING : STARTING;
    } else if (run->stage == WORKING) {
        status = symm_completion_test(run->device, &run->completion);
        if (status == SYMM_OK) {
            return kernel_end(run);
        }
    } else if (run->stage == LATE) {
        return late_step(run);
    } else { /* this rank has been told that it cannot do its part */
        return fail(run, run->failure, run->team->rank);
    }
    if (status != SYMM_OK && status != SYMM_PENDING) {
        symm_run_raise(run, SYMM_CUDA_STEP_FAILED);
        return fail(run, status, run->team->rank);
    }
    return SYMM_PENDING;
}

#define PACKETS_ROW(row, algorithm, served)                                                        \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = "cuda_packets",                                                                   \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_DEVICE,                                                          \
        .needs = SYMM_NEEDS_PADS,                                                                 \
        .slow = SYMM_SLOW_SHARED_DEVICES,                                                         \
        .keeps_order = true,                                                                      \
        .step = step,                                                                             \
    }

PACKETS_ROW(symm_allreduce_cuda_packets, SYMM_ALLREDUCE_CUDA_PACKETS, SYMM_ALLREDUCE);
PACKETS_ROW(symm_reduce_scatter_cuda_packets, SYMM_REDUCE_SCATTER_CUDA_PACKETS,
            SYMM_REDUCE_SCATTER);
PACKETS_ROW(symm_reduce_scatter_block_cuda_packets, SYMM_REDUCE_SCATTER_BLOCK_CUDA_PACKETS,
            SYMM_REDUCE_SCATTER_BLOCK);
PACKETS_ROW(symm_scan_cuda_packets, SYMM_SCAN_CUDA_PACKETS, SYMM_SCAN);
PACKETS_ROW(symm_exscan_cuda_packets, SYMM_EXSCAN_CUDA_PACKETS, SYMM_EXSCAN);
PACKETS_ROW(symm_reduce_cuda_packets, SYMM_REDUCE_CUDA_PACKETS, SYMM_REDUCE);
PACKETS_ROW(symm_allgather_cuda_packets, SYMM_ALLGATHER_CUDA_PACKETS, SYMM_ALLGATHER);
PACKETS_ROW(symm_alltoall_cuda_packets, SYMM_ALLTOALL_CUDA_PACKETS, SYMM_ALLTOALL);
PACKETS_ROW(symm_bcast_cuda_packets, SYMM_BCAST_CUDA_PACKETS, SYMM_BCAST);
PACKETS_ROW(symm_gather_cuda_packets, SYMM_GATHER_CUDA_PACKETS, SYMM_GATHER);
PACKETS_ROW(symm_scatter_cuda_packets, SYMM_SCATTER_CUDA_PACKETS, SYMM_SCATTER);
