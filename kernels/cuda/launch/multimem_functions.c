/*
 * multimem_functions.c - loading the functions of multicast; see multimem.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <pthread.h>

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/fatbin.h"
#include "kernels/cuda/launch/multimem.h"

enum { CAPABILITY_LEAST = 9 }; /* the first generation with the instructions */

/* Bitwise operations have one function for all types. */
static bool has_two_shot(enum symm_cuda_type type, enum symm_cuda_op op)
{
    return symm_multimem_can_reduce(type, op, false) &&
           op != SYMM_CUDA_BAND && op != SYMM_CUDA_BOR && op != SYMM_CUDA_BXOR;
}

static bool has_one_shot(enum symm_cuda_type type, enum symm_cuda_op op)
{
    return has_two_shot(type, op) && symm_multimem_can_reduce(type, op, true);
}

#ifdef HAVE_MULTICAST
static const unsigned char *const images[] = {symm_fatbin_multimem};
#else
static const unsigned char *const images[] = {NULL};
#endif

#define BITWISE(word, first, op)                                                                   \
    {0, word, first + SYMM_CUDA_UINT8 * SYMM_CUDA_OP_COUNT + (op), NULL}

static const struct symm_function_row rows[] = {
    {0, "multimem_copy", SYMM_FUNCTION_MULTIMEM_COPY, NULL},
    {0, "multimem", SYMM_FUNCTION_MULTIMEM, has_two_shot},
    {0, "multimem_one_shot", SYMM_FUNCTION_MULTIMEM_ONE_SHOT, has_one_shot},
    BITWISE("multimem_bits_band", SYMM_FUNCTION_MULTIMEM, SYMM_CUDA_BAND),
    BITWISE("multimem_bits_bor", SYMM_FUNCTION_MULTIMEM, SYMM_CUDA_BOR),
    BITWISE("multimem_bits_bxor", SYMM_FUNCTION_MULTIMEM, SYMM_CUDA_BXOR),
    BITWISE("multimem_one_shot_bits_band", SYMM_FUNCTION_MULTIMEM_ONE_SHOT, SYMM_CUDA_BAND),
    BITWISE("multimem_one_shot_bits_bor", SYMM_FUNCTION_MULTIMEM_ONE_SHOT, SYMM_CUDA_BOR),
    BITWISE("multimem_one_shot_bits_bxor", SYMM_FUNCTION_MULTIMEM_ONE_SHOT, SYMM_CUDA_BXOR),
};

static const struct symm_function_set set = {images, 1, rows, sizeof(rows) / sizeof(*rows)};

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

static enum symm_status load(struct symm_device *device)
{
    struct symm_cuda_scope scope;
    enum symm_status status = symm_cuda_enter(device->number, &scope);
    if (status == SYMM_OK) {
        status = capability_check(&scope);
        if (status == SYMM_OK) {
            status = symm_functions_load(device->cuda, &set, &device->multimem,
                                         device->functions);
        }
        symm_cuda_leave(&scope);
    }
    return status;
}

enum symm_status symm_device_multimem_load(struct symm_device *device)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    enum symm_status status = SYMM_OK;
    if (images[0] == NULL) {
        return SYMM_ERR_NOT_FOUND;
    }
    (void)pthread_mutex_lock(&mutex);
    if (!device->has_multimem) {
        status = load(device);
        device->has_multimem = status == SYMM_OK;
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}

enum symm_status symm_multimem_renew(struct symm_device *device)
{
    return device->has_multimem ? load(device) : SYMM_OK;
}

void symm_multimem_unload(struct symm_device *device)
{
    if (device->has_multimem) {
        symm_functions_unload(device->cuda, &set, &device->multimem, device->functions);
    }
}
