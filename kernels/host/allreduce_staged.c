/*
 * allreduce_staged.c - all-reduce of memory that the peers cannot reach, through staging buffers.
 *
 * Per piece k of the array, each rank
 *   copies its input into its staging input, and raises      2k + 1
 *   reduces its slice of the piece from all staging inputs,
 *   into its staging output, and raises                      2k + 2
 *   copies the slices of all staging outputs to its output.
 * While it waits for the others to reduce piece k it has already copied piece k + 1.
 *
 * Why two buffers suffice.  Input buffer k mod 2 is written again for piece k + 2 after all ranks have
 * been seen at 2k + 2, that is when all have reduced piece k.  Output buffer k mod 2 is written again
 * when all ranks have been seen at 2(k + 2) + 1; they raise that after copying the results of piece k.
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

static size_t piece_elements(const struct symm_run *run)
{
    return run->team->control.piece_size / run->reduction->extent;
}

/* Where piece `piece` begins, in bytes, and how many elements it has; 0 behind the last. */
static size_t piece_bounds(const struct symm_run *run, uint64_t piece, size_t *elements)
{
    size_t begin = symm_least((size_t)piece * piece_elements(run), run->count);
    *elements = symm_least(piece_elements(run), run->count - begin);
    return begin * run->reduction->extent;
}

/* Copy a piece in, if there is one. */
static void input_copy(struct symm_run *run, uint64_t piece)
{
    const struct symm_team *team = run->team;
    const unsigned char *input = run->input;
    size_t elements;
    size_t offset = piece_bounds(run, piece, &elements);
    if (elements == 0) {
        return;
    }
    memcpy(symm_stage_input(&team->control, team->rank, piece), input + offset,
           elements * run->reduction->extent);
    symm_run_raise(run, step_input(piece));
}

static void slice_reduce(struct symm_run *run)
{
    const struct symm_team *team = run->team;
    size_t extent = run->reduction->extent, elements, begin, end;
    (void)piece_bounds(run, run->piece, &elements);
    symm_slice(elements, extent, team->rank, team->size, &begin, &end);
    if (begin < end) {
        for (int rank = 0; rank < team->size; rank++) {
            run->inputs[rank] = symm_stage_input(&team->control, rank, run->piece);
        }
        symm_fold(run->reduction, team->size, run->inputs, begin * extent,
                  symm_stage_output(&team->control, team->rank, run->piece) + begin * extent,
                  end - begin);
    }
    symm_run_raise(run, step_output(run->piece));
}

static void output_copy(struct symm_run *run)
{
    const struct symm_team *team = run->team;
    size_t extent = run->reduction->extent, elements, begin, end;
    size_t offset = piece_bounds(run, run->piece, &elements);
    unsigned char *output = run->output;
    for (int rank = 0; rank < team->size; rank++) {
        symm_slice(elements, extent, rank, team->size, &begin, &end);
        if (begin < end) {
            memcpy(output + offset + begin * extent,
                   symm_stage_output(&team->control, rank, run->piece) + begin * extent,
                   (end - begin) * extent);
        }
    }
}

enum symm_status symm_allreduce_staged_step(struct symm_run *run)
{
    if (run->count == 0) {
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
    output_copy(run);
    run->piece++;
    run->stage = WAITING_INPUTS;
    size_t elements;
    (void)piece_bounds(run, run->piece, &elements);
    return elements == 0 ? SYMM_OK : symm_run_more(run);
}
