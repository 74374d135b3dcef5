/*
 * block.h - the blocks that ranks exchange with each other: where each one begins, and how long it
 * is.
 *
 * All offsets are bytes from the beginning of an input or output as a run names it.  Each rank
 * knows both ends of what it sends and of what it receives.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_BLOCK_H
#define SYMM_KERNELS_BLOCK_H

#include <stddef.h>

/* What this rank and one rank, which may be itself, exchange. */
struct symm_block {
    size_t send_at, send_bytes;       /* in this rank's input: the block for that rank */
    size_t receive_at, receive_bytes; /* in this rank's output: the place of that rank's block */
    size_t from_at, from_bytes;       /* in that rank's input: its block for this rank */
    size_t to_at, to_bytes;           /* in that rank's output: the place of this rank's block */
};

/*
 * Bytes that come from that rank, and bytes that are stored there by this rank.  A block that is
 * longer than its place is an error of the program, and is cut.
 */
static inline size_t symm_block_incoming(const struct symm_block *block)
{
    return block->from_bytes < block->receive_bytes ? block->from_bytes : block->receive_bytes;
}

static inline size_t symm_block_outgoing(const struct symm_block *block)
{
    return block->send_bytes < block->to_bytes ? block->send_bytes : block->to_bytes;
}

#endif /* SYMM_KERNELS_BLOCK_H */
