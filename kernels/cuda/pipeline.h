/*
 * pipeline.h - reductions whose slices travel to their owners' scratch before they are added.
 *
 * Stores and copy engines move more over a link than loads do (366 and 391 GB/s against 338), so
 * large arrays are better sent than fetched.  Compared with two-shot, this takes another launch,
 * another meeting of the ranks, and scratch for the data that arrive.  A slice goes in pieces if
 * the scratch does not hold all of it.  For piece k:
 *
 *   push    every rank sends piece k of each other slice of its input to row `rank` of part
 *           k % depth of the scratch of the slice's owner.
 *   sum     when all ranks have said that their pushes have landed, the owner adds its own input
 *           and the rows, in rank order, into its own output.
 *   store   the result goes to all other outputs, by the same kernel or afterwards.  In a
 *           reduce-scatter, whose slices are the ranks' blocks, it stays in the owner's output.
 *
 * A part of the scratch is used again when all ranks have said that they are done with the piece
 * that it held.  While ranks meet for one piece, another one moves.  The link waits only before the
 * last sum.
 *
 * A rank says this by steps of its phase.  A phase only rises, so pushes and stores are told in a
 * fixed order.  A store is told behind the push `lead` - 1 pieces later.  With a lead of 2:
 *
 *   push 0, push 1, store 0, push 2, store 1, ... push K-1, store K-2, store K-1
 *
 * Whatever the lead, up to `depth`, ranks do not wait in a circle.  A store keeps back the pushes
 * told behind it, and is kept back itself by those before it.  Where results are stored over the
 * link as well, the lead is the depth: the stores are queued behind the pushes under way, and
 * would keep back pushes that have landed.  In a reduce-scatter by copy engines it is less: a push
 * waits for the store `depth` pieces ahead, and with a lead of `depth` that store would be told
 * only when no push is under way any more (256 MiB on two H100: 610 us instead of 488,
 * bench/results/gpu-h100-2-ranks-engine-sums.txt).
 *
 * A kernel that adds within a device takes as much of its memory's bandwidth as there is, and
 * copies by engines wait meanwhile.  With a share of the multiprocessors it takes longer, and no
 * more than a piece takes to arrive.
 *
 * It is right in place as well.  A piece of an output is written after all ranks have pushed this
 * piece of their inputs, and the same thread reads and writes the owner's own input and output.  In
 * a reduce-scatter in place, what a piece is written over belongs to this piece of some block or to
 * an earlier one, and has been pushed.  A rank's block may be its result or lie apart from it, but
 * not overlap it otherwise: other threads would read what one has written.
 *
 * Inputs need not be reachable for other ranks.  The sums are the sums of two-shot, bit for bit.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_PIPELINE_H
#define SYMM_KERNELS_CUDA_PIPELINE_H

#include "kernels/cuda/launch/device.h"
#include "kernels/run.h"

/* How the data move. */
struct symm_mover {
    uint32_t depth;        /* pieces under way at a time; 2 to SYMM_PIPELINE_DEPTH */
    uint32_t lead;         /* pushes that are told before the first store; 1 to depth */
    uint32_t pieces;       /* least number for a slice, if cutting is worth it; or 1 */
    unsigned sum_blocks;   /* most blocks of a kernel that adds; 0: as many as other kernels have */
    bool stores;           /* it also stores the results; otherwise the kernel that adds does */
    bool scatters;         /* reduce-scatter: a slice is a rank's block, and stays with its owner */
    bool by_engines;       /* copy engines push and store; otherwise kernels do */
};

/* Bytes of scratch with which an array of `bytes` is cut as the mover wants it. */
size_t symm_pipeline_scratch(const struct symm_mover *mover, size_t bytes, int ranks);

/*
 * Bytes of scratch with which `ranks` ranks can do it; with which it is not slower than two-shot.
 */
size_t symm_pipeline_scratch_least(int ranks);
size_t symm_pipeline_scratch_fair(int ranks);

/*
 * Count what has ended of the pieces *ended to `started` - 1, in order.  *failure becomes the first
 * failure, unless there has been one.
 */
void symm_pipeline_test(struct symm_run *run, struct symm_completion *completions, uint32_t depth,
                        uint32_t *ended, uint32_t started, enum symm_status *failure);

/*
 * The order in which `pieces` are told: the step of the phase that says that a piece has been
 * pushed, or stored, and telling the others how far this rank has got.
 */
uint64_t symm_pipeline_step_of_push(uint32_t lead, uint32_t piece);
uint64_t symm_pipeline_step_of_store(uint32_t lead, uint32_t pieces, uint32_t piece);
void symm_pipeline_tell(struct symm_run *run, uint32_t lead, uint32_t pieces);

enum symm_status symm_pipeline_step(struct symm_run *run, const struct symm_mover *mover);

/* The functions of such an algorithm's row, with these movers between two ranks and among more. */
#define SYMM_PIPELINE_FUNCTIONS(of_two, of_more)                                                   \
    static size_t scratch_wanted(size_t bytes, int ranks)                                          \
    {                                                                                              \
        return symm_pipeline_scratch(ranks == 2 ? &(of_two) : &(of_more), bytes, ranks);           \
    }                                                                                              \
                                                                                                   \
    static enum symm_status step(struct symm_run *run)                                             \
    {                                                                                              \
        const int ranks = run->work->team->size;                                                   \
        return symm_pipeline_step(run, ranks == 2 ? &(of_two) : &(of_more));                       \
    }

#endif /* SYMM_KERNELS_CUDA_PIPELINE_H */
