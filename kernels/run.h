/*
 * run.h - one collective, running on memory that is already mapped.
 *
 * Each algorithm is a step function over a struct symm_run.  It does a bounded piece of work, or
 * checks once whether the other ranks have got far enough, and returns.  The caller (a blocking
 * call, or a progress engine) calls it until it returns SYMM_OK.  On host memory a run cannot fail,
 * because everything that can fail has been agreed before it starts.  A device can fail.  The run
 * then still ends on all ranks.  Each rank has `failure` and `failed_rank` set, and the contents of
 * the outputs are undefined.  By packets (packets_run.c) only ranks without all their data fail.
 *
 * Contract with the caller, for every algorithm: all ranks start it for the same call, after every
 * rank has posted its line for that call.  Until the run returns SYMM_OK on the rank whose buffers
 * they are, inputs stay unchanged and outputs belong to the algorithm.  An element has 1 to
 * SYMM_SCRATCH_SIZE bytes, and no more than a staging buffer; SYMM_ALLREDUCE_INLINE takes elements
 * of any size.  The algorithms named CUDA take up to SYMM_CUDA_RANKS_MAX ranks, and the types and
 * operations that symm_device_can_reduce() accepts.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_RUN_H
#define SYMM_KERNELS_RUN_H

#include "kernels/completion.h"
#include "kernels/work.h"

/* Pieces of a pipeline that are under way at a time, at most. */
enum { SYMM_PIPELINE_DEPTH = 4 };

/*
 * Progress of a reduction through scratch: pieces of a slice, in the order in which they go through
 * it.  A broadcast that is passed on only pushes, or also stores what comes to slots.
 */
struct symm_pipeline {
    uint32_t pushed, landed;  /* inputs: sent to the slices' owners; arrived */
    uint32_t adding, added;   /* this rank's slice: given to a kernel; done */
    uint32_t storing, stored; /* its results: sent to all outputs; arrived */
    uint32_t told_pushes, told_stores; /* of which the other ranks know */
    struct symm_completion pushes[SYMM_PIPELINE_DEPTH], sums[SYMM_PIPELINE_DEPTH],
        stores[SYMM_PIPELINE_DEPTH];
};

/*
 * Bytes in front of a scratch for words by which kernels tell each other.  They are zero when a run
 * begins, and again when it has ended without a failure.
 */
enum { SYMM_SCRATCH_HEAD = 80 * 1024 };

struct symm_run {
    const struct symm_work *work;

    /* How far it has got; zero at the start, and private to the algorithm. */
    unsigned stage;
    int seen;
    size_t position;
    uint64_t piece;
    bool worked; /* a step did something and wants to be called again at once */
    struct symm_completion completion;
    struct symm_completion completions[2]; /* relay: of the launches side by side */
    bool early;                    /* the copies of the first stage were started before the run */
    struct symm_pipeline pipeline;

    /*
     * How the run has ended, for the algorithms named CUDA; set when the step function returns
     * SYMM_OK.
     */
    enum symm_status failure; /* SYMM_OK: all ranks' devices have done their part */
    int failed_rank;          /* the first rank whose device has not; -1: none */
};

/* Do a bounded part of the run.  PENDING until the run is done, then SYMM_OK once. */
SYMM_PRIVATE enum symm_status symm_run_step(struct symm_run *run);

/*
 * Start to copy the input of a small call, of `bytes` bytes, to this rank's scratch, of `size`
 * bytes.  The ranks have yet to agree, and the copy takes as long as the agreement.  Input, device
 * and block_limit of the run are set before.  run->early says whether the copy has been started.
 * If it has, either a relay algorithm waits for it, or symm_run_settle_early() has to be called
 * before the scratch is used for anything else.
 */
SYMM_PRIVATE void symm_run_start_early(struct symm_run *run, size_t bytes, void *scratch,
                                       size_t size);
SYMM_PRIVATE void symm_run_settle_early(struct symm_run *run);

/*
 * Give up a run, before its end or before its start.  Nothing more is started.  SYMM_OK comes when
 * nothing of the run is under way on this rank's device.  Other ranks may still be at work on this
 * rank's buffers.
 */
SYMM_PRIVATE enum symm_status symm_run_give_up(struct symm_run *run);

#endif /* SYMM_KERNELS_RUN_H */
