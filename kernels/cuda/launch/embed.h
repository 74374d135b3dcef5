/*
 * embed.h - a file in the program, as a hidden array of bytes that ELF calls `symbol`.  Its path
 * starts in the build folder, where make compiles.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_EMBED_H
#define SYMM_KERNELS_CUDA_LAUNCH_EMBED_H

#define SYMM_EMBED(symbol, file)                                                                   \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 64\n"                                                                         \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n"                                                                \
            ".type " #symbol ", %object\n" #symbol ":\n"                                           \
            ".incbin \"" file "\"\n"                                                               \
            ".size " #symbol ", . - " #symbol "\n"                                                 \
            ".popsection\n")

#endif /* SYMM_KERNELS_CUDA_LAUNCH_EMBED_H */
