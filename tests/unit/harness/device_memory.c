/*
 * device_memory.c - see device_memory.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/harness/device_memory.h"

#include "tests/standin/kernels.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void device_driver_use(void)
{
    symm_cuda_configure(SYMM_STANDIN_DRIVER);
}

void device_driver_symbol(struct fork_rank *self, const char *name, void *function)
{
    void *driver = dlopen(SYMM_STANDIN_DRIVER, RTLD_NOW);
    FORK_CHECK(self, driver != NULL);
    void *symbol = dlsym(driver, name);
    FORK_CHECK(self, symbol != NULL);
    memcpy(function, &symbol, sizeof(symbol));
}

unsigned long device_driver_uses(struct fork_rank *self, const char *function)
{
    symm_standin_uses_function *uses;
    unsigned long number = 0;
    const char *name;
    device_driver_symbol(self, "symm_standin_uses", &uses);
    for (size_t i = 0; (name = uses(i, &number)) != NULL; i++) {
        if (strcmp(name, function) == 0) {
            return number;
        }
    }
    return 0;
}

struct symm_process *device_process(struct fork_rank *self)
{
    device_driver_use();
    symm_cuda_configure_rank(self->rank);
    return fork_team_process(self);
}

struct symm_heap *device_heap(struct fork_rank *self, struct symm_process *process, int device)
{
    struct symm_heap *heap = NULL;
    FORK_STATUS(self, symm_process_device_heap(process, device, &heap), SYMM_OK);
    return heap;
}

void *device_alloc(struct fork_rank *self, struct symm_heap *heap, size_t size)
{
    void *block = NULL;
    FORK_STATUS(self, symm_heap_alloc(heap, size, 0, &block), SYMM_OK);
    return block;
}

enum direction { TO_DEVICE, FROM_DEVICE };

/* Copy as a program would that has made `device` current. */
static void copy(struct fork_rank *self, int device, void *memory, void *here, size_t size,
                 enum direction direction)
{
    struct symm_cuda_scope scope;
    CUdeviceptr there = (CUdeviceptr)(uintptr_t)memory;
    FORK_STATUS(self, symm_cuda_enter(device, &scope), SYMM_OK);
    CUresult result = direction == TO_DEVICE
                          ? scope.cuda->cuMemcpyHtoDAsync(there, here, size, NULL)
                          : scope.cuda->cuMemcpyDtoHAsync(here, there, size, NULL);
    FORK_CHECK(self, result == CUDA_SUCCESS);
    FORK_CHECK(self, scope.cuda->cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    symm_cuda_leave(&scope);
}

void device_fill(struct fork_rank *self, int device, void *memory, size_t size, uint64_t seed)
{
    void *here = malloc(size);
    FORK_CHECK(self, here != NULL);
    unit_fill(here, size, unit_random_start(2000, seed));
    copy(self, device, memory, here, size, TO_DEVICE);
    free(here);
}

bool device_is_filled(struct fork_rank *self, int device, void *memory, size_t size, uint64_t seed)
{
    void *here = malloc(size);
    FORK_CHECK(self, here != NULL);
    copy(self, device, memory, here, size, FROM_DEVICE);
    bool filled = unit_is_filled(here, size, unit_random_start(2000, seed));
    free(here);
    return filled;
}

bool device_is_zero(struct fork_rank *self, int device, void *memory, size_t size)
{
    void *here = malloc(size);
    FORK_CHECK(self, here != NULL);
    copy(self, device, memory, here, size, FROM_DEVICE);
    bool zero = unit_is_zero(here, size);
    free(here);
    return zero;
}

void device_completion_await(struct fork_rank *self, struct symm_device *device,
                             struct symm_completion *completion)
{
    enum symm_status status;
    unsigned polls = 0;
    while ((status = symm_completion_test(device, completion)) == SYMM_PENDING) {
        unit_pause(&polls);
    }
    FORK_STATUS(self, status, SYMM_OK);
}

bool device_failure_names(const char *words)
{
    char text[SYMM_CUDA_TEXT_SIZE];
    symm_cuda_last_failure(text, sizeof(text));
    return strstr(text, words) != NULL;
}
