/*
 * relay_blocks.h - collectives that move blocks through scratch, piece by piece (relay.h).
 *
 * Piece p goes through
 *
 *   push  stage p:     own input to a row of the scratch of each rank that it is for,
 *   out   stage p + 1: the rows of own scratch, and own input, to own output.
 *
 * All ranks take as many pieces as the largest block of all has.  In place, piece p + 1 is pushed
 * while piece p is copied over what has been pushed before.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_RELAY_BLOCKS_H
#define SYMM_KERNELS_CUDA_RELAY_BLOCKS_H

#include "kernels/cuda/relay.h"
#include "kernels/cuda/steps.h"

enum { SYMM_RELAY_PARTS = 2 }; /* of the scratch; one is read while the other is written */

/*
 * Bytes of a piece of a block of `bytes` bytes.  The more bytes the pieces of all other ranks have
 * together, the less a meeting costs.
 */
size_t symm_relay_blocks_piece(size_t bytes, int ranks);

struct symm_relay_cut {
    size_t row;   /* bytes of scratch for a piece from one rank */
    size_t piece; /* bytes */
    uint64_t pieces;
};

struct symm_relay_cut symm_relay_blocks_cut(const struct symm_work *work);

/* The part of a block that is in a piece; *bytes is 0 behind the block's end. */
static inline size_t symm_relay_part(const struct symm_relay_cut *cut, size_t block, uint64_t piece,
                                     size_t *bytes)
{
    size_t begin = symm_least((size_t)piece * cut->piece, block);
    *bytes = symm_least(block - begin, cut->piece);
    return begin;
}

/* Where `source` puts its pieces for `owner`.  What comes from a root has all of the scratch. */
unsigned char *symm_relay_blocks_row(const struct symm_work *work, const struct symm_relay_cut *cut,
                                     int owner, int source, uint64_t piece);

/*
 * The copies of what has come, and `with_own` of this rank's own block unless that is in place.
 * Returns how many.
 */
int symm_relay_blocks_outs(const struct symm_work *work, const struct symm_relay_cut *cut,
                           uint64_t piece, bool with_own,
                           struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX]);

/* The step function. */
enum symm_status symm_relay_blocks_step(struct symm_run *run);

#endif /* SYMM_KERNELS_CUDA_RELAY_BLOCKS_H */
