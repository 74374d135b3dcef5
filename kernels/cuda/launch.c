/*
 * launch.c - starting work on a device, and asking whether it is done; see device.h.
 *
 * A kernel stores a word in host memory, its flag, when it is done.  The host sees the flag some
 * microseconds sooner than it would learn of the end through the stream (6.1 against 8.9 us), and
 * without a call of the driver.  The stream is asked only now and then, since a kernel that has
 * failed raises no flag.  Events tell when copies are done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <string.h>

#include "kernels/cuda/device_state.h"

enum {
    WARP = 32,
    VECTOR = 16,             /* bytes that a thread moves at a time */
    POLLS_PER_QUERY = 1024,  /* looks at a flag between two questions to the driver */
    TROUBLES_MOST = 100,     /* attempts to ask the driver */
    SETTLINGS_MOST = 10,     /* attempts to wait for streams */
};

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

static void slot_give(struct symm_device *device, uint32_t slot)
{
    (void)atomic_fetch_or_explicit(&device->free_slots, UINT64_C(1) << slot, memory_order_release);
}

void symm_launch_lose(struct symm_device *device, struct symm_ticket *ticket)
{
    (void)atomic_fetch_add_explicit(&device->lost_slots, 1, memory_order_relaxed);
    *ticket = (struct symm_ticket){0};
}

static enum symm_status slots_busy(const struct symm_device *device)
{
    if (atomic_load_explicit(&device->lost_slots, memory_order_relaxed) < SYMM_CUDA_SLOTS) {
        return SYMM_PENDING;
    }
    (void)symm_cuda_unusable("the device has not answered %d times", SYMM_CUDA_SLOTS);
    return SYMM_ERR_SYSTEM;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static uint32_t flag_load(const struct symm_device *device, uint32_t slot)
{
    return atomic_load_explicit(&device->flags[slot].value, memory_order_acquire);
}

struct symm_cuda_finish symm_launch_finish(const struct symm_device *device, uint32_t slot)
{
    uint32_t sequence = flag_load(device, slot) + 1;
    CUdeviceptr flag = device->device_flags + slot * sizeof(*device->flags);
    return (struct symm_cuda_finish){
        .flag = (uint32_t *)(uintptr_t)flag,
        .sequence = sequence != 0 ? sequence : 1,
        .slot = slot,
    };
}

enum symm_status symm_launch_kernel(const struct symm_device *device, CUstream stream,
                                    CUfunction function, void *arguments, uint64_t units,
                                    unsigned block_limit)
{
    void *parameters[] = {arguments};
    unsigned threads = SYMM_CUDA_BLOCK_THREADS, blocks = 1;
    if (block_limit == 0) {
        block_limit = SYMM_DEVICE_BLOCKS;
    }
    if (units < threads) {
        threads = (unsigned)(units + WARP - 1) / WARP * WARP;
    } else if (units < (uint64_t)threads * block_limit) {
        blocks = (unsigned)((units + threads - 1) / threads);
    } else {
        blocks = block_limit;
    }
    CUresult result = device->cuda->cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0,
                                                   stream, parameters, NULL);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuLaunchKernel", result);
}

/* ---- starting -------------------------------------------------------------------------------- */

enum symm_status symm_launch_begin(struct symm_device *device, struct symm_ticket *ticket,
                                   struct symm_cuda_scope *scope)
{
    *ticket = (struct symm_ticket){0};
    if (!slot_take(device, &ticket->slot)) {
        return slots_busy(device);
    }
    enum symm_status status = symm_cuda_enter(device->number, scope);
    if (status == SYMM_OK &&
        atomic_load_explicit(&device->life, memory_order_acquire) != scope->life) {
        status = symm_device_renew(device, scope);
        if (status != SYMM_OK) {
            symm_cuda_leave(scope);
        }
    }
    if (status != SYMM_OK) {
        slot_give(device, ticket->slot);
        return status;
    }
    ticket->life = scope->life;
    return SYMM_OK;
}

enum symm_status symm_launch_end(struct symm_device *device, struct symm_ticket *ticket,
                                 const struct symm_cuda_scope *scope, enum symm_status status)
{
    symm_cuda_leave(scope);
    if (status != SYMM_OK) {
        slot_give(device, ticket->slot);
        *ticket = (struct symm_ticket){0};
    } else {
        symm_cuda_own_work(1);
    }
    return status;
}

/* Elements with padding are never moved as vectors. */
static uint64_t reduce_units(enum symm_cuda_type type, uint64_t count)
{
    return symm_cuda_type_is_padded(type)
               ? count : (count * symm_cuda_type_extent(type) + VECTOR - 1) / VECTOR;
}

/* Says which kernel is for this; of functions.c. */
typedef CUfunction (*function_find)(const struct symm_functions *functions,
                                    enum symm_cuda_type type, enum symm_cuda_op op, int ranks);

static enum symm_status combine_start(struct symm_device *device, function_find find,
                                      enum symm_cuda_type type, enum symm_cuda_op op,
                                      const struct symm_cuda_reduce *arguments,
                                      unsigned block_limit, struct symm_ticket *ticket)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_reduce launched = *arguments;
    *ticket = (struct symm_ticket){0};
    if (!symm_device_can_reduce(type, op) || arguments->ranks < 1 ||
        arguments->ranks > SYMM_CUDA_RANKS_MAX ||
        arguments->output_count < 1 || arguments->output_count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    if (arguments->begin == arguments->end) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, ticket, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    CUfunction function = find(&device->functions, type, op, arguments->ranks);
    launched.finish = symm_launch_finish(device, ticket->slot);
    status = symm_launch_kernel(device, device->kernels, function, &launched,
                                reduce_units(type, arguments->end - arguments->begin),
                                block_limit);
    ticket->sequence = launched.finish.sequence;
    return symm_launch_end(device, ticket, &scope, status);
}

enum symm_status symm_device_reduce_start(struct symm_device *device, enum symm_cuda_type type,
                                          enum symm_cuda_op op,
                                          const struct symm_cuda_reduce *arguments,
                                          unsigned block_limit, struct symm_ticket *ticket)
{
    return combine_start(device, symm_functions_reduce, type, op, arguments, block_limit, ticket);
}

enum symm_status symm_device_scan_start(struct symm_device *device, enum symm_cuda_type type,
                                        enum symm_cuda_op op,
                                        const struct symm_cuda_reduce *arguments,
                                        unsigned block_limit, struct symm_ticket *ticket)
{
    if (arguments->output_count != arguments->ranks) {
        *ticket = (struct symm_ticket){0};
        return SYMM_ERR_ARGUMENT;
    }
    return combine_start(device, symm_functions_scan, type, op, arguments, block_limit, ticket);
}

enum symm_status symm_launch_copy(struct symm_device *device,
                                  const struct symm_cuda_copy *arguments, unsigned block_limit,
                                  struct symm_ticket *ticket)
{
    struct symm_cuda_copy launched = *arguments;
    launched.finish = symm_launch_finish(device, ticket->slot);
    enum symm_status status =
        symm_launch_kernel(device, device->kernels, device->functions.copy, &launched,
                           (arguments->bytes + VECTOR - 1) / VECTOR, block_limit);
    if (status == SYMM_OK) {
        ticket->sequence = launched.finish.sequence;
    }
    return status;
}

enum symm_status symm_device_copy_start(struct symm_device *device,
                                        const struct symm_cuda_copy *arguments,
                                        unsigned block_limit, struct symm_ticket *ticket)
{
    struct symm_cuda_scope scope;
    *ticket = (struct symm_ticket){0};
    if (arguments->output_count < 0 || arguments->output_count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    if (arguments->bytes == 0 || arguments->output_count == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, ticket, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    return symm_launch_end(device, ticket, &scope,
                           symm_launch_copy(device, arguments, block_limit, ticket));
}

uint64_t symm_launch_bytes_most(const struct symm_cuda_push *pushes, int count)
{
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        most = pushes[i].bytes > most ? pushes[i].bytes : most;
    }
    return most;
}

static enum symm_status push_start(struct symm_device *device, bool beside,
                                   const struct symm_cuda_push *pushes, int count,
                                   unsigned block_limit, struct symm_ticket *ticket)
{
    struct symm_cuda_scope scope;
    struct symm_cuda_pushes launched = {.count = count};
    *ticket = (struct symm_ticket){0};
    if (count < 0 || count > SYMM_CUDA_RANKS_MAX) {
        return SYMM_ERR_ARGUMENT;
    }
    uint64_t bytes = symm_launch_bytes_most(pushes, count);
    if (bytes == 0) {
        return SYMM_OK;
    }
    enum symm_status status = symm_launch_begin(device, ticket, &scope);
    if (status != SYMM_OK) {
        return status;
    }
    memcpy(launched.pushes, pushes, (size_t)count * sizeof(*pushes));
    launched.finish = symm_launch_finish(device, ticket->slot);
    CUstream stream = device->kernels;
    if (beside) {
        status = symm_device_stream(device, &device->beside, &stream);
    }
    if (status == SYMM_OK) {
        status = symm_launch_kernel(device, stream, device->functions.push, &launched,
                                    (bytes + VECTOR - 1) / VECTOR, block_limit);
    }
    if (status == SYMM_OK) {
        ticket->sequence = launched.finish.sequence;
        ticket->beside = beside;
    }
    return symm_launch_end(device, ticket, &scope, status);
}

enum symm_status symm_device_push_start(struct symm_device *device,
                                        const struct symm_cuda_push *pushes, int count,
                                        unsigned block_limit, struct symm_ticket *ticket)
{
    return push_start(device, false, pushes, count, block_limit, ticket);
}

enum symm_status symm_device_beside_start(struct symm_device *device,
                                          const struct symm_cuda_push *pushes, int count,
                                          unsigned block_limit, struct symm_ticket *ticket)
{
    return push_start(device, true, pushes, count, block_limit, ticket);
}

/* ---- waiting --------------------------------------------------------------------------------- */

CUstream symm_launch_copy_stream(const struct symm_device *device, int stream)
{
    return atomic_load_explicit(&device->copies[stream], memory_order_acquire);
}

static CUstream kernel_stream(const struct symm_device *device, const struct symm_ticket *ticket)
{
    return ticket->beside ? atomic_load_explicit(&device->beside, memory_order_acquire)
                          : device->kernels;
}

static bool streams_wait(const struct symm_device *device, const struct symm_ticket *ticket)
{
    CUresult result = CUDA_SUCCESS;
    if (ticket->sequence != 0) {
        result = device->cuda->cuStreamSynchronize(kernel_stream(device, ticket));
    }
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS; i++) {
        if ((ticket->copies >> i & 1) != 0) {
            CUresult next = device->cuda->cuStreamSynchronize(symm_launch_copy_stream(device, i));
            result = result == CUDA_SUCCESS ? next : result;
        }
    }
    return result == CUDA_SUCCESS;
}

bool symm_launch_settle(const struct symm_device *device, const struct symm_ticket *ticket)
{
    bool settled = false;
    for (int attempt = 0; attempt < SETTLINGS_MOST && !settled; attempt++) {
        settled = streams_wait(device, ticket);
    }
    return settled;
}

/* ---- testing --------------------------------------------------------------------------------- */

static bool kernel_is_done(const struct symm_device *device, const struct symm_ticket *ticket)
{
    return ticket->sequence == 0 || flag_load(device, ticket->slot) == ticket->sequence;
}

/* Ask the driver.  If the stream is done, the flag is read again: it must then be up. */
static CUresult driver_ask(const struct symm_device *device, struct symm_ticket *ticket,
                           const char **call)
{
    CUresult result = CUDA_SUCCESS;
    *call = "cuEventQuery";
    for (int i = 0; i < SYMM_DEVICE_COPY_STREAMS && result == CUDA_SUCCESS; i++) {
        if ((ticket->copies >> i & 1) != 0) {
            result = device->cuda->cuEventQuery(device->events[ticket->slot][i]);
            if (result == CUDA_SUCCESS) {
                ticket->copies &= ~(1u << i);
            }
        }
    }
    if (result == CUDA_SUCCESS && !kernel_is_done(device, ticket) &&
        ticket->polls % POLLS_PER_QUERY == 0) {
        *call = "cuStreamQuery";
        result = device->cuda->cuStreamQuery(kernel_stream(device, ticket));
        if (result == CUDA_SUCCESS && !kernel_is_done(device, ticket)) {
            *call = "cuLaunchKernel";
            result = CUDA_ERROR_LAUNCH_FAILED;
        }
    }
    return result;
}

static enum symm_status ticket_end(struct symm_device *device, struct symm_ticket *ticket)
{
    symm_cuda_own_work(-1);
    slot_give(device, ticket->slot);
    *ticket = (struct symm_ticket){0};
    return SYMM_OK;
}

/*
 * A question to the driver has failed.  If the streams say that they are done all the same, the
 * work is done.  Otherwise the device is lost to this process, and the slot with it, because nobody
 * knows what its kernel may still store.
 */
static enum symm_status ticket_fail(struct symm_device *device, struct symm_ticket *ticket)
{
    if (symm_launch_settle(device, ticket) && kernel_is_done(device, ticket)) {
        return ticket_end(device, ticket);
    }
    symm_launch_lose(device, ticket);
    return SYMM_ERR_SYSTEM;
}

/* The work has ended with its context, so nothing of it touches the slot any more. */
static enum symm_status ticket_bury(struct symm_device *device, struct symm_ticket *ticket)
{
    (void)symm_cuda_unusable("the device has been reset during a call");
    (void)ticket_end(device, ticket);
    return SYMM_ERR_SYSTEM;
}

enum symm_status symm_device_ticket_test(struct symm_device *device, struct symm_ticket *ticket)
{
    struct symm_cuda_scope scope;
    const char *call;
    if (ticket->sequence == 0 && ticket->copies == 0) {
        return SYMM_OK;
    }
    if (ticket->copies == 0 && kernel_is_done(device, ticket)) {
        return ticket_end(device, ticket);
    }
    ticket->polls++;
    if (ticket->copies == 0 && ticket->polls % POLLS_PER_QUERY != 0) {
        return SYMM_PENDING;
    }
    enum symm_status status = symm_cuda_enter(device->number, &scope);
    if (status != SYMM_OK) { /* the work goes on: ask again, and give up late */
        if (++ticket->troubles < TROUBLES_MOST) {
            return SYMM_PENDING;
        }
        symm_launch_lose(device, ticket);
        return status;
    }
    if (scope.life != ticket->life) {
        symm_cuda_leave(&scope);
        return ticket_bury(device, ticket);
    }
    status = SYMM_PENDING;
    CUresult result = driver_ask(device, ticket, &call);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) {
        (void)symm_cuda_failed(call, result);
        status = ticket_fail(device, ticket);
    }
    symm_cuda_leave(&scope);
    if (status == SYMM_PENDING && ticket->copies == 0 && kernel_is_done(device, ticket)) {
        status = ticket_end(device, ticket);
    }
    return status;
}
