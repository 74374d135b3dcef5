/*
 * base/processors.c - see base/processors.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/base/processors.h"

#include <stdatomic.h>
#include <unistd.h>

#include "mca/ompi_compat.h"

bool mca_coll_symm_processors_are_shared(void)
{
    static _Atomic int known = -1; /* threads may find it out at the same time */
    int shared = atomic_load_explicit(&known, memory_order_relaxed);
    if (shared < 0) { /* the C library reads a file for the answer */
        long ranks = (long)opal_process_info.num_local_peers + 1;
        shared = ranks > sysconf(_SC_NPROCESSORS_ONLN);
        atomic_store_explicit(&known, shared, memory_order_relaxed);
    }
    return shared != 0;
}
