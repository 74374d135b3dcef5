/*
 * additions.c - see additions.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/standin/additions.h"

#include <string.h>

void standin_add_launch(struct fork_rank *self, CUfunction kernel, CUstream stream,
                        struct symm_standin_add add)
{
    void *parameters[] = {&add};
    STANDIN_OK(self, cu.cuLaunchKernel(kernel, 4, 1, 1, 256, 1, 1, 0, stream, parameters, NULL));
}

struct symm_standin_add standin_addition(CUdeviceptr target, CUdeviceptr source, uint32_t number)
{
    return (struct symm_standin_add){.target = (uint32_t *)(uintptr_t)target,
                                     .source = (const uint32_t *)(uintptr_t)source,
                                     .count = COUNT,
                                     .number = number};
}

uint32_t *standin_word_make(struct fork_rank *self)
{
    void *word;
    STANDIN_OK(self, cu.cuMemHostAlloc(&word, 4096, CU_MEMHOSTALLOC_PORTABLE));
    memset(word, 0, 4096);
    return word;
}
