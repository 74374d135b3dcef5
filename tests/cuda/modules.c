/*
 * modules.c - modules, functions and launches.
 *
 * The image of a module is not looked into: its kernels are those that were compiled for the host
 * (kernels/cuda/host_kernels.h), found by name.  What a kernel gets is the argument with all words
 * that are device addresses translated, wherever they stand in it.  A word that is the address of host
 * memory which is not pinned makes the kernel fail: on most devices its use would.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include "tests/cuda/standin.h"

#include "kernels/cuda/host_kernels.h"
#include "tests/cuda/kernels.h"
#include "tests/cuda/trap.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 4096, THREADS_MAX = 1024 };

/* Numbers below this are hardly addresses: programs and libraries are mapped above. */
static const uint64_t ADDRESS_LEAST = UINT64_C(1) << 45;

struct CUmod_st {
    struct standin_object object;
    CUcontext context;
};

struct CUfunc_st {
    struct standin_object object;
    CUmodule module;
    const struct symm_cuda_host_kernel *kernel;
};

struct standin_objects standin_modules;
static struct standin_objects functions;

/* ---- the own kernel --------------------------------------------------------------------------- */

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

/* ---- modules and functions -------------------------------------------------------------------- */

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
            case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = THREADS_MAX; break;
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

/* ---- launches --------------------------------------------------------------------------------- */

struct launch {
    const struct symm_cuda_host_kernel *kernel;
    bool illegal; /* has an address that no device can use */
    unsigned blocks, block_threads;
    uint64_t arguments[ARGUMENTS_MAX / sizeof(uint64_t)];
};

static void call_kernel(void *payload)
{
    const struct launch *launch = payload;
    launch->kernel->run(launch->arguments, launch->blocks, launch->block_threads);
}

static CUresult run_launch(void *payload, CUstream stream)
{
    const struct launch *launch = payload;
    CUresult result = standin_fault_later("kernel");
    if (result == CUDA_SUCCESS &&
        (launch->illegal || !standin_trap_call(call_kernel, payload))) {
        standin_say("%s on device %d: an illegal memory access", launch->kernel->name,
                    stream->context->device);
        result = CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return result;
}

static bool is_pageable(uint64_t word)
{
    return word >= ADDRESS_LEAST && standin_reservation_at(word) == NULL &&
           !standin_address_is_pinned(word, 1) && standin_address_is_mapped(word, 1);
}

static CUresult add_launch(CUfunction function, unsigned blocks, unsigned block_threads,
                           const void *argument, CUstream stream)
{
    struct launch launch = {.kernel = function->kernel, .blocks = blocks,
                            .block_threads = block_threads};
    size_t size = function->kernel->arguments_size;
    CUresult result = standin_multicast_check_launch(function->kernel->name, argument,
                                                     stream->context->device);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    memcpy(launch.arguments, argument, size);
    for (size_t i = 0; i < size / sizeof launch.arguments[0]; i++) {
        if (is_pageable(launch.arguments[i])) {
            standin_say("%s gets the address of host memory that is not pinned, in word %zu",
                        function->kernel->name, i);
            launch.illegal = true;
        }
        launch.arguments[i] =
            standin_address_translate(launch.arguments[i], stream->context->device);
    }
    return standin_stream_add(stream, run_launch, &launch, sizeof launch);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream handle, void **parameters, void **extra)
{
    CUcontext context;
    CUstream stream;
    CUresult result = standin_begin_in_context(__func__, &context);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    result = standin_stream_find(handle, context, &stream);
    if (result != CUDA_SUCCESS) {
        return standin_end(result);
    }
    if (!standin_object_is(&functions, function) || function->module->context != context) {
        result = CUDA_ERROR_INVALID_HANDLE;
    } else if (grid_x == 0 || grid_x > INT32_MAX || grid_y != 1 || grid_z != 1 || block_x == 0 ||
               block_x > THREADS_MAX || block_y != 1 || block_z != 1 || shared != 0 ||
               parameters == NULL || parameters[0] == NULL || extra != NULL) {
        result = CUDA_ERROR_INVALID_VALUE; /* the real driver takes more; our kernels do not */
    } else if (function->kernel->arguments_size > ARGUMENTS_MAX) {
        result = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    } else {
        result = add_launch(function, grid_x, block_x, parameters[0], stream);
    }
    return standin_end(result);
}
