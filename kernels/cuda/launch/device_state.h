/*
 * device_state.h - what the files of the launch layer share.
 *
 * functions.c finds kernels, and multimem_functions.c finds kernels of multicast.  device.c opens
 * devices with both.  start.c, engines.c and multimem.c start work on devices through launch.c, and
 * completion.c asks whether it is done.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_DEVICE_STATE_H
#define SYMM_KERNELS_CUDA_LAUNCH_DEVICE_STATE_H

#include <stdatomic.h>

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/device.h"
#include "kernels/cuda/launch/graph.h"

enum { SYMM_DEVICE_MODULES = 6, SYMM_DEVICE_SUM_TYPES = 3, SYMM_DEVICE_SUM_RANKS = 3 };

struct symm_multimem_functions;

/* The kernels of a device, without the kernels of multicast. */
struct symm_functions {
    CUmodule modules[SYMM_DEVICE_MODULES];
    CUfunction reduce[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    CUfunction scan[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    /* Sums of floats from 2, 4 and 8 ranks. */
    CUfunction sums[SYMM_DEVICE_SUM_TYPES][SYMM_DEVICE_SUM_RANKS];
    CUfunction small[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    CUfunction packets[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    CUfunction few[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    CUfunction ring[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT];
    CUfunction copy, push, nests, few_nests, exchange, few_exchange;
    CUfunction small_push, packets_copy, few_copy;
};

/* A kernel of a module, by its name.  Errors: those of the driver. */
enum symm_status symm_functions_get(const struct symm_cuda *cuda, CUmodule module,
                                    const char *name, CUfunction *function);

/* Load the kernels into the context that is current.  After an error nothing is left. */
enum symm_status symm_functions_load(const struct symm_cuda *cuda,
                                     struct symm_functions *functions);
void symm_functions_unload(const struct symm_cuda *cuda, struct symm_functions *functions);

/* The best kernel there is for this; NULL if there is none. */
CUfunction symm_functions_reduce(const struct symm_functions *functions, enum symm_cuda_type type,
                                 enum symm_cuda_op op, int ranks);
CUfunction symm_functions_small(const struct symm_functions *functions, enum symm_cuda_type type,
                                enum symm_cuda_op op);

/* Of a reduction that there is, or a copy: then `op` is SYMM_CUDA_OP_COUNT. */
CUfunction symm_functions_packets(const struct symm_functions *functions, enum symm_cuda_type type,
                                  enum symm_cuda_op op, bool few);

/* NULL: there is none. */
CUfunction symm_functions_ring(const struct symm_functions *functions, enum symm_cuda_type type,
                               enum symm_cuda_op op);

CUfunction symm_functions_scan(const struct symm_functions *functions, enum symm_cuda_type type,
                               enum symm_cuda_op op);

/* A kernel of multicast; NULL if there is none, or none has been loaded. */
CUfunction symm_multimem_function(struct symm_device *device, enum symm_cuda_type type,
                                  enum symm_cuda_op op, bool one_shot);
CUfunction symm_multimem_copy_function(struct symm_device *device);

/* Where the kernel of a slot says that it is done. */
struct symm_device_flags {
    _Atomic uint32_t words[SYMM_CUDA_FLAGS];
};

/*
 * Everything but free_slots, graphs and the parts of a slot stays as it is while the context lives.
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
    _Atomic uint32_t life;          /* of the context in which the next members were made */
    struct symm_functions functions;
    struct symm_multimem_functions *_Atomic multimem; /* NULL until symm_device_multimem_load() */
    CUstream kernels;               /* all our streams are non-blocking */
    _Atomic(CUstream) beside;       /* for kernels that do not wait for `kernels` */
    _Atomic(CUstream) copies[SYMM_DEVICE_COPY_STREAMS];
    struct symm_device_flags *flags; /* [SYMM_CUDA_SLOTS], registered with the driver */
    CUdeviceptr device_flags;       /* where the device sees them */
    CUevent events[SYMM_CUDA_SLOTS][SYMM_DEVICE_COPY_STREAMS]; /* made when first needed */
    struct symm_graphs graphs;
    _Atomic uint64_t free_slots;    /* a bit for each */
    _Atomic uint32_t lost_slots;    /* for ever: work with them may still go on */
};

/* What device.c does for launch.c, within a scope of the device. */

/*
 * Make anew what has ended with an earlier life of the context.  After an error the next start
 * tries again.
 */
enum symm_status symm_device_renew(struct symm_device *device,
                                   const struct symm_cuda_scope *scope);

/* The stream at `place`, made if there is none. */
enum symm_status symm_device_stream(struct symm_device *device, _Atomic(CUstream) *place,
                                    CUstream *stream);

/* What launch.c does for all starts. */

/* Begin a start: take a slot, and make the device's context current. */
enum symm_status symm_launch_begin(struct symm_device *device, struct symm_completion *completion,
                                   struct symm_cuda_scope *scope);

/* End a start, after its parts have returned `status`. */
enum symm_status symm_launch_end(struct symm_device *device, struct symm_completion *completion,
                                 const struct symm_cuda_scope *scope, enum symm_status status);

/* A kernel to launch. */
struct symm_launch {
    CUfunction function;
    void *arguments;                 /* what it gets */
    struct symm_cuda_finish *finish; /* in the arguments: symm_launch_kernel() sets it */
    uint64_t units;                  /* a thread for each, as far as the blocks go */
    unsigned block_limit;            /* the most blocks; 0: SYMM_DEVICE_BLOCKS */
    unsigned block_threads;          /* the most of a block; 0: SYMM_CUDA_BLOCK_THREADS */
};

/*
 * Launch a kernel within a start.  Small work has few blocks, and each of its threads has one load
 * to wait for.
 */
enum symm_status symm_launch_kernel(struct symm_device *device, CUstream stream,
                                    const struct symm_launch *launch,
                                    struct symm_completion *completion);

/* Give the slot back: nothing of the completion is under way. */
void symm_launch_give(struct symm_device *device, struct symm_completion *completion);

/*
 * Never use the slot, its events and the completion's graph again, because work that was given with
 * them may still go on.
 */
void symm_launch_lose(struct symm_device *device, struct symm_completion *completion);

/* What start.c and completion.c do for engines.c. */

/* A copy within a start. */
enum symm_status symm_launch_copy(struct symm_device *device,
                                  const struct symm_cuda_copy *arguments, unsigned block_limit,
                                  struct symm_completion *completion);

uint64_t symm_launch_bytes_most(const struct symm_cuda_push *pushes, int count);

/* NULL: not made yet. */
CUstream symm_launch_copy_stream(const struct symm_device *device, int stream);

/*
 * Wait until nothing of this completion is under way.  Returns whether the device has done all of
 * it.  A driver that fails to wait is asked again, because its failure says nothing of the work.
 */
bool symm_launch_settle(const struct symm_device *device, const struct symm_completion *completion);

_Static_assert(SYMM_CUDA_SLOTS == 64, "free_slots has a bit for each");

#endif /* SYMM_KERNELS_CUDA_LAUNCH_DEVICE_STATE_H */
