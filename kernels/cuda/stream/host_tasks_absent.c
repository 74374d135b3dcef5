/*
 * host_tasks_absent.c - tasks of streams in a build without CUDA: there are none.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/stream/host_tasks.h"

enum symm_status symm_host_tasks_create(void *stream, struct symm_host_tasks **tasks)
{
    (void)stream;
    *tasks = NULL;
    return SYMM_ERR_NOT_FOUND;
}

/* Nobody has tasks: what follows is not called. */
void symm_host_tasks_destroy(struct symm_host_tasks *tasks)
{
    (void)tasks;
}

bool symm_host_tasks_reach(const struct symm_host_tasks *tasks, const void *address)
{
    (void)tasks;
    (void)address;
    return false;
}

enum symm_status symm_host_tasks_order(const struct symm_host_tasks *tasks, void *first,
                                       void *then)
{
    (void)tasks;
    (void)first;
    (void)then;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_host_tasks_memory(struct symm_host_tasks *tasks,
                                        enum symm_task_memory purpose, size_t size, void **memory)
{
    (void)tasks;
    (void)purpose;
    (void)size;
    *memory = NULL;
    return SYMM_ERR_NOT_FOUND;
}

enum symm_status symm_host_tasks_add(struct symm_host_tasks *tasks,
                                     const struct symm_host_task *task, void *stream,
                                     enum symm_task_fate *fate)
{
    (void)tasks;
    (void)task;
    (void)stream;
    *fate = SYMM_TASK_REFUSED;
    return SYMM_ERR_NOT_FOUND;
}

bool symm_host_tasks_are_held(const struct symm_host_tasks *tasks)
{
    (void)tasks;
    return false;
}

bool symm_host_tasks_are_busy(struct symm_host_tasks *tasks)
{
    (void)tasks;
    return false;
}

void *symm_host_tasks_next(struct symm_host_tasks *tasks)
{
    (void)tasks;
    return NULL;
}

void symm_host_tasks_done(struct symm_host_tasks *tasks)
{
    (void)tasks;
}
