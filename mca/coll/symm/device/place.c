/*
 * device/place.c - see device/place.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/device/place.h"

#include <stdatomic.h>

#include "heap/gpu/cuda_device.h"
#include "mca/coll/symm/data/recognise.h"

/*
 * The device of the memory at `address`.  *elsewhere is what is known of the memory, if it is not
 * of a heap of ours.
 */
static int device_of(const void *address, enum symm_kinds kinds, struct symm_memory *elsewhere,
                     bool *unusable)
{
    struct symm_place place;
    *elsewhere = (struct symm_memory){.kind = SYMM_MEMORY_HOST, .device = -1};
    if (mca_coll_symm_is_known_host(address) || kinds == SYMM_KINDS_SYSTEM ||
        !symm_cuda_is_built()) {
        return -1;
    }
    mca_coll_symm_recognise(address, kinds, &place);
    if (place.memory.device >= 0 && !place.ours) {
        *elsewhere = place.memory;
        *unusable = *unusable || !symm_cuda_memory_is_usable(elsewhere, address);
    }
    return place.memory.device;
}

void mca_coll_symm_device_describe(struct symm_call *call, enum symm_kinds kinds)
{
    /* The first byte decides: buffers lie in one allocation each. */
    call->unusable = false;
    int output = device_of(call->output.at, kinds, &call->output.memory, &call->unusable);
    int input = output;
    if (call->in_place || call->input.at == call->output.at) { /* there may be but one */
        call->input.memory = call->output.memory;
    } else {
        input = device_of(call->input.at, kinds, &call->input.memory, &call->unusable);
    }
    if (output >= 0 && call->input.memory.kind == SYMM_MEMORY_MANAGED) {
        input = output; /* managed memory is where it is used */
    } else if (input >= 0 && call->output.memory.kind == SYMM_MEMORY_MANAGED) {
        output = input;
    }
    call->asymmetric = input != output;
    call->device = output >= 0 ? output : input;
    /* Calls on host copies wait by themselves. */
    if (call->device >= 0 && !call->unusable && !call->asymmetric) {
        if (call->input.memory.kind != SYMM_MEMORY_HOST ||
            call->output.memory.kind != SYMM_MEMORY_HOST) {
            symm_cuda_memory_settle(call->device);
        } else {
            symm_cuda_sync_memops(call->device);
        }
    }
}

/* ---- calls in which this rank has no data ---------------------------------------------------- */

static _Atomic int guesses[SYMM_COLLECTIVE_COUNT]; /* a device plus 1; 0: the host */

void mca_coll_symm_device_note(enum symm_collective collective, int device)
{
    atomic_store_explicit(&guesses[collective], device + 1, memory_order_relaxed);
}

void mca_coll_symm_device_guess(struct symm_call *call)
{
    if (!mca_coll_symm_call_is_idle(call)) {
        mca_coll_symm_device_note(call->collective, call->device);
    } else {
        call->device =
            atomic_load_explicit(&guesses[call->collective], memory_order_relaxed) - 1;
    }
}

void mca_coll_symm_device_learn(const struct symm_call *call, bool on_device)
{
    int device = -1;
    bool has_device = symm_cuda_is_used() || symm_cuda_has_current();
    if (on_device && has_device && symm_cuda_device_current(&device) != SYMM_OK) {
        symm_cuda_forget_failure();
        device = -1;
    }
    mca_coll_symm_device_note(call->collective, device);
}
