/*
 * This rank's CUDA device, as far as the examples need one: memory there is MPI_Alloc_mem's
 * (memory.c), here are the copies. The driver is opened at run time, so this is built anywhere.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef EXAMPLES_DEVICE_H
#define EXAMPLES_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens device `local_rank` modulo the number of devices and makes it the current one, from which
 * MPI_Alloc_mem then takes memory. False, with a reason in `reason`, if there is none.
 */
bool device_open(int local_rank, char *reason, size_t reason_size);

void device_close(void);

/* Whether `memory` is on a device, where the host must not touch it. */
bool device_has(const void *memory);

/* Memory of the host that is pinned: a copy is complete when it returns. NULL if there is none. */
void *device_host_allocate(size_t bytes);

bool device_host_free(void *memory);

bool device_upload(void *to_device, const void *from_host, size_t bytes);

bool device_download(void *to_host, const void *from_device, size_t bytes);

#endif
