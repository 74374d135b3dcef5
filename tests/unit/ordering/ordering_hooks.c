/*
 * ordering_hooks.c - what the compiler calls in code that is compiled for recording, in place of
 * ThreadSanitizer's library.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/ordering/ordering_recorder.h"

/* Prototypes first, because these are nobody's public functions. */
#define PLAIN(name, action, size)                 \
    void name(void *address);                     \
    void name(void *address)                      \
    {                                             \
        recorder_access(action, (uintptr_t)address, size); \
    }

PLAIN(__tsan_read1, MODEL_READ, 1)
PLAIN(__tsan_read2, MODEL_READ, 2)
PLAIN(__tsan_read4, MODEL_READ, 4)
PLAIN(__tsan_read8, MODEL_READ, 8)
PLAIN(__tsan_read16, MODEL_READ, 16)
PLAIN(__tsan_write1, MODEL_WRITE, 1)
PLAIN(__tsan_write2, MODEL_WRITE, 2)
PLAIN(__tsan_write4, MODEL_WRITE, 4)
PLAIN(__tsan_write8, MODEL_WRITE, 8)
PLAIN(__tsan_write16, MODEL_WRITE, 16)
PLAIN(__tsan_unaligned_read2, MODEL_READ, 2)
PLAIN(__tsan_unaligned_read4, MODEL_READ, 4)
PLAIN(__tsan_unaligned_read8, MODEL_READ, 8)
PLAIN(__tsan_unaligned_read16, MODEL_READ, 16)
PLAIN(__tsan_unaligned_write2, MODEL_WRITE, 2)
PLAIN(__tsan_unaligned_write4, MODEL_WRITE, 4)
PLAIN(__tsan_unaligned_write8, MODEL_WRITE, 8)
PLAIN(__tsan_unaligned_write16, MODEL_WRITE, 16)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_read_range(void *address, unsigned long size);
void __tsan_read_range(void *address, unsigned long size)
{
    recorder_read(address, size);
}

void __tsan_write_range(void *address, unsigned long size);
void __tsan_write_range(void *address, unsigned long size)
{
    recorder_write(address, size);
}

/* `bits` wide.  What is not recorded is done all the same. */
#define ATOMIC(bits)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order);  \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int order)   \
    {                                                                                              \
        return recorder_records((uintptr_t)address)                                                \
            ? (uint##bits##_t)recorder_load((uintptr_t)address, order != __ATOMIC_RELAXED)         \
            : __atomic_load_n(address, __ATOMIC_SEQ_CST);                                          \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order);                                                   \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value,       \
                                     int order)                                                    \
    {                                                                                              \
        if (recorder_records((uintptr_t)address)) {                                                \
            recorder_store((uintptr_t)address, value, order != __ATOMIC_RELAXED);                  \
        }                                                                                          \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }

ATOMIC(64)
ATOMIC(32)

uint32_t __tsan_atomic32_fetch_add(volatile uint32_t *address, uint32_t value, int order);
uint32_t __tsan_atomic32_fetch_add(volatile uint32_t *address, uint32_t value, int order)
{
    if (recorder_records((uintptr_t)address)) {
        recorder_add((uintptr_t)address, value, order != __ATOMIC_RELAXED);
    }
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
}

/* The code has one use of it: to raise a word. */
bool __tsan_atomic64_compare_exchange_weak(volatile uint64_t *address, uint64_t *expected,
                                           uint64_t value, int order, int failure_order);
bool __tsan_atomic64_compare_exchange_weak(volatile uint64_t *address, uint64_t *expected,
                                           uint64_t value, int order, int failure_order)
{
    (void)failure_order;
    if (recorder_records((uintptr_t)address)) {
        recorder_raise((uintptr_t)address, value, order != __ATOMIC_RELAXED);
    }
    return __atomic_compare_exchange_n(address, expected, value, true, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* clang has this one for it, which returns what there was. */
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *address, uint64_t expected,
                                              uint64_t value, int order, int failure_order);
uint64_t __tsan_atomic64_compare_exchange_val(volatile uint64_t *address, uint64_t expected,
                                              uint64_t value, int order, int failure_order)
{
    (void)failure_order;
    if (recorder_records((uintptr_t)address)) {
        recorder_raise((uintptr_t)address, value, order != __ATOMIC_RELAXED);
    }
    (void)__atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST);
    return expected;
}

/* For objects of Open MPI; no word. */
bool __tsan_atomic64_compare_exchange_strong(volatile uint64_t *address, uint64_t *expected,
                                             uint64_t value, int order, int failure_order);
bool __tsan_atomic64_compare_exchange_strong(volatile uint64_t *address, uint64_t *expected,
                                             uint64_t value, int order, int failure_order)
{
    (void)order, (void)failure_order;
    assert_false(recorder_records((uintptr_t)address));
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* For the flag of a message that is printed once; no word. */
unsigned char __tsan_atomic8_exchange(volatile unsigned char *address, unsigned char value,
                                      int order);
unsigned char __tsan_atomic8_exchange(volatile unsigned char *address, unsigned char value,
                                      int order)
{
    (void)order;
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
}

/* memcpy() is not announced; the linker brings all calls here. */
void *__real_memcpy(void *target, const void *source, size_t size);
void *__wrap_memcpy(void *target, const void *source, size_t size);
void *__wrap_memcpy(void *target, const void *source, size_t size)
{
    recorder_read(source, size);
    recorder_write(target, size);
    return __real_memcpy(target, source, size);
}

/* Nor are pages that are given back, and read as zero then. */
int __real_madvise(void *memory, size_t size, int advice);
int __wrap_madvise(void *memory, size_t size, int advice);
int __wrap_madvise(void *memory, size_t size, int advice)
{
    recorder_clear(memory, size);
    return __real_madvise(memory, size, advice);
}
