/*
 * counting_kind.c - see counting_kind.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/unit/heap/counting_kind.h"

#include <string.h>

#include "tests/unit/harness/unit.h"

struct counting counting;

static bool is_refused(enum counting_call call)
{
    return counting.refuse_in[call] > 0 && --counting.refuse_in[call] == 0;
}

static enum symm_status counting_reserve(const struct symm_kind *kind, size_t size, void **base)
{
    enum symm_status status = is_refused(COUNTING_RESERVE)
                                  ? SYMM_ERR_NO_MEMORY
                                  : symm_kind_host.reserve(kind, size, base);
    counting.reservations += status == SYMM_OK;
    return status;
}

static void counting_unreserve(const struct symm_kind *kind, void *base, size_t size)
{
    counting.reservations--;
    symm_kind_host.unreserve(kind, base, size);
}

static enum symm_status counting_create(const struct symm_kind *kind, size_t size,
                                        symm_handle *handle)
{
    enum symm_status status = is_refused(COUNTING_CREATE)
                                  ? SYMM_ERR_NO_MEMORY
                                  : symm_kind_host.create(kind, size, handle);
    counting.handles += status == SYMM_OK;
    return status;
}

static enum symm_status counting_export(const struct symm_kind *kind, symm_handle handle,
                                        int *descriptor)
{
    return is_refused(COUNTING_EXPORT) ? SYMM_ERR_NO_MEMORY
                              : symm_kind_host.export_handle(kind, handle, descriptor);
}

static enum symm_status counting_map(const struct symm_kind *kind, void *address, size_t size,
                                     symm_handle handle, int owned)
{
    enum symm_status status = is_refused(COUNTING_MAP)
                                  ? SYMM_ERR_NO_MEMORY
                                  : symm_kind_host.map(kind, address, size, handle, owned);
    assert_int_equal((uintptr_t)address % symm_kind_host.granularity, 0);
    assert_int_equal(size % symm_kind_host.granularity, 0);
    return status;
}

static void counting_release(const struct symm_kind *kind, symm_handle handle, size_t size,
                             int owned)
{
    counting.handles--;
    symm_kind_host.release(kind, handle, size, owned);
}

struct symm_kind counting_kind(void)
{
    struct symm_kind kind = symm_kind_host;
    kind.reserve = counting_reserve;
    kind.unreserve = counting_unreserve;
    kind.create = counting_create;
    kind.export_handle = counting_export;
    kind.map = counting_map;
    kind.release = counting_release;
    memset(&counting, 0, sizeof(counting));
    return kind;
}
