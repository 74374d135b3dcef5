/*
 * device/scratch.h - memory of a device that all ranks can reach, for data on their way through it.
 *
 * A process has one piece for each device, in the device's heap, so that peers map it once like any
 * buffer.  It is taken by one call at a time; another, of another thread, does without and says so
 * to its peers.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COLL_SYMM_DEVICE_SCRATCH_H
#define MCA_COLL_SYMM_DEVICE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Take the scratch of a device, *size bytes at the address returned, whatever stood there: if it
 * can be had, as many as *size says before, but coll_symm_device_scratch at most.  NULL: there is
 * none for now.  Local.
 */
void *mca_coll_symm_scratch_take(int device, size_t *size);

/* The call is over, on all ranks. */
void mca_coll_symm_scratch_give(int device);

/* Free that of a device unless a call has it.  Whether there was any. */
bool mca_coll_symm_scratch_spare(int device);

/* Free all of it; nobody may have any. */
void mca_coll_symm_scratch_close(void);

#endif /* MCA_COLL_SYMM_DEVICE_SCRATCH_H */
