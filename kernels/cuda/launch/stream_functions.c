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
    struct symm_stream_functions functions[SYMM_STREAM_FORM_COUNT];
} devices[SYMM_CUDA_DEVICES_MAX];

/* Where a form's kernels are, and what their names have. */
static const struct {
    const unsigned char *image;
    const char *word;
    bool copies;
} forms[SYMM_STREAM_FORM_COUNT] = {
    [SYMM_STREAM_FORM_ONE_SHOT] = {symm_fatbin_stream, "", true},
    [SYMM_STREAM_FORM_TWO_SHOT] = {symm_fatbin_stream, "two_", false},
    [SYMM_STREAM_FORM_PUSH] = {symm_fatbin_stream_push, "push_", true},
};

static enum symm_status get(const struct symm_cuda *cuda, CUmodule module, const char *word,
                            const char *name, CUfunction *function)
{
    char text[NAME_SIZE];
    (void)snprintf(text, sizeof(text), "symm_stream_%s%s", word, name);
    return symm_functions_get(cuda, module, text, function);
}

static enum symm_status all_get(const struct symm_cuda *cuda, CUmodule module,
                                enum symm_stream_form form,
                                struct symm_stream_functions *functions)
{
    const struct {
        const char *name;
        CUfunction *function;
    } others[] = {
        {"any_8", &functions->any[0]},
        {"any_16", &functions->any[1]},
        {"copy", &functions->copy},
        {"copy_any", &functions->copy_any},
    };
    const size_t count = forms[form].copies ? sizeof(others) / sizeof(*others) : 2;
    enum symm_status status = SYMM_OK;
    memset(functions, 0, sizeof(*functions));
    for (size_t i = 0; i < sizeof(own) / sizeof(*own) && status == SYMM_OK; i++) {
        status = get(cuda, module, forms[form].word, own[i].name,
                     &functions->own[own[i].type][own[i].op]);
    }
    for (size_t i = 0; i < count && status == SYMM_OK; i++) {
        status = get(cuda, module, forms[form].word, others[i].name, others[i].function);
    }
    return status;
}

/* Forms of one image have one module. */
static enum symm_status load(const struct symm_cuda *cuda, struct symm_stream_functions *functions)
{
    CUmodule modules[SYMM_STREAM_FORM_COUNT] = {NULL};
    enum symm_status status = SYMM_OK;
    for (int form = 0; form < SYMM_STREAM_FORM_COUNT && status == SYMM_OK; form++) {
        if (form > 0 && forms[form].image == forms[form - 1].image) {
            modules[form] = modules[form - 1];
        } else {
            CUresult result = cuda->cuModuleLoadData(&modules[form], forms[form].image);
            status = result == CUDA_SUCCESS ? SYMM_OK
                                            : symm_cuda_failed("cuModuleLoadData", result);
        }
        if (status == SYMM_OK) {
            status = all_get(cuda, modules[form], (enum symm_stream_form)form, &functions[form]);
        }
    }
    for (int form = 0; form < SYMM_STREAM_FORM_COUNT && status != SYMM_OK; form++) {
        if (modules[form] != NULL && (form == 0 || modules[form] != modules[form - 1])) {
            (void)cuda->cuModuleUnload(modules[form]);
        }
    }
    return status;
}

enum symm_status symm_stream_functions_get(const struct symm_cuda_scope *scope, int device,
                                           const struct symm_stream_functions **functions)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&mutex);
    if (devices[device].life != scope->life) {
        status = load(scope->cuda, devices[device].functions);
        devices[device].life = status == SYMM_OK ? scope->life : 0;
    }
    (void)pthread_mutex_unlock(&mutex);
    *functions = devices[device].functions;
    return status;
}

CUfunction symm_stream_function(const struct symm_stream_functions *functions,
                                enum symm_cuda_type type, enum symm_cuda_op op, bool any)
{
    CUfunction special = functions->own[type][op];
    return special != NULL && !any ? special : functions->any[symm_cuda_type_extent(type) > 8];
}
