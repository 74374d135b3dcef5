/*
 * types.cuh - element types that C++ does not have: 16-bit floats, complex numbers, pairs.
 *
 * The conversions of 16-bit floats are one instruction on a device.  On the host they are done by
 * hand, with the same results: round to nearest even, every NaN becomes 0x7fff when it is narrowed.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_TYPES_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_TYPES_CUH

#include "kernels/cuda/device_code/kernel.cuh"

namespace symm {

/* IEEE binary16, as its bits. */
struct half {
    uint16_t bits;
};

/* The upper half of a float. */
struct bfloat16 {
    uint16_t bits;
};

template <class T> struct complex {
    T re, im;
};

/* A value and where it comes from, laid out as in C. */
template <class T> struct pair {
    T value;
    int32_t index;
};

/* ---- 16-bit floats --------------------------------------------------------------------------- */

template <class To, class From> SYMM_DEVICE To bits_as(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the same bits");
    To to;
    memcpy(&to, &from, sizeof(to));
    return to;
}

SYMM_DEVICE float to_float(bfloat16 value)
{
    return bits_as<float>(static_cast<uint32_t>(value.bits) << 16);
}

#ifdef __CUDACC__

SYMM_DEVICE float to_float(half value)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
    return wide;
}

SYMM_DEVICE void from_float(float wide, half *value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value->bits) : "f"(wide));
}

SYMM_DEVICE void from_float(float wide, bfloat16 *value)
{
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(value->bits) : "f"(wide));
}

#else

SYMM_DEVICE float to_float(half value)
{
    const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
    const uint32_t exponent = value.bits >> 10 & 0x1f, fraction = value.bits & 0x3ff;
    if (exponent == 0) { /* subnormal: fraction * 2^-24, which a float holds exactly */
        const float size = static_cast<float>(fraction) * (1.0f / (1 << 24));
        return bits_as<float>(bits_as<uint32_t>(size) | sign);
    }
    const uint32_t wide = exponent == 0x1f ? 0xff : exponent + (127 - 15);
    return bits_as<float>(sign | wide << 23 | fraction << 13);
}

/* `value` shifted right, rounded to nearest, ties to even. */
SYMM_DEVICE uint32_t shift_rounded(uint32_t value, unsigned shift)
{
    const uint32_t half_unit = 1u << (shift - 1), rest = value & (2 * half_unit - 1);
    const uint32_t whole = value >> shift;
    return whole + (rest > half_unit || (rest == half_unit && (whole & 1) != 0));
}

SYMM_DEVICE void from_float(float wide, half *value)
{
    const uint32_t bits = bits_as<uint32_t>(wide), sign = bits >> 16 & 0x8000;
    const uint32_t size = bits & 0x7fffffff;
    const uint32_t exponent = size >> 23;
    uint32_t result;
    if (size > 0x7f800000) {
        result = 0x7fff;
    } else if (exponent >= 127 + 16) {
        result = sign | 0x7c00;
    } else if (exponent > 127 - 15) { /* a carry out of the fraction rightly raises the exponent */
        result = sign | shift_rounded(size - ((127u - 15) << 23), 13);
    } else if (exponent >= 127 - 25) {
        result = sign | shift_rounded((size & 0x7fffff) | 0x800000, 126 - exponent);
    } else {
        result = sign;
    }
    value->bits = static_cast<uint16_t>(result);
}

SYMM_DEVICE void from_float(float wide, bfloat16 *value)
{
    const uint32_t bits = bits_as<uint32_t>(wide);
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    value->bits = static_cast<uint16_t>(is_nan ? 0x7fff : shift_rounded(bits, 16));
}

#endif /* __CUDACC__ */

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_TYPES_CUH */
