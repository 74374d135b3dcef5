/*
 * work.h - what one collective is to do on memory that is already mapped: where the data lie, how
 * much they are, how they are reduced, and by which algorithm.
 *
 * It does not change while it is done.  How far a rank has got is in its run (run.h).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_WORK_H
#define SYMM_KERNELS_WORK_H

#include <stddef.h>
#include <stdint.h>

#include "heap/private.h"
#include "heap/team/multicast_groups.h"
#include "heap/team/team.h"
#include "kernels/algorithm.h"
#include "kernels/block.h"
#include "kernels/reduction.h"

struct symm_device;

struct symm_work {
    struct symm_team *team;
    enum symm_algorithm algorithm;
    uint64_t sequence;
    /*
     * All-reduce: elements.  All-gather: bytes of a rank's block.  Reduce-scatter: elements of all
     * blocks together.  All-to-all: bytes of all blocks together.  Broadcast: bytes.  Reduce:
     * elements.  Gather, scatter: bytes of a block.
     */
    size_t count;
    struct symm_block *blocks; /* exchanges: [ranks] */
    size_t largest;            /* exchanges: bytes of the largest block of any two ranks */
    size_t *begins; /* reduce-scatter: [ranks + 1], the elements with which ranks' blocks begin */
    int root;       /* of a rooted collective */
    const struct symm_reduction *reduction; /* outlives the run; NULL: nothing is reduced */

    /*
     * This rank's buffers.  Equal pointers mean in place; in an all-gather the input of an in-place
     * call is the rank's block of its own output.  In a reduce-scatter the output has this rank's
     * block only, and in place it is the beginning of the input.  Of a rooted collective a rank may
     * have one buffer only; the other pointer then means nothing.  At a root in place that buffer
     * holds its own block of a gather or scatter as well, and the other pointer is where.
     */
    const void *input;
    void *output;
    /*
     * Every rank's buffers, at the addresses where this rank reaches them.  The algorithm
     * determines which are needed.  Algorithms that need no inputs use that array for addresses of
     * their own.
     */
    const void **inputs; /* one-shot, two-shot, pull; scratch for slot and staged */
    void **outputs;      /* two-shot, push */
    /*
     * All ranks' buffers together, for the algorithms named MULTIMEM.  The algorithm determines
     * which are needed.
     */
    struct symm_multicast_address multicast_input, multicast_output;

    /* For the algorithms named CUDA. */
    void **scratches;           /* every rank's scratch, as for inputs */
    size_t scratch_size;        /* bytes of each, the same number for all ranks */
    struct symm_device *device; /* this rank's; reaches all the buffers that the algorithm needs */
    int cuda_type, cuda_op;     /* enum symm_cuda_type, enum symm_cuda_op */
    unsigned block_limit;       /* most blocks of a kernel; 0: no limit of the caller's */
    bool beside;                /* the program goes on meanwhile, and may use the multiprocessors */
    bool in_place;              /* some rank is */
    bool shared;                /* ranks share a device: a kernel that waits keeps others out */
};

/* The traits of the collective that is made. */
static inline const struct symm_collective_row *symm_work_collective(const struct symm_work *work)
{
    return symm_collective_get(symm_algorithm_get(work->algorithm)->collective);
}

/*
 * What this rank and `rank` exchange in a collective that moves data.  Where all have `count`
 * bytes there is no table of them.  (UCC's all-gather is its all-gatherv in the same way.)
 */
static inline struct symm_block symm_work_block(const struct symm_work *work, int rank)
{
    const struct symm_collective_row *row = symm_work_collective(work);
    if (row->has_blocks) {
        return work->blocks[rank];
    }
    const int me = work->team->rank, root = work->root;
    bool sends = row->from_root ? me == root : !row->to_root || rank == root;
    bool receives = row->to_root ? me == root : !row->from_root || rank == root;
    size_t sent = sends ? work->count : 0, received = receives ? work->count : 0;
    size_t input_step = row->from_root && row->own_stays ? work->count : 0; /* a scatter */
    size_t output_step = row->gathers ? work->count : 0;
    return (struct symm_block){
        .send_at = (size_t)rank * input_step, .send_bytes = sent,
        .receive_at = (size_t)rank * output_step, .receive_bytes = received,
        .from_at = (size_t)me * input_step, .from_bytes = received,
        .to_at = (size_t)me * output_step, .to_bytes = sent,
    };
}

/* Bytes of the largest block of any two ranks. */
static inline size_t symm_work_largest(const struct symm_work *work)
{
    return symm_work_collective(work)->has_blocks ? work->largest : work->count;
}

#endif /* SYMM_KERNELS_WORK_H */
