/*
 * kernels.h - the stand-in driver's own kernel, for tests of the driver itself.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STANDIN_KERNELS_H
#define SYMM_TESTS_STANDIN_KERNELS_H

#include <stdint.h>

/* The argument of "symm_standin_add": target[i] = source[i] + number, then *flag = sequence. */
struct symm_standin_add {
    uint32_t *target;
    const uint32_t *source;
    uint64_t count;
    uint32_t number;
    uint32_t sequence;
    uint32_t *flag; /* may be NULL */
};

#endif /* SYMM_TESTS_STANDIN_KERNELS_H */
