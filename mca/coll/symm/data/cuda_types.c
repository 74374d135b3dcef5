/*
 * data/cuda_types.c - see data/cuda_types.h.
 *
 * Open MPI's own table of element types decides what a datatype is.  So a kernel and the host's
 * functions take MPI_LONG or MPI_AINT for the same type.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mca/coll/symm/data/cuda_types.h"

#include "heap/symm.h"

/* ---- datatypes ------------------------------------------------------------------------------- */

/* A Fortran type is one of C's types; the compiler decides which one. */
static int sized_type(size_t bytes, const int types[4])
{
    switch (bytes) {
    case 1:
        return types[0];
    case 2:
        return types[1];
    case 4:
        return types[2];
    case 8:
        return types[3];
    default:
        return SYMM_CUDA_TYPE_COUNT;
    }
}

static int predefined_type(const struct ompi_datatype_t *dtype)
{
    static const int integers[] = {SYMM_CUDA_INT8, SYMM_CUDA_INT16, SYMM_CUDA_INT32,
                                   SYMM_CUDA_INT64};
    static const int naturals[] = {SYMM_CUDA_UINT8, SYMM_CUDA_UINT16, SYMM_CUDA_UINT32,
                                   SYMM_CUDA_UINT64};
    static const int reals[] = {SYMM_CUDA_TYPE_COUNT, SYMM_CUDA_HALF, SYMM_CUDA_FLOAT,
                                SYMM_CUDA_DOUBLE};
    size_t bytes;
    ompi_datatype_type_size(dtype, &bytes);
    switch (ompi_op_ddt_map[dtype->id]) {
    case OMPI_OP_BASE_TYPE_INT8_T:
    case OMPI_OP_BASE_TYPE_INT16_T:
    case OMPI_OP_BASE_TYPE_INT32_T:
    case OMPI_OP_BASE_TYPE_INT64_T:
    case OMPI_OP_BASE_TYPE_INTEGER:
    case OMPI_OP_BASE_TYPE_INTEGER1:
    case OMPI_OP_BASE_TYPE_INTEGER2:
    case OMPI_OP_BASE_TYPE_INTEGER4:
    case OMPI_OP_BASE_TYPE_INTEGER8:
    case OMPI_OP_BASE_TYPE_LONG:
    case OMPI_OP_BASE_TYPE_LOGICAL: /* 0 is false and all else is true, as in C */
        return sized_type(bytes, integers);
    case OMPI_OP_BASE_TYPE_UINT8_T:
    case OMPI_OP_BASE_TYPE_UINT16_T:
    case OMPI_OP_BASE_TYPE_UINT32_T:
    case OMPI_OP_BASE_TYPE_UINT64_T:
    case OMPI_OP_BASE_TYPE_UNSIGNED_LONG:
        return sized_type(bytes, naturals);
    case OMPI_OP_BASE_TYPE_FLOAT:
    case OMPI_OP_BASE_TYPE_DOUBLE:
    case OMPI_OP_BASE_TYPE_REAL:
    case OMPI_OP_BASE_TYPE_REAL2:
    case OMPI_OP_BASE_TYPE_REAL4:
    case OMPI_OP_BASE_TYPE_REAL8:
    case OMPI_OP_BASE_TYPE_DOUBLE_PRECISION:
        return sized_type(bytes, reals);
    case OMPI_OP_BASE_TYPE_BOOL:
        return SYMM_CUDA_BOOL;
    case OMPI_OP_BASE_TYPE_BYTE:
        return SYMM_CUDA_BYTE;
    case OMPI_OP_BASE_TYPE_C_FLOAT_COMPLEX:
        return SYMM_CUDA_FLOAT_COMPLEX;
    case OMPI_OP_BASE_TYPE_C_DOUBLE_COMPLEX:
        return SYMM_CUDA_DOUBLE_COMPLEX;
    case OMPI_OP_BASE_TYPE_FLOAT_INT:
        return SYMM_CUDA_FLOAT_INT;
    case OMPI_OP_BASE_TYPE_DOUBLE_INT:
        return SYMM_CUDA_DOUBLE_INT;
    case OMPI_OP_BASE_TYPE_LONG_INT:
        return SYMM_CUDA_LONG_INT;
    case OMPI_OP_BASE_TYPE_2INT:
        return SYMM_CUDA_2INT;
    case OMPI_OP_BASE_TYPE_SHORT_INT:
        return SYMM_CUDA_SHORT_INT;
    default:
        return SYMM_CUDA_TYPE_COUNT;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

static int predefined_op(const struct ompi_op_t *op)
{
    static const int ops[OMPI_OP_BASE_FORTRAN_OP_MAX] = {
        [OMPI_OP_BASE_FORTRAN_MAX] = 1 + SYMM_CUDA_MAX,
        [OMPI_OP_BASE_FORTRAN_MIN] = 1 + SYMM_CUDA_MIN,
        [OMPI_OP_BASE_FORTRAN_SUM] = 1 + SYMM_CUDA_SUM,
        [OMPI_OP_BASE_FORTRAN_PROD] = 1 + SYMM_CUDA_PROD,
        [OMPI_OP_BASE_FORTRAN_LAND] = 1 + SYMM_CUDA_LAND,
        [OMPI_OP_BASE_FORTRAN_BAND] = 1 + SYMM_CUDA_BAND,
        [OMPI_OP_BASE_FORTRAN_LOR] = 1 + SYMM_CUDA_LOR,
        [OMPI_OP_BASE_FORTRAN_BOR] = 1 + SYMM_CUDA_BOR,
        [OMPI_OP_BASE_FORTRAN_LXOR] = 1 + SYMM_CUDA_LXOR,
        [OMPI_OP_BASE_FORTRAN_BXOR] = 1 + SYMM_CUDA_BXOR,
        [OMPI_OP_BASE_FORTRAN_MAXLOC] = 1 + SYMM_CUDA_MAXLOC,
        [OMPI_OP_BASE_FORTRAN_MINLOC] = 1 + SYMM_CUDA_MINLOC,
    };
    int index = (int)op->op_type;
    return index > 0 && index < OMPI_OP_BASE_FORTRAN_OP_MAX && ops[index] > 0
               ? ops[index] - 1 : SYMM_CUDA_OP_COUNT;
}

/*
 * The operations on the 16-bit floats of symm.h are user-defined ones, and are recognised by their
 * functions.  Those take each element of 16 bits for a number, whatever its datatype.
 */
static bool float16_op(const struct ompi_op_t *op, const struct ompi_datatype_t *dtype, int *type,
                       int *cuda_op)
{
    typedef void function_t(void); /* 6.0 has another type for its pointer */
    size_t size;
    static const struct {
        MPI_User_function *function;
        int type, op;
    } known[] = {
        {symm_half_sum, SYMM_CUDA_HALF, SYMM_CUDA_SUM},
        {symm_half_prod, SYMM_CUDA_HALF, SYMM_CUDA_PROD},
        {symm_half_min, SYMM_CUDA_HALF, SYMM_CUDA_MIN},
        {symm_half_max, SYMM_CUDA_HALF, SYMM_CUDA_MAX},
        {symm_bfloat16_sum, SYMM_CUDA_BFLOAT16, SYMM_CUDA_SUM},
        {symm_bfloat16_prod, SYMM_CUDA_BFLOAT16, SYMM_CUDA_PROD},
        {symm_bfloat16_min, SYMM_CUDA_BFLOAT16, SYMM_CUDA_MIN},
        {symm_bfloat16_max, SYMM_CUDA_BFLOAT16, SYMM_CUDA_MAX},
    };
    ompi_datatype_type_size(dtype, &size);
    if ((op->o_flags & SYMM_OP_FLAGS_NOT_C) != 0 || size != sizeof(uint16_t)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if ((function_t *)op->o_func.c_fn == (function_t *)known[i].function) {
            *type = known[i].type;
            *cuda_op = known[i].op;
            return true;
        }
    }
    return false;
}

bool mca_coll_symm_cuda_type(const struct ompi_op_t *op, const struct ompi_datatype_t *dtype,
                             int *type, int *cuda_op)
{
    if (!ompi_op_is_intrinsic((struct ompi_op_t *)(uintptr_t)op)) {
        return float16_op(op, dtype, type, cuda_op);
    }
    if (!ompi_datatype_is_predefined(dtype)) {
        return false;
    }
    *type = predefined_type(dtype);
    *cuda_op = predefined_op(op);
    return *type != SYMM_CUDA_TYPE_COUNT && *cuda_op != SYMM_CUDA_OP_COUNT;
}
