/*
 * allreduce_multimem.c - two-shot by multicast: each rank loads its slice, reduced on the way, and stores
 * the result, which goes to all outputs.
 *
 * Only the owner touches a slice, in anybody's memory, and has loaded a block before it stores it: so it
 * is right in place as well.  One phase at the end: my output is complete when all owners have stored.
 * In host memory it is no quicker than two-shot; it is there so that multicast can be tried everywhere.
 *
 * (PyTorch: multimem_all_reduce_.  NCCL: NVLS.)
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/host/multimem.h"

enum { STARTING, REDUCING, DEPARTING };
enum { STEP_DEPART = 1 };

enum symm_status symm_allreduce_multimem_step(struct symm_run *run)
{
    const struct symm_team *team = run->team;
    size_t extent = run->reduction->extent, begin, end;
    if (run->stage != DEPARTING) {
        symm_slice(run->count, extent, team->rank, team->size, &begin, &end);
        if (run->stage == STARTING) {
            run->position = begin;
            run->stage = REDUCING;
        }
        size_t stop = symm_least(end, run->position + SYMM_STEP_BYTES / extent + 1);
        while (run->position < stop) {
            size_t block = symm_least(end - run->position, symm_block_bytes(extent) / extent);
            symm_multimem_load(run, run->position * extent, team->scratch, block);
            symm_multimem_store(run, run->position * extent, team->scratch, block * extent);
            run->position += block;
        }
        if (run->position < end) {
            return symm_run_more(run);
        }
        symm_run_raise(run, STEP_DEPART);
        run->stage = DEPARTING;
    }
    return symm_run_reached(run, STEP_DEPART) ? SYMM_OK : SYMM_PENDING;
}
