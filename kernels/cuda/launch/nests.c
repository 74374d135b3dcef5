/*
 * nests.c - kernels that pack and unpack elements with gaps; see kernel.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/kernel.h"

enum {
    VECTOR = 16,
    BLOCKS = 264, /* to and from the device's own memory, which more blocks than a link's fill */
};

/* The largest number of bytes that all parts of a nest are multiples of. */
static uint32_t unit_of(const struct symm_cuda_nest *nest)
{
    uint64_t all = (uint64_t)(uintptr_t)nest->memory | (uint64_t)(uintptr_t)nest->packed |
                   nest->run | nest->limit | VECTOR;
    for (uint32_t i = 0; i < nest->depth; i++) {
        all |= (uint64_t)nest->loops[i].memory_step | nest->loops[i].packed_step;
    }
    return (uint32_t)(all & (0 - all)); /* its lowest bit */
}

static uint64_t units_of(const struct symm_cuda_nest *nest)
{
    uint64_t units = nest->run / nest->unit;
    for (uint32_t i = 0; i < nest->depth; i++) {
        units *= nest->loops[i].turns;
    }
    return units;
}

_Static_assert(offsetof(struct symm_cuda_few_nests, nests) ==
                   offsetof(struct symm_cuda_nests, nests), "the same but for their number");

struct symm_kernel *symm_kernel_nests(struct symm_kernel *kernel,
                                      const struct symm_cuda_nest *nests, int count,
                                      bool unpacks, unsigned block_limit)
{
    struct symm_cuda_nests *all = &kernel->arguments.nests;
    uint64_t most = 0;
    if (count < 0 || count > SYMM_CUDA_NESTS) {
        return symm_kernel_wrong(kernel);
    }
    *all = (struct symm_cuda_nests){.unpacks = unpacks};
    for (int i = 0; i < count; i++) {
        if (nests[i].depth > SYMM_CUDA_NEST_LOOPS) {
            return symm_kernel_wrong(kernel);
        }
        struct symm_cuda_nest *nest = &all->nests[all->count];
        *nest = nests[i];
        nest->unit = unit_of(nest);
        uint64_t units = nest->limit == 0 ? 0 : units_of(nest);
        all->count += units > 0;
        most = units > most ? units : most;
    }
    if (most == 0) {
        return symm_kernel_nothing(kernel);
    }
    /* Few nests are the first ones of many. */
    return symm_kernel_set(kernel,
                           all->count <= SYMM_CUDA_FEW_NESTS ? SYMM_FUNCTION_FEW_NESTS
                                                             : SYMM_FUNCTION_NESTS,
                           SYMM_KERNEL_FINISH(nests), most,
                           block_limit != 0 ? block_limit : BLOCKS, 0);
}
