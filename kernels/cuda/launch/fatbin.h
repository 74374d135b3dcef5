/*
 * fatbin.h - the compiled kernels, as cuModuleLoadData() takes them; they are part of this library.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_LAUNCH_FATBIN_H
#define SYMM_KERNELS_CUDA_LAUNCH_FATBIN_H

extern const unsigned char symm_fatbin_reduce[], symm_fatbin_scan[], symm_fatbin_gather[],
    symm_fatbin_small[], symm_fatbin_packets[], symm_fatbin_ring[], symm_fatbin_stream[],
    symm_fatbin_stream_push[];

/* Only where multicast is built, and for devices of compute capability 9.0 on. */
extern const unsigned char symm_fatbin_multimem[];

#endif /* SYMM_KERNELS_CUDA_LAUNCH_FATBIN_H */
