/*
 * relay.h - collectives whose data go through scratch on the devices, in stages that all ranks
 * enter together.
 *
 * No rank reaches another's buffers: a buffer is only copied to or from the scratch of its own
 * rank's device, in which the ranks meet.  So the buffers may be anything that kernels of their own
 * rank can use.  The price is a launch more than the same algorithm needs on buffers, and as many
 * stages more as a piece goes through: while one piece crosses the links, the next is copied in,
 * and the one before out.
 *
 * A stage is up to two launches, one that crosses links and one beside it that copies within the
 * device, on streams of their own, and a meeting of the ranks (a step of the phase) when both have
 * ended.  Different stages of a piece are in different parts of the scratch:
 *   - What a stage reads, a stage before it has written, whoever's kernel did: the flag of that
 *     kernel was seen before its rank raised its phase, and all ranks' phases before this stage
 *     started (steps.h).
 *   - A part is written anew when all ranks have left the last stage that reads what is there.
 * The last meeting is the departure: then nobody uses another's scratch any more.
 *
 * A rank whose device fails marks its phase and starts nothing more; others go on to the end, with
 * worthless data, and see the mark there.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_RELAY_H
#define SYMM_KERNELS_CUDA_RELAY_H

#include "kernels/cuda/device.h"
#include "kernels/run_steps.h"

enum { SYMM_STAGE_ACROSS, SYMM_STAGE_BESIDE, SYMM_STAGE_LAUNCHES };

/* Start a launch of stage `stage`, if it has one.  Errors: as symm_device_reduce_start(). */
typedef enum symm_status (*symm_stage_start)(struct symm_run *run, uint64_t stage,
                                             struct symm_ticket *ticket);

/* The step function of an algorithm in `count` stages; the launches are started in their order. */
enum symm_status symm_relay_step(struct symm_run *run, uint64_t count,
                                  const symm_stage_start launches[SYMM_STAGE_LAUNCHES]);

/*
 * How many bytes of an array or block to take at a time, when `fill` stages more than there are
 * pieces have to be gone through: all of it if it is small, otherwise such that meetings and first
 * and last stages cost about the same.
 */
size_t symm_relay_piece(size_t bytes, unsigned fill);

/*
 * Bytes that are copied in before the ranks have agreed (symm_run_start_early() in kernels/run.h).
 */
extern const size_t symm_relay_early_most;

/* Bytes of a row of scratch, when so many are needed; rows begin where vectors can. */
static inline size_t symm_relay_row(size_t scratch_size, size_t rows)
{
    const size_t unit = 256;
    return scratch_size / rows / unit * unit;
}

#endif /* SYMM_KERNELS_CUDA_RELAY_H */
