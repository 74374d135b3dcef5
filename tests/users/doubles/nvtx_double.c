/*
 * A profiler for NVTX: NVTX_INJECTION64_PATH names it.  Each range that begins is a line in the
 * file of SYMM_TEST_RANGES, and one that ends is a line `end`.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <nvtx3/nvToolsExt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static _Atomic uint64_t ranges;

static void line_write(const char *text)
{
    if (file != NULL) {
        (void)fprintf(file, "%s\n", text);
        (void)fflush(file);
    }
}

static nvtxRangeId_t range_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    (void)domain;
    line_write(event->message.ascii);
    return ++ranges;
}

static void range_end(nvtxDomainHandle_t domain, nvtxRangeId_t range)
{
    (void)domain;
    line_write(range > 0 && range <= ranges ? "end" : "end of a range that was none");
}

__attribute__((visibility("default")))
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_get);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_get)
{
    const NvtxExportTableCallbacks *tables =
        (const NvtxExportTableCallbacks *)table_get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable functions;
    unsigned size = 0;
    nvtxRangeId_t (*start)(nvtxDomainHandle_t, const nvtxEventAttributes_t *) = range_start;
    void (*end)(nvtxDomainHandle_t, nvtxRangeId_t) = range_end;
    if (tables == NULL ||
        !tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &functions, &size) ||
        size <= NVTX_CBID_CORE2_DomainRangeEnd) {
        return 0;
    }
    memcpy(functions[NVTX_CBID_CORE2_DomainRangeStartEx], &start, sizeof(start));
    memcpy(functions[NVTX_CBID_CORE2_DomainRangeEnd], &end, sizeof(end));
    file = getenv("SYMM_TEST_RANGES") != NULL ? fopen(getenv("SYMM_TEST_RANGES"), "a") : NULL;
    return 1;
}
