/*
 * relay.h - collectives whose data go through scratch on the devices, in stages that all ranks
 * enter together.
 *
 * No rank reaches another's buffers.  A buffer is only copied to or from the scratch of its own
 * rank's device, and the ranks meet in the scratch.  So a buffer may be any memory that kernels of
 * its own rank can use.  A relay takes one launch more than the same algorithm on buffers, and it
 * takes more stages, as many as a piece goes through.  While one piece crosses the links, the next
 * one is copied in, and the one before is copied out.
 *
 * A stage is up to two launches and a meeting of the ranks.  One launch crosses links.  The other
 * one runs beside it and copies within the device.  Each has a stream of its own.  The meeting is a
 * step of the phase, when both launches have ended.  Pieces that are in different stages at the
 * same time are in different parts of the scratch:
 *   - A stage reads from scratch only what an earlier stage has written, by a kernel of any rank.
 *     The flag of that kernel was seen before its rank raised its phase, and all ranks' phases were
 *     seen before this stage started (steps.h).
 *   - A part is written anew when all ranks have left the last stage that reads it.
 * The last meeting is the departure.  After it no rank uses another's scratch.
 *
 * A rank whose device fails marks its phase and starts nothing more.  The other ranks go on to the
 * end, with worthless data, and see the mark there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_RELAY_H
#define SYMM_KERNELS_CUDA_RELAY_H

#include "kernels/cuda/launch/kernel.h"
#include "kernels/run_steps.h"

enum { SYMM_STAGE_ACROSS, SYMM_STAGE_BESIDE, SYMM_STAGE_LAUNCHES };

/* Make a kernel of stage `stage`, or one with nothing to do. */
typedef struct symm_kernel *(*symm_stage_make)(const struct symm_work *work, uint64_t stage,
                                               struct symm_kernel *kernel);

/* The step function of an algorithm of `count` stages.  Launches are started in their order. */
enum symm_status symm_relay_step(struct symm_run *run, uint64_t count,
                                 const symm_stage_make launches[SYMM_STAGE_LAUNCHES]);

/*
 * How many bytes of an array or block to take at a time, when there are `fill` more stages than
 * pieces.  A small one is taken whole.  Otherwise the size is such that all meetings cost about as
 * much as the first and last stages.
 */
size_t symm_relay_piece(size_t bytes, unsigned fill);

/*
 * The most bytes that are copied in before the ranks have agreed (symm_run_start_early() in
 * kernels/run.h).
 */
extern const size_t symm_relay_early_most;

/* Bytes of a row, when the scratch has `rows` of them.  Rows begin where vectors can. */
static inline size_t symm_relay_row(size_t scratch_size, size_t rows)
{
    const size_t unit = 256;
    return scratch_size / rows / unit * unit;
}

#endif /* SYMM_KERNELS_CUDA_RELAY_H */
