/*
 * ondevice_memory.h - the memory of all origins that ondevice.so copies buffers to
 * (SYMM_TEST_DEVICE_MEMORY).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ONDEVICE_MEMORY_H
#define SYMM_TESTS_ONDEVICE_MEMORY_H

#include <cuda.h>

#include <stddef.h>

enum origin { FROM_MPI, FRESH, KEPT, POOLED, MANAGED, MAPPED, ORIGINS };

extern _Atomic int ondevice_calls; /* so far */
extern int ondevice_local_rank;

/* Say so, and end the job. */
void ondevice_stop(const char *what, int error);

/* A function of the driver. */
void *ondevice_find(void *library, const char *name);
void ondevice_memory_find(void *library);

/* Of a buffer of the next call, "send" or "receive". */
enum origin ondevice_memory_choose(const char *part);

/* The device's context is current.  *origin becomes another one where there is no room for more. */
void *ondevice_memory_get(size_t bytes, enum origin *origin, CUcontext context);
void ondevice_memory_end(void *block, size_t bytes, enum origin origin);

#endif
