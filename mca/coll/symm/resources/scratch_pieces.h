/*
 * resources/scratch_pieces.h - memory of a device that all ranks can reach, for data on their way
 * through it.
 *
 * A process has pieces of each device's heap, so that peers map them once like any buffer.  A piece
 * is of one call at a time.  There is one, unless several calls that need scratch are under way:
 * nonblocking ones, or those of several threads.  A call for which there is none, or no more
 * memory, does without it and says so to its peers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_RESOURCES_SCRATCH_PIECES_H
#define MCA_COLL_SYMM_RESOURCES_SCRATCH_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Take a piece of a device's scratch: *size bytes at the address returned, with any content.  On
 * the way in *size says how much is wanted; it is got if possible, but all pieces of a device have
 * no more than coll_symm_device_scratch together.  NULL: there is none for now.  Local.
 */
void *mca_coll_symm_scratch_take(int device, size_t *size, int *piece);

/* The device of a piece that has been taken: symm_cuda_device_identity(). */
uint64_t mca_coll_symm_scratch_identity(int device, int piece);

/* The call that has taken the piece is over, on all ranks. */
void mca_coll_symm_scratch_give(int device, int piece);

/* The same of a call that has failed: the head may hold anything, so other memory is got next. */
void mca_coll_symm_scratch_lose(int device, int piece);

/* Free what scratch of a device no call has.  Returns whether there was any. */
bool mca_coll_symm_scratch_spare(int device);

/* Free all scratch.  No call may have any. */
void mca_coll_symm_scratch_close(void);

#endif /* MCA_COLL_SYMM_RESOURCES_SCRATCH_PIECES_H */
