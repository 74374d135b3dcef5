/*
 * run.h - one collective, running on memory that is already mapped.
 *
 * Each algorithm is a step function over a struct symm_run: it does a bounded piece of work or
 * looks once whether the other ranks have got far enough, and returns.  Whoever drives it (a
 * blocking call, or a progress engine) calls it until it returns SYMM_OK.  On host memory it cannot
 * fail: all that can, has been agreed before it starts.  A device can: then the run ends as well,
 * on all ranks, each with `failure` and `failed_rank` set, and with outputs that nobody knows.
 *
 * Contract with the caller, for every algorithm: all ranks start it for the same call, after every
 * rank has posted its line for that call; inputs stay as they are, and outputs belong to the
 * algorithm, until the run returns SYMM_OK on the rank whose buffers they are.  Elements have 1 to
 * SYMM_SCRATCH_SIZE bytes, and no more than a staging buffer, except in SYMM_ALLREDUCE_SLOT, which
 * takes any.  The algorithms named CUDA take up to SYMM_CUDA_RANKS_MAX ranks, and what
 * symm_device_can_reduce() says.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_RUN_H
#define SYMM_KERNELS_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "heap/multicast_groups.h"
#include "heap/team.h"
#include "kernels/algorithm.h"
#include "kernels/reduction.h"
#include "kernels/ticket.h"

struct symm_device;

/* Pieces of an all-reduce through scratch that are under way at a time, at most. */
enum { SYMM_PIPELINE_DEPTH = 4 };

/*
 * How far such an all-reduce has got: pieces of a slice, in the order in which they go through it.
 */
struct symm_pipeline {
    uint32_t pushed, landed;  /* inputs: on their way to the slices' owners; there */
    uint32_t adding, added;   /* this rank's slice: in a kernel; done */
    uint32_t storing, stored; /* its results: on their way to all outputs; there */
    uint32_t told_pushes, told_stores; /* of which the others know */
    struct symm_ticket pushes[SYMM_PIPELINE_DEPTH], sums[SYMM_PIPELINE_DEPTH],
        stores[SYMM_PIPELINE_DEPTH];
};

struct symm_run {
    struct symm_team *team;
    enum symm_algorithm algorithm;
    uint64_t sequence;
    size_t count; /* all-reduce: elements; all-gather: bytes of a rank's block */
    const struct symm_reduction *reduction; /* all-reduce only; outlives the run */

    /*
     * This rank's buffers.  Equal pointers mean in place; in an all-gather the input of an in-place
     * call is the rank's block of its own output.
     */
    const void *input;
    void *output;
    /* Every rank's buffers, where this rank reaches them; which are needed, the algorithm says. */
    const void **inputs; /* one-shot, two-shot, pull; scratch for slot and staged */
    void **outputs;      /* two-shot, push */
    /*
     * All ranks' buffers together, for the algorithms named MULTIMEM; which are needed, those say.
     */
    struct symm_multicast_address multicast_input, multicast_output;

    /* For the algorithms named CUDA. */
    void **scratches;           /* through scratch: every rank's, as for inputs */
    size_t scratch_size;        /* bytes of each, the same number for all ranks */
    struct symm_device *device; /* this rank's; reaches all the buffers that the algorithm needs */
    int cuda_type, cuda_op;     /* enum symm_cuda_type, enum symm_cuda_op */
    unsigned block_limit;       /* of a kernel's blocks; 0: no wish */

    /* How far it has got; zero at the start, and private to the algorithm. */
    unsigned stage;
    int seen;
    size_t position;
    uint64_t piece;
    bool worked; /* a step did something and wants to be called again at once */
    struct symm_ticket ticket;
    struct symm_ticket tickets[2]; /* in stages: of the launches side by side */
    bool early;                    /* the copies of the first stage were started before the run */
    struct symm_pipeline pipeline;

    /*
     * How it has ended, for the algorithms named CUDA; set with the SYMM_OK of the step function.
     */
    enum symm_status failure; /* SYMM_OK: all ranks' devices have done their part */
    int failed_rank;          /* the first whose device has not, otherwise -1 */
};

/* Do a little of it.  PENDING until it is done, then SYMM_OK once. */
SYMM_API enum symm_status symm_run_step(struct symm_run *run);

/*
 * Copy the input of a small call, of `bytes` bytes, to this rank's scratch, of `size` bytes, while
 * the ranks have yet to agree: that takes as long.  Input, device and block_limit of the run are
 * set.  If run->early says that it has been started, the algorithms in stages wait for it, or else
 * symm_run_settle_early() has to be called before the scratch is used for anything else.
 */
SYMM_API void symm_run_start_early(struct symm_run *run, size_t bytes, void *scratch, size_t size);
SYMM_API void symm_run_settle_early(struct symm_run *run);

/*
 * Give up a run, before its end or before its start: nothing more is started, and SYMM_OK comes
 * when nothing of it is under way on this rank's device.  Other ranks may still be at work on this
 * rank's buffers.
 */
SYMM_API enum symm_status symm_run_give_up(struct symm_run *run);

#endif /* SYMM_KERNELS_RUN_H */
