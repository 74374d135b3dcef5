/*
 * pinned.c - see pinned.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/stream/pinned.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels/cuda/launch/host_memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct symm_pinned *spare;

/* The smallest spare block that fits.  Those of contexts that have been reset are of no use. */
static struct symm_pinned *spare_take(const struct symm_cuda_scope *scope, int device, size_t size)
{
    struct symm_pinned **best = NULL;
    (void)pthread_mutex_lock(&mutex);
    for (struct symm_pinned **link = &spare; *link != NULL; link = &(*link)->next) {
        if ((*link)->device == device && (*link)->generation == scope->generation &&
            (*link)->size >= size && (best == NULL || (*link)->size < (*best)->size)) {
            best = link;
        }
    }
    struct symm_pinned *block = best != NULL ? *best : NULL;
    if (block != NULL) {
        *best = block->next;
    }
    (void)pthread_mutex_unlock(&mutex);
    return block;
}

/* Devices and the host have one address for what is registered, as for all pinned memory. */
static enum symm_status pages_register(const struct symm_cuda_scope *scope, void *pages,
                                       size_t size)
{
    CUdeviceptr seen = 0;
    const char *call = "cuMemHostRegister";
    CUresult result = scope->cuda->cuMemHostRegister(pages, size,
                                                     CU_MEMHOSTREGISTER_PORTABLE |
                                                         CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result == CUDA_SUCCESS) {
        call = "cuMemHostGetDevicePointer";
        result = scope->cuda->cuMemHostGetDevicePointer(&seen, pages, 0);
    }
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed(call, result);
    }
    return seen == (CUdeviceptr)(uintptr_t)pages
               ? SYMM_OK : symm_cuda_unusable("the device sees host memory at other addresses");
}

/* Pages that the driver has come to know stay mapped, also after a failure. */
enum symm_status symm_pinned_take(const struct symm_cuda_scope *scope, int device, size_t size,
                                  struct symm_pinned **taken)
{
    struct symm_pinned *block = spare_take(scope, device, size);
    *taken = block;
    if (block != NULL) {
        return SYMM_OK;
    }
    block = calloc(1, sizeof(*block));
    void *pages = block != NULL ? symm_host_pages_map(size) : NULL;
    if (pages == NULL) {
        free(block);
        symm_cuda_forget_failure();
        return SYMM_ERR_NO_MEMORY;
    }
    enum symm_status status = pages_register(scope, pages, size);
    if (status != SYMM_OK) {
        free(block);
        return status;
    }
    *block = (struct symm_pinned){.memory = pages, .size = size, .device = device,
                                  .generation = scope->generation};
    *taken = block;
    return SYMM_OK;
}

void symm_pinned_give(struct symm_pinned *blocks)
{
    (void)pthread_mutex_lock(&mutex);
    while (blocks != NULL) {
        struct symm_pinned *next = blocks->next;
        blocks->next = spare;
        spare = blocks;
        blocks = next;
    }
    (void)pthread_mutex_unlock(&mutex);
}
