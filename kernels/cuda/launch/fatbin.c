/*
 * fatbin.c - see fatbin.h.  Paths of the files start in the build folder, where make compiles.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/fatbin.h"

#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 64\n"                                                                         \
            ".globl " #symbol "\n"                                                                 \
            ".hidden " #symbol "\n"                                                                \
            ".type " #symbol ", %object\n" #symbol ":\n"                                           \
            ".incbin \"" file "\"\n"                                                               \
            ".size " #symbol ", . - " #symbol "\n"                                                 \
            ".popsection\n")

EMBED(symm_fatbin_reduce, "kernels/cuda/device_code/reduce.fatbin");
EMBED(symm_fatbin_scan, "kernels/cuda/device_code/scan.fatbin");
EMBED(symm_fatbin_gather, "kernels/cuda/device_code/gather.fatbin");
EMBED(symm_fatbin_small, "kernels/cuda/device_code/small.fatbin");
EMBED(symm_fatbin_packets, "kernels/cuda/device_code/packets.fatbin");
#ifdef HAVE_MULTICAST
EMBED(symm_fatbin_multimem, "kernels/cuda/device_code/multimem.fatbin");
#endif
