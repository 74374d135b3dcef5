/*
 * operations.cuh - what the operations do to two values.
 *
 * An operation has an accumulator type; `widen` makes one of an element, `apply` adds another
 * operand on its right, `narrow` makes the element that is stored.  Sums and products of 16-bit
 * floats accumulate in float and round once, in `narrow`.  Every NaN that comes out of sums and
 * products has the same bits.
 *
 * MIN and MAX of floats choose one of the operands, bit by bit.  If there are NaNs, they choose the
 * NaN of the lowest rank.  Otherwise, of equal numbers (-0 and +0), they choose the number of the
 * lowest rank.  MPI leaves both open.  The choice depends on nothing but the order of operands,
 * which is the same in every algorithm.
 *
 * Integers wrap around.  Sums, products, logical and bitwise operations have kernels for unsigned
 * integers only, since signed integers give the same bits.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_KERNELS_CUDA_DEVICE_CODE_OPERATIONS_CUH
#define SYMM_KERNELS_CUDA_DEVICE_CODE_OPERATIONS_CUH

#include "kernels/cuda/device_code/types.cuh"

namespace symm {

/* ---- accumulators ---------------------------------------------------------------------------- */

template <class T> struct exactly {
    typedef T accumulator;
    static SYMM_DEVICE T widen(T value) { return value; }
    static SYMM_DEVICE T narrow(T value) { return value; }
};

template <class T> struct in_float {
    typedef float accumulator;
    static SYMM_DEVICE float widen(T value) { return to_float(value); }
    static SYMM_DEVICE T narrow(float wide)
    {
        T value;
        from_float(wide, &value);
        return value;
    }
};

/*
 * NaNs that are computed become one NaN, because the instruction decides which operand's bits they
 * have.
 */
SYMM_DEVICE float with_plain_nan(float value)
{
    return value == value ? value : bits_as<float>(UINT32_C(0x7fc00000));
}

SYMM_DEVICE double with_plain_nan(double value)
{
    return value == value ? value : bits_as<double>(UINT64_C(0x7ff8000000000000));
}

template <class T> SYMM_DEVICE complex<T> with_plain_nan(complex<T> value)
{
    return {with_plain_nan(value.re), with_plain_nan(value.im)};
}

template <class T> struct floating {
    typedef T accumulator;
    static SYMM_DEVICE T widen(T value) { return value; }
    static SYMM_DEVICE T narrow(T value) { return with_plain_nan(value); }
};

template <class T> struct arithmetic : exactly<T> {
};
template <> struct arithmetic<float> : floating<float> {
};
template <> struct arithmetic<double> : floating<double> {
};
template <class T> struct arithmetic<complex<T>> : floating<complex<T>> {
};
template <> struct arithmetic<half> : in_float<half> {
};
template <> struct arithmetic<bfloat16> : in_float<bfloat16> {
};

/* ---- sums and products ----------------------------------------------------------------------- */

template <class T> SYMM_DEVICE T plus(T a, T b)
{
    return static_cast<T>(a + b);
}

template <class T> SYMM_DEVICE complex<T> plus(complex<T> a, complex<T> b)
{
    return {a.re + b.re, a.im + b.im};
}

template <class T> SYMM_DEVICE T times(T a, T b)
{
    return static_cast<T>(a * b);
}

/* Without a cast these would be multiplied as int, which can overflow. */
SYMM_DEVICE uint16_t times(uint16_t a, uint16_t b)
{
    return static_cast<uint16_t>(static_cast<uint32_t>(a) * b);
}

template <class T> SYMM_DEVICE complex<T> times(complex<T> a, complex<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T> struct sum : arithmetic<T> {
    typedef typename arithmetic<T>::accumulator wide;
    static SYMM_DEVICE wide apply(wide a, wide b) { return plus(a, b); }
};

template <class T> struct prod : arithmetic<T> {
    typedef typename arithmetic<T>::accumulator wide;
    static SYMM_DEVICE wide apply(wide a, wide b) { return times(a, b); }
};

/* ---- minimum and maximum --------------------------------------------------------------------- */

/* Values to compare: 16-bit floats have no comparison of their own. */
template <class T> SYMM_DEVICE T comparable(T value)
{
    return value;
}

SYMM_DEVICE float comparable(half value)
{
    return to_float(value);
}

SYMM_DEVICE float comparable(bfloat16 value)
{
    return to_float(value);
}

/* Whether `b` replaces `a`, which has the lower rank.  Only a NaN differs from itself. */
template <class T> SYMM_DEVICE bool is_less(T a, T b)
{
    return a == a && (b < a || b != b);
}

template <class T> SYMM_DEVICE bool is_greater(T a, T b)
{
    return a == a && (b > a || b != b);
}

template <class T> struct min : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b)
    {
        return is_less(comparable(a), comparable(b)) ? b : a;
    }
};

template <class T> struct max : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b)
    {
        return is_greater(comparable(a), comparable(b)) ? b : a;
    }
};

/* Of equal values the one with the lower index. */
template <class T> struct minloc : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b)
    {
        const bool is_lower = a.value == b.value && b.index < a.index;
        return is_less(a.value, b.value) || is_lower ? b : a;
    }
};

template <class T> struct maxloc : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b)
    {
        const bool is_lower = a.value == b.value && b.index < a.index;
        return is_greater(a.value, b.value) || is_lower ? b : a;
    }
};

/* ---- logical and bitwise operations ---------------------------------------------------------- */

template <class T> struct land : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b) { return static_cast<T>(a != 0 && b != 0); }
};

template <class T> struct lor : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b) { return static_cast<T>(a != 0 || b != 0); }
};

template <class T> struct lxor : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b) { return static_cast<T>((a != 0) != (b != 0)); }
};

template <class T> struct band : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b) { return static_cast<T>(a & b); }
};

template <class T> struct bor : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b) { return static_cast<T>(a | b); }
};

template <class T> struct bxor : exactly<T> {
    static SYMM_DEVICE T apply(T a, T b) { return static_cast<T>(a ^ b); }
};

} // namespace symm

#endif /* SYMM_KERNELS_CUDA_DEVICE_CODE_OPERATIONS_CUH */
