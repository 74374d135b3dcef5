/*
 * host_copy/ucx.c - see host_copy/ucx.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/host_copy/ucx.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mca/ompi_compat.h"

/* UCX's modules for CUDA that this process has loaded. */
struct modules {
    bool transports; /* uct: the one that knows devices */
    bool hooks;      /* ucm: the one that sees allocations */
};

static int note_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct modules *modules = data;
    (void)size;
    modules->transports = modules->transports || strstr(info->dlpi_name, "libuct_cuda.so") != NULL;
    modules->hooks = modules->hooks || strstr(info->dlpi_name, "libucm_cuda.so") != NULL;
    return 0;
}

/* As UCX reads the variable; without it, UCX keeps the cache. */
static bool cache_is_off(void)
{
    static const char *const no[] = {"n", "no", "off", "0"};
    const char *value = getenv("UCX_MEMTYPE_CACHE");
    for (size_t i = 0; value != NULL && i < sizeof(no) / sizeof(no[0]); i++) {
        if (strcasecmp(value, no[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A UCX without modules, linked into one library, is taken to have both. */
bool mca_coll_symm_ucx_is_blind(void)
{
    struct modules modules = {false, false};
    if (!symm_ompi_pml_is("ucx") || cache_is_off()) {
        return false;
    }
    (void)dl_iterate_phdr(note_module, &modules);
    return modules.transports && !modules.hooks;
}
