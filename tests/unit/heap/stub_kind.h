/*
 * stub_kind.h - memory of a third kind of device, which is neither the host's nor CUDA's: the
 * smallest that the heap and its teams work with.
 *
 * The devices are two.  Their memory is in anonymous files, and nothing is mapped at its addresses,
 * so whoever loads from them as if it were host memory ends by SIGSEGV.  New memory is not zero,
 * handles are no descriptors, and every call is compared with what kind.h promises.  A program that
 * has this file has no CUDA: stub_kind.c and heap/gpu/ipc_absent.c define all that heap asks of
 * devices.  Otherwise the linker finds definitions twice.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef SYMM_TESTS_STUB_KIND_H
#define SYMM_TESTS_STUB_KIND_H

#include "heap/kind.h"

enum { STUB_DEVICES = 2, STUB_GRANULARITY = 4 << 20 };

enum stub_call {
    STUB_RESERVE,
    STUB_CREATE,
    STUB_EXPORT,
    STUB_IMPORT,
    STUB_MAP,
    STUB_CLEAR,
    STUB_UNMAP,
    STUB_CALLS
};

/* The n-th of these calls from now on fails, with NO_MEMORY. */
void stub_refuse(enum stub_call call, unsigned n);

struct stub_counts {
    int reservations, handles, owned, peers; /* made and not given back; the last two: mappings */
    bool is_refusing;                        /* a call that is to fail has not come yet */
    const char *misuse; /* the first call that was not as kind.h has it; NULL: all were */
};

struct stub_counts stub_counts(void);

/* The device memory that is mapped at `address`, for the processor; NULL: not all is mapped. */
void *stub_memory(const void *address, size_t size);

/* The device for which it is mapped there; -1: it is not. */
int stub_device(const void *address);

#endif
