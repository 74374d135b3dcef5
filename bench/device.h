/*
 * device.h - the GPU of this rank: memory on it, and what a program does with that. Every function
 * has finished on the GPU when it returns. After device_open() an error of the driver ends the job.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    DEVICE_NAME = 96,
    DEVICE_IDENTITY = 16 /* bytes of a GPU's UUID */
};

struct device;

/* Takes GPU `local_rank` modulo the number of those that are visible, and makes its primary
 * context the current one of this thread. False with a sentence in `text`, which has FAILURE_LENGTH
 * bytes, if there is none, or this program was built without CUDA. */
bool device_open(struct device **device, int local_rank, char *text);
void device_close(struct device *device);

void device_name(const struct device *device, char name[DEVICE_NAME]);
void device_identity(const struct device *device, unsigned char identity[DEVICE_IDENTITY]);

/* As the driver counts in this process. */
int device_number(const struct device *device);

/* Version of CUDA that the driver has, as 1000 * major + 10 * minor. */
int device_driver_version(const struct device *device);

/* Ordinary GPU memory (cuMemAlloc, which cudaMalloc calls); false: none left, see `text`. */
bool device_allocate(const struct device *device, size_t bytes, void **memory, char *text);
void device_free(const struct device *device, void *memory);

/* Pinned host memory, which copies take the least time from and to; an error ends the job. */
void *device_pinned_allocate(const struct device *device, size_t bytes);
void device_pinned_free(const struct device *device, void *memory);

/* Whether this is GPU memory, wherever it is from. */
bool device_owns(const struct device *device, const void *memory);

void device_store(const struct device *device, void *to, const void *from_host, size_t bytes);
void device_load(const struct device *device, void *to_host, const void *from, size_t bytes);
void device_fill(const struct device *device, void *to, int byte, size_t bytes);

/* Read like a program that uses a result: on the GPU. */
void device_read(const struct device *device, const void *from, size_t bytes);

/* A stream of its own (CUstream), for other libraries. */
void *device_stream(const struct device *device);
void device_wait(const struct device *device);

/* More streams, and whether all work of one is done. */
void *device_stream_open(const struct device *device);
void device_stream_close(const struct device *device, void *stream);
bool device_stream_is_done(const struct device *device, void *stream);

/* Moments of streams (CUevent). A record is in a stream's order, and does not wait for it. */
void *device_event_open(const struct device *device);
void device_event_close(const struct device *device, void *event);
void device_event_record(const struct device *device, void *event, void *stream);
void device_event_wait(const struct device *device, void *event);

/* Microseconds between two moments that are over. */
double device_event_us(const struct device *device, void *from, void *to);

/* Work that is given to the stream between the two is kept in a graph, which can be launched. */
void device_capture_begin(const struct device *device, void *stream);
void *device_capture_end(const struct device *device, void *stream);
void device_graph_launch(const struct device *device, void *graph, void *stream);
void device_graph_close(const struct device *device, void *graph);

#endif
