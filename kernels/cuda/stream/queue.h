/*
 * queue.h - starting the kernels of a stream lane, in streams of the program.
 *
 * A start queues a kernel, or adds one to the graph that the stream is captured into, and returns.
 * It waits for nobody, and asks nothing about the stream that a capture forbids.  What becomes of
 * the kernel is the stream's.
 *
 * After SYMM_ERR_SYSTEM, SYMM_ERR_NO_MEMORY and SYMM_ERR_NOT_FOUND, symm_cuda_last_failure() says
 * what failed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_QUEUE_H
#define SYMM_KERNELS_CUDA_STREAM_QUEUE_H

#include "kernels/cuda/stream/collectives.h"

enum { SYMM_STREAM_QUEUES_MAX = 64 }; /* of a process: each has words that the host shares */

struct symm_stream_queue;

/*
 * For a lane of `ranks` on `device` (as the driver counts), in which this one is `rank`.
 * `lanes[r]` is the memory of rank r as the device reaches it: of symm_stream_memory_bytes(), which
 * were zero when the others learnt of it.  May wait for all
 * kernels of the device, if it is the first.  Errors: as symm_device_get(); NO_MEMORY also if there
 * are too many.
 */
enum symm_status symm_stream_queue_create(int device, int rank, int ranks,
                                          void *const *lanes,
                                          struct symm_stream_queue **queue);

/* Whether graphs of the program have kernels of it (streams.h). */
bool symm_stream_queue_is_held(const struct symm_stream_queue *queue);

/* No kernel of it is at work or will be: all streams are done, and no graph holds it. */
void symm_stream_queue_destroy(struct symm_stream_queue *queue);

/*
 * Queue a call in `stream` (a CUstream of the device's primary context).  Calls of a lane may come
 * from several threads; their order is the streams'.  Of the limits, the region is that of the
 * lane's memory.  Errors: ARGUMENT (symm_kernel_stream()), SYSTEM, NO_MEMORY.
 */
enum symm_status symm_stream_queue_add(struct symm_stream_queue *queue,
                                       const struct symm_stream_call *call,
                                       const struct symm_stream_limits *limits,
                                       void *stream);

/*
 * Kernels that wait end without results, and those that begin do nothing.  For good.  `why` is
 * SYMM_STREAM_ABORTED, of which they tell the others' kernels, or SYMM_STREAM_TOLD.
 */
void symm_stream_queue_abort(struct symm_stream_queue *queue, uint32_t why);

/* Calls are told as kernels count them: number << SYMM_STREAM_CALL_BITS | signature. */
struct symm_stream_fault {
    uint32_t why;  /* bits of enum symm_stream_poison; SYMM_STREAM_SOUND: there is none */
    uint64_t call; /* that found it */
    int teller;    /* the rank that has told of it; -1: none has */
    uint32_t told; /* what it has found: bits likewise */
};
struct symm_stream_fault symm_stream_queue_fault(const struct symm_stream_queue *queue);

/* A call that waits for more than about a second. */
struct symm_stream_wait {
    int rank;             /* for which */
    uint64_t call, begun; /* the call that waits, and what that rank has begun */
};

/* Whether one has said so since this was asked last; one that waits says it every second or so. */
bool symm_stream_queue_waits(struct symm_stream_queue *queue, struct symm_stream_wait *wait);

/* Which of the last calls of this rank it was, by its signature.  False: it is not known. */
bool symm_stream_queue_recall(struct symm_stream_queue *queue, uint64_t number,
                              struct symm_stream_call *call);

#endif /* SYMM_KERNELS_CUDA_STREAM_QUEUE_H */
