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
 * `lanes[r]` is the memory of rank r as the device reaches it: of sizeof(struct
 * symm_stream_memory) bytes, which were zero when the others learnt of it.  May wait for all
 * kernels of the device, if it is the first.  Errors: as symm_device_get(); NO_MEMORY also if there
 * are too many.
 */
enum symm_status symm_stream_queue_create(int device, int rank, int ranks,
                                          void *const *lanes,
                                          struct symm_stream_queue **queue);

/* No kernel of it is at work or will be: all streams are done, and all graphs have gone. */
void symm_stream_queue_destroy(struct symm_stream_queue *queue);

/*
 * Queue a call in `stream` (a CUstream of the device's primary context).  Calls of a lane may come
 * from several threads; their order is the streams'.  Errors: ARGUMENT (symm_stream_describe(), or
 * more data than a call can have), SYSTEM, NO_MEMORY.
 */
enum symm_status symm_stream_queue_add(struct symm_stream_queue *queue,
                                       const struct symm_stream_call *call,
                                       const struct symm_stream_limits *limits,
                                       void *stream);

/* Kernels that wait end without results, and those that begin do nothing.  For good. */
void symm_stream_queue_abort(struct symm_stream_queue *queue);

#endif /* SYMM_KERNELS_CUDA_STREAM_QUEUE_H */
