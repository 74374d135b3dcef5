/*
 * reduce_ring.c - reduce of large arrays: each rank adds its input to what the rank before has made
 * of theirs, and stores it in the next rank's scratch (ring.cuh).
 *
 * So the array leaves each device once, by stores.  In a two-shot the others load as much, at
 * 313 GB/s (1 GiB, four H100: bench/results/gpu-h100-ring.txt).
 *
 * Operands stay in rank order.  A root that is the last rank adds last.  One that is the first rank
 * begins, and gets the result from the last rank; so may rank 1, as rank 0 can put its own input in
 * front.  Other roots would be sent twice as much.  They take a two-shot, and so do other calls for
 * which there is no ring: all ranks know which ones.
 *
 * Kernels wait for the ranks beside them, but not for long.  One that has come back late is started
 * again, and goes on where it was.
 *
 * The words by which kernels tell each other are in front of the scratch.  They are zero between
 * calls: a rank writes zeros over its own when nobody stores there any more.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/rooted.h"

enum {
    VECTOR = 16,               /* bytes */
    LINE = 8,                  /* vectors, which a step is a multiple of */
    SLOTS = 8,                 /* of a track: steps that a rank may be ahead of the next one */
    STEP_FEW = 512,            /* vectors of a step that is not cut, */
    ROUNDS_FEW = 16,           /* if there are so many */
    SCRATCH_MOST = 32 << 20,   /* bytes; all but all of what tracks of whole steps have */
    SCRATCH_FAIR = 4 << 20,
    SCRATCH_LEAST = 64 << 10,
    PATIENCE = 1000 * 1000,    /* ns: a thread sees nothing come for so long */
    WORDS = SYMM_CUDA_RING_TRACKS * sizeof(uint64_t), /* bytes */
};

enum { COME, TAKEN, DONE, WORD_KINDS }; /* see struct symm_cuda_ring */

_Static_assert(WORD_KINDS * WORDS <= SYMM_HEAD_HANDOVER, "words of each kind");

static size_t scratch_wanted(size_t bytes, int ranks)
{
    (void)ranks;
    return symm_least(bytes + SCRATCH_LEAST, SCRATCH_MOST);
}

static size_t scratch_least(int ranks)
{
    (void)ranks;
    return SCRATCH_LEAST;
}

static size_t scratch_fair(int ranks)
{
    (void)ranks;
    return SCRATCH_FAIR;
}

/* ---- where things are ------------------------------------------------------------------------ */

static size_t extent_of(const struct symm_work *work)
{
    return symm_cuda_type_extent((enum symm_cuda_type)work->cuda_type);
}

static uint64_t vectors_of(const struct symm_work *work)
{
    return work->count * extent_of(work) / VECTOR;
}

/* The words of a kind. */
static uint64_t *words_of(const struct symm_work *work, int rank, int kind)
{
    return symm_cuda_head_words(work, rank, SYMM_HEAD_RING + (size_t)kind * WORDS);
}

static uint64_t quotient_up(uint64_t dividend, uint64_t divisor)
{
    return (dividend + divisor - 1) / divisor;
}

/*
 * How the vectors are cut.  All tracks have as many steps, so that none is waited for in the end.
 * Few vectors go in small steps: the next rank waits for the first of them.
 */
static void cut(const struct symm_work *work, struct symm_cuda_ring *ring)
{
    uint64_t lines = work->scratch_size / VECTOR / LINE / SLOTS;
    ring->vectors = vectors_of(work);
    ring->slots = SLOTS;
    ring->tracks = symm_least(SYMM_CUDA_RING_TRACKS, lines);
    uint64_t most = symm_least(SYMM_CUDA_RING_STEP, lines / ring->tracks * LINE);
    uint64_t share = quotient_up(ring->vectors, ring->tracks);
    uint64_t rounds = quotient_up(share, most);
    if (rounds < ROUNDS_FEW) {
        rounds = symm_least(quotient_up(share, symm_least(STEP_FEW, most)), ROUNDS_FEW);
    }
    ring->step = quotient_up(quotient_up(share, rounds), LINE) * LINE;
}

/* All ranks come to the same answer: buffers are at the same place in a page for all of them. */
static bool is_ring(const struct symm_work *work)
{
    int last = work->team->size - 1;
    uint64_t addresses = (uint64_t)(uintptr_t)work->outputs[work->root];
    for (int rank = 0; rank <= last; rank++) {
        addresses |= (uint64_t)(uintptr_t)work->inputs[rank];
    }
    return last > 0 && !work->beside && addresses % VECTOR == 0 &&
           (work->root <= 1 || work->root == last) &&
           symm_device_can_ring((enum symm_cuda_type)work->cuda_type,
                                (enum symm_cuda_op)work->cuda_op);
}

/* This rank's neighbours on the way of the sums; -1: it is the first, or makes the result. */
struct way {
    int before, next;
};

static struct way way_of(const struct symm_work *work)
{
    int chain[SYMM_CUDA_RANKS_MAX], count = 0, place = 0, size = work->team->size;
    bool begins = work->root <= 1 && size > 2; /* of two ranks the root adds */
    if (begins) {
        chain[count++] = work->root;
    }
    for (int rank = 0; rank < size; rank++) {
        if (rank != work->root) {
            chain[count++] = rank;
        }
    }
    if (!begins) {
        chain[count] = work->root;
    }
    while (chain[place] != work->team->rank) {
        place++;
    }
    return (struct way){place > 0 ? chain[place - 1] : -1,
                        place < size - 1 ? chain[place + 1] : -1};
}

/*
 * A run that is refused is DEPARTING at once, which has the same number in steps.h.  It has taken
 * no part, and does not know whether the others have a ring: it leaves when they have done a step.
 */
enum {
    BEGINNING, PASSING, DEPARTING = SYMM_CUDA_DEPARTING, RESTING, WIPING, ENDING, DRAINING, LEAVING,
};

enum { PASSED = 1, ENDED }; /* what ranks raise */

/* ---- the work -------------------------------------------------------------------------------- */

static struct symm_kernel *pass_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct way way = way_of(work);
    int rank = work->team->rank;
    struct symm_cuda_ring ring = {
        .own = work->input,
        .output = work->outputs[work->root],
        .done = words_of(work, rank, DONE),
        .own_first = rank < way.before,
        .patience = PATIENCE,
    };
    if (vectors_of(work) == 0) {
        return symm_kernel_nothing(kernel);
    }
    cut(work, &ring);
    if (way.before >= 0) {
        ring.sum = work->scratches[rank];
        ring.come = words_of(work, rank, COME);
        ring.room = words_of(work, way.before, TAKEN);
    }
    if (way.next >= 0) {
        ring.output = work->scratches[way.next];
        ring.passed = words_of(work, way.next, COME);
        ring.taken = words_of(work, rank, TAKEN);
    }
    return symm_kernel_ring(kernel, work->cuda_type, work->cuda_op, &ring, work->block_limit);
}

/* One that has come back late goes on, unless a rank has failed, which it would wait for. */
static enum symm_status pass_test(struct symm_run *run)
{
    enum symm_status status = symm_completion_test(run->work->device, &run->completion);
    if (status != SYMM_OK || !run->completion.late) {
        return status;
    }
    run->stage = BEGINNING;
    return symm_cuda_someone_has_failed(run->work) ? SYMM_ERR_SYSTEM : SYMM_PENDING;
}

/* Elements that fill no vector. */
static struct symm_kernel *rest_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    struct symm_cuda_reduce arguments = {
        .begin = vectors_of(work) * VECTOR / extent_of(work), .end = work->count,
        .ranks = work->team->size, .output_count = 1, .outputs = {work->outputs[work->root]},
    };
    if (!symm_rooted_is_root(work)) {
        return symm_kernel_nothing(kernel);
    }
    for (int rank = 0; rank < work->team->size; rank++) {
        arguments.inputs[rank] = work->inputs[rank];
    }
    return symm_kernel_reduce(kernel, work->cuda_type, work->cuda_op, &arguments,
                              work->block_limit);
}

/* Nobody stores to this rank's words any more. */
static struct symm_kernel *wipe_make(const struct symm_work *work, struct symm_kernel *kernel)
{
    int rank = work->team->rank;
    const struct symm_cuda_push zeros = {
        symm_cuda_head_words(work, rank, SYMM_HEAD_ZEROS), words_of(work, rank, 0),
        WORD_KINDS * WORDS,
    };
    return symm_kernel_push(kernel, &zeros, 1, false, 1);
}

/* ---- the run --------------------------------------------------------------------------------- */

static void proceed(struct symm_run *run, enum symm_status status, unsigned stage)
{
    symm_cuda_proceed(run, status, stage, DRAINING);
}

static void passing(struct symm_run *run)
{
    enum symm_status status = pass_test(run);
    if (status == SYMM_OK) {
        symm_run_raise(run, PASSED);
        status = symm_cuda_start(run, rest_make, &run->completion);
    }
    proceed(run, status, RESTING);
}

/* The next rank may still say what it has taken. */
static void resting(struct symm_run *run)
{
    int next = way_of(run->work).next;
    if (next < 0 || symm_work_rank_reached(run->work, next, PASSED)) {
        proceed(run, symm_cuda_start(run, wipe_make, &run->completions[0]), WIPING);
    }
}

static void wiping(struct symm_run *run)
{
    enum symm_status status = symm_completion_test(run->work->device, &run->completion);
    if (status == SYMM_OK) {
        status = symm_completion_test(run->work->device, &run->completions[0]);
    }
    proceed(run, status, ENDING);
}

/* A rank that stops because of another one is not the one that has failed. */
static void draining(struct symm_run *run)
{
    if (symm_run_give_up(run) == SYMM_OK) {
        symm_run_raise(run,
                       symm_cuda_someone_has_failed(run->work) ? ENDED : SYMM_CUDA_STEP_FAILED);
        run->stage = LEAVING;
    }
}

static enum symm_status ring_step(struct symm_run *run)
{
    switch (run->stage) {
    case BEGINNING:
        run->completions[0] = (struct symm_completion){0};
        proceed(run, symm_cuda_start(run, pass_make, &run->completion), PASSING);
        break;
    case PASSING:
        passing(run);
        break;
    case RESTING:
        resting(run);
        break;
    case WIPING:
        wiping(run);
        break;
    case ENDING:
        symm_run_raise(run, ENDED);
        run->stage = LEAVING;
        break;
    case DRAINING: /* what is under way goes to another rank's memory */
        draining(run);
        break;
    default:
        if (!symm_run_reached(run, run->stage == LEAVING ? ENDED : PASSED)) {
            return SYMM_PENDING;
        }
        symm_cuda_failures_collect(run);
        return SYMM_OK;
    }
    return SYMM_PENDING;
}

static enum symm_status step(struct symm_run *run)
{
    return is_ring(run->work) ? ring_step(run)
                              : symm_cuda_make_step(run, symm_reduce_two_shot_make);
}

const struct symm_algorithm_row symm_reduce_cuda_ring = {
    .number = SYMM_REDUCE_CUDA_RING,
    .name = "cuda_ring",
    .collective = SYMM_REDUCE,
    .memory = SYMM_ALGORITHM_DEVICE,
    .needs = SYMM_NEEDS_INPUTS | SYMM_NEEDS_OUTPUTS | SYMM_NEEDS_SLICE_SCRATCH,
    .slow = SYMM_SLOW_SHARED_DEVICES,
    .keeps_order = true,
    .scratch_wanted = scratch_wanted,
    .scratch_least = scratch_least,
    .scratch_fair = scratch_fair,
    .step = step,
};
