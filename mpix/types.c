/*
 * types.c - datatypes and operations of MPI, as kernels know them.
 *
 * Public MPI says what a handle is only by comparing.  The sizes of Fortran's types, and of C's
 * integers, are asked for.
 *
 * Copyright (c) 2026 The ompi-symm authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "config.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/launch/device.h"
#include "kernels/float16.h"
#include "mpix/mpix.h"

/* ---- datatypes ------------------------------------------------------------------------------- */

/*
 * MPI has no logical operations for NUMBERs (Fortran's integers and addresses), only these for
 * TRUTHs, and none for what is OPAQUE.
 */
enum family { SIGNED, UNSIGNED, NUMBER, TRUTH, REAL, COMPLEX, EXACT, OPAQUE };

/* Of a family, the size decides; EXACT is one type.  Numbers and truths are as C's integers are. */
static enum symm_cuda_type type_of(enum family family, enum symm_cuda_type exact, size_t size)
{
    static const struct {
        enum family family;
        size_t size;
        enum symm_cuda_type type;
    } sized[] = {
        {SIGNED, 1, SYMM_CUDA_INT8}, {SIGNED, 2, SYMM_CUDA_INT16}, {SIGNED, 4, SYMM_CUDA_INT32},
        {SIGNED, 8, SYMM_CUDA_INT64}, {UNSIGNED, 1, SYMM_CUDA_UINT8},
        {UNSIGNED, 2, SYMM_CUDA_UINT16}, {UNSIGNED, 4, SYMM_CUDA_UINT32},
        {UNSIGNED, 8, SYMM_CUDA_UINT64}, {REAL, 2, SYMM_CUDA_HALF}, {REAL, 4, SYMM_CUDA_FLOAT},
        {REAL, 8, SYMM_CUDA_DOUBLE}, {COMPLEX, 8, SYMM_CUDA_FLOAT_COMPLEX},
        {COMPLEX, 16, SYMM_CUDA_DOUBLE_COMPLEX},
    };
    if (family == EXACT) {
        return exact;
    }
    family = family == NUMBER || family == TRUTH ? SIGNED : family;
    for (size_t i = 0; i < sizeof(sized) / sizeof(*sized); i++) {
        if (sized[i].family == family && sized[i].size == size) {
            return sized[i].type;
        }
    }
    return SYMM_CUDA_TYPE_COUNT;
}

/* SYMM_CUDA_TYPE_COUNT: kernels do not reduce it. */
static enum symm_cuda_type predefined_type(MPI_Datatype datatype, enum family *family)
{
    const struct {
        MPI_Datatype datatype;
        enum family family;
        enum symm_cuda_type exact;
    } known[] = {
        {MPI_FLOAT, REAL, 0}, {MPI_DOUBLE, REAL, 0}, {MPI_INT, SIGNED, 0},
        {MPI_LONG, SIGNED, 0}, {MPI_LONG_LONG, SIGNED, 0}, {MPI_SHORT, SIGNED, 0},
        {MPI_SIGNED_CHAR, SIGNED, 0}, {MPI_INT8_T, SIGNED, 0}, {MPI_INT16_T, SIGNED, 0},
        {MPI_INT32_T, SIGNED, 0}, {MPI_INT64_T, SIGNED, 0}, {MPI_AINT, NUMBER, 0},
        {MPI_OFFSET, NUMBER, 0}, {MPI_COUNT, NUMBER, 0},
        {MPI_UNSIGNED, UNSIGNED, 0}, {MPI_UNSIGNED_LONG, UNSIGNED, 0},
        {MPI_UNSIGNED_LONG_LONG, UNSIGNED, 0}, {MPI_UNSIGNED_SHORT, UNSIGNED, 0},
        {MPI_UNSIGNED_CHAR, UNSIGNED, 0}, {MPI_UINT8_T, UNSIGNED, 0},
        {MPI_UINT16_T, UNSIGNED, 0}, {MPI_UINT32_T, UNSIGNED, 0}, {MPI_UINT64_T, UNSIGNED, 0},
        {MPI_C_FLOAT_COMPLEX, COMPLEX, 0}, {MPI_C_DOUBLE_COMPLEX, COMPLEX, 0},
        {MPI_C_BOOL, EXACT, SYMM_CUDA_BOOL}, {MPI_BYTE, EXACT, SYMM_CUDA_BYTE},
        {MPI_FLOAT_INT, EXACT, SYMM_CUDA_FLOAT_INT},
        {MPI_DOUBLE_INT, EXACT, SYMM_CUDA_DOUBLE_INT},
        {MPI_LONG_INT, EXACT, SYMM_CUDA_LONG_INT}, {MPI_2INT, EXACT, SYMM_CUDA_2INT},
        {MPI_SHORT_INT, EXACT, SYMM_CUDA_SHORT_INT},
        {MPI_INTEGER, NUMBER, 0}, {MPI_INTEGER1, NUMBER, 0}, {MPI_INTEGER2, NUMBER, 0},
        {MPI_INTEGER4, NUMBER, 0}, {MPI_INTEGER8, NUMBER, 0}, {MPI_LOGICAL, TRUTH, 0},
        {MPI_REAL, REAL, 0}, {MPI_REAL4, REAL, 0}, {MPI_REAL8, REAL, 0},
        {MPI_DOUBLE_PRECISION, REAL, 0}, {MPI_COMPLEX, COMPLEX, 0},
        {MPI_DOUBLE_COMPLEX, COMPLEX, 0}, {MPI_CHAR, OPAQUE, 0}, {MPI_WCHAR, OPAQUE, 0},
        {MPI_CHARACTER, OPAQUE, 0}, {MPI_PACKED, OPAQUE, 0},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (known[i].datatype == datatype) {
            int size = 0;
            (void)PMPI_Type_size(datatype, &size);
            *family = known[i].family;
            return type_of(known[i].family, known[i].exact, (size_t)size);
        }
    }
    return SYMM_CUDA_TYPE_COUNT;
}

static int datatype_check(const char *call, MPI_Datatype datatype)
{
    return datatype != MPI_DATATYPE_NULL
               ? MPI_SUCCESS
               : symm_mpix_error(MPI_ERR_TYPE, "%s: the datatype is MPI_DATATYPE_NULL", call);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* SYMM_CUDA_OP_COUNT: it is none of MPI's own. */
static enum symm_cuda_op predefined_op(MPI_Op op)
{
    const struct {
        MPI_Op op;
        enum symm_cuda_op cuda;
    } known[] = {
        {MPI_SUM, SYMM_CUDA_SUM}, {MPI_PROD, SYMM_CUDA_PROD}, {MPI_MIN, SYMM_CUDA_MIN},
        {MPI_MAX, SYMM_CUDA_MAX}, {MPI_LAND, SYMM_CUDA_LAND}, {MPI_LOR, SYMM_CUDA_LOR},
        {MPI_LXOR, SYMM_CUDA_LXOR}, {MPI_BAND, SYMM_CUDA_BAND}, {MPI_BOR, SYMM_CUDA_BOR},
        {MPI_BXOR, SYMM_CUDA_BXOR}, {MPI_MINLOC, SYMM_CUDA_MINLOC},
        {MPI_MAXLOC, SYMM_CUDA_MAXLOC},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (known[i].op == op) {
            return known[i].cuda;
        }
    }
    return SYMM_CUDA_OP_COUNT;
}

/* Beside what kernels can do, to which a truth is an integer. */
static bool is_allowed(enum family family, enum symm_cuda_op op)
{
    const bool is_logical =
        op == SYMM_CUDA_LAND || op == SYMM_CUDA_LOR || op == SYMM_CUDA_LXOR;
    return family != OPAQUE && (is_logical ? family != NUMBER : family != TRUTH);
}

/* Whether elements are so many bytes each, one behind the other. */
static bool is_packed(MPI_Datatype datatype, MPI_Count bytes)
{
    MPI_Count size = 0, lower, whole = 0, true_lower, true_whole = 0;
    return PMPI_Type_size_x(datatype, &size) == MPI_SUCCESS &&
           PMPI_Type_get_extent_x(datatype, &lower, &whole) == MPI_SUCCESS &&
           PMPI_Type_get_true_extent_x(datatype, &true_lower, &true_whole) == MPI_SUCCESS &&
           size == bytes && whole == bytes && true_whole == bytes && lower == 0 && true_lower == 0;
}

/*
 * An operation of the program's: one made from symm_half_sum() or its like answers for itself when
 * it is called with an element, and no other one does.
 */
static bool is_float16(MPI_Datatype datatype, MPI_Op op, struct symm_stream_call *reduction)
{
    uint16_t in = 0, inout = 0;
    struct symm_float16_asked asked = {.is_known = false};
    if (!is_packed(datatype, sizeof(in))) {
        return false;
    }
    symm_float16_ask(&asked);
    int error = PMPI_Reduce_local(&in, &inout, 1, datatype, op);
    symm_float16_ask(NULL);
    if (error != MPI_SUCCESS || !asked.is_known) {
        return false;
    }
    static const enum symm_cuda_op ops[] = {
        [SYMM_FLOAT16_SUM] = SYMM_CUDA_SUM, [SYMM_FLOAT16_PROD] = SYMM_CUDA_PROD,
        [SYMM_FLOAT16_MIN] = SYMM_CUDA_MIN, [SYMM_FLOAT16_MAX] = SYMM_CUDA_MAX,
    };
    reduction->type = asked.is_bfloat16 ? SYMM_CUDA_BFLOAT16 : SYMM_CUDA_HALF;
    reduction->op = ops[asked.operation];
    return true;
}

bool symm_mpix_is_named(MPI_Datatype datatype)
{
    int integers, addresses, datatypes, combiner = MPI_COMBINER_DUP;
    (void)PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

int symm_mpix_reduction(const char *call, MPI_Datatype datatype, MPI_Op op,
                        struct symm_stream_call *reduction, bool *has_kernel)
{
    enum family family = EXACT;
    int error = datatype_check(call, datatype);
    *has_kernel = true;
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP) {
        return symm_mpix_error(MPI_ERR_OP, "%s: the operation is %s", call,
                               op == MPI_OP_NULL ? "MPI_OP_NULL" : "for windows only");
    }
    reduction->op = predefined_op(op);
    if (reduction->op == SYMM_CUDA_OP_COUNT) {
        *has_kernel = is_float16(datatype, op, reduction);
        return MPI_SUCCESS;
    }
    reduction->type = predefined_type(datatype, &family);
    if (reduction->type == SYMM_CUDA_TYPE_COUNT && family != OPAQUE &&
        symm_mpix_is_named(datatype)) {
        *has_kernel = false; /* a type such as MPI_LONG_DOUBLE */
        return MPI_SUCCESS;
    }
    return reduction->type != SYMM_CUDA_TYPE_COUNT && is_allowed(family, reduction->op) &&
                   symm_device_can_reduce(reduction->type, reduction->op)
               ? MPI_SUCCESS
               : symm_mpix_error(MPI_ERR_OP, "%s: MPI does not define the operation for the "
                                 "datatype", call);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static pthread_once_t keyval_once = PTHREAD_ONCE_INIT;
static int whole_key = MPI_KEYVAL_INVALID;

static void keyval_make(void)
{
    (void)PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &whole_key,
                                  NULL);
}

/*
 * Whether an element is its bytes in their order.  A type map may go back and forth, so an element
 * of numbered bytes is packed: what comes out has to be what went in.  Each turn shows 8 bits of a
 * byte's number.
 */
static bool keeps_order(MPI_Datatype datatype, size_t size)
{
    unsigned char *bytes = malloc(2 * size);
    bool is_kept = bytes != NULL;
    for (unsigned shift = 0; is_kept && shift < 64 && (size - 1) >> shift != 0; shift += 8) {
        int position = 0;
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (unsigned char)(i >> shift);
        }
        is_kept = PMPI_Pack(bytes, 1, datatype, bytes + size, (int)size, &position,
                            MPI_COMM_SELF) == MPI_SUCCESS &&
                  position == (int)size && memcmp(bytes, bytes + size, size) == 0;
    }
    free(bytes);
    return is_kept;
}

/* The answer stays with the datatype. */
static bool is_whole_of(MPI_Datatype datatype, size_t size)
{
    static char yes, no;
    void *known = NULL;
    int found = 0;
    (void)pthread_once(&keyval_once, keyval_make);
    (void)PMPI_Type_get_attr(datatype, whole_key, &known, &found);
    if (!found) {
        known = keeps_order(datatype, size) ? &yes : &no;
        (void)PMPI_Type_set_attr(datatype, whole_key, known);
    }
    return known == &yes;
}

int symm_mpix_bytes(const char *call, MPI_Datatype datatype, size_t *bytes, bool *is_whole)
{
    MPI_Count size, lower, whole, true_lower, true_whole;
    int error = datatype_check(call, datatype);
    *is_whole = true;
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (PMPI_Type_size_x(datatype, &size) != MPI_SUCCESS ||
        PMPI_Type_get_extent_x(datatype, &lower, &whole) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_x(datatype, &true_lower, &true_whole) != MPI_SUCCESS) {
        return symm_mpix_error(MPI_ERR_TYPE, "%s: the datatype is none", call);
    }
    if (size == 0 || symm_mpix_is_named(datatype)) {
        *bytes = size > 0 ? (size_t)whole : 0; /* of pairs the gaps are copied, too */
        return MPI_SUCCESS;
    }
    *bytes = (size_t)size;
    *is_whole = size == whole && size == true_whole && lower == 0 && true_lower == 0 &&
                size <= INT_MAX && is_whole_of(datatype, (size_t)size);
    return MPI_SUCCESS;
}
