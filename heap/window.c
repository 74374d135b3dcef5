/*
 * window.c - see window.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <sys/resource.h>

#include "heap/window.h"

static const size_t size_least = (size_t)1 << 30;

/*
 * A process has one window for every peer, too.  So where address space is limited, a window must
 * leave most of it to the program.
 */
static size_t size_within_limit(const struct symm_kind *kind, size_t size)
{
    enum { PARTS = 64 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return size;
    }
    size_t part = limit.rlim_cur / PARTS / kind->granularity * kind->granularity;
    part = part > kind->granularity ? part : kind->granularity;
    return size < part ? size : part;
}

enum symm_status symm_window_reserve(const struct symm_kind *kind, size_t *size, char **window)
{
    enum symm_status status;
    void *base = NULL;
    *size = size_within_limit(kind, *size);
    for (;;) {
        status = kind->reserve(kind, *size, &base);
        if (status == SYMM_OK || *size / 2 < size_least) {
            break;
        }
        *size /= 2;
    }
    *window = base;
    return status;
}
