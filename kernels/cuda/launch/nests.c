/*
 * nests.c - starting kernels that pack and unpack elements with gaps; see device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"

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

enum symm_status symm_device_nests_start(struct symm_device *device,
                                         const struct symm_cuda_nest *nests, int count,
                                         bool unpacks, unsigned block_limit,
                                         struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_nests launched = {.unpacks = unpacks};
    uint64_t most = 0;
    *completion = (struct symm_completion){0};
    if (count < 0 || count > SYMM_CUDA_NESTS) {
        return SYMM_ERR_ARGUMENT;
    }
    for (int i = 0; i < count; i++) {
        if (nests[i].depth > SYMM_CUDA_NEST_LOOPS) {
            return SYMM_ERR_ARGUMENT;
        }
        struct symm_cuda_nest *nest = &launched.nests[launched.count];
        *nest = nests[i];
        nest->unit = unit_of(nest);
        uint64_t units = nest->limit == 0 ? 0 : units_of(nest);
        launched.count += units > 0;
        most = units > most ? units : most;
    }
    if (most == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, completion, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_launch launch = { /* few nests are the first ones of many */
        .function = launched.count <= SYMM_CUDA_FEW_NESTS ? device->functions.few_nests
                                                          : device->functions.nests,
        .arguments = &launched,
        .finish = &launched.finish,
        .units = most,
        .block_limit = block_limit != 0 ? block_limit : BLOCKS,
    };
    status = symm_launch_kernel(device, device->kernels, &launch, completion);
    return symm_launch_end(device, completion, &scope, status);
}
