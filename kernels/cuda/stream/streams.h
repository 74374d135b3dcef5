/*
 * streams.h - streams of the program: which device they are on, whether they are captured, and
 * their order.
 *
 * A stream is what the driver calls CUstream and the runtime cudaStream_t.  0 is the legacy stream
 * of the context that the calling thread has current.  Nothing here waits for a stream, or ends a
 * capture.  After an error symm_cuda_last_failure() says what failed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_STREAMS_H
#define SYMM_KERNELS_CUDA_STREAM_STREAMS_H

#include <stdatomic.h>

#include "heap/gpu/cuda_context.h"

/* The graph that a stream's work goes into. */
struct symm_stream_capture {
    CUgraph graph; /* NULL: the stream is not captured */
    cuuint64_t id; /* of the capture; no two have the same */
};

/*
 * The device of a stream.  Errors: NOT_FOUND (no driver, one that is too old, or a context of the
 * program's own), SYSTEM.
 */
enum symm_status symm_stream_device(void *stream, int *device);

/* OK if it is on the device of its communicator's other streams; ARGUMENT if on another. */
enum symm_status symm_stream_is_on(void *stream, int device);

/* Whether kernels and copies of streams of a device reach this memory as it is. */
bool symm_stream_reaches(int device, const void *address);

/*
 * How many blocks of a kernel of streams the device has room for at a time.  Errors: those of
 * symm_cuda_get(), SYSTEM.
 */
enum symm_status symm_stream_device_blocks(int device, uint32_t *blocks);

/* Queue a copy.  Errors: SYSTEM, NO_MEMORY. */
enum symm_status symm_stream_copy(int device, void *to, const void *from, size_t bytes,
                                  void *stream);

/* Within a scope.  Errors: SYSTEM; that a capture has been invalidated is one, too. */
enum symm_status symm_stream_capture_get(const struct symm_cuda *cuda, CUstream stream,
                                         struct symm_stream_capture *capture);

/*
 * The graphs of the program that have work of ours, which is not given back as long as there are
 * any: graphs, or what has been made from them, that were captured while work was queued.  They are
 * counted by objects that the driver destroys with the last of them.  Zero at first.  Within a
 * scope; where the driver does not tell when they have gone, they never do.
 */
struct symm_stream_holders {
    _Atomic uint32_t count;
    _Atomic uint64_t capture; /* the last one that has been made a holder; 0: none */
};

void symm_stream_holders_add(const struct symm_cuda *cuda, struct symm_stream_holders *holders,
                             const struct symm_stream_capture *capture);
bool symm_stream_are_held(const struct symm_stream_holders *holders);

/*
 * Within a scope: what `then` is given from now on comes behind all that `first` holds.  If just
 * one of the two is captured, or they are captured into two graphs, nothing is done: it cannot
 * be.  Errors: SYSTEM, NO_MEMORY.
 */
enum symm_status symm_stream_order(const struct symm_cuda *cuda, CUstream first, CUstream then);

#endif /* SYMM_KERNELS_CUDA_STREAM_STREAMS_H */
