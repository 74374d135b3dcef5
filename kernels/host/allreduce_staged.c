/*
 * allreduce_staged.c - all-reduce of memory that the peers cannot reach: two-shot through staging
 * buffers.
 *
 * Of each piece of the array every rank owns a slice.  Per piece k, each rank
 *   copies the others' slices of its input into its input buffer, and raises       2k + 1
 *   reduces its own slice, from its own input and the others' input buffers, into
 *   its output, copies that into its output buffer, and raises                     2k + 2
 *   copies the others' slices from their output buffers to its output.
 * While it waits for the others to reduce piece k it has already copied piece k + 1.  Its own slice
 * never goes through a buffer on its way in.  In a reduce only the root has an output.
 *
 * Why two buffers of each sort suffice: input buffer k mod 2 is written again for piece k + 2 after
 * all ranks have been seen at 2k + 2, that is when all have reduced piece k.  Output buffer k mod 2
 * is written again when all ranks have been seen at 2(k + 2) + 1.  Ranks raise that step after
 * copying the results of piece k.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/run_steps.h"

enum { STARTING, WAITING_INPUTS, WAITING_OUTPUTS };

static uint64_t step_input(uint64_t piece)
{
    return 2 * piece + 1;
}

static uint64_t step_output(uint64_t piece)
{
    return 2 * piece + 2;
}

static unsigned char *input_buffer(const struct symm_work *work, int rank, uint64_t piece)
{
    return symm_work_stage(work, rank, piece % 2);
}

static unsigned char *output_buffer(const struct symm_work *work, int rank, uint64_t piece)
{
    return symm_work_stage(work, rank, 2 + piece % 2);
}

static bool has_output(const struct symm_work *work)
{
    return work->algorithm == SYMM_ALLREDUCE_STAGED || work->team->rank == work->root;
}

/* A rank's slice of a piece, in bytes. */
struct slice {
    size_t array_offset;  /* from the beginning of the array */
    size_t buffer_offset; /* from the beginning of the piece */
    size_t bytes;
};

static struct slice slice_of(const struct symm_work *work, uint64_t piece, int rank)
{
    size_t extent = work->reduction->extent, begin, end;
    size_t from = symm_piece_begin(work, piece), to = symm_piece_begin(work, piece + 1);
    symm_slice(to - from, extent, rank, work->team->size, &begin, &end);
    return (struct slice){.array_offset = (from + begin) * extent,
                          .buffer_offset = begin * extent,
                          .bytes = (end - begin) * extent};
}

/* Copy the others' slices of a piece in, if there is such a piece. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->work->team;
    const unsigned char *input = run->work->input;
    if (symm_piece_begin(run->work, piece) == run->work->count) {
        return;
    }
    for (int turn = 1; turn < team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        struct slice slice = slice_of(run->work, piece, rank);
        memcpy(input_buffer(run->work, team->rank, piece) + slice.buffer_offset,
               input + slice.array_offset, slice.bytes);
    }
    symm_run_raise(run, step_input(piece));
}

/* A block at a time, so that what has been reduced is still in the cache when it is copied. */
static void slice_reduce(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    size_t extent = run->work->reduction->extent;
    struct slice slice = slice_of(run->work, run->piece, team->rank);
    bool in_place = run->work->input == run->work->output || !has_output(run->work);
    void *scratch = in_place ? symm_scratch_take() : NULL;
    for (size_t done = 0; done < slice.bytes;) {
        size_t block = symm_least(slice.bytes - done, symm_block_bytes(extent));
        unsigned char *output = (unsigned char *)run->work->output + slice.array_offset + done;
        unsigned char *shared =
            output_buffer(run->work, team->rank, run->piece) + slice.buffer_offset + done;
        void *result = in_place ? scratch : (void *)output;
        for (int rank = 0; rank < team->size; rank++) {
            run->work->inputs[rank] = input_buffer(run->work, rank,
                                                   run->piece) + slice.buffer_offset + done;
        }
        run->work->inputs[team->rank] =
            (const unsigned char *)run->work->input + slice.array_offset + done;
        symm_fold(run->work->reduction, team, run->work->inputs, 0, result, block / extent);
        memcpy(shared, result, block);
        if (in_place && has_output(run->work)) {
            memcpy(output, result, symm_result_bytes(run->work->reduction, block));
        }
        done += block;
    }
    if (in_place) {
        symm_scratch_give(scratch);
    }
    symm_run_raise(run, step_output(run->piece));
}

static void output_copy(struct symm_run *run)
{
    const struct symm_team *team = run->work->team;
    unsigned char *output = run->work->output;
    for (int turn = 1; turn < team->size; turn++) {
        int rank = symm_work_rotate(run->work, turn);
        struct slice slice = slice_of(run->work, run->piece, rank);
        memcpy(output + slice.array_offset,
               output_buffer(run->work, rank, run->piece) + slice.buffer_offset,
               symm_result_bytes(run->work->reduction, slice.bytes));
    }
}

static enum symm_status step(struct symm_run *run)
{
    if (run->work->count == 0) {
        return SYMM_OK;
    }
    if (run->stage == STARTING) {
        input_copy(run, 0);
        run->stage = WAITING_INPUTS;
    }
    if (run->stage == WAITING_INPUTS) {
        if (!symm_run_reached(run, step_input(run->piece))) {
            return SYMM_PENDING;
        }
        slice_reduce(run);
        input_copy(run, run->piece + 1);
        run->stage = WAITING_OUTPUTS;
    }
    if (!symm_run_reached(run, step_output(run->piece))) {
        return SYMM_PENDING;
    }
    if (has_output(run->work)) {
        output_copy(run);
    }
    run->piece++;
    run->stage = WAITING_INPUTS;
    return symm_piece_begin(run->work, run->piece) < run->work->count ? symm_run_more(run)
                                                                      : SYMM_OK;
}

const struct symm_algorithm_row symm_allreduce_staged = {
    .number = SYMM_ALLREDUCE_STAGED,
    .name = "staged",
    .collective = SYMM_ALLREDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .packing = SYMM_PACKS_SHIFTED,
    .keeps_order = true,
    .step = step,
};

const struct symm_algorithm_row symm_reduce_staged = {
    .number = SYMM_REDUCE_STAGED,
    .name = "staged",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_HOST,
    .packing = SYMM_PACKS_SHIFTED,
    .keeps_order = true,
    .step = step,
};
