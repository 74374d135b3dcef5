/*
 * device_state.h - what the files of the launch layer share.
 *
 * functions.c finds kernels, and multimem_functions.c finds kernels of multicast.  device.c opens
 * devices with both.  start.c starts kernels and engines.c copies, and completion.c asks whether
 * they are done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_DEVICE_STATE_H
#define SYMM_KERNELS_CUDA_LAUNCH_DEVICE_STATE_H

#include <stdatomic.h>

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/launch/functions_table.h"
#include "kernels/cuda/launch/queue.h"

/* Where the kernel of a slot says that it is done. */
struct symm_device_flags {
    _Atomic uint32_t words[SYMM_CUDA_FLAGS];
};

/*
 * Everything but free_slots, the queue and the parts of a slot stays as it is while the context
 * lives.
 * A slot belongs to one completion, so nothing has to be locked.  The next start makes anew what
 * was made in a context that has ended (cuda_context.h).  The flags are memory of our own, which is
 * only registered with the driver.  So reading the flags is harmless, whatever becomes of the
 * context.
 *
 * All streams but the first are made when they are first needed.  A device has eight connections by
 * default, and streams that share one wait for each other.  So streams that nobody uses would slow
 * down the program's streams.
 */
struct symm_device {
    int number;
    const struct symm_cuda *cuda;
    _Atomic uint32_t generation; /* of the context in which the next members were made */
    CUmodule modules[SYMM_DEVICE_MODULES], multimem;
    _Atomic bool has_multimem;      /* since symm_device_multimem_load() */
    CUfunction functions[SYMM_FUNCTION_COUNT];
    CUstream kernels;               /* all our streams are non-blocking */
    _Atomic(CUstream) beside;       /* for kernels that do not wait for `kernels` */
    _Atomic(CUstream) copies[SYMM_DEVICE_COPY_STREAMS];
    struct symm_device_flags *flags; /* [SYMM_CUDA_SLOTS], registered with the driver */
    CUdeviceptr device_flags;       /* where the device sees them */
    CUevent events[SYMM_CUDA_SLOTS][SYMM_DEVICE_COPY_STREAMS]; /* made when first needed */
    struct symm_queue queue;        /* its functions are those above */
    _Atomic uint64_t free_slots;    /* a bit for each */
    _Atomic uint32_t lost_slots;    /* for ever: work with them may still go on */
};

/* What device.c does for start.c, within a scope of the device. */

/*
 * Make anew what has ended with an earlier generation of the context.  After an error the next
 * start tries again.
 */
enum symm_status symm_device_renew(struct symm_device *device,
                                   const struct symm_cuda_scope *scope);

/* The stream at `place`, made if there is none. */
enum symm_status symm_device_stream(struct symm_device *device, _Atomic(CUstream) *place,
                                    CUstream *stream);

/*
 * What multimem_functions.c does for device.c: load the functions again in a new context, if they
 * had been loaded, and give them back.  After an error the next renewal tries again.
 */
enum symm_status symm_multimem_renew(struct symm_device *device);
void symm_multimem_unload(struct symm_device *device);

/* What start.c does for engines.c and completion.c. */

/* Begin a start, of which nothing is under way: take a slot, and make the context current. */
enum symm_status symm_start_begin(struct symm_device *device, struct symm_completion *completion,
                                  struct symm_cuda_scope *scope);

/* A kernel within a start. */
enum symm_status symm_start_kernel(struct symm_device *device, struct symm_kernel *kernel,
                                   struct symm_completion *completion);

/* End a start, after its parts have returned `status`. */
enum symm_status symm_start_end(struct symm_device *device, struct symm_completion *completion,
                                const struct symm_cuda_scope *scope, enum symm_status status);

/* Give the slot back: nothing of the completion is under way. */
void symm_completion_give(struct symm_device *device, struct symm_completion *completion);

/*
 * Never use the slot, its events and the completion's graph again, because work that was given with
 * them may still go on.
 */
void symm_completion_lose(struct symm_device *device, struct symm_completion *completion);

/* What completion.c does for engines.c. */

/* NULL: not made yet. */
CUstream symm_device_copy_stream(const struct symm_device *device, int stream);

/*
 * Wait until nothing of this completion is under way.  Returns whether the device has done all of
 * it.  A driver that fails to wait is asked again, because its failure says nothing of the work.
 */
bool symm_completion_settle(const struct symm_device *device,
                            const struct symm_completion *completion);

_Static_assert(SYMM_CUDA_SLOTS == 64, "free_slots has a bit for each");

#endif /* SYMM_KERNELS_CUDA_LAUNCH_DEVICE_STATE_H */
