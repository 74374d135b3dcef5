/*
 * launches.h - kernels as they are given to the stand-in driver, by cuLaunchKernel() or in a graph.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_LAUNCHES_H
#define SYMM_TESTS_STANDIN_LAUNCHES_H

#include "tests/standin/graphs.h"

#include "kernels/cuda/device_code/host_kernels.h"

struct CUmod_st {
    struct standin_object object;
    CUcontext context;
};

struct CUfunc_st {
    struct standin_object object;
    CUmodule module;
    const struct symm_cuda_host_kernel *kernel;
};

enum { STANDIN_ARGUMENTS_MAX = 4096, STANDIN_THREADS_MAX = 1024 };

bool standin_function_is(CUfunction function, CUcontext context);

/* A launch as the program asks for it: the real driver takes more than our kernels need. */
struct standin_launch {
    CUfunction function;
    unsigned blocks, block_threads;
    const void *argument;
};

/* What the driver would say of it at once. */
CUresult standin_launch_make(struct standin_launch *launch, CUfunction function,
                             const unsigned grid[3], const unsigned block[3], unsigned shared,
                             void **parameters, void **extra, CUcontext context);

/* One that is kept, with a copy of the argument as the program gave it. */
struct standin_kept_launch {
    struct standin_launch launch; /* without `argument` */
    uint64_t argument[STANDIN_ARGUMENTS_MAX / sizeof(uint64_t)];
};

void standin_launch_keep(const struct standin_launch *launch, struct standin_kept_launch *kept);

/* Queue one that was kept; addresses are looked at now. */
standin_give standin_launch_give;

#endif /* SYMM_TESTS_STANDIN_LAUNCHES_H */
