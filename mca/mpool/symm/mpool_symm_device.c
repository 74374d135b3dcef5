/*
 * mpool_symm_device.c - device memory for MPI_Alloc_mem, and how a call fails where there is none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/mpool/symm/mpool_symm.h"

#include <stdio.h>

#include "heap/gpu/cuda_device.h"
#include "mca/help.h"
#include "mca/once.h"

static struct symm_process *process(void)
{
    return mca_mpool_symm_component.process;
}

/* What a message says in addition to the size. */
struct trouble {
    char device[SYMM_CUDA_TEXT_SIZE], reason[SYMM_CUDA_TEXT_SIZE];
};

/*
 * What to tell the user; false: the user has been told.  One process tells it once for all that
 * meet the same trouble, because programs may allocate in a loop.  Each call returns the error.
 */
static bool trouble_get(const char *topic, int device, enum symm_status status,
                        struct trouble *trouble)
{
    char key[64];
    (void)snprintf(key, sizeof(key), "%s %d", topic, (int)status);
    if (!symm_once(key)) {
        return false;
    }
    symm_cuda_last_failure(trouble->reason, sizeof(trouble->reason));
    if (*trouble->reason == '\0') {
        (void)snprintf(trouble->reason, sizeof(trouble->reason), "%s", symm_status_string(status));
    }
    if (device >= 0) {
        symm_cuda_device_describe(device, trouble->device, sizeof(trouble->device));
    } else {
        (void)snprintf(trouble->device, sizeof(trouble->device), "none");
    }
    return true;
}

static void refuse(size_t size, int device, enum symm_status status)
{
    struct trouble trouble;
    if (trouble_get("refused", device, status, &trouble)) {
        symm_help_show("help-mpool-symm.txt", "no device memory", (unsigned long)size,
                       trouble.device, trouble.reason);
    }
    mca_mpool_symm_refuse();
}

/* On a device that cannot share memory, memory that is not shared is better than none. */
static enum symm_status plain_alloc(size_t size, int device, void **block)
{
    struct trouble trouble;
    if (trouble_get("alone", device, SYMM_ERR_NOT_FOUND, &trouble)) {
        symm_help_show("help-mpool-symm.txt", "device memory alone", (unsigned long)size,
                       trouble.device, trouble.reason);
    }
    return symm_cuda_plain_alloc(device, size, block);
}

/*
 * If this returns NULL, Open MPI gives ordinary memory.  A program that asked for device memory
 * would then pass host memory to its kernels.  mpool_symm_refusal.c prevents that.
 */
static void *device_alloc(mca_mpool_base_module_t *mpool, size_t size, size_t align, uint32_t flags)
{
    void *block = NULL;
    int device = -1;
    (void)mpool;
    (void)flags;
    symm_cuda_forget_failure();
    enum symm_status status = symm_cuda_device_current(&device);
    if (status == SYMM_OK) {
        status = symm_process_device_alloc(process(), device, size, align, &block);
        if (status == SYMM_ERR_NOT_FOUND) {
            status = plain_alloc(size, device, &block);
        }
    }
    if (status != SYMM_OK) {
        refuse(size, device, status);
        return NULL;
    }
    return block;
}

static void device_free(mca_mpool_base_module_t *mpool, void *block)
{
    struct symm_location location;
    (void)mpool;
    enum symm_status status = symm_process_locate(process(), block, 1, &location);
    if (status == SYMM_OK) {
        status = symm_heap_free(symm_process_heap_at(process(), location.heap), block);
    } else {
        status = symm_cuda_plain_free(block);
    }
    if (status != SYMM_OK) {
        symm_help_show("help-mpool-symm.txt", "cannot free", block,
                       symm_status_string(status));
    }
}

mca_mpool_base_module_t mca_mpool_symm_device_module = {
    .mpool_component = &mca_mpool_symm_component.super,
    .mpool_alloc = device_alloc,
    .mpool_free = device_free,
    .flags = MCA_MPOOL_FLAGS_MPI_ALLOC_MEM,
};
