/*
 * memory_kind.c - see memory_kind.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "memory_kind.h"

bool memory_is_cudamalloc(enum memory memory)
{
    return memory == MEMORY_CUDAMALLOC || memory == MEMORY_CUDAMALLOC_ODD;
}

bool memory_is_gpu(enum memory memory)
{
    return memory == MEMORY_CUDA || memory_is_cudamalloc(memory);
}

const char *memory_name(enum memory memory)
{
    switch (memory) {
    case MEMORY_MALLOC: return "malloc";
    case MEMORY_CUDA: return "MPI_Alloc_mem GPU";
    case MEMORY_CUDAMALLOC: return "cuMemAlloc GPU";
    case MEMORY_CUDAMALLOC_ODD: return "odd cuMemAlloc GPU";
    default: return "MPI_Alloc_mem";
    }
}

const char *memory_word(enum memory memory)
{
    static const char *const words[MEMORY_COUNT] = {
        [MEMORY_ALLOC] = "alloc", [MEMORY_MALLOC] = "malloc",
        [MEMORY_CUDA] = "cuda", [MEMORY_CUDAMALLOC] = "cudamalloc",
        [MEMORY_CUDAMALLOC_ODD] = "cudamalloc-odd"
    };
    return words[memory];
}
