/*
 * cuda_streams.h - CUDA streams and graphs for test programs, beside cuda_memory.h.
 *
 * Streams do not block.  Whatever fails here ends the program.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_CUDA_STREAMS_H
#define SYMM_TESTS_CUDA_STREAMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpix/symm_mpix.h"

/* After cuda_memory_open(). */
void cuda_streams_open(void);

/*
 * Until what cuda_memory_write() has written is there: that may return before, and what follows in
 * the legacy stream comes behind it, but not what follows in these streams.
 */
void cuda_memory_settle(void);

void *cuda_stream_make(void);
void cuda_stream_destroy(void *stream);
void cuda_stream_await(void *stream);
bool cuda_stream_is_done(void *stream);

/* What follows in the stream comes so much later. */
void cuda_stream_delay(void *stream, unsigned microseconds);

/* Between memory that the device reaches. */
void cuda_stream_copy(void *stream, void *to, const void *from, size_t bytes);

/* What follows in `then` comes behind all that `first` holds. */
void cuda_stream_order(void *first, void *then);

/* Any thread may capture, and is not restricted meanwhile by what others do. */
void cuda_capture_begin(void *stream);

/* The executable graph of what has been captured. */
void *cuda_capture_end(void *stream);
void cuda_graph_launch(void *graph, void *stream);
void cuda_graph_destroy(void *graph);

/* As a program makes them: a handle for a stream, and a communicator. */
MPIX_Stream cuda_mpix_stream(void *stream);
MPI_Comm cuda_mpix_comm(MPI_Comm comm, void *stream);

#endif
