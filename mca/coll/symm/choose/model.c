/*
 * choose/model.c - see choose/model.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/choose/model.h"

/* ---- constants ----------------------------------------------------------------------------------- */

/* Microseconds, those named _rank for each rank; rates in bytes a microsecond, between two devices and more. */
struct cost {
    double floor, floor_rank, start, start_rank;
    double rate_two, rate;
    double own; /* more floor out of place: one's own block is copied by a kernel */
};

static const struct cost costs[SYMM_ALGORITHM_COUNT] = {
    /*
     * Medians of the slowest rank on two and four H200 with NVLink 4: bench/results/gpu-2-ranks-*.txt and
     * gpu-4-ranks-*.txt.  Floors are those of small calls, starts and rates fit 256 KiB to 1 GiB.
     */
    [SYMM_ALLREDUCE_CUDA_ONE_SHOT] = {11.9, 1.1, 11.9, 1.1, 337e3, 288e3, 0},
    [SYMM_ALLREDUCE_CUDA_TWO_SHOT] = {11.1, 1.1, 11.1, 1.1, 337e3, 318e3, 0},
    [SYMM_ALLGATHER_CUDA_KERNEL] = {10.4, 1.0, 10.9, 1.0, 335e3, 335e3, 0},
    [SYMM_ALLGATHER_CUDA_COPY_ENGINE] = {0.4, 4.55, 1.1, 4.3, 383e3, 385e3, 5.2},
    /*
     * gpu-through-scratch.txt, with 512 MiB of scratch.  The start of push is such that the limit found with four
     * ranks comes out: its pieces are of a size at least, so below that its line is not straight.
     */
    [SYMM_ALLREDUCE_CUDA_PUSH] = {28.1, 1.1, 28.1, 1.1, 345e3, 342e3, 0},
    [SYMM_ALLREDUCE_CUDA_COPY_ENGINE] = {86, 0, 86, 0, 383e3, 336e3, 0},
    /*
     * By multicast: not measured.  A vector takes one load and one store however many ranks there are, so floor and
     * start are those of unicast between two; one-shot saves the way of a store to the switch and back, half a
     * microsecond.  Rates: 310 GB/s is what the published 480 GB/s of bus bandwidth of NCCL with NVLS on eight H100
     * are on a link; stores alone are taken to be as quick as unicast ones.
     */
    [SYMM_ALLREDUCE_CUDA_MULTIMEM] = {13.3, 0, 13.3, 0, 310e3, 310e3, 0},
    [SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT] = {12.8, 0, 12.8, 0, 310e3, 310e3, 0},
    [SYMM_ALLGATHER_CUDA_MULTIMEM] = {12.4, 0, 12.9, 0, 335e3, 335e3, 0},
};

/* What has not been measured has to promise so much more. */
static const double multicast_margin = 1.05;

/* ---- times --------------------------------------------------------------------------------------- */

/*
 * Bytes through a link.  By unicast each rank's share enters once for each other rank.  The switch reads the
 * replicas of all ranks, the asking one's as well, and stores to all of them: in an all-reduce a GPU gives its
 * whole array and its own slice of the result, 1 + 1/N times the array.
 */
static double link_bytes(enum symm_algorithm algorithm, double ranks, double bytes)
{
    switch (algorithm) {
    case SYMM_ALLREDUCE_CUDA_ONE_SHOT:
        return (ranks - 1) * bytes;
    case SYMM_ALLREDUCE_CUDA_TWO_SHOT:
    case SYMM_ALLREDUCE_CUDA_PUSH:
    case SYMM_ALLREDUCE_CUDA_COPY_ENGINE:
        return 2 * (ranks - 1) / ranks * bytes;
    case SYMM_ALLREDUCE_CUDA_MULTIMEM:
        return (1 + 1 / ranks) * bytes;
    case SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT:
        return ranks * bytes;
    case SYMM_ALLGATHER_CUDA_MULTIMEM:
        return bytes;
    default: /* the other all-gathers */
        return (ranks - 1) / ranks * bytes;
    }
}

double mca_coll_symm_model_time(enum symm_algorithm algorithm, int ranks, uint64_t bytes,
                                bool in_place)
{
    const struct cost *cost = &costs[algorithm];
    double rate = ranks == 2 ? cost->rate_two : cost->rate;
    if (rate <= 0) {
        return -1;
    }
    double least = cost->floor + cost->floor_rank * ranks + (in_place ? 0 : cost->own);
    double time = cost->start + cost->start_rank * ranks +
                  link_bytes(algorithm, ranks, (double)bytes) / rate;
    return time > least ? time : least;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

enum { SHIFT_LEAST = 10, SHIFT_MOST = 32 }; /* sizes from 1 KiB to 4 GiB */

/*
 * Who takes part.  Each field has rows of its own, the former before the latter: one-shot by multicast is not for all
 * types, and multicast not for all calls.
 */
enum field { FIELD_ALL, FIELD_BUT_ONE_SHOT, FIELD_UNICAST, FIELDS };

/* Whether a winner gets a row, or is one of a later field as well: or of the measured rows. */
static bool is_told(enum symm_algorithm winner, enum field field)
{
    switch (field) {
    case FIELD_ALL:
        return winner == SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT;
    case FIELD_BUT_ONE_SHOT:
        return symm_algorithm_is_multimem(winner);
    default:
        return true;
    }
}

static bool takes_part(enum symm_algorithm algorithm, enum symm_collective collective,
                       enum field field, bool in_place)
{
    if (!mca_coll_symm_table_is_for((int)algorithm, collective, SYMM_ROW_DEVICE) ||
        costs[algorithm].rate <= 0) {
        return false;
    }
    switch (algorithm) {
    case SYMM_ALLREDUCE_CUDA_ONE_SHOT:
        return !in_place;
    case SYMM_ALLREDUCE_CUDA_MULTIMEM_ONE_SHOT:
        return !in_place && field == FIELD_ALL;
    default:
        return field != FIELD_UNICAST || !symm_algorithm_is_multimem(algorithm);
    }
}

static enum symm_algorithm quickest(enum symm_collective collective, enum field field, int ranks,
                                    uint64_t bytes, bool in_place)
{
    enum symm_algorithm best = SYMM_ALGORITHM_COUNT;
    double best_time = 0;
    for (int i = 0; i < SYMM_ALGORITHM_COUNT; i++) {
        enum symm_algorithm algorithm = (enum symm_algorithm)i;
        if (takes_part(algorithm, collective, field, in_place)) {
            double time = mca_coll_symm_model_time(algorithm, ranks, bytes, in_place) *
                          (symm_algorithm_is_multimem(algorithm) ? multicast_margin : 1);
            if (best == SYMM_ALGORITHM_COUNT || time < best_time) {
                best = algorithm;
                best_time = time;
            }
        }
    }
    return best;
}

/* One row for each run of sizes that has the same winner, if it gets one.  Returns their number. */
static size_t rows_make(struct symm_row *rows, size_t room, enum symm_collective collective,
                        enum field field, int ranks, bool in_place)
{
    enum symm_algorithm before = SYMM_ALGORITHM_COUNT;
    size_t count = 0;
    for (int shift = SHIFT_LEAST; shift <= SHIFT_MOST && count < room; shift++) {
        uint64_t bytes = UINT64_C(1) << shift;
        enum symm_algorithm best = quickest(collective, field, ranks, bytes, in_place);
        if (best == before) {
            continue;
        }
        if (count > 0 && rows[count - 1].to == UINT64_MAX) {
            rows[count - 1].to = bytes;
        }
        if (is_told(best, field)) {
            rows[count++] = (struct symm_row){
                .collective = (uint8_t)collective,
                .memory = SYMM_ROW_DEVICE,
                .ranks_least = (uint16_t)ranks,
                .ranks_most = (uint16_t)ranks,
                .place = in_place ? SYMM_ROW_IN : SYMM_ROW_OUT,
                .multicast = field == FIELD_UNICAST ? SYMM_ROW_EITHER : SYMM_ROW_WITH,
                .from = shift == SHIFT_LEAST ? 0 : bytes,
                .to = UINT64_MAX,
                .algorithm = (uint8_t)best,
                .origin = SYMM_ROW_MODEL,
            };
        }
        before = best;
    }
    return count;
}

static bool are_alike(const struct symm_row *out, const struct symm_row *in, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (out[i].from != in[i].from || out[i].to != in[i].to ||
            out[i].algorithm != in[i].algorithm) {
            return false;
        }
    }
    return true;
}

/* Out of place and in place; one list where they do not differ. */
static size_t field_rows(struct symm_row *rows, size_t room, enum symm_collective collective,
                         enum field field, int ranks)
{
    size_t out = rows_make(rows, room, collective, field, ranks, false);
    size_t in = rows_make(rows + out, room - out, collective, field, ranks, true);
    if (in != out || !are_alike(rows, rows + out, out)) {
        return out + in;
    }
    for (size_t i = 0; i < out; i++) {
        rows[i].place = SYMM_ROW_ANYWHERE;
    }
    return out;
}

size_t mca_coll_symm_model_rows(enum symm_collective collective, int ranks, bool measured,
                                struct symm_row rows[SYMM_MODEL_ROWS])
{
    size_t count = 0;
    for (int i = 0; i < FIELDS - measured; i++) {
        count += field_rows(rows + count, SYMM_MODEL_ROWS - count, collective, (enum field)i,
                            ranks);
    }
    return count;
}
