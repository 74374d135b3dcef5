/*
 * empty_kernel.h - a kernel that does nothing: what a launch costs at least.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_BENCH_EMPTY_KERNEL_H
#define SYMM_BENCH_EMPTY_KERNEL_H

/* In the current context, for good.  NULL: the driver compiles none. */
void *empty_kernel_get(void);

/* By cuLaunchKernel(), one thread. */
void empty_kernel_launch(void *kernel, void *stream);

#endif /* SYMM_BENCH_EMPTY_KERNEL_H */
