/*
 * functions.c - the kernels of a device, by type and operation.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/launch/device_state.h"
#include "kernels/cuda/launch/fatbin.h"

enum { REDUCE, SCAN, GATHER, SMALL, PACKETS, RING, NAME_SIZE = 64 };

static const unsigned char *const images[SYMM_DEVICE_MODULES] = {
    [REDUCE] = symm_fatbin_reduce,
    [SCAN] = symm_fatbin_scan,
    [GATHER] = symm_fatbin_gather,
    [SMALL] = symm_fatbin_small,
    [PACKETS] = symm_fatbin_packets,
    [RING] = symm_fatbin_ring,
};

/* The types, as the names of the kernels have them. */
static const char *const type_names[SYMM_CUDA_TYPE_COUNT] = {
    [SYMM_CUDA_INT8] = "int8",
    [SYMM_CUDA_INT16] = "int16",
    [SYMM_CUDA_INT32] = "int32",
    [SYMM_CUDA_INT64] = "int64",
    [SYMM_CUDA_UINT8] = "uint8",
    [SYMM_CUDA_UINT16] = "uint16",
    [SYMM_CUDA_UINT32] = "uint32",
    [SYMM_CUDA_UINT64] = "uint64",
    [SYMM_CUDA_FLOAT] = "float",
    [SYMM_CUDA_DOUBLE] = "double",
    [SYMM_CUDA_HALF] = "half",
    [SYMM_CUDA_BFLOAT16] = "bfloat16",
    [SYMM_CUDA_FLOAT_COMPLEX] = "float_complex",
    [SYMM_CUDA_DOUBLE_COMPLEX] = "double_complex",
    [SYMM_CUDA_BOOL] = "bool",
    [SYMM_CUDA_BYTE] = "byte",
    [SYMM_CUDA_FLOAT_INT] = "float_int",
    [SYMM_CUDA_DOUBLE_INT] = "double_int",
    [SYMM_CUDA_LONG_INT] = "long_int",
    [SYMM_CUDA_2INT] = "2int",
    [SYMM_CUDA_SHORT_INT] = "short_int",
};

static const char *const op_names[SYMM_CUDA_OP_COUNT] = {
    [SYMM_CUDA_SUM] = "sum",
    [SYMM_CUDA_PROD] = "prod",
    [SYMM_CUDA_MIN] = "min",
    [SYMM_CUDA_MAX] = "max",
    [SYMM_CUDA_LAND] = "land",
    [SYMM_CUDA_LOR] = "lor",
    [SYMM_CUDA_LXOR] = "lxor",
    [SYMM_CUDA_BAND] = "band",
    [SYMM_CUDA_BOR] = "bor",
    [SYMM_CUDA_BXOR] = "bxor",
    [SYMM_CUDA_MINLOC] = "minloc",
    [SYMM_CUDA_MAXLOC] = "maxloc",
};

static const enum symm_cuda_type sum_types[SYMM_DEVICE_SUM_TYPES] = {
    SYMM_CUDA_FLOAT, SYMM_CUDA_HALF, SYMM_CUDA_BFLOAT16,
};

static const int sum_ranks[SYMM_DEVICE_SUM_RANKS] = {2, 4, 8};

/* ---- loading --------------------------------------------------------------------------------- */

enum symm_status symm_functions_get(const struct symm_cuda *cuda, CUmodule module,
                                    const char *name, CUfunction *function)
{
    CUresult result = cuda->cuModuleGetFunction(function, module, name);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuModuleGetFunction", result);
}

static enum symm_status sums_get(const struct symm_cuda *cuda, struct symm_functions *functions)
{
    enum symm_status status = SYMM_OK;
    char name[NAME_SIZE];
    for (int i = 0; i < SYMM_DEVICE_SUM_TYPES; i++) {
        for (int k = 0; k < SYMM_DEVICE_SUM_RANKS && status == SYMM_OK; k++) {
            (void)snprintf(name, sizeof(name), "symm_reduce_%s_sum_%d", type_names[sum_types[i]],
                           sum_ranks[k]);
            status = symm_functions_get(cuda, functions->modules[REDUCE], name,
                                        &functions->sums[i][k]);
        }
    }
    return status;
}

/* The kernels symm_<word>_<type>_<operation> of a module, for all that `has` them. */
static enum symm_status combinations_get(const struct symm_cuda *cuda, CUmodule module,
                                         const char *word,
                                         bool (*has)(enum symm_cuda_type, enum symm_cuda_op),
                                         CUfunction table[SYMM_CUDA_TYPE_COUNT][SYMM_CUDA_OP_COUNT])
{
    enum symm_status status = SYMM_OK;
    char name[NAME_SIZE];
    for (int type = 0; type < SYMM_CUDA_TYPE_COUNT; type++) {
        for (int op = 0; op < SYMM_CUDA_OP_COUNT && status == SYMM_OK; op++) {
            enum symm_cuda_type own = (enum symm_cuda_type)type;
            if (has(own, (enum symm_cuda_op)op) &&
                symm_cuda_kernel_type(own, (enum symm_cuda_op)op) == own) {
                (void)snprintf(name, sizeof(name), "symm_%s_%s_%s", word, type_names[type],
                               op_names[op]);
                status = symm_functions_get(cuda, module, name, &table[type][op]);
            }
        }
    }
    return status;
}

static enum symm_status modules_load(const struct symm_cuda *cuda, struct symm_functions *functions)
{
    for (int i = 0; i < SYMM_DEVICE_MODULES; i++) {
        CUresult result = cuda->cuModuleLoadData(&functions->modules[i], images[i]);
        if (result != CUDA_SUCCESS) {
            functions->modules[i] = NULL;
            return symm_cuda_failed("cuModuleLoadData", result);
        }
    }
    return SYMM_OK;
}

/* Kernels that only move data. */
static enum symm_status copies_get(const struct symm_cuda *cuda, struct symm_functions *functions)
{
    const struct {
        const char *name;
        CUfunction *function;
    } all[] = {
        {"symm_copy", &functions->copy},
        {"symm_push", &functions->push},
        {"symm_nests", &functions->nests},
        {"symm_few_nests", &functions->few_nests},
        {"symm_exchange", &functions->exchange},
        {"symm_few_exchange", &functions->few_exchange},
    };
    enum symm_status status = SYMM_OK;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all) && status == SYMM_OK; i++) {
        status = symm_functions_get(cuda, functions->modules[GATHER], all[i].name,
                                    all[i].function);
    }
    return status;
}

enum symm_status symm_functions_load(const struct symm_cuda *cuda,
                                     struct symm_functions *functions)
{
    memset(functions, 0, sizeof(*functions));
    enum symm_status status = modules_load(cuda, functions);
    if (status == SYMM_OK) {
        status = copies_get(cuda, functions);
    }
    if (status == SYMM_OK) {
        status = combinations_get(cuda, functions->modules[REDUCE], "reduce",
                                  symm_device_can_reduce, functions->reduce);
    }
    if (status == SYMM_OK) {
        status = combinations_get(cuda, functions->modules[SCAN], "scan",
                                  symm_device_can_reduce, functions->scan);
    }
    if (status == SYMM_OK) {
        status = combinations_get(cuda, functions->modules[SMALL], "small",
                                  symm_device_can_reduce, functions->small);
    }
    if (status == SYMM_OK) {
        status = symm_functions_get(cuda, functions->modules[SMALL], "symm_small_push",
                                    &functions->small_push);
    }
    if (status == SYMM_OK) {
        status = combinations_get(cuda, functions->modules[PACKETS], "packets",
                                  symm_device_can_reduce, functions->packets);
    }
    if (status == SYMM_OK) {
        status = symm_functions_get(cuda, functions->modules[PACKETS], "symm_packets_copy",
                                    &functions->packets_copy);
    }
    if (status == SYMM_OK) {
        status = combinations_get(cuda, functions->modules[PACKETS], "few",
                                  symm_device_can_reduce, functions->few);
    }
    if (status == SYMM_OK) {
        status = symm_functions_get(cuda, functions->modules[PACKETS], "symm_few_copy",
                                    &functions->few_copy);
    }
    if (status == SYMM_OK) {
        status = combinations_get(cuda, functions->modules[RING], "ring", symm_device_can_ring,
                                  functions->ring);
    }
    if (status == SYMM_OK) {
        status = sums_get(cuda, functions);
    }
    if (status != SYMM_OK) {
        symm_functions_unload(cuda, functions);
    }
    return status;
}

void symm_functions_unload(const struct symm_cuda *cuda, struct symm_functions *functions)
{
    for (int i = 0; i < SYMM_DEVICE_MODULES; i++) {
        if (functions->modules[i] != NULL) {
            (void)cuda->cuModuleUnload(functions->modules[i]);
        }
    }
    memset(functions, 0, sizeof(*functions));
}

/* ---- choosing -------------------------------------------------------------------------------- */

CUfunction symm_functions_reduce(const struct symm_functions *functions, enum symm_cuda_type type,
                                 enum symm_cuda_op op, int ranks)
{
    if (!symm_device_can_reduce(type, op)) {
        return NULL;
    }
    for (int i = 0; i < SYMM_DEVICE_SUM_TYPES && op == SYMM_CUDA_SUM; i++) {
        for (int k = 0; k < SYMM_DEVICE_SUM_RANKS; k++) {
            if (sum_types[i] == type && sum_ranks[k] == ranks) {
                return functions->sums[i][k];
            }
        }
    }
    return functions->reduce[symm_cuda_kernel_type(type, op)][op];
}

CUfunction symm_functions_small(const struct symm_functions *functions, enum symm_cuda_type type,
                                enum symm_cuda_op op)
{
    return symm_device_can_reduce(type, op)
               ? functions->small[symm_cuda_kernel_type(type, op)][op]
               : NULL;
}

CUfunction symm_functions_packets(const struct symm_functions *functions, enum symm_cuda_type type,
                                  enum symm_cuda_op op, bool few)
{
    if (op == SYMM_CUDA_OP_COUNT) {
        return few ? functions->few_copy : functions->packets_copy;
    }
    enum symm_cuda_type own = symm_cuda_kernel_type(type, op);
    return few ? functions->few[own][op] : functions->packets[own][op];
}

CUfunction symm_functions_ring(const struct symm_functions *functions, enum symm_cuda_type type,
                               enum symm_cuda_op op)
{
    return symm_device_can_ring(type, op) ? functions->ring[symm_cuda_kernel_type(type, op)][op]
                                          : NULL;
}

CUfunction symm_functions_scan(const struct symm_functions *functions, enum symm_cuda_type type,
                               enum symm_cuda_op op)
{
    return symm_device_can_reduce(type, op)
               ? functions->scan[symm_cuda_kernel_type(type, op)][op]
               : NULL;
}
