/*
 * cuda_plain.c - memory of devices that cannot share any; see cuda_plain.h.  It is the driver's
 * ordinary device memory, and a list of what there is.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heap/gpu/cuda_context.h"

struct block {
    CUdeviceptr address;
    size_t size;
    int device;
    uint32_t generation; /* of the context that it belongs to */
    struct block *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static atomic_size_t block_count; /* so that a process without blocks never waits for the mutex */

static enum symm_status block_make(int device, struct block *block)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_cuda_enter(device, &scope);
    if (status == SYMM_OK) {
        CUresult result = scope.cuda->cuMemAlloc(&block->address, block->size);
        block->generation = scope.generation;
        symm_cuda_leave(&scope);
        status = result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemAlloc", result);
    }
    return status;
}

enum symm_status symm_cuda_plain_alloc(int device, size_t size, void **address)
{
    struct block *block = malloc(sizeof(*block));
    if (block == NULL) {
        (void)symm_cuda_unusable("the process has no memory left");
        return SYMM_ERR_NO_MEMORY;
    }
    *block = (struct block){.size = size, .device = device};
    enum symm_status status = block_make(device, block);
    if (status != SYMM_OK) {
        free(block);
        return status;
    }
    *address = (void *)(uintptr_t)block->address;
    (void)pthread_mutex_lock(&mutex);
    block->next = blocks;
    blocks = block;
    atomic_fetch_add(&block_count, 1);
    (void)pthread_mutex_unlock(&mutex);
    return SYMM_OK;
}

static struct block *block_take(CUdeviceptr address)
{
    (void)pthread_mutex_lock(&mutex);
    struct block **link = &blocks;
    while (*link != NULL && (*link)->address != address) {
        link = &(*link)->next;
    }
    struct block *block = *link;
    if (block != NULL) {
        *link = block->next;
        atomic_fetch_sub(&block_count, 1);
    }
    (void)pthread_mutex_unlock(&mutex);
    return block;
}

enum symm_status symm_cuda_plain_free(void *address)
{
    struct symm_cuda_scope scope;
    struct block *block = block_take((CUdeviceptr)(uintptr_t)address);
    if (block == NULL) {
        return SYMM_ERR_FOREIGN;
    }
    enum symm_status status = symm_cuda_enter_to_release(block->device, &scope);
    if (status == SYMM_OK) { /* memory of a context that has ended may be somebody else's by now */
        CUresult result = scope.generation == block->generation
                              ? scope.cuda->cuMemFree(block->address) : CUDA_SUCCESS;
        symm_cuda_leave(&scope);
        status = result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuMemFree", result);
    }
    free(block);
    return status;
}

int symm_cuda_plain_device(const void *address)
{
    CUdeviceptr byte = (CUdeviceptr)(uintptr_t)address;
    int device = -1;
    if (atomic_load_explicit(&block_count, memory_order_relaxed) == 0) {
        return -1;
    }
    (void)pthread_mutex_lock(&mutex);
    for (const struct block *block = blocks; block != NULL && device < 0; block = block->next) {
        device = byte - block->address < block->size ? block->device : -1;
    }
    (void)pthread_mutex_unlock(&mutex);
    return device;
}
