/*
 * functions.c - finding kernels by type and operation; see functions_table.h.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "heap/gpu/cuda_context.h"
#include "kernels/cuda/launch/fatbin.h"
#include "kernels/cuda/launch/functions_table.h"

enum { REDUCE, SCAN, GATHER, SMALL, PACKETS, RING, NAME_SIZE = 64 };

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

/* ---- the functions of a device --------------------------------------------------------------- */

static const unsigned char *const images[SYMM_DEVICE_MODULES] = {
    [REDUCE] = symm_fatbin_reduce,
    [SCAN] = symm_fatbin_scan,
    [GATHER] = symm_fatbin_gather,
    [SMALL] = symm_fatbin_small,
    [PACKETS] = symm_fatbin_packets,
    [RING] = symm_fatbin_ring,
};

static const struct symm_function_row rows[] = {
    {GATHER, "copy", SYMM_FUNCTION_COPY, NULL},
    {GATHER, "push", SYMM_FUNCTION_PUSH, NULL},
    {GATHER, "nests", SYMM_FUNCTION_NESTS, NULL},
    {GATHER, "few_nests", SYMM_FUNCTION_FEW_NESTS, NULL},
    {GATHER, "exchange", SYMM_FUNCTION_EXCHANGE, NULL},
    {GATHER, "few_exchange", SYMM_FUNCTION_FEW_EXCHANGE, NULL},
    {REDUCE, "reduce", SYMM_FUNCTION_REDUCE, symm_device_can_reduce},
    {SCAN, "scan", SYMM_FUNCTION_SCAN, symm_device_can_reduce},
    {SMALL, "small", SYMM_FUNCTION_SMALL, symm_device_can_reduce},
    {SMALL, "small_push", SYMM_FUNCTION_SMALL_PUSH, NULL},
    {PACKETS, "packets", SYMM_FUNCTION_PACKETS, symm_device_can_reduce},
    {PACKETS, "packets_copy", SYMM_FUNCTION_PACKETS_COPY, NULL},
    {PACKETS, "few", SYMM_FUNCTION_FEW_PACKETS, symm_device_can_reduce},
    {PACKETS, "few_copy", SYMM_FUNCTION_FEW_PACKETS_COPY, NULL},
    {RING, "ring", SYMM_FUNCTION_RING, symm_device_can_ring},
#define SUMS(type, first)                                                                          \
    {REDUCE, "reduce_" type "_sum_2", first, NULL},                                                \
    {REDUCE, "reduce_" type "_sum_4", first + 1, NULL},                                            \
    {REDUCE, "reduce_" type "_sum_8", first + 2, NULL}
    SUMS("float", SYMM_FUNCTION_SUM),
    SUMS("half", SYMM_FUNCTION_SUM + SYMM_SUM_RANKS),
    SUMS("bfloat16", SYMM_FUNCTION_SUM + 2 * SYMM_SUM_RANKS),
};

const struct symm_function_set symm_device_functions = {
    images, SYMM_DEVICE_MODULES, rows, sizeof(rows) / sizeof(*rows),
};

/* ---- loading --------------------------------------------------------------------------------- */

static enum symm_status one_get(const struct symm_cuda *cuda, CUmodule module, const char *name,
                                CUfunction *function)
{
    CUresult result = cuda->cuModuleGetFunction(function, module, name);
    return result == CUDA_SUCCESS ? SYMM_OK : symm_cuda_failed("cuModuleGetFunction", result);
}

static enum symm_status row_get(const struct symm_cuda *cuda, CUmodule module,
                                const struct symm_function_row *row, CUfunction *functions)
{
    char name[NAME_SIZE];
    enum symm_status status = SYMM_OK;
    if (row->has == NULL) {
        (void)snprintf(name, sizeof(name), "symm_%s", row->word);
        return one_get(cuda, module, name, &functions[row->first]);
    }
    for (int i = 0; i < SYMM_FUNCTIONS_BY_TYPE && status == SYMM_OK; i++) {
        const enum symm_cuda_type type = (enum symm_cuda_type)(i / SYMM_CUDA_OP_COUNT);
        const enum symm_cuda_op op = (enum symm_cuda_op)(i % SYMM_CUDA_OP_COUNT);
        if (row->has(type, op) && symm_cuda_kernel_type(type, op) == type) {
            (void)snprintf(name, sizeof(name), "symm_%s_%s_%s", row->word, type_names[type],
                           op_names[op]);
            status = one_get(cuda, module, name, &functions[row->first + i]);
        }
    }
    return status;
}

enum symm_status symm_functions_load(const struct symm_cuda *cuda,
                                     const struct symm_function_set *set, CUmodule *modules,
                                     CUfunction *functions)
{
    enum symm_status status = SYMM_OK;
    memset(modules, 0, (size_t)set->image_count * sizeof(*modules));
    for (int i = 0; i < set->image_count && status == SYMM_OK; i++) {
        CUresult result = cuda->cuModuleLoadData(&modules[i], set->images[i]);
        if (result != CUDA_SUCCESS) {
            modules[i] = NULL;
            status = symm_cuda_failed("cuModuleLoadData", result);
        }
    }
    for (size_t i = 0; i < set->row_count && status == SYMM_OK; i++) {
        status = row_get(cuda, modules[set->rows[i].image], &set->rows[i], functions);
    }
    if (status != SYMM_OK) {
        symm_functions_unload(cuda, set, modules, functions);
    }
    return status;
}

void symm_functions_unload(const struct symm_cuda *cuda, const struct symm_function_set *set,
                           CUmodule *modules, CUfunction *functions)
{
    for (int i = 0; i < set->image_count; i++) {
        if (modules[i] != NULL) {
            (void)cuda->cuModuleUnload(modules[i]);
        }
        modules[i] = NULL;
    }
    for (size_t i = 0; i < set->row_count; i++) {
        const struct symm_function_row *row = &set->rows[i];
        memset(&functions[row->first], 0,
               (row->has == NULL ? 1 : SYMM_FUNCTIONS_BY_TYPE) * sizeof(*functions));
    }
}
