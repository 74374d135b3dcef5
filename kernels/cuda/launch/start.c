/*
 * start.c - starting kernels on streams of ours, and knowing when they have ended; see device.h.
 *
 * A kernel stores words in host memory, its flags, when it is done.  The host sees them some
 * microseconds sooner than it would learn of the end through the stream (6.1 against 8.9 us), and
 * without a call of the driver.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/kernel.h"

/* ---- slots ----------------------------------------------------------------------------------- */

static bool slot_take(struct symm_device *device, uint32_t *slot)
{
    uint64_t slots = atomic_load_explicit(&device->free_slots, memory_order_relaxed);
    while (slots != 0) {
        *slot = (uint32_t)__builtin_ctzll(slots);
        if (atomic_compare_exchange_weak_explicit(&device->free_slots, &slots,
                                                  slots & ~(UINT64_C(1) << *slot),
                                                  memory_order_acquire, memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

void symm_completion_give(struct symm_device *device, struct symm_completion *completion)
{
    symm_queue_give(&device->queue, completion->generation, completion->graph);
    (void)atomic_fetch_or_explicit(&device->free_slots, UINT64_C(1) << completion->slot,
                                   memory_order_release);
    *completion = (struct symm_completion){0};
}

void symm_completion_lose(struct symm_device *device, struct symm_completion *completion)
{
    (void)atomic_fetch_add_explicit(&device->lost_slots, 1, memory_order_relaxed);
    *completion = (struct symm_completion){0};
}

static enum symm_status slots_busy(const struct symm_device *device)
{
    if (atomic_load_explicit(&device->lost_slots, memory_order_relaxed) < SYMM_CUDA_SLOTS) {
        return SYMM_PENDING;
    }
    (void)symm_cuda_unusable("the device has not answered %d times", SYMM_CUDA_SLOTS);
    return SYMM_ERR_SYSTEM;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

enum symm_status symm_start_begin(struct symm_device *device, struct symm_completion *completion,
                                   struct symm_cuda_scope *scope)
{
    if (!slot_take(device, &completion->slot)) {
        return slots_busy(device);
    }
    enum symm_status status = symm_cuda_enter(device->number, scope);
    if (status == SYMM_OK &&
        atomic_load_explicit(&device->generation, memory_order_acquire) != scope->generation) {
        status = symm_device_renew(device, scope);
        if (status != SYMM_OK) {
            symm_cuda_leave(scope);
        }
    }
    if (status != SYMM_OK) {
        symm_completion_give(device, completion);
        return status;
    }
    completion->generation = scope->generation;
    return SYMM_OK;
}

enum symm_status symm_start_end(struct symm_device *device, struct symm_completion *completion,
                                 const struct symm_cuda_scope *scope, enum symm_status status)
{
    symm_cuda_leave(scope);
    if (status != SYMM_OK) {
        symm_completion_give(device, completion);
    } else {
        symm_cuda_own_work(1);
    }
    return status;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/*
 * What the next kernel in a slot will store: never 0, nor the value that the first flag has.  The
 * others may still have this value from billions of launches ago, so they are wiped.
 */
static struct symm_cuda_finish finish_choose(const struct symm_device *device, uint32_t slot,
                                             unsigned flags)
{
    _Atomic uint32_t *words = device->flags[slot].words;
    uint32_t before = atomic_load_explicit(&words[0], memory_order_relaxed);
    uint32_t sequence = ((before & ~(uint32_t)SYMM_CUDA_LATE) + 1) % SYMM_CUDA_LATE;
    CUdeviceptr seen = device->device_flags + slot * sizeof(*device->flags);
    for (unsigned i = 1; i < flags; i++) {
        atomic_store_explicit(&words[i], 0, memory_order_relaxed);
    }
    return (struct symm_cuda_finish){
        .flags = (uint32_t *)(uintptr_t)seen,
        .sequence = sequence != 0 ? sequence : 1,
        .slot = slot,
    };
}

enum symm_status symm_start_kernel(struct symm_device *device, struct symm_kernel *kernel,
                                   struct symm_completion *completion)
{
    const unsigned flags = symm_cuda_finish_flags(kernel->blocks);
    CUstream stream = device->kernels;
    enum symm_status status =
        kernel->beside ? symm_device_stream(device, &device->beside, &stream) : SYMM_OK;
    if (status == SYMM_OK) {
        const struct symm_cuda_finish finish = finish_choose(device, completion->slot, flags);
        *symm_kernel_finish(kernel) = finish;
        status = symm_queue_launch(&device->queue, kernel, stream, completion->generation,
                                   &completion->graph);
        if (status == SYMM_OK) {
            completion->sequence = finish.sequence;
            completion->flags = flags;
            completion->beside = kernel->beside;
        }
    }
    return status;
}

enum symm_status symm_device_start(struct symm_device *device, struct symm_kernel *kernel,
                                   struct symm_completion *completion)
{
    struct symm_cuda_scope scope;
    *completion = (struct symm_completion){0};
    if (kernel->function == SYMM_FUNCTION_NONE) {
        return SYMM_ERR_ARGUMENT;
    }
    if (kernel->blocks == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_start_begin(device, completion, &scope);
    if (status == SYMM_OK) {
        status = symm_start_kernel(device, kernel, completion);
        status = symm_start_end(device, completion, &scope, status);
    }
    return status;
}
