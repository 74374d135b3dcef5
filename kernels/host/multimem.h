/*
 * multimem.h - multicast in host memory, by software: a load reduces all replicas, a store goes to
 * all.
 *
 * The multicast object determines the replicas, whatever the ranks have said about their buffers.
 * So an error of an object shows in the results.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_HOST_MULTIMEM_H
#define SYMM_KERNELS_HOST_MULTIMEM_H

#include "kernels/run_steps.h"

/* `count` elements at byte `offset` of the ranks' inputs, reduced in rank order. */
static inline void symm_multimem_load(struct symm_run *run, size_t offset, void *target,
                                      size_t count)
{
    const struct symm_multicast_address *from = &run->work->multicast_input;
    for (int rank = 0; rank < run->work->team->size; rank++) {
        run->work->inputs[rank] = from->replicas[rank] + from->offset;
    }
    symm_fold(run->work->reduction, run->work->team, run->work->inputs, offset, target, count);
}

/* Store to byte `offset` of all outputs.  The source may be this rank's output itself. */
static inline void symm_multimem_store(struct symm_run *run, size_t offset, const void *source,
                                       size_t bytes)
{
    const struct symm_multicast_address *to = &run->work->multicast_output;
    for (int turn = 1; turn <= run->work->team->size; turn++) {
        unsigned char *output =
            to->replicas[symm_work_rotate(run->work, turn % run->work->team->size)];
        unsigned char *target = output + to->offset + offset;
        if (target != source) {
            memcpy(target, source, bytes);
        }
    }
}

#endif /* SYMM_KERNELS_HOST_MULTIMEM_H */
