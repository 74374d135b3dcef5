/*
 * rooted.h - what the algorithms on devices have in common that move data from or to a root.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_ROOTED_H
#define SYMM_KERNELS_CUDA_ROOTED_H

#include "kernels/cuda/steps.h"
#include "kernels/rooted.h"

/* This rank's kernel of a reduce by two-shot (reduce_direct.c). */
symm_kernel_maker symm_reduce_two_shot_make;

/*
 * Broadcasts that are passed on through slots in scratch (bcast_chain.c): bytes of scratch that one
 * of `bytes` is quickest with, and the step function.
 */
size_t symm_bcast_slots_wanted(size_t bytes, int ranks);
enum symm_status symm_bcast_slots_step(struct symm_run *run);

#endif /* SYMM_KERNELS_CUDA_ROOTED_H */
