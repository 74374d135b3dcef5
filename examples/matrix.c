/*
 * The numbers of the matrix, from a hash of their place (the finalizer of SplitMix64).
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static uint64_t mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/* The upper 53 bits, as a number from -1 to 1. */
static double number_of(uint64_t value)
{
    return (double)(value >> 11) * 0x1p-52 - 1.0;
}

double complex matrix_element(int row, int column)
{
    uint64_t real = mix((uint64_t)row << 32 | (uint32_t)column);

    return CMPLX(number_of(real), number_of(mix(real)));
}

/* Parseval: size * size elements, each with a mean square of 2/3. */
double matrix_transform_magnitude(int size)
{
    return size * sqrt(2.0 / 3.0);
}

void matrix_fill(const struct matrix_share *share, double complex *rows)
{
    for (int row = 0; row < share->rows; row++) {
        for (int column = 0; column < share->size; column++) {
            rows[(size_t)row * share->size + column] = matrix_element(share->first + row, column);
        }
    }
}

uint64_t matrix_hash(const struct matrix_share *share, const double complex *rows)
{
    size_t count = (size_t)share->rows * share->size;
    uint64_t place = (uint64_t)share->first * share->size;
    uint64_t hash = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t bits[2];

        memcpy(bits, &rows[i], sizeof bits);
        hash += mix(bits[0] ^ mix(bits[1] ^ mix(place + i)));
    }
    return hash;
}
