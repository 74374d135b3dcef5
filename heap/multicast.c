/*
 * multicast.c - whether memory of this process can take part in multicast; see multicast.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "heap/multicast.h"

/* What sites set that had trouble with multicast, and the value that forbids it. */
static const struct {
    const char *variable, *value, *assignment;
} opt_outs[] = {
    {"NCCL_NVLS_ENABLE", "0", "NCCL_NVLS_ENABLE=0"},
    {"NVSHMEM_DISABLE_NVLS", "1", "NVSHMEM_DISABLE_NVLS=1"},
    {"TORCH_SYMM_MEM_DISABLE_MULTICAST", "1", "TORCH_SYMM_MEM_DISABLE_MULTICAST=1"},
};

static const char *opt_out; /* NULL: none */

/* A build with loops in the place of multicast has nothing to opt out of. */
#ifdef MULTICAST_UNICAST
enum { HAS_NVLINK = 0 };
#else
enum { HAS_NVLINK = 1 };
#endif

static void environment_read(void)
{
    for (size_t i = 0; HAS_NVLINK && opt_out == NULL && i < sizeof(opt_outs) / sizeof(*opt_outs);
         i++) {
        const char *value = getenv(opt_outs[i].variable);
        if (value != NULL && strcmp(value, opt_outs[i].value) == 0) {
            opt_out = opt_outs[i].assignment;
        }
    }
}

bool symm_multicast_opted_out(const char **variable)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, environment_read);
    if (variable != NULL) {
        *variable = opt_out;
    }
    return opt_out != NULL;
}

bool symm_heap_multicast_able(struct symm_heap *heap)
{
    const struct symm_kind *kind = symm_heap_kind(heap);
    return kind->multicast != NULL && kind->multicast->able(kind);
}
