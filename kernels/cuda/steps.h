/*
 * steps.h - what the algorithms on devices have in common: start, wait for the device, depart.
 *
 * Why the order of accesses is right (the fences of a kernel are in kernel.cuh):
 *   - All ranks have posted their lines before any rank starts (run.h).  So inputs are complete,
 *     because the program's own work on them had ended when it called.
 *   - A rank has seen its kernel's flag, or its copies' events, before it raises its phase.  So its
 *     stores are visible in the whole node before any rank sees the phase (release, acquire), and
 *     its loads have been made.
 *   - When all ranks have raised the phase, all outputs are complete, and no rank reads inputs any
 *     more.  Work that is started on any device after that finds the results by plain loads.
 * No kernel of theirs waits for another rank (those of packets_run.c, reduce_ring.c and handover.c
 * do, for a moment): several ranks may share a device, and a rank that dies leaves nothing running
 * for ever on it.
 *
 * A rank whose device fails raises the phase with a mark instead.  All ranks see the mark once all
 * have raised their phases.  So all ranks end the run with the same knowledge, and no rank waits
 * for ever.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STEPS_H
#define SYMM_KERNELS_CUDA_STEPS_H

#include "kernels/cuda/launch/kernel.h"
#include "kernels/run_steps.h"

enum { SYMM_CUDA_STARTING, SYMM_CUDA_WORKING, SYMM_CUDA_DEPARTING };

enum {
    SYMM_CUDA_STEP_DEPART = 1,
    SYMM_CUDA_STEP_FAILED = (1 << SYMM_PHASE_BITS) - 1, /* the top value; beyond every other step */
};

/*
 * Scratch has parts, and a part has a row for each other rank.  These functions give the number of
 * rows of a part, and the place of the row of `source` in the scratch of `owner`.
 */
static inline size_t symm_cuda_scratch_rows(int ranks)
{
    return ranks > 1 ? (size_t)(ranks - 1) : 1;
}

static inline unsigned char *symm_cuda_scratch_row(const struct symm_work *work, int owner,
                                                   int source, size_t part, size_t row_bytes)
{
    size_t row = (size_t)(source < owner ? source : source - 1);
    return (unsigned char *)work->scratches[owner] +
           (part * symm_cuda_scratch_rows(work->team->size) + row) * row_bytes;
}

/* What is where in the head of a scratch, in bytes. */
enum {
    SYMM_HEAD_RING = 0, /* reduce_ring.c */
    SYMM_HEAD_HANDOVER = 16 * 1024, /* handover.c: words of each rank */
    SYMM_HEAD_HANDOVER_RANK = SYMM_CUDA_HANDOVER_WORDS * sizeof(uint64_t),
    SYMM_HEAD_ZEROS = SYMM_HEAD_HANDOVER + SYMM_CUDA_RANKS_MAX * SYMM_HEAD_HANDOVER_RANK,
};
_Static_assert(2 * SYMM_HEAD_ZEROS - SYMM_HEAD_HANDOVER <= SYMM_SCRATCH_HEAD,
               "zeros for the words of all ranks");

static inline uint64_t *symm_cuda_head_words(const struct symm_work *work, int rank, size_t place)
{
    unsigned char *head = (unsigned char *)work->scratches[rank] - SYMM_SCRATCH_HEAD;
    return (uint64_t *)(void *)(head + place);
}

/* Where `source` tells `rank` that it is done. */
static inline uint64_t *symm_cuda_handover_words(const struct symm_work *work, int rank, int source)
{
    return symm_cuda_head_words(
        work, rank, SYMM_HEAD_HANDOVER + (size_t)source * SYMM_HEAD_HANDOVER_RANK);
}

/*
 * The limit of blocks for a kernel that stores blocks or slices to so many places, out of place
 * this rank's own among them.  To several peers more blocks are quicker: with 132 instead of 64,
 * the better of two runs each, all-gathers, all-to-alls, scatters and two-shot all-reduces of four
 * H100 take 0.93 to 1.02 of the time.  Between two they are slower, by a tenth and in one run by
 * half (bench/results/gpu-h100-4-ranks-blocks.txt).  The user's limit comes first, and a
 * computation of the program.
 */
static inline unsigned symm_cuda_store_blocks(const struct symm_work *work, int places)
{
    const unsigned to_several = 132; /* multiprocessors of an H100 */
    return work->block_limit == 0 && !work->beside && places > 2 ? to_several : work->block_limit;
}

/* The first rank that has marked its phase of a call as failed; -1: none has. */
static inline int symm_cuda_failed_rank(const struct symm_control *control, uint64_t sequence)
{
    const struct symm_word *phases = symm_control_phases(control, sequence);
    uint64_t failed = (sequence << SYMM_PHASE_BITS) + SYMM_CUDA_STEP_FAILED;
    for (int rank = 0; rank < control->size; rank++) {
        if (atomic_load_explicit(&phases[rank].value, memory_order_relaxed) == failed) {
            return rank;
        }
    }
    return -1;
}

/* Find out whether a rank has failed, once all ranks have raised their phases. */
static inline void symm_cuda_failures_collect(struct symm_run *run)
{
    run->failed_rank = symm_cuda_failed_rank(&run->work->team->control, run->work->sequence);
    if (run->failed_rank >= 0 && run->failure == SYMM_OK) {
        run->failure = SYMM_ERR_SYSTEM;
    }
}

static inline bool symm_cuda_someone_has_failed(const struct symm_work *work)
{
    return symm_cuda_failed_rank(&work->team->control, work->sequence) >= 0;
}

/* Go on to `stage` if `status` is right, and to `failing` if there is nothing to be waited for. */
static inline void symm_cuda_proceed(struct symm_run *run, enum symm_status status, unsigned stage,
                                     unsigned failing)
{
    if (status == SYMM_OK) {
        run->stage = stage;
    } else if (status != SYMM_PENDING) {
        run->failure = status;
        run->stage = failing;
    }
}

/*
 * End this rank's part of a run of any algorithm with `status`.  A call before the first step says
 * that this rank cannot do its part.
 */
static inline void symm_cuda_depart(struct symm_run *run, enum symm_status status)
{
    run->failure = status;
    symm_run_raise(run, status == SYMM_OK ? SYMM_CUDA_STEP_DEPART : SYMM_CUDA_STEP_FAILED);
    run->stage = SYMM_CUDA_DEPARTING;
}

/* Start what `make` makes.  Errors: as symm_device_start(). */
enum symm_status symm_cuda_start(struct symm_run *run, symm_kernel_maker *make,
                                 struct symm_completion *completion);

/*
 * Step functions: of an algorithm that starts its work by `start`, which gives run->completion; of
 * one that starts a single kernel; and the same for a row that says which.
 */
enum symm_status symm_cuda_step(struct symm_run *run, enum symm_status (*start)(struct symm_run *));
enum symm_status symm_cuda_make_step(struct symm_run *run, symm_kernel_maker *make);
enum symm_status symm_cuda_kernel_step(struct symm_run *run);

#endif /* SYMM_KERNELS_CUDA_STEPS_H */
