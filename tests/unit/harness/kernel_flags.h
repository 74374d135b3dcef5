/*
 * kernel_flags.h - the flags that a kernel raises, where a test runs one by itself.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_KERNEL_FLAGS_H
#define SYMM_TESTS_KERNEL_FLAGS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cuda/device_code/arguments.h"
#include "kernels/cuda/device_code/host_kernels.h"

struct kernel_flags {
    uint32_t words[SYMM_CUDA_FLAGS];
};

/* What a kernel is given, with all flags down. */
static inline struct symm_cuda_finish kernel_flags_finish(struct kernel_flags *flags)
{
    memset(flags, 0, sizeof(*flags));
    return (struct symm_cuda_finish){.flags = flags->words, .sequence = 77, .slot = 5};
}

/* Whether a kernel of so many blocks has raised its flags, and no others. */
static inline bool kernel_flags_are_up(const struct kernel_flags *flags, unsigned blocks)
{
    unsigned raised = symm_cuda_finish_flags(blocks);
    bool right = true;
    for (unsigned i = 0; i < SYMM_CUDA_FLAGS; i++) {
        right = right && flags->words[i] == (i < raised ? 77 : 0);
    }
    return right;
}

/*
 * Run a kernel with `arguments` of so many bytes, of which `finish` is a part.  Whether there is
 * such a kernel, and it has raised its flags, and no others.
 */
static inline bool kernel_run(const struct symm_cuda_host_kernel *kernel, void *arguments,
                              size_t size, struct symm_cuda_finish *finish, unsigned blocks,
                              unsigned block_threads)
{
    struct kernel_flags flags;
    if (kernel == NULL || kernel->arguments_size != size) {
        return false;
    }
    *finish = kernel_flags_finish(&flags);
    kernel->run(arguments, blocks, block_threads);
    return kernel_flags_are_up(&flags, blocks);
}

#endif /* SYMM_TESTS_KERNEL_FLAGS_H */
