/*
 * nvtx.c - see nvtx.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "heap/nvtx.h"

bool symm_nvtx_is_wanted;

#ifdef HAVE_NVTX

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 128 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static nvtxDomainHandle_t domain;

__attribute__((constructor)) static void look(void)
{
    symm_nvtx_is_wanted = getenv("NVTX_INJECTION64_PATH") != NULL;
}

static void domain_make(void)
{
    domain = nvtxDomainCreateA("ompi-symm");
}

/* As 1 MiB, if it is that; otherwise in smaller units. */
static void size_add(char *text, size_t size, size_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (unit < sizeof(units) / sizeof(*units) - 1 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(text, size, " %zu %s", bytes, units[unit]);
}

uint64_t symm_nvtx_begin(const char *call, const char *way, size_t bytes)
{
    char text[TEXT];
    (void)pthread_once(&once, domain_make);
    const int length = snprintf(text, sizeof(text), "%s symm:%s", call, way);
    if (bytes > 0 && length > 0 && length < TEXT) {
        size_add(text + length, sizeof(text) - (size_t)length, bytes);
    }
    const nvtxEventAttributes_t attributes = {
        .version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .messageType = NVTX_MESSAGE_TYPE_ASCII, .message.ascii = text,
    };
    return nvtxDomainRangeStartEx(domain, &attributes);
}

void symm_nvtx_end(uint64_t range)
{
    nvtxDomainRangeEnd(domain, range);
}

#else /* nobody looks, and none of these is called */

uint64_t symm_nvtx_begin(const char *call, const char *way, size_t bytes)
{
    (void)call;
    (void)way;
    (void)bytes;
    return 0;
}

void symm_nvtx_end(uint64_t range)
{
    (void)range;
}

#endif
