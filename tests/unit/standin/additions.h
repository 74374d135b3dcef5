/*
 * additions.h - kernels of the stand-in driver that add a number to an array, and words that
 * streams and the program share.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_ADDITIONS_H
#define SYMM_TESTS_ADDITIONS_H

#include "tests/standin/kernels.h"
#include "tests/unit/harness/standin_driver.h"

enum { COUNT = 100000, BYTES = 4 * COUNT, ROUNDS = 40 };

void standin_add_launch(struct fork_rank *self, CUfunction kernel, CUstream stream,
                        struct symm_standin_add add);

/* Of COUNT elements. */
struct symm_standin_add standin_addition(CUdeviceptr target, CUdeviceptr source, uint32_t number);

/* A word that streams can wait for, and the program can write. */
uint32_t *standin_word_make(struct fork_rank *self);

#endif
