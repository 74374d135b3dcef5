/*
 * modules.c - modules and functions.
 *
 * The image of a module is not looked into: its kernels are those that were compiled for the host
 * (kernels/cuda/device_code/host_kernels.h), found by name.
 *
 * SYMM_STANDIN_PATIENCE=N: the clock of kernels is N times slower (default 1), so they wait for
 * others N times as long before they give up.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/standin/kernels.h"
#include "tests/standin/launches.h"

#include <stdlib.h>
#include <string.h>

struct standin_objects standin_modules;
static struct standin_objects functions;

/* ---- the own kernel -------------------------------------------------------------------------- */

static void run_add(const void *memory, unsigned blocks, unsigned block_threads)
{
    const struct symm_standin_add *add = memory;
    (void)blocks;
    (void)block_threads;
    for (uint64_t i = 0; i < add->count; i++) {
        add->target[i] = add->source[i] + add->number;
    }
    if (add->flag != NULL) {
        __atomic_store_n(add->flag, add->sequence, __ATOMIC_RELEASE);
    }
}

static const struct symm_cuda_host_kernel own_kernel = {
    .name = "symm_standin_add",
    .arguments_size = sizeof(struct symm_standin_add),
    .run = run_add,
};

static const struct symm_cuda_host_kernel *kernel_find(const char *name)
{
    if (strcmp(name, own_kernel.name) == 0) {
        return &own_kernel;
    }
    return symm_cuda_host_kernel_find(name);
}

/* ---- modules and functions ------------------------------------------------------------------- */

static void unload(CUmodule module)
{
    struct standin_object *next;
    for (struct standin_object *object = functions.first; object; object = next) {
        next = object->next;
        if (((CUfunction)object)->module == module) {
            standin_object_bury(&functions, object);
        }
    }
    standin_object_bury(&standin_modules, &module->object);
}

void standin_modules_destroy(CUcontext context)
{
    struct standin_object *next;
    for (struct standin_object *object = standin_modules.first; object; object = next) {
        next = object->next;
        if (((CUmodule)object)->context == context) {
            unload((CUmodule)object);
        }
    }
}

/* A fatbin, a cubin (ELF), or PTX. */
static bool is_image(const void *image)
{
    static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
    return memcmp(image, fatbin, sizeof fatbin) == 0 || memcmp(image, "\177ELF", 4) == 0 ||
           memcmp(image, "//", 2) == 0 || memcmp(image, ".ver", 4) == 0;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    CUcontext context;
    CUresult result = module == NULL || image == NULL
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS && !is_image(image)) {
        result = standin_end(CUDA_ERROR_INVALID_IMAGE);
    } else if (result == CUDA_SUCCESS) {
        standin_streams_drain(context); /* so do real drivers (H100, driver 580) */
        symm_cuda_host_slow((uint64_t)standin_setting("SYMM_STANDIN_PATIENCE", 1));
        *module = calloc(1, sizeof **module);
        if (*module != NULL) {
            (*module)->context = context;
            standin_object_add(&standin_modules, &(*module)->object);
        }
        result = standin_end(*module == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS);
    }
    return result;
}

CUresult cuModuleUnload(CUmodule module)
{
    CUcontext context;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        if (!standin_object_is(&standin_modules, module) || module->context != context) {
            result = CUDA_ERROR_INVALID_HANDLE;
        } else {
            standin_streams_drain(context);
            unload(module);
        }
        (void)standin_end(result);
    }
    return result;
}

static CUresult get_function(CUfunction *function, CUmodule module, const char *name,
                             CUcontext context)
{
    if (!standin_object_is(&standin_modules, module) || module->context != context) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    const struct symm_cuda_host_kernel *kernel = kernel_find(name);
    if (kernel == NULL) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *function = calloc(1, sizeof **function);
    if (*function == NULL) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    (*function)->module = module;
    (*function)->kernel = kernel;
    standin_object_add(&functions, &(*function)->object);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    CUcontext context;
    CUresult result = function == NULL || name == NULL
                          ? CUDA_ERROR_INVALID_VALUE
                          : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        result = standin_end(get_function(function, module, name, context));
    }
    return result;
}

bool standin_function_is(CUfunction function, CUcontext context)
{
    return standin_object_is(&functions, function) && function->module->context == context;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    CUcontext context;
    CUresult result = value == NULL ? CUDA_ERROR_INVALID_VALUE
                                    : standin_begin_in_context(__func__, &context);
    if (result == CUDA_SUCCESS) {
        if (!standin_object_is(&functions, function)) {
            result = CUDA_ERROR_INVALID_HANDLE;
        } else {
            switch (attribute) {
            case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = STANDIN_THREADS_MAX; break;
            case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 64; break;
            case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 90; break;
            default: *value = 0; break;
            }
        }
        (void)standin_end(result);
    }
    return result;
}
