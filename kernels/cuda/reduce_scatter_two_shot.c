/*
 * reduce_scatter_two_shot.c - every rank owns a slice of all blocks: it loads the slice of a block
 * from all inputs, reduces it, and stores it in the output of the rank that the block is for.
 *
 * It is for ranks in place, where by pull a rank would write over what another one still reads.
 * Here whatever is written over has been read by the same thread: blocks have one size, so that
 * results lie where the first blocks of the inputs were, and the first block is reduced before all
 * others.  All others are read only.  Results come without scratch and without another meeting, but
 * they cross the link as well: (1 + 1/N) times the bytes of a pull.
 *
 * A kernel makes one block.  A rank's kernels follow each other on one stream.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/steps.h"

/* The block for rank 0, then those for the ranks behind this one. */
static int owner_of(const struct symm_run *run, uint32_t turn)
{
    return turn == 0 ? 0 : (run->team->rank + (int)turn - 1) % (run->team->size - 1) + 1;
}

static enum symm_status block_start(struct symm_run *run, int owner, struct symm_ticket *ticket)
{
    size_t extent = symm_cuda_type_extent((enum symm_cuda_type)run->cuda_type);
    size_t count = run->begins[1], begin, end;
    int ranks = run->team->size;
    symm_slice(count, extent, run->team->rank, ranks, &begin, &end);
    struct symm_cuda_reduce arguments = {
        .begin = begin, .end = end, .ranks = ranks, .output_count = 1,
        .outputs = {run->outputs[owner]},
    };
    for (int rank = 0; rank < ranks; rank++) {
        arguments.inputs[rank] =
            (const unsigned char *)run->inputs[rank] + (size_t)owner * count * extent;
    }
    return symm_device_reduce_start(run->device, run->cuda_type, run->cuda_op, &arguments,
                                    run->block_limit, ticket);
}

static struct symm_ticket *ticket_of(struct symm_run *run, uint32_t turn)
{
    return &run->pipeline.sums[turn % SYMM_PIPELINE_DEPTH];
}

/* Count the kernels that have ended, in order; one that has failed has ended, too. */
static void blocks_test(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    enum symm_status status = SYMM_OK;
    while (status != SYMM_PENDING && pipeline->added < pipeline->adding) {
        status = symm_device_ticket_test(run->device, ticket_of(run, pipeline->added));
        pipeline->added += status != SYMM_PENDING;
        if (status != SYMM_PENDING && run->failure == SYMM_OK) {
            run->failure = status;
        }
    }
}

/* Start what may be started: up to SYMM_PIPELINE_DEPTH kernels are under way. */
static void blocks_start(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    enum symm_status status = SYMM_OK;
    while (status == SYMM_OK && pipeline->adding < (uint32_t)run->team->size &&
           pipeline->adding < pipeline->added + SYMM_PIPELINE_DEPTH) {
        uint32_t turn = pipeline->adding;
        status = block_start(run, owner_of(run, turn), ticket_of(run, turn));
        pipeline->adding += status == SYMM_OK;
    }
    if (status != SYMM_OK && status != SYMM_PENDING) {
        run->failure = status;
    }
}

/* After a failure nothing more is started, and what is under way ends before the others know. */
static enum symm_status step(struct symm_run *run)
{
    struct symm_pipeline *pipeline = &run->pipeline;
    if (run->stage == SYMM_CUDA_DEPARTING) {
        return symm_cuda_step(run, NULL);
    }
    if (run->stage == SYMM_CUDA_STARTING) { /* what is counted here, another run has left */
        *pipeline = (struct symm_pipeline){0};
        run->stage = SYMM_CUDA_WORKING;
    }
    blocks_test(run);
    if (run->failure == SYMM_OK) {
        blocks_start(run);
    }
    bool is_over = run->failure != SYMM_OK || pipeline->added == (uint32_t)run->team->size;
    if (is_over && pipeline->added == pipeline->adding) {
        symm_cuda_depart(run, run->failure);
    }
    return SYMM_PENDING;
}

#define TWO_SHOT_ROW(row, algorithm, served)                                                       \
    const struct symm_algorithm_row row = {                                                       \
        .number = algorithm,                                                                      \
        .name = "cuda_two_shot",                                                                  \
        .collective = served,                                                                     \
        .memory = SYMM_ALGORITHM_DEVICE,                                                          \
        .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_EQUAL_BLOCKS,                \
        .keeps_order = true,                                                                      \
        .step = step,                                                                             \
    }

TWO_SHOT_ROW(symm_reduce_scatter_cuda_two_shot, SYMM_REDUCE_SCATTER_CUDA_TWO_SHOT,
             SYMM_REDUCE_SCATTER);
TWO_SHOT_ROW(symm_reduce_scatter_block_cuda_two_shot, SYMM_REDUCE_SCATTER_BLOCK_CUDA_TWO_SHOT,
             SYMM_REDUCE_SCATTER_BLOCK);
