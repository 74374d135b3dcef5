/*
 * stream_functions.c - see stream_functions.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>
#include <string.h>

#include "kernels/cuda/launch/fatbin.h"
#include "kernels/cuda/launch/functions_table.h"
#include "kernels/cuda/launch/stream_functions.h"

enum { PACKETS, PUSH, IMAGES };

static const unsigned char *const images[IMAGES] = {
    [PACKETS] = symm_fatbin_stream,
    [PUSH] = symm_fatbin_stream_push,
};

/* What programs mostly do has functions of its own. */
static bool has_own(enum symm_cuda_type type, enum symm_cuda_op op)
{
    switch (type) {
    case SYMM_CUDA_FLOAT:
    case SYMM_CUDA_DOUBLE:
        return op == SYMM_CUDA_SUM || op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX;
    case SYMM_CUDA_HALF:
    case SYMM_CUDA_BFLOAT16:
    case SYMM_CUDA_UINT32:
    case SYMM_CUDA_UINT64:
        return op == SYMM_CUDA_SUM;
    case SYMM_CUDA_INT32:
    case SYMM_CUDA_INT64:
        return op == SYMM_CUDA_MIN || op == SYMM_CUDA_MAX;
    default:
        return false;
    }
}

#define NUMBER(form, number)                                                                       \
    (SYMM_STREAM_FORM_##form * SYMM_STREAM_FUNCTIONS_OF_FORM + (number))
#define REDUCTIONS(image, word, form)                                                              \
    {image, word, NUMBER(form, 0), has_own},                                                       \
    {image, word "_any_8", NUMBER(form, SYMM_STREAM_FUNCTION_ANY_8), NULL},                        \
    {image, word "_any_16", NUMBER(form, SYMM_STREAM_FUNCTION_ANY_16), NULL}
#define COPIES(image, word, form)                                                                  \
    {image, word "_copy", NUMBER(form, SYMM_STREAM_FUNCTION_COPY), NULL},                          \
    {image, word "_copy_any", NUMBER(form, SYMM_STREAM_FUNCTION_COPY_ANY), NULL}

static const struct symm_function_row rows[] = {
    REDUCTIONS(PACKETS, "stream", ONE_SHOT),
    COPIES(PACKETS, "stream", ONE_SHOT),
    REDUCTIONS(PACKETS, "stream_two", TWO_SHOT),
    REDUCTIONS(PUSH, "stream_push", PUSH),
    COPIES(PUSH, "stream_push", PUSH),
};

static const struct symm_function_set set = {images, IMAGES, rows, sizeof(rows) / sizeof(*rows)};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint32_t generation; /* of the context in which they were loaded; 0: they have not been */
    CUfunction functions[SYMM_STREAM_FUNCTION_COUNT];
} devices[SYMM_CUDA_DEVICES_MAX];

static void blanks_fill(CUfunction *functions)
{
    for (int i = 0; i < SYMM_FUNCTIONS_BY_TYPE; i++) {
        const size_t extent = symm_cuda_type_extent((enum symm_cuda_type)(i / SYMM_CUDA_OP_COUNT));
        if (functions[i] == NULL) {
            functions[i] = functions[extent > 8 ? SYMM_STREAM_FUNCTION_ANY_16
                                                : SYMM_STREAM_FUNCTION_ANY_8];
        }
    }
}

static enum symm_status load(const struct symm_cuda *cuda, CUfunction *functions)
{
    CUmodule modules[IMAGES];
    enum symm_status status = symm_functions_load(cuda, &set, modules, functions);
    for (int form = 0; form < SYMM_STREAM_FORM_COUNT && status == SYMM_OK; form++) {
        blanks_fill(functions + form * SYMM_STREAM_FUNCTIONS_OF_FORM);
    }
    return status;
}

enum symm_status symm_stream_functions_get(const struct symm_cuda_scope *scope, int device,
                                           const CUfunction **functions)
{
    enum symm_status status = SYMM_OK;
    (void)pthread_mutex_lock(&mutex);
    if (devices[device].generation != scope->generation) {
        memset(devices[device].functions, 0, sizeof(devices[device].functions));
        status = load(scope->cuda, devices[device].functions);
        devices[device].generation = status == SYMM_OK ? scope->generation : 0;
    }
    (void)pthread_mutex_unlock(&mutex);
    *functions = devices[device].functions;
    return status;
}
