/*
 * float16.h - binary16 and bfloat16 to float and back; the operations on them are public: symm.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_FLOAT16_H
#define SYMM_KERNELS_FLOAT16_H

#include "heap/symm.h"

float symm_half_to_float(uint16_t half);
float symm_bfloat16_to_float(uint16_t number);

/* Rounded to nearest, ties to even; what is too large becomes an infinity, a NaN stays one. */
uint16_t symm_half_from_float(float value);
uint16_t symm_bfloat16_from_float(float value);

#endif /* SYMM_KERNELS_FLOAT16_H */
