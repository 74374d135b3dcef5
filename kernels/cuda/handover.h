/*
 * handover.h - runs of two kernels on each device: one that reads from other ranks or stores to
 * them, and one behind it that copies within the device once the others have done that as well.
 *
 * The second kernel waits for the others by words in the heads of the scratches (device_code/
 * handover.cuh).  So the copies take no meeting of the ranks in the middle, and no launch that the
 * host has to wait with.  A kernel does not wait for long.  If it comes back late, its rank waits
 * on the host until all ranks are done with their first kernels, and starts the second one again.
 *
 * An algorithm may have one kernel that does the work of both (device_code/exchange.cuh).  If that
 * comes back late, the second one is started for what it has left.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_HANDOVER_H
#define SYMM_KERNELS_CUDA_HANDOVER_H

#include "kernels/cuda/launch/device.h"
#include "kernels/run_steps.h"

enum { SYMM_HANDOVER_PATIENCE = 1000 * 1000 }; /* ns: a thread sees nobody come for so long */

/* What an algorithm puts into such a run.  `start` or `both_start` is NULL. */
struct symm_handover {
    /* Start the first kernel, or nothing.  Errors: as symm_device_reduce_start(). */
    enum symm_status (*start)(struct symm_run *run, struct symm_ticket *ticket);
    /* Start one kernel for both, whose words are the same.  Errors: likewise. */
    enum symm_status (*both_start)(struct symm_run *run, struct symm_ticket *ticket);
    /* Whether `rank` waits for the first kernel of `source`, another rank.  All ranks agree. */
    bool (*waits)(const struct symm_run *run, int rank, int source);
    /* What this rank copies then.  Returns how many blocks. */
    int (*copies)(const struct symm_run *run, struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX]);
};

/* The step function of such a run.  It needs scratch, of which it uses the head. */
enum symm_status symm_handover_step(struct symm_run *run, const struct symm_handover *handover);

#endif /* SYMM_KERNELS_CUDA_HANDOVER_H */
