/*
 * memory_kind.h - the kinds of memory that symm_bench has buffers in, and their names.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BENCH_MEMORY_KIND_H
#define BENCH_MEMORY_KIND_H

#include <stdbool.h>

enum memory {
    MEMORY_ALLOC,         /* MPI_Alloc_mem */
    MEMORY_MALLOC,        /* page-aligned memory of this process */
    MEMORY_CUDA,          /* MPI_Alloc_mem with the hint kind=cuda */
    MEMORY_CUDAMALLOC,    /* ordinary GPU memory, in multiples of large pages where it is large */
    MEMORY_CUDAMALLOC_ODD, /* the same, but no multiples */
    MEMORY_COUNT
};

/* Whether buffers are on a GPU, and what the kinds of memory are called in sentences. */
bool memory_is_gpu(enum memory memory);
bool memory_is_cudamalloc(enum memory memory);
const char *memory_name(enum memory memory);

/* "cudamalloc": on the command line */
const char *memory_word(enum memory memory);

#endif
