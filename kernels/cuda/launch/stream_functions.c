/*
 * stream_functions.c - see stream_functions.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/fatbin.h"
#include "kernels/cuda/launch/stream_functions.h"

/* What programs mostly do has kernels of its own. */
static const struct {
    enum symm_cuda_type type;
    enum symm_cuda_op op;
    const char *name;
} own[] = {
    {SYMM_CUDA_FLOAT, SYMM_CUDA_SUM, "float_sum"},
    {SYMM_CUDA_DOUBLE, SYMM_CUDA_SUM, "double_sum"},
    {SYMM_CUDA_HALF, SYMM_CUDA_SUM, "half_sum"},
    {SYMM_CUDA_BFLOAT16, SYMM_CUDA_SUM, "bfloat16_sum"},
    {SYMM_CUDA_UINT32, SYMM_CUDA_SUM, "uint32_sum"},
    {SYMM_CUDA_UINT64, SYMM_CUDA_SUM, "uint64_sum"},
    {SYMM_CUDA_FLOAT, SYMM_CUDA_MIN, "float_min"},
    {SYMM_CUDA_FLOAT, SYMM_CUDA_MAX, "float_max"},
    {SYMM_CUDA_DOUBLE, SYMM_CUDA_MIN, "double_min"},
    {SYMM_CUDA_DOUBLE, SYMM_CUDA_MAX, "double_max"},
    {SYMM_CUDA_INT32, SYMM_CUDA_MIN, "int32_min"},
    {SYMM_CUDA_INT32, SYMM_CUDA_MAX, "int32_max"},
    {SYMM_CUDA_INT64, SYMM_CUDA_MIN, "int64_min"},
    {SYMM_CUDA_INT64, SYMM_CUDA_MAX, "int64_max"},
};

enum { NAME_SIZE = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint32_t life; /* of the context in which they were loaded; 0: they have not been */
    struct symm_stream_functions functions;
} devices[SYMM_CUDA_DEVICES_MAX];

static enum symm_status get(const struct symm_cuda *cuda, CUmodule module, const char *word,
                            const char *name, CUfunction *function)
{
    char text[NAME_SIZE];
    (void)snprintf(text, sizeof(text), "symm_stream_%s%s", word, name);
    return symm_functions_get(cuda, module, text, function);
}

static enum symm_status all_get(const struct symm_cuda *cuda, CUmodule module,
                                struct symm_stream_functions *functions)
{
    const struct {
        const char *name;
        CUfunction *function;
    } others[] = {
        {"any_8", &functions->one_shot_any[0]},
        {"any_16", &functions->one_shot_any[1]},
        {"two_any_8", &functions->two_shot_any[0]},
        {"two_any_16", &functions->two_shot_any[1]},
        {"copy", &functions->copy},
        {"copy_any", &functions->copy_any},
    };
    enum symm_status status = SYMM_OK;
    memset(functions, 0, sizeof(*functions));
    for (size_t i = 0; i < sizeof(own) / sizeof(*own) && status == SYMM_OK; i++) {
        status = get(cuda, module, "", own[i].name, &functions->one_shot[own[i].type][own[i].op]);
        if (status == SYMM_OK) {
            status = get(cuda, module, "two_", own[i].name,
                         &functions->two_shot[own[i].type][own[i].op]);
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(*others) && status == SYMM_OK; i++) {
        status = get(cuda, module, "", others[i].name, others[i].function);
    }
    return status;
}

static enum symm_status load(const struct symm_cuda *cuda, struct symm_stream_functions *functions)
{
    CUmodule module;
    CUresult result = cuda->cuModuleLoadData(&module, symm_fatbin_stream);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuModuleLoadData", result);
    }
    enum symm_status status = all_get(cuda, module, functions);
    if (status != SYMM_OK) {
        (void)cuda->cuModuleUnload(module);
    }
    return status;
}

enum symm_status symm_stream_functions_get(const struct symm_cuda_scope *scope, int device,
                                           const struct symm_stream_functions **functions)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&mutex);
    if (devices[device].life != scope->life) {
        status = load(scope->cuda, &devices[device].functions);
        devices[device].life = status == SYMM_OK ? scope->life : 0;
    }
    (void)pthread_mutex_unlock(&mutex);
    *functions = &devices[device].functions;
    return status;
}

CUfunction symm_stream_function(const struct symm_stream_functions *functions,
                                enum symm_cuda_type type, enum symm_cuda_op op, bool is_two_shot,
                                bool any)
{
    const int size = symm_cuda_type_extent(type) > 8;
    CUfunction special = (is_two_shot ? functions->two_shot : functions->one_shot)[type][op];
    return special != NULL && !any ? special
           : is_two_shot           ? functions->two_shot_any[size]
                                   : functions->one_shot_any[size];
}
