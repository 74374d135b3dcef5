/*
 * choose/table.c - see choose/table.h; here are the built-in rows.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/table.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device_code/arguments.h"
#include "mca/coll/symm/choose/model.h"

/* ---- what has been measured ------------------------------------------------------------------ */

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define ANY_RANKS 2, SYMM_ROW_RANKS_MOST
#define MANY_RANKS 25, SYMM_ROW_RANKS_MOST
#define ENDLESS UINT64_MAX
#define ROW(...) {__VA_ARGS__, SYMM_ROW_BUILT_IN, 0}

enum {
    REDUCE = SYMM_ALLREDUCE, GATHER = SYMM_ALLGATHER, SCATTER = SYMM_REDUCE_SCATTER,
    SCATTER_BLOCK = SYMM_REDUCE_SCATTER_BLOCK,
    SCAN = SYMM_SCAN, EXSCAN = SYMM_EXSCAN,
    EXCHANGE = SYMM_ALLTOALL, GATHER_V = SYMM_ALLGATHERV, EXCHANGE_V = SYMM_ALLTOALLV,
    EXCHANGE_W = SYMM_ALLTOALLW,
    BCAST = SYMM_BCAST, ROOT_REDUCE = SYMM_REDUCE, ROOT_GATHER = SYMM_GATHER,
    ROOT_SCATTER = SYMM_SCATTER, ROOT_GATHER_V = SYMM_GATHERV, ROOT_SCATTER_V = SYMM_SCATTERV,
    HOST = SYMM_ALGORITHM_HOST, DEVICE = SYMM_ALGORITHM_DEVICE,
    ANYWHERE = SYMM_ROW_ANYWHERE, OUT = SYMM_ROW_OUT, IN = SYMM_ROW_IN,
    EITHER = SYMM_ROW_EITHER,
};

/* Rows for all numbers of ranks say what is taken where the preferred algorithm is not possible. */
static const struct symm_row built_in[] = {
    /*
     * Host memory, 2 to 16 ranks: bench/results/gpu-host-*.table and gpu-host-chosen.txt with a
     * core for each rank, host-*.txt with two cores.  With more than two ranks one-shot reduces
     * more than staging copies.  Two ranks that reduce everything each are quicker than two that
     * wait once more, up to 32 KiB.  24 to 64 ranks: host-64-cores-*.txt.  In a two-shot each rank
     * waits for each other rank twice.  With 48 and 64 ranks a two-shot takes 1.0 to 2 times as
     * long as the component below, from 1 to 2 KiB.  With 32 ranks 2 KiB take 1.06 of the time of
     * the component below by two-shot, 1.22 in the slot, and 1.07 if they go below with a line that
     * says so.
     */
    ROW(REDUCE, HOST, MANY_RANKS, ANYWHERE, EITHER, 0, KIB(4), SYMM_ALGORITHM_BELOW),
    ROW(REDUCE, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLREDUCE_TWO_SHOT),
    ROW(REDUCE, HOST, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLREDUCE_ONE_SHOT),
    ROW(REDUCE, HOST, 2, 2, ANYWHERE, EITHER, 0, KIB(32) + 1, SYMM_ALLREDUCE_STAGED_ONE_SHOT),
    ROW(REDUCE, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLREDUCE_STAGED),
    /*
     * Results that fit the caches are read more quickly than written; between two ranks this holds
     * only for results that fit the larger caches.  In place the limits are higher, but the loss
     * from that is within the difference from run to run, as gpu-host-chosen.txt and
     * host-chosen.txt show.
     */
    ROW(GATHER, HOST, 2, 2, ANYWHERE, EITHER, KIB(40), KIB(176), SYMM_ALLGATHER_PULL),
    ROW(GATHER, HOST, 3, SYMM_ROW_RANKS_MOST, ANYWHERE, EITHER, 0, KIB(1280), SYMM_ALLGATHER_PULL),
    ROW(GATHER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_PUSH),
    ROW(GATHER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_PULL),
    ROW(GATHER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_STAGED),
    ROW(SCATTER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_SCATTER_PULL),
    ROW(SCATTER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_SCATTER_STAGED),
    ROW(SCATTER_BLOCK, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_REDUCE_SCATTER_BLOCK_PULL),
    ROW(SCATTER_BLOCK, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_REDUCE_SCATTER_BLOCK_STAGED),
    ROW(SCAN, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCAN_TWO_SHOT),
    ROW(SCAN, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCAN_STAGED),
    ROW(EXSCAN, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_EXSCAN_TWO_SHOT),
    /* Between two ranks this is one message: host-reduce-scatter-scan.txt, exscan, malloc. */
    ROW(EXSCAN, HOST, 2, 2, ANYWHERE, EITHER, KIB(24), ENDLESS, SYMM_ALGORITHM_BELOW),
    ROW(EXSCAN, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_EXSCAN_STAGED),
    /*
     * Exchanges: bench/results/host-exchanges.txt.  Between two ranks the component below copies
     * other memory in one step, which from some size on is quicker than staging, until it is left to
     * that component by agreement on the size of a block.
     */
    ROW(EXCHANGE, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALL_PULL),
    ROW(EXCHANGE, HOST, 2, 2, ANYWHERE, EITHER, KIB(48), KIB(448), SYMM_ALGORITHM_BELOW),
    ROW(EXCHANGE, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALL_STAGED),
    ROW(GATHER_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHERV_PULL),
    ROW(GATHER_V, HOST, 2, 2, ANYWHERE, EITHER, KIB(48), KIB(448), SYMM_ALGORITHM_BELOW),
    ROW(GATHER_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHERV_STAGED),
    ROW(EXCHANGE_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLV_PULL),
    ROW(EXCHANGE_V, HOST, 2, 2, ANYWHERE, EITHER, KIB(48), KIB(448), SYMM_ALGORITHM_BELOW),
    ROW(EXCHANGE_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLV_STAGED),
    ROW(EXCHANGE_W, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLW_PULL),
    ROW(EXCHANGE_W, HOST, 2, 2, ANYWHERE, EITHER, KIB(48), KIB(448), SYMM_ALGORITHM_BELOW),
    ROW(EXCHANGE_W, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLW_STAGED),
    /* Two H200: bench/results/gpu-2-ranks-allreduce.table, from symm_bench --tune-to. */
    ROW(REDUCE, DEVICE, 2, 2, ANYWHERE, EITHER, MIB(576), ENDLESS, SYMM_ALLREDUCE_CUDA_COPY_ENGINE),
    ROW(REDUCE, DEVICE, 2, 2, ANYWHERE, EITHER, MIB(144), ENDLESS, SYMM_ALLREDUCE_CUDA_PUSH),
    /* Four H200: bench/results/gpu-4-ranks-allreduce-*.txt, gpu-through-scratch.txt. */
    ROW(REDUCE, DEVICE, 4, 4, ANYWHERE, EITHER, MIB(48), ENDLESS, SYMM_ALLREDUCE_CUDA_PUSH),
    /* Any number of ranks: two-shot is as quick as one-shot for small arrays, and moves less. */
    ROW(REDUCE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLREDUCE_CUDA_TWO_SHOT),
    ROW(REDUCE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLREDUCE_CUDA_ONE_SHOT),
    ROW(REDUCE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLREDUCE_CUDA_SCRATCH),
    /*
     * Two H200: bench/results/gpu-2-ranks-allgather.table, from symm_bench --tune-to.  In place an
     * engine does everything; otherwise a kernel has to copy a rank's own block.
     */
    ROW(GATHER, DEVICE, 2, 2, OUT, EITHER, 0, MIB(9), SYMM_ALLGATHER_CUDA_KERNEL),
    ROW(GATHER, DEVICE, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_CUDA_COPY_ENGINE),
    /* Four H200: bench/results/gpu-4-ranks-allgather-*.txt. */
    ROW(GATHER, DEVICE, 4, 4, ANYWHERE, EITHER, 0, MIB(8) + 1, SYMM_ALLGATHER_CUDA_KERNEL),
    ROW(GATHER, DEVICE, 4, 4, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_CUDA_COPY_ENGINE),
    /* Any number of ranks. */
    ROW(GATHER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_CUDA_KERNEL),
    ROW(GATHER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHER_CUDA_SCRATCH),
    /* Two H100: bench/results/gpu-h100-2-ranks-reduce_scatter.table. */
    ROW(SCATTER, DEVICE, 2, 4, IN, EITHER, 0, MIB(16) + 1, SYMM_REDUCE_SCATTER_CUDA_TWO_SHOT),
    ROW(SCATTER_BLOCK, DEVICE, 2, 4, IN, EITHER, 0, MIB(16) + 1,
        SYMM_REDUCE_SCATTER_BLOCK_CUDA_TWO_SHOT),
    ROW(SCATTER, DEVICE, 2, 2, IN, EITHER, MIB(352), ENDLESS,
        SYMM_REDUCE_SCATTER_CUDA_COPY_ENGINE),
    ROW(SCATTER_BLOCK, DEVICE, 2, 2, IN, EITHER, MIB(352), ENDLESS,
        SYMM_REDUCE_SCATTER_BLOCK_CUDA_COPY_ENGINE),
    ROW(SCATTER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_SCATTER_CUDA_PULL),
    ROW(SCATTER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_SCATTER_CUDA_PUSH),
    ROW(SCATTER_BLOCK, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_REDUCE_SCATTER_BLOCK_CUDA_PULL),
    ROW(SCATTER_BLOCK, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_REDUCE_SCATTER_BLOCK_CUDA_PUSH),
    /* Elements with padding do not go through scratch. */
    ROW(SCATTER, DEVICE, ANY_RANKS, IN, EITHER, 0, ENDLESS, SYMM_REDUCE_SCATTER_CUDA_TWO_SHOT),
    ROW(SCATTER_BLOCK, DEVICE, ANY_RANKS, IN, EITHER, 0, ENDLESS,
        SYMM_REDUCE_SCATTER_BLOCK_CUDA_TWO_SHOT),
    /*
     * Two H100: bench/results/gpu-h100-2-ranks-scan.table.  The rows for more devices are not
     * measured.  They follow from the bytes: by pull ranks - 1 arrays enter the last device, in a
     * two-shot less than one array enters each device and as much leaves it.
     */
    ROW(SCAN, DEVICE, 3, SYMM_ROW_RANKS_MOST, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_SCAN_CUDA_TWO_SHOT),
    ROW(EXSCAN, DEVICE, 3, SYMM_ROW_RANKS_MOST, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_EXSCAN_CUDA_TWO_SHOT),
    ROW(SCAN, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCAN_CUDA_PULL),
    ROW(SCAN, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCAN_CUDA_SCRATCH),
    ROW(EXSCAN, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_EXSCAN_CUDA_PULL),
    ROW(EXSCAN, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_EXSCAN_CUDA_SCRATCH),
    /*
     * Two H100: bench/results/gpu-h100-2-ranks-alltoall.table and -allgatherv.table.  In an
     * allgatherv in place an engine does everything.
     */
    ROW(EXCHANGE, DEVICE, 2, 2, OUT, EITHER, MIB(10), ENDLESS, SYMM_ALLTOALL_CUDA_COPY_ENGINE),
    ROW(GATHER_V, DEVICE, 2, 2, OUT, EITHER, 0, MIB(12), SYMM_ALLGATHERV_CUDA_KERNEL),
    ROW(GATHER_V, DEVICE, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHERV_CUDA_COPY_ENGINE),
    ROW(EXCHANGE_V, DEVICE, 2, 2, OUT, EITHER, MIB(10), ENDLESS, SYMM_ALLTOALLV_CUDA_COPY_ENGINE),
    ROW(EXCHANGE_W, DEVICE, 2, 2, OUT, EITHER, MIB(10), ENDLESS, SYMM_ALLTOALLW_CUDA_COPY_ENGINE),
    /* Any number of ranks. */
    ROW(EXCHANGE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALL_CUDA_KERNEL),
    ROW(EXCHANGE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALL_CUDA_SCRATCH),
    ROW(GATHER_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHERV_CUDA_KERNEL),
    ROW(GATHER_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLGATHERV_CUDA_SCRATCH),
    ROW(EXCHANGE_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLV_CUDA_KERNEL),
    ROW(EXCHANGE_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLV_CUDA_SCRATCH),
    ROW(EXCHANGE_W, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLW_CUDA_KERNEL),
    ROW(EXCHANGE_W, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_ALLTOALLW_CUDA_SCRATCH),
    /*
     * Collectives with a root.  Host: bench/results/host-rooted.txt; between two ranks as above.  Two
     * H100: bench/results/gpu-h100-2-ranks-bcast.table and so on.  The
     * rows for more devices follow from the structure: passing on what came makes the root send an
     * array once, for some more meetings.
     */
    ROW(BCAST, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_BCAST_PULL),
    ROW(BCAST, HOST, 2, 2, ANYWHERE, EITHER, KIB(48), KIB(448), SYMM_ALGORITHM_BELOW),
    ROW(BCAST, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_BCAST_STAGED),
    ROW(BCAST, DEVICE, 3, SYMM_ROW_RANKS_MOST, ANYWHERE, EITHER, MIB(4), ENDLESS,
        SYMM_BCAST_CUDA_PASS),
    ROW(BCAST, DEVICE, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_BCAST_CUDA_COPY_ENGINE),
    ROW(BCAST, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_BCAST_CUDA_PUSH),
    ROW(BCAST, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_BCAST_CUDA_SCRATCH),
    ROW(ROOT_REDUCE, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_TWO_SHOT),
    ROW(ROOT_REDUCE, HOST, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_ONE_SHOT),
    ROW(ROOT_REDUCE, HOST, 2, 2, ANYWHERE, EITHER, KIB(32), KIB(384), SYMM_ALGORITHM_BELOW),
    ROW(ROOT_REDUCE, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_STAGED),
    ROW(ROOT_REDUCE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_CUDA_TWO_SHOT),
    ROW(ROOT_REDUCE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_CUDA_ONE_SHOT),
    ROW(ROOT_REDUCE, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_REDUCE_CUDA_SCRATCH),
    ROW(ROOT_GATHER, HOST, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_PULL),
    ROW(ROOT_GATHER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_PUSH),
    ROW(ROOT_GATHER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_PULL),
    ROW(ROOT_GATHER, HOST, 2, 2, ANYWHERE, EITHER, KIB(96), KIB(384), SYMM_ALGORITHM_BELOW),
    ROW(ROOT_GATHER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_STAGED),
    ROW(ROOT_GATHER, DEVICE, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_CUDA_COPY_ENGINE),
    ROW(ROOT_GATHER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_CUDA_PUSH),
    ROW(ROOT_GATHER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHER_CUDA_SCRATCH),
    ROW(ROOT_SCATTER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTER_PULL),
    ROW(ROOT_SCATTER, HOST, 2, 2, ANYWHERE, EITHER, KIB(96), KIB(768), SYMM_ALGORITHM_BELOW),
    /* With 16 ranks the root's copies take longer than theirs: gpu-host-collectives-malloc.txt. */
    ROW(ROOT_SCATTER, HOST, 12, SYMM_ROW_RANKS_MOST, ANYWHERE, EITHER, KIB(448), ENDLESS,
        SYMM_ALGORITHM_BELOW),
    ROW(ROOT_SCATTER, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTER_STAGED),
    ROW(ROOT_SCATTER, DEVICE, 2, 2, OUT, EITHER, 0, MIB(9), SYMM_SCATTER_CUDA_PUSH),
    ROW(ROOT_SCATTER, DEVICE, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTER_CUDA_COPY_ENGINE),
    ROW(ROOT_SCATTER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTER_CUDA_PUSH),
    ROW(ROOT_SCATTER, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTER_CUDA_SCRATCH),
    /*
     * Rows of these go by the bytes that a rank sends on average.  Two devices: they do what the
     * collectives with equal counts do, above.
     */
    ROW(ROOT_GATHER_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHERV_PULL),
    ROW(ROOT_GATHER_V, HOST, 2, 2, ANYWHERE, EITHER, KIB(24), KIB(96), SYMM_ALGORITHM_BELOW),
    ROW(ROOT_GATHER_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHERV_STAGED),
    ROW(ROOT_GATHER_V, DEVICE, 2, 2, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHERV_CUDA_COPY_ENGINE),
    ROW(ROOT_GATHER_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHERV_CUDA_KERNEL),
    ROW(ROOT_GATHER_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_GATHERV_CUDA_SCRATCH),
    ROW(ROOT_SCATTER_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTERV_PULL),
    ROW(ROOT_SCATTER_V, HOST, 2, 2, ANYWHERE, EITHER, KIB(48), KIB(384), SYMM_ALGORITHM_BELOW),
    ROW(ROOT_SCATTER_V, HOST, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS, SYMM_SCATTERV_STAGED),
    ROW(ROOT_SCATTER_V, DEVICE, 2, 2, ANYWHERE, EITHER, KIB(4608), ENDLESS,
        SYMM_SCATTERV_CUDA_COPY_ENGINE),
    ROW(ROOT_SCATTER_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_SCATTERV_CUDA_KERNEL),
    ROW(ROOT_SCATTER_V, DEVICE, ANY_RANKS, ANYWHERE, EITHER, 0, ENDLESS,
        SYMM_SCATTERV_CUDA_SCRATCH),
};

/*
 * Little data between devices go by packets, ahead of the model's rows, which do not know them.
 * Their limits are not measured.  By prototypes a result of 64 KiB takes .7 us more than one of 8
 * bytes between two devices, and 2.5 us more between four; what others send to a rank grows with
 * their number.
 */
#define PACKETS(collective, algorithm)                                                            \
    ROW(collective, DEVICE, 2, 4, ANYWHERE, EITHER, 0, KIB(64) + 1, algorithm),                   \
    ROW(collective, DEVICE, 5, SYMM_CUDA_SMALL_RANKS, ANYWHERE, EITHER, 0, KIB(32) + 1, algorithm)

static const struct symm_row little[] = {
    PACKETS(REDUCE, SYMM_ALLREDUCE_CUDA_PACKETS),
    PACKETS(GATHER, SYMM_ALLGATHER_CUDA_PACKETS),
    PACKETS(SCATTER, SYMM_REDUCE_SCATTER_CUDA_PACKETS),
    PACKETS(SCATTER_BLOCK, SYMM_REDUCE_SCATTER_BLOCK_CUDA_PACKETS),
    PACKETS(SCAN, SYMM_SCAN_CUDA_PACKETS),
    PACKETS(EXSCAN, SYMM_EXSCAN_CUDA_PACKETS),
    PACKETS(EXCHANGE, SYMM_ALLTOALL_CUDA_PACKETS),
    PACKETS(BCAST, SYMM_BCAST_CUDA_PACKETS),
    PACKETS(ROOT_REDUCE, SYMM_REDUCE_CUDA_PACKETS),
    PACKETS(ROOT_GATHER, SYMM_GATHER_CUDA_PACKETS),
    PACKETS(ROOT_SCATTER, SYMM_SCATTER_CUDA_PACKETS),
};

#undef PACKETS

enum { LITTLE_ROWS = sizeof(little) / sizeof(little[0]) };
enum { BUILT_IN_ROWS = sizeof(built_in) / sizeof(built_in[0]) };

/*
 * Bytes of all ranks together that travel in the slot, where every rank reads everything but for
 * reduce-scatters and all-to-all calls
 * (bench/results/gpu-host-*.table, gpu-host-chosen.txt).  At the upper end, as for 2 KiB of eight
 * ranks, the heap's memory would be quicker than the slot by about as much as other memory, which
 * would be staged, is slower.  The ranks do not know yet which memory it is.  Runs differ: from 16
 * to 64 KiB in all-gathers of eight ranks.
 */
static uint64_t slot_bytes_in_all(const struct symm_collective_row *collective, int ranks)
{
    if (ranks == 2 && collective->scatters) { /* host-reduce-scatter-scan.txt */
        return KIB(3);
    }
    if (collective->scatters || (collective->has_blocks && !collective->gathers)) {
        return KIB(4) * (uint64_t)ranks; /* each rank reads a part of each line: gpu-host-slot.txt */
    }
    if (ranks <= 16) {
        return KIB(16);
    }
    return collective->gathers ? KIB(64) : KIB(32); /* host-64-cores-*.txt */
}

/* ---- a team's table -------------------------------------------------------------------------- */

static bool is_for(const struct symm_row *row, enum symm_collective collective,
                   enum symm_algorithm_memory memory, int ranks)
{
    return row->collective == collective && row->memory == memory && ranks >= row->ranks_least &&
           (ranks <= row->ranks_most || row->ranks_most == SYMM_ROW_RANKS_MOST);
}

/* Whether a row is for all numbers of ranks.  Such rows stand behind the preferred ones. */
static bool is_general(const struct symm_row *row)
{
    return row->ranks_least == 2 && row->ranks_most == SYMM_ROW_RANKS_MOST;
}

/* Whether built-in rows say for this number of ranks what is preferred. */
static bool is_measured(enum symm_collective collective, enum symm_algorithm_memory memory,
                        int ranks)
{
    if (memory == SYMM_ALGORITHM_HOST) {
        return true;
    }
    for (int i = 0; i < BUILT_IN_ROWS; i++) {
        if (is_for(&built_in[i], collective, memory, ranks) && !is_general(&built_in[i])) {
            return true;
        }
    }
    return false;
}

/* The table that is being filled. */
struct filling {
    struct symm_table *table;
    int ranks, count;
};

static void rows_add(struct filling *filling, const struct symm_row *rows, size_t count,
                     enum symm_collective collective, enum symm_algorithm_memory memory)
{
    for (size_t i = 0; i < count && filling->count < SYMM_TABLE_ROWS; i++) {
        if (is_for(&rows[i], collective, memory, filling->ranks)) {
            filling->table->rows[filling->count++] = rows[i];
        }
    }
}

static void model_add(struct filling *filling, enum symm_collective collective, bool measured)
{
    struct symm_row rows[SYMM_MODEL_ROWS];
    size_t count = mca_coll_symm_model_rows(collective, filling->ranks, measured, rows);
    rows_add(filling, rows, count, collective, SYMM_ALGORITHM_DEVICE);
}

void mca_coll_symm_table_fill(struct symm_table *table, int ranks, const struct symm_row *file,
                              size_t file_rows)
{
    struct filling filling = {.table = table, .ranks = ranks};
    memset(table, 0, sizeof(*table));
    for (int part = 0; part < SYMM_COLLECTIVE_COUNT * SYMM_ALGORITHM_MEMORIES; part++) {
        enum symm_collective collective = (enum symm_collective)(part / SYMM_ALGORITHM_MEMORIES);
        enum symm_algorithm_memory memory =
            (enum symm_algorithm_memory)(part % SYMM_ALGORITHM_MEMORIES);
        int begin = filling.count;
        rows_add(&filling, file, file_rows, collective, memory);
        int from_file = filling.count - begin;
        rows_add(&filling, little, LITTLE_ROWS, collective, memory);
        if (memory == SYMM_ALGORITHM_DEVICE) {
            model_add(&filling, collective, is_measured(collective, memory, ranks));
        }
        rows_add(&filling, built_in, BUILT_IN_ROWS, collective, memory);
        table->parts[collective][memory] =
            (struct symm_table_part){.begin = (uint16_t)begin,
                                     .count = (uint16_t)(filling.count - begin),
                                     .from_file = (uint16_t)from_file};
    }
}

/* The first of so many rows of host memory that is for results of `bytes`; NULL: none. */
static const struct symm_row *first_for(const struct symm_table *table,
                                        const struct symm_table_part *part, int count,
                                        uint64_t bytes)
{
    for (int i = 0; i < count; i++) {
        const struct symm_row *row = &table->rows[part->begin + i];
        if (mca_coll_symm_row_has(row, bytes)) {
            return row;
        }
    }
    return NULL;
}

static bool is_in_slot(const struct symm_row *row)
{
    return row->algorithm != SYMM_ALGORITHM_BELOW &&
           symm_algorithm_get((enum symm_algorithm)row->algorithm)->in_slot;
}

bool mca_coll_symm_table_slot(const struct symm_table *table, enum symm_collective collective,
                              int ranks, size_t bytes)
{
    const struct symm_collective_row *described = symm_collective_get(collective);
    const struct symm_table_part *part = &table->parts[collective][SYMM_ALGORITHM_HOST];
    const struct symm_row *row = first_for(table, part, part->from_file,
                                           symm_collective_result(described, bytes, ranks));
    if (row != NULL) {
        return is_in_slot(row);
    }
    uint64_t lines = described->from_root ? 1 : (uint64_t)ranks; /* that carry so many bytes */
    return (uint64_t)bytes * lines <= slot_bytes_in_all(described, ranks);
}

bool mca_coll_symm_table_below(const struct symm_table *table, enum symm_collective collective,
                               int ranks, size_t bytes)
{
    const struct symm_collective_row *described = symm_collective_get(collective);
    const struct symm_table_part *part = &table->parts[collective][SYMM_ALGORITHM_HOST];
    const struct symm_row *row = first_for(table, part, part->count,
                                           symm_collective_result(described, bytes, ranks));
    return row != NULL && row->algorithm == SYMM_ALGORITHM_BELOW &&
           row->place == SYMM_ROW_ANYWHERE && row->multicast == SYMM_ROW_EITHER;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *mca_coll_symm_table_word(int algorithm)
{
    return algorithm == SYMM_ALGORITHM_BELOW
               ? "below" : symm_algorithm_word(symm_algorithm_get((enum symm_algorithm)algorithm));
}

int mca_coll_symm_table_algorithm(enum symm_collective collective,
                                  enum symm_algorithm_memory memory, const char *word)
{
    for (int algorithm = 0; algorithm <= SYMM_ALGORITHM_BELOW; algorithm++) {
        if ((algorithm == SYMM_ALGORITHM_BELOW ||
             symm_algorithm_is_for(algorithm, collective, memory)) &&
            strcmp(mca_coll_symm_table_word(algorithm), word) == 0) {
            return algorithm;
        }
    }
    return -1;
}

static int ranks_format(const struct symm_row *row, char *text, size_t size)
{
    if (row->ranks_least == row->ranks_most) {
        return snprintf(text, size, "%u", row->ranks_least);
    }
    if (row->ranks_most != SYMM_ROW_RANKS_MOST) {
        return snprintf(text, size, "%u-%u", row->ranks_least, row->ranks_most);
    }
    return row->ranks_least == 2 ? snprintf(text, size, "any")
                                 : snprintf(text, size, "%u-", row->ranks_least);
}

static int bytes_format(uint64_t bytes, char *text, size_t size)
{
    static const char suffixes[] = {'G', 'M', 'K'};
    for (unsigned i = 0; i < sizeof(suffixes) && bytes > 0; i++) {
        unsigned shift = 30 - 10 * i;
        if (bytes % (UINT64_C(1) << shift) == 0) {
            return snprintf(text, size, "%llu%c", (unsigned long long)(bytes >> shift),
                            suffixes[i]);
        }
    }
    return snprintf(text, size, "%llu", (unsigned long long)bytes);
}

void mca_coll_symm_row_format(const struct symm_row *row, char text[SYMM_ROW_TEXT])
{
    static const char *const places[] = {"any", "out", "in"};
    static const char *const multicasts[] = {"any", "yes", "no"};
    char ranks[16], from[24], to[24] = "";
    (void)ranks_format(row, ranks, sizeof(ranks));
    (void)bytes_format(row->from, from, sizeof(from));
    if (row->to != UINT64_MAX) {
        to[0] = '-';
        (void)bytes_format(row->to, to + 1, sizeof(to) - 1);
    }
    (void)snprintf(text, SYMM_ROW_TEXT, "%s %s %s %s %s %s%s %s",
                   symm_collective_get((enum symm_collective)row->collective)->name,
                   row->memory == SYMM_ALGORITHM_HOST ? "host" : "device", ranks,
                   places[row->place], multicasts[row->multicast], from, to,
                   mca_coll_symm_table_word(row->algorithm));
}
