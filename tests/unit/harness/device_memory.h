/*
 * device_memory.h - device memory for tests, on the stand-in driver (tests/standin).
 *
 * The driver reads its settings from the environment once, and does not survive a fork: so it is
 * used in ranks (fork_ranks.h) only, which set the environment before.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_DEVICE_MEMORY_H
#define SYMM_TESTS_DEVICE_MEMORY_H

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/kernel.h"
#include "tests/unit/harness/fork_team.h"

/* From now on the stand-in is the driver, if none has been opened. */
void device_driver_use(void);

/* A function of the stand-in, by its name; `function` points to the pointer that it goes to. */
void device_driver_symbol(struct fork_rank *self, const char *name, void *function);

/* How often one of its functions has been used (tests/standin/kernels.h). */
unsigned long device_driver_uses(struct fork_rank *self, const char *function);

/* This process, with that driver. */
struct symm_process *device_process(struct fork_rank *self);

/* The heap of a device, and a block of any heap; they must be had. */
struct symm_heap *device_heap(struct fork_rank *self, struct symm_process *process, int device);
void *device_alloc(struct fork_rank *self, struct symm_heap *heap, size_t size);

/* As unit_fill() and so on, by copies that a program makes which has `device` current. */
void device_fill(struct fork_rank *self, int device, void *memory, size_t size, uint64_t seed);
bool device_is_filled(struct fork_rank *self, int device, void *memory, size_t size, uint64_t seed);
bool device_is_zero(struct fork_rank *self, int device, void *memory, size_t size);

/* What has been started ends, and well. */
void device_completion_await(struct fork_rank *self, struct symm_device *device,
                             struct symm_completion *completion);

/* Whether these words are in the sentence about what has failed last. */
bool device_failure_names(const char *words);

#endif /* SYMM_TESTS_DEVICE_MEMORY_H */
