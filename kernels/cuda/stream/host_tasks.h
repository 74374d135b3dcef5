/*
 * host_tasks.h - tasks that a stream of the program has the host do, one after the other.
 *
 * In its order the stream copies what the task reads to the host, tells the host of the task,
 * waits, and copies back what the task has written.  All of that are copies and operations on words
 * with constants, so a graph that has captured them can be launched any number of times.  Stream
 * and host take turns, so no number has to be counted.  The stream waits without a multiprocessor.
 * Another stream waits until its turn has come; but nothing keeps two that begin at the very same
 * time apart: the program has to order them.
 *
 * Some thread has to look for tasks (symm_host_tasks_next()), and do them.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_STREAM_HOST_TASKS_H
#define SYMM_KERNELS_CUDA_STREAM_HOST_TASKS_H

#include <stdbool.h>

#include "heap/private.h"
#include "heap/symm.h"

/* Tasks on the streams of one device, which obey one order. */
struct symm_host_tasks;

/* Memory of the program and its copy on the host. */
struct symm_task_copy {
    void *of; /* anything that the device reaches */
    void *host;
    size_t bytes; /* 0: there is none */
};

struct symm_host_task {
    void *what;                     /* for who does it; not NULL */
    struct symm_task_copy fetch[2]; /* before the task */
    struct symm_task_copy bring;    /* behind it */
};

/* What the blocks of symm_host_tasks_memory() are for: each purpose has blocks of its own. */
enum symm_task_memory {
    SYMM_TASK_INPUT,
    SYMM_TASK_OUTPUT,
    SYMM_TASK_PACKED_INPUT,
    SYMM_TASK_PACKED_OUTPUT,
    SYMM_TASK_MEMORIES
};

/*
 * For streams of the device of `stream`.  Errors: NOT_FOUND (no driver, or one without operations
 * on words), NO_MEMORY, SYSTEM; symm_cuda_last_failure() says what failed.
 */
SYMM_PRIVATE enum symm_status symm_host_tasks_create(void *stream,
                                                     struct symm_host_tasks **tasks);

/* No stream and no graph has a task of it. */
SYMM_PRIVATE void symm_host_tasks_destroy(struct symm_host_tasks *tasks);

/* Whether streams of the device copy from and to this memory as it is. */
SYMM_PRIVATE bool symm_host_tasks_reach(const struct symm_host_tasks *tasks, const void *address);

/*
 * Later tasks go to `then`, of the same device, behind all that `first` holds
 * (symm_stream_order()).  Errors: ARGUMENT (another device), SYSTEM, NO_MEMORY.
 */
SYMM_PRIVATE enum symm_status symm_host_tasks_order(const struct symm_host_tasks *tasks,
                                                    void *first, void *then);

/*
 * Pinned memory of at least `size` bytes, which kernels and copies use at the same address.  It
 * stays until the end, and is the same as long as it suffices: the stream has tasks follow each
 * other.  Errors: NO_MEMORY, SYSTEM.
 */
SYMM_PRIVATE enum symm_status symm_host_tasks_memory(struct symm_host_tasks *tasks,
                                                     enum symm_task_memory purpose, size_t size,
                                                     void **memory);

/* What becomes of a task: it is told of never, once, or whenever its graph is launched. */
enum symm_task_fate { SYMM_TASK_REFUSED, SYMM_TASK_QUEUED, SYMM_TASK_CAPTURED };

/*
 * Queue a task in `stream`, or add it to the graph that the stream is captured into.  Threads may
 * call at the same time.  Errors: SYSTEM, NO_MEMORY; also then the task may be told of, of which
 * the stream does not hear the end.  The tasks are broken then, and all later ones are refused.
 */
SYMM_PRIVATE enum symm_status symm_host_tasks_add(struct symm_host_tasks *tasks,
                                                  const struct symm_host_task *task, void *stream,
                                                  enum symm_task_fate *fate);

/* Whether graphs of the program have tasks. */
SYMM_PRIVATE bool symm_host_tasks_are_held(const struct symm_host_tasks *tasks);

/*
 * Whether the stream that was given the last task is at work, as far as it tells: one that is
 * captured does not.  It still exists.
 */
SYMM_PRIVATE bool symm_host_tasks_are_busy(struct symm_host_tasks *tasks);

/* For one thread: the task that a stream has told of, once; NULL: there is none. */
SYMM_PRIVATE void *symm_host_tasks_next(struct symm_host_tasks *tasks);

/* It is done: the stream goes on.  Where no stream has a turn, this does nothing. */
SYMM_PRIVATE void symm_host_tasks_done(struct symm_host_tasks *tasks);

#endif /* SYMM_KERNELS_CUDA_STREAM_HOST_TASKS_H */
