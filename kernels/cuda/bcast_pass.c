/*
 * bcast_pass.c - broadcast of large arrays: the root stores a slice to each of the others, and each
 * passes on what it got.
 *
 * So the array leaves the root once, and not once for each of the others.  It moves in pieces:
 *
 *   stage p      the root's kernel stores the slices of piece p, one in each other rank's output;
 *   stage p + 1  each other rank's kernel stores its slice of piece p, from its own output, in the
 *                outputs of the rest.
 *
 * All ranks meet after each stage, as in relay.h.  A slice is written by one rank, and in one stage.
 * Only outputs have to be within reach.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/relay.h"
#include "kernels/cuda/rooted.h"

enum { FILL = 1 };

/* Bytes of a piece, in vectors, so that slices are aligned as the array is. */
static size_t piece_bytes(const struct symm_run *run)
{
    return symm_relay_piece(run->count, FILL);
}

static uint64_t pieces_of(const struct symm_run *run)
{
    return (run->count + piece_bytes(run) - 1) / piece_bytes(run);
}

/* Where the slice of a rank that is not the root begins in the array, in a piece. */
static size_t slice_of(const struct symm_run *run, uint64_t piece, int rank, size_t *bytes)
{
    size_t first = (size_t)piece * piece_bytes(run), begin, end;
    size_t length = symm_least(run->count - first, piece_bytes(run));
    symm_slice(length, 1, symm_rooted_number(run, rank), run->team->size - 1, &begin, &end);
    *bytes = end - begin;
    return first + begin;
}

static enum symm_status root_start(struct symm_run *run, uint64_t stage, struct symm_ticket *ticket)
{
    struct symm_cuda_push pushes[SYMM_CUDA_RANKS_MAX];
    int count = 0;
    if (stage >= pieces_of(run)) {
        return SYMM_OK;
    }
    for (int turn = 1; turn < run->team->size; turn++) {
        int rank = symm_run_rotate(run, turn);
        size_t bytes, begin = slice_of(run, stage, rank, &bytes);
        pushes[count++] = (struct symm_cuda_push){(const unsigned char *)run->input + begin,
                                                  (unsigned char *)run->outputs[rank] + begin,
                                                  bytes};
    }
    return symm_device_push_start(run->device, pushes, count, false, run->block_limit, ticket);
}

static enum symm_status across_start(struct symm_run *run, uint64_t stage,
                                     struct symm_ticket *ticket)
{
    struct symm_cuda_copy arguments = {.output_count = 0};
    if (symm_rooted_is_root(run)) {
        return root_start(run, stage, ticket);
    }
    if (stage == 0 || run->team->size == 2) {
        return SYMM_OK;
    }
    size_t begin = slice_of(run, stage - 1, run->team->rank, &arguments.bytes);
    arguments.input = (unsigned char *)run->output + begin;
    for (int turn = 1; turn < run->team->size; turn++) {
        int rank = symm_run_rotate(run, turn);
        if (rank != run->root) {
            arguments.outputs[arguments.output_count++] =
                (unsigned char *)run->outputs[rank] + begin;
        }
    }
    return arguments.bytes == 0 ? SYMM_OK
                                : symm_device_copy_start(run->device, &arguments,
                                                         run->block_limit, ticket);
}

static enum symm_status beside_start(struct symm_run *run, uint64_t stage,
                                     struct symm_ticket *ticket)
{
    (void)run;
    (void)stage;
    (void)ticket;
    return SYMM_OK;
}

static enum symm_status step(struct symm_run *run)
{
    static const symm_stage_start launches[SYMM_STAGE_LAUNCHES] = {
        [SYMM_STAGE_ACROSS] = across_start, [SYMM_STAGE_BESIDE] = beside_start};
    return symm_relay_step(run, pieces_of(run) + FILL, launches);
}

const struct symm_algorithm_row symm_bcast_cuda_pass = {
    .number = SYMM_BCAST_CUDA_PASS,
    .name = "cuda_pass",
    .collective = SYMM_BCAST,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_OUTPUTS,
    .keeps_order = true,
    .step = step,
};
