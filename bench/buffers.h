/*
 * buffers.h - the memory that the measured calls work on, of the host or of a GPU, and how a
 * program touches it between calls.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_BUFFERS_H
#define BENCH_BUFFERS_H

#include "device.h"
#include "options.h"

/* Bytes behind the largest message in each buffer, for validation to see overruns. */
enum { BUFFERS_GUARD = 64 };

struct buffers {
    enum memory memory;
    struct device *device; /* borrowed; NULL: host memory, which may be looked at directly */
    unsigned char *send;
    unsigned char *receive;
};

/* Allocates both buffers, BUFFERS_GUARD bytes longer than asked, and writes to every page.
 * `device` is for memory of a GPU, else NULL. Ends the job with a message if there is no memory. */
void buffers_open(struct buffers *buffers, enum memory memory, struct device *device,
                  size_t send_bytes, size_t receive_bytes);
void buffers_close(struct buffers *buffers);

/* Page-aligned memory of this process; ends the job with a message if there is none. */
void *buffers_private(size_t bytes);

/* Between the memory of these buffers and that of the host. */
void buffers_store(const struct buffers *buffers, void *to, const void *from_host, size_t bytes);
void buffers_load(const struct buffers *buffers, void *to_host, const void *from, size_t bytes);

/* Write like a program that computes its next input; values differ from round to round. */
void buffers_write_elements(const struct buffers *buffers, void *to, size_t bytes,
                            enum element element, int round);
void buffers_write_bytes(const struct buffers *buffers, void *to, size_t bytes, int round);

/* Read like a program that uses a result. */
void buffers_read(const struct buffers *buffers, const void *from, size_t bytes);

#endif
