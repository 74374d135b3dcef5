/*
 * handover.c - starting kernels that copy once other ranks are done; see device.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"

enum {
    VECTOR = 16,
    LITTLE = 1 << 20, /* bytes that blocks with a flag each copy as quickly as more blocks */
};

/*
 * Each block has to have a word, and each word a thread.  Within a device as many blocks as that
 * copy more than those that fill a link.
 */
static unsigned blocks_of(uint64_t units, unsigned block_limit)
{
    unsigned most = units * VECTOR <= LITTLE ? SYMM_CUDA_FLAGS : SYMM_CUDA_HANDOVER_WORDS;
    return block_limit != 0 && block_limit < most ? block_limit : most;
}

static uint64_t units_of(const struct symm_cuda_handover *handover)
{
    uint64_t vectors = (symm_launch_bytes_most(handover->copies, handover->copy_count) +
                        VECTOR - 1) / VECTOR;
    return vectors > SYMM_CUDA_HANDOVER_WORDS ? vectors : SYMM_CUDA_HANDOVER_WORDS;
}

enum symm_status symm_device_handover_start(struct symm_device *device,
                                            const struct symm_cuda_handover *handover,
                                            unsigned block_limit, struct symm_ticket *ticket)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_handover launched = *handover;
    *ticket = (struct symm_ticket){0};
    if (handover->words == NULL || handover->copy_count < 0 || handover->told_count < 0 ||
        handover->copy_count > SYMM_CUDA_RANKS_MAX || handover->told_count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    enum symm_status status = symm_launch_begin(device, ticket, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    const struct symm_launch launch = {
        .function = device->functions.handover,
        .arguments = &launched,
        .finish = &launched.finish,
        .units = units_of(handover),
        .block_limit = blocks_of(units_of(handover), block_limit),
    };
    status = symm_launch_kernel(device, device->kernels, &launch, ticket);
    return symm_launch_end(device, ticket, &scope, status);
}
