/*
 * collective.c - see collective.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/algorithm.h"

const struct symm_collective_row symm_collectives[SYMM_COLLECTIVE_COUNT] = {
#define ROW(NUMBER, word, function, ...)                                                          \
    [SYMM_##NUMBER] = {.name = #word, .mpi_name = function,                                       \
                       .inline_algorithm = SYMM_##NUMBER##_INLINE, __VA_ARGS__},
    SYMM_COLLECTIVES(ROW)
#undef ROW
};
