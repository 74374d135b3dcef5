/*
 * handover.h - runs of a kernel on each device that reads from other ranks or stores to them, tells
 * them, and copies within the device once they have told that they have done so as well.
 *
 * The kernels tell each other by words in the heads of the scratches (device_code/held.cuh,
 * exchange.cuh).  So the copies take no meeting of the ranks in the middle, and no second launch.
 * A kernel does not wait for long.  If it comes back late, its rank waits on the host until all
 * ranks are done with their kernels.  Then it starts another one, which makes all of its copies and
 * writes zeros to its words.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_HANDOVER_H
#define SYMM_KERNELS_CUDA_HANDOVER_H

#include "kernels/cuda/launch/device.h"
#include "kernels/run_steps.h"

enum { SYMM_HANDOVER_PATIENCE = 1000 * 1000 }; /* ns: a thread sees nobody come for so long */

/* What an algorithm puts into such a run. */
struct symm_handover {
    symm_kernel_maker *make;
    /* What this rank copies once others have told it: less than SYMM_CUDA_RANKS_MAX blocks. */
    int (*copies)(const struct symm_work *work, struct symm_cuda_push copies[SYMM_CUDA_RANKS_MAX]);
};

/* The step function of such a run.  It needs scratch, of which it uses the head. */
enum symm_status symm_handover_step(struct symm_run *run, const struct symm_handover *handover);

#endif /* SYMM_KERNELS_CUDA_HANDOVER_H */
