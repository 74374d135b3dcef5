/*
 * multimem_functions.c - the kernels of multicast, by kind of type and operation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "kernels/cuda/launch/multimem_functions.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/fatbin.h"

enum {
    CAPABILITY_LEAST = 9, /* the first generation with the instructions */
    NAME_SIZE = 64,
};

/* ---- what there are instructions for --------------------------------------------------------- */

/* Sums, minima and maxima have kernels by type.  Bitwise operations have one kind for all types. */
enum kind { FLOAT, DOUBLE, HALF, BFLOAT16, UINT32, INT32, UINT64, INT64, BITS, KINDS };

static const char *const kind_names[KINDS] = {
    "float", "double", "half", "bfloat16", "uint32", "int32", "uint64", "int64", "bits",
};

enum { SUM, MIN, MAX, BAND, BOR, BXOR, OPERATIONS };

static const char *const operation_names[OPERATIONS] = {"sum", "min", "max", "band", "bor", "bxor"};

#define BIT(operation) (1u << (operation))
enum {
    ORDER = BIT(MIN) | BIT(MAX),
    BITWISE = BIT(BAND) | BIT(BOR) | BIT(BXOR),
};

/*
 * The kernels that exist, as sets of operations.  Sums of signed integers use the kernels of
 * unsigned integers.
 */
static const unsigned kind_operations[KINDS] = {
    [FLOAT] = BIT(SUM),
    [DOUBLE] = BIT(SUM),
    [HALF] = BIT(SUM) | ORDER,
    [BFLOAT16] = BIT(SUM) | ORDER,
    [UINT32] = BIT(SUM) | ORDER,
    [INT32] = ORDER,
    [UINT64] = BIT(SUM) | ORDER,
    [INT64] = ORDER,
    [BITS] = BITWISE,
};

static bool is_float(enum kind kind)
{
    return kind <= BFLOAT16;
}

struct symm_multimem_functions {
    CUmodule module;
    CUfunction two_shot[KINDS][OPERATIONS], one_shot[KINDS][OPERATIONS]; /* NULL: none */
    CUfunction copy;
    struct symm_multimem_functions *earlier; /* of a context that has ended */
};

static int operation_of(enum symm_cuda_op op)
{
    switch (op) {
    case SYMM_CUDA_SUM:
        return SUM;
    case SYMM_CUDA_MIN:
        return MIN;
    case SYMM_CUDA_MAX:
        return MAX;
    case SYMM_CUDA_BAND:
        return BAND;
    case SYMM_CUDA_BOR:
        return BOR;
    case SYMM_CUDA_BXOR:
        return BXOR;
    default:
        return -1;
    }
}

static int kind_of(enum symm_cuda_type type, int operation)
{
    if (operation >= BAND) {
        return BITS;
    }
    switch (type) {
    case SYMM_CUDA_FLOAT:
        return FLOAT;
    case SYMM_CUDA_DOUBLE:
        return DOUBLE;
    case SYMM_CUDA_HALF:
        return HALF;
    case SYMM_CUDA_BFLOAT16:
        return BFLOAT16;
    case SYMM_CUDA_UINT32:
        return UINT32;
    case SYMM_CUDA_INT32:
        return operation == SUM ? UINT32 : INT32;
    case SYMM_CUDA_UINT64:
        return UINT64;
    case SYMM_CUDA_INT64:
        return operation == SUM ? UINT64 : INT64;
    default:
        return -1;
    }
}

bool symm_multimem_can_reduce(enum symm_cuda_type type, enum symm_cuda_op op, bool one_shot)
{
    int operation = operation_of(op);
    int kind = operation < 0 ? -1 : kind_of(type, operation);
    return kind >= 0 && symm_device_can_reduce(type, op) &&
           (kind_operations[kind] & BIT(operation)) != 0 &&
           !(one_shot && is_float((enum kind)kind));
}

bool symm_multimem_counts_bytes(enum symm_cuda_op op)
{
    return operation_of(op) >= BAND;
}

/* ---- loading --------------------------------------------------------------------------------- */

static enum symm_status reductions_get(const struct symm_cuda *cuda,
                                       struct symm_multimem_functions *functions)
{
    enum symm_status status = SYMM_OK;
    char name[NAME_SIZE];
    for (int i = 0; i < KINDS * OPERATIONS && status == SYMM_OK; i++) {
        int kind = i / OPERATIONS, operation = i % OPERATIONS;
        if ((kind_operations[kind] & BIT(operation)) == 0) {
            continue;
        }
        (void)snprintf(name, sizeof(name), "symm_multimem_%s_%s", kind_names[kind],
                       operation_names[operation]);
        status = symm_functions_get(cuda, functions->module, name,
                                    &functions->two_shot[kind][operation]);
        if (status == SYMM_OK && !is_float((enum kind)kind)) {
            (void)snprintf(name, sizeof(name), "symm_multimem_one_shot_%s_%s", kind_names[kind],
                           operation_names[operation]);
            status = symm_functions_get(cuda, functions->module, name,
                                        &functions->one_shot[kind][operation]);
        }
    }
    return status;
}

/*
 * Check this first: the image has no kernels for older devices, and the driver's answer for that
 * would count as an error.
 */
static enum symm_status capability_check(const struct symm_cuda_scope *scope)
{
    int capability = 0;
    CUresult result = scope->cuda->cuDeviceGetAttribute(
        &capability, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, scope->device);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuDeviceGetAttribute", result);
    }
    if (capability < CAPABILITY_LEAST) {
        symm_cuda_forget_failure();
        return SYMM_ERR_NOT_FOUND;
    }
    return SYMM_OK;
}

static enum symm_status functions_load(const struct symm_cuda *cuda,
                                       struct symm_multimem_functions *functions)
{
    CUresult result = cuda->cuModuleLoadData(&functions->module, symm_fatbin_multimem);
    if (result != CUDA_SUCCESS) {
        return symm_cuda_failed("cuModuleLoadData", result);
    }
    enum symm_status status =
        symm_functions_get(cuda, functions->module, "symm_multimem_copy", &functions->copy);
    if (status == SYMM_OK) {
        status = reductions_get(cuda, functions);
    }
    if (status != SYMM_OK) {
        (void)cuda->cuModuleUnload(functions->module);
    }
    return status;
}

static enum symm_status device_load(struct symm_device *device,
                                    struct symm_multimem_functions *earlier)
{
    struct symm_cuda_scope scope;
    struct symm_multimem_functions *functions = calloc(1, sizeof(*functions));
    if (functions == NULL) {
        symm_cuda_forget_failure();
        return SYMM_ERR_NO_MEMORY;
    }
    functions->earlier = earlier;
    enum symm_status status = symm_cuda_enter(device->number, &scope);
    if (status == SYMM_OK) {
        status = capability_check(&scope);
        if (status == SYMM_OK) {
            status = functions_load(device->cuda, functions);
        }
        symm_cuda_leave(&scope);
    }
    if (status == SYMM_OK) {
        atomic_store_explicit(&device->multimem, functions, memory_order_release);
    } else {
        free(functions);
    }
    return status;
}

static struct symm_multimem_functions *functions_of(struct symm_device *device)
{
    return atomic_load_explicit(&device->multimem, memory_order_acquire);
}

enum symm_status symm_device_multimem_load(struct symm_device *device)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    (void)pthread_mutex_lock(&mutex);
    enum symm_status status = functions_of(device) != NULL ? SYMM_OK : device_load(device, NULL);
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

/*
 * Another thread may be about to start a kernel, so the table of the ended context stays in memory.
 */
enum symm_status symm_multimem_renew(struct symm_device *device)
{
    struct symm_multimem_functions *ended = functions_of(device);
    return ended != NULL ? device_load(device, ended) : SYMM_OK;
}

void symm_multimem_unload(struct symm_device *device, bool lives)
{
    struct symm_multimem_functions *functions = functions_of(device);
    if (functions != NULL && lives) {
        (void)device->cuda->cuModuleUnload(functions->module);
    }
    while (functions != NULL) {
        struct symm_multimem_functions *earlier = functions->earlier;
        free(functions);
        functions = earlier;
    }
    atomic_store_explicit(&device->multimem, NULL, memory_order_relaxed);
}

/* ---- choosing -------------------------------------------------------------------------------- */

CUfunction symm_multimem_function(struct symm_device *device, enum symm_cuda_type type,
                                  enum symm_cuda_op op, bool one_shot)
{
    const struct symm_multimem_functions *functions = functions_of(device);
    if (functions == NULL || !symm_multimem_can_reduce(type, op, one_shot)) {
        return NULL;
    }
    int operation = operation_of(op), kind = kind_of(type, operation);
    return (one_shot ? functions->one_shot : functions->two_shot)[kind][operation];
}

CUfunction symm_multimem_copy_function(struct symm_device *device)
{
    const struct symm_multimem_functions *functions = functions_of(device);
    return functions != NULL ? functions->copy : NULL;
}
