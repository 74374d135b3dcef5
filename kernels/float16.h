/*
 * float16.h - binary16 and bfloat16 to float and back; the operations on them are public: symm.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_FLOAT16_H
#define SYMM_KERNELS_FLOAT16_H

#include "heap/private.h"
#include "heap/symm.h"

SYMM_PRIVATE float symm_half_to_float(uint16_t half);
SYMM_PRIVATE float symm_bfloat16_to_float(uint16_t number);

/* Rounded to nearest, ties to even; what is too large becomes an infinity, a NaN stays one. */
SYMM_PRIVATE uint16_t symm_half_from_float(float value);
SYMM_PRIVATE uint16_t symm_bfloat16_from_float(float value);

/*
 * Which of the operations an MPI_Op is made from cannot be seen from outside.  It can be asked:
 * while a thread has an answer to be filled in, operations that are called in this thread do
 * nothing but fill it in.  NULL: they work again.
 */
enum symm_float16_operation {
    SYMM_FLOAT16_SUM,
    SYMM_FLOAT16_PROD,
    SYMM_FLOAT16_MIN,
    SYMM_FLOAT16_MAX,
};
struct symm_float16_asked {
    bool is_known; /* at first false */
    bool is_bfloat16;
    enum symm_float16_operation operation;
};
SYMM_PRIVATE void symm_float16_ask(struct symm_float16_asked *asked);

#endif /* SYMM_KERNELS_FLOAT16_H */
