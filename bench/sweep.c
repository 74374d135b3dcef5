/*
 * sweep.c - load from all, add in order, store to all. The sweep is a floor only if it is about as
 * quick as the processor allows: with 64-byte vectors it took half as long as with 16-byte ones
 * from 4 KiB to 512 KiB (32-byte ones gained nothing), hence the variants that are chosen when the
 * program runs.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "sweep.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* What is added stays in the first-level cache until it has been written everywhere. */
enum { BLOCK_BYTES = 4096 };

/* The compiler splits it where the processor has no registers that wide. */
typedef float vector __attribute__((vector_size(SWEEP_VECTOR), may_alias));

static inline __attribute__((always_inline)) void add(void *sum, const void *left,
                                                      const void *right, size_t bytes)
{
    vector *result = sum;
    const vector *a = left;
    const vector *b = right;
    for (size_t i = 0; i < bytes / sizeof(vector); i++) {
        result[i] = a[i] + b[i];
    }
}

#if defined(__x86_64__)

static bool is_wide(void)
{
    return __builtin_cpu_supports("avx512f");
}

__attribute__((target("avx512f"))) static void add_wide(void *sum, const void *left,
                                                        const void *right, size_t bytes)
{
    add(sum, left, right, bytes);
}

__attribute__((target("avx512f"))) static void stream_wide(void *to, const void *from,
                                                           size_t bytes)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < bytes; i += 64) {
        _mm512_stream_si512((void *)(target + i), _mm512_load_si512(source + i));
    }
}

static void stream_narrow(void *to, const void *from, size_t bytes)
{
    float *target = to;
    const float *source = from;
    for (size_t i = 0; i < bytes / sizeof(float); i += 4) {
        _mm_stream_ps(target + i, _mm_load_ps(source + i));
    }
}

bool sweep_can_stream(void)
{
    return true;
}

static void block_stream(void *to, const void *from, size_t bytes)
{
    if (is_wide()) {
        stream_wide(to, from, bytes);
    } else {
        stream_narrow(to, from, bytes);
    }
}

static void block_add(void *sum, const void *left, const void *right, size_t bytes)
{
    if (is_wide()) {
        add_wide(sum, left, right, bytes);
    } else {
        add(sum, left, right, bytes);
    }
}

static void stream_finish(void)
{
    _mm_sfence();
}

#else

bool sweep_can_stream(void)
{
    return false;
}

static void block_stream(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void block_add(void *sum, const void *left, const void *right, size_t bytes)
{
    add(sum, left, right, bytes);
}

static void stream_finish(void)
{
}

#endif

static void block_write(const struct sweep *sweep, int target, size_t offset, const void *from,
                        size_t bytes)
{
    void *to = sweep->to + (size_t)target * sweep->stride + offset;
    if (sweep->streaming) {
        block_stream(to, from, bytes);
    } else {
        memcpy(to, from, bytes);
    }
}

static void block_run(const struct sweep *sweep, size_t offset, size_t bytes,
                      unsigned char *scratch)
{
    const unsigned char *first = sweep->from + offset;
    const unsigned char *result = first;
    int target = 0;
    if (sweep->sources > 1) {
        /* Ordinary stores: straight into the first target, from where the others are copied. */
        unsigned char *sum = sweep->streaming ? scratch : sweep->to + offset;
        block_add(sum, first, first + sweep->stride, bytes);
        for (int source = 2; source < sweep->sources; source++) {
            block_add(sum, sum, first + (size_t)source * sweep->stride, bytes);
        }
        result = sum;
        target = sweep->streaming ? 0 : 1;
    }
    for (; target < sweep->targets; target++) {
        block_write(sweep, target, offset, result, bytes);
    }
}

void sweep_run(const struct sweep *sweep)
{
    _Alignas(SWEEP_VECTOR) unsigned char scratch[BLOCK_BYTES];
    for (size_t offset = 0; offset < sweep->slice; offset += BLOCK_BYTES) {
        size_t left = sweep->slice - offset;
        block_run(sweep, offset, left < BLOCK_BYTES ? left : BLOCK_BYTES, scratch);
    }
    if (sweep->streaming) {
        stream_finish();
    }
}
