/*
 * device/scratch.h - memory of a device that all ranks can reach, for data on their way through it.
 *
 * A process has one piece for each device, in the device's heap, so that peers map it once like any
 * buffer.  One call takes it at a time.  Another call, of another thread, does without it and says
 * so to its peers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_SCRATCH_H
#define MCA_COLL_SYMM_DEVICE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Take the scratch of a device: *size bytes at the address returned, with any content.  On the way
 * in *size says how much is wanted; it is got if possible, but not more than
 * coll_symm_device_scratch.  NULL: there is none for now.  Local.
 */
void *mca_coll_symm_scratch_take(int device, size_t *size);

/* The device of a scratch that has been taken: symm_cuda_device_identity(). */
uint64_t mca_coll_symm_scratch_identity(int device);

/* The call is over, on all ranks. */
void mca_coll_symm_scratch_give(int device);

/* The same of a call that has failed: its head may hold anything, so other memory is got next. */
void mca_coll_symm_scratch_lose(int device);

/* Free the scratch of a device unless a call has it.  Returns whether there was any. */
bool mca_coll_symm_scratch_spare(int device);

/* Free all scratch.  No call may have any. */
void mca_coll_symm_scratch_close(void);

#endif /* MCA_COLL_SYMM_DEVICE_SCRATCH_H */
