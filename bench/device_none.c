/*
 * device_none.c - device.h in a program that was built without CUDA: device_open() says so, and
 * nothing else can be reached.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#if defined(HAVE_CONFIG_H)
#include "config.h"
#endif

#include "device.h"

#if !defined(HAVE_CUDA)

#include "failure.h"

#include <stdio.h>

bool device_open(struct device **device, int local_rank, char *text)
{
    (void)device;
    (void)local_rank;
    snprintf(text, FAILURE_LENGTH,
             "built without CUDA: configure found no cuda.h (see its option --with-cuda)");
    return false;
}

void device_close(struct device *device)
{
    (void)device;
}

void device_name(const struct device *device, char name[DEVICE_NAME])
{
    (void)device;
    name[0] = '\0';
}

void device_identity(const struct device *device, unsigned char identity[DEVICE_IDENTITY])
{
    (void)device;
    identity[0] = 0;
}

int device_driver_version(const struct device *device)
{
    (void)device;
    return 0;
}

bool device_allocate(const struct device *device, size_t bytes, void **memory, char *text)
{
    (void)device;
    (void)bytes;
    (void)memory;
    text[0] = '\0';
    return false;
}

void device_free(const struct device *device, void *memory)
{
    (void)device;
    (void)memory;
}

void *device_pinned_allocate(const struct device *device, size_t bytes)
{
    (void)device;
    (void)bytes;
    return NULL;
}

void device_pinned_free(const struct device *device, void *memory)
{
    (void)device;
    (void)memory;
}

bool device_owns(const struct device *device, const void *memory)
{
    (void)device;
    (void)memory;
    return false;
}

void device_store(const struct device *device, void *to, const void *from_host, size_t bytes)
{
    (void)device;
    (void)to;
    (void)from_host;
    (void)bytes;
}

void device_load(const struct device *device, void *to_host, const void *from, size_t bytes)
{
    (void)device;
    (void)to_host;
    (void)from;
    (void)bytes;
}

void device_fill(const struct device *device, void *to, int byte, size_t bytes)
{
    (void)device;
    (void)to;
    (void)byte;
    (void)bytes;
}

void device_read(const struct device *device, const void *from, size_t bytes)
{
    (void)device;
    (void)from;
    (void)bytes;
}

void *device_stream(const struct device *device)
{
    (void)device;
    return NULL;
}

void device_wait(const struct device *device)
{
    (void)device;
}

void *device_stream_open(const struct device *device)
{
    (void)device;
    return NULL;
}

void device_stream_close(const struct device *device, void *stream)
{
    (void)device;
    (void)stream;
}

bool device_stream_is_done(const struct device *device, void *stream)
{
    (void)device;
    (void)stream;
    return true;
}

void *device_event_open(const struct device *device)
{
    (void)device;
    return NULL;
}

void device_event_close(const struct device *device, void *event)
{
    (void)device;
    (void)event;
}

void device_event_record(const struct device *device, void *event, void *stream)
{
    (void)device;
    (void)event;
    (void)stream;
}

void device_event_wait(const struct device *device, void *event)
{
    (void)device;
    (void)event;
}

double device_event_us(const struct device *device, void *from, void *to)
{
    (void)device;
    (void)from;
    (void)to;
    return 0;
}

#endif
