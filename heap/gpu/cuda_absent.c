/*
 * cuda_absent.c - cuda_device.h where there was no CUDA when this library was built.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>

#include "heap/gpu/cuda_device.h"

void symm_cuda_configure(const char *library)
{
    (void)library;
}

void symm_cuda_configure_rank(int local_rank)
{
    (void)local_rank;
}

bool symm_cuda_is_built(void)
{
    return false;
}

bool symm_cuda_is_used(void)
{
    return false;
}

bool symm_cuda_has_current(void)
{
    return false;
}

enum symm_status symm_cuda_device_current(int *device)
{
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

void symm_cuda_notice(void)
{
}

void symm_cuda_sync_memops(int device)
{
    (void)device;
}

uint64_t symm_cuda_device_identity(int device)
{
    (void)device;
    return 0;
}

bool symm_cuda_device_reaches(int device, const void *address)
{
    (void)device;
    (void)address;
    return false;
}

enum symm_status symm_cuda_device_reach(int device, const void *address)
{
    (void)device;
    (void)address;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_cuda_device_wait(int device)
{
    (void)device;
    return SYMM_ERR_NOT_FOUND;
}

void symm_cuda_device_describe(int device, char *text, size_t size)
{
    (void)snprintf(text, size, "device %d", device);
}

bool symm_cuda_memory_describe(const void *address, struct symm_memory *memory)
{
    (void)address;
    *memory = (struct symm_memory){.kind = SYMM_MEMORY_HOST, .device = -1};
    return true;
}

bool symm_cuda_memory_is_usable(const struct symm_memory *memory, const void *address)
{
    (void)memory;
    (void)address;
    return false;
}

void symm_cuda_memory_settle(int device)
{
    (void)device;
}

void symm_cuda_last_failure(char *text, size_t size)
{
    (void)snprintf(text, size, "this build has no support for CUDA");
}

bool symm_cuda_last_failure_is_programs(void)
{
    return false;
}

void symm_cuda_forget_failure(void)
{
}

enum symm_status symm_cuda_plain_alloc(int device, size_t size, void **address)
{
    (void)device;
    (void)size;
    (void)address;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_cuda_plain_free(void *address)
{
    (void)address;
    return SYMM_ERR_FOREIGN;
}

int symm_cuda_plain_device(const void *address)
{
    (void)address;
    return -1;
}

enum symm_status symm_kind_of_device(int device, const struct symm_kind **kind)
{
    (void)device;
    (void)kind;
    return SYMM_ERR_NOT_FOUND;
}
